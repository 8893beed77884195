/// A_v(U) = sum over P in U of exp(score of v with parents P), for all v and all U without v.
///
/// Each is a mantissa in [0.5, 1) and an exponent: local scores differ by up to 1e5 nats.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "../scores/best_parents.hpp"
#include "../simd.hpp"
#include "exponential.hpp"
#include "scaled.hpp"

namespace dagmass {

[[gnu::always_inline]] inline double add_positive(double a, double b) { return a + b; }
[[gnu::always_inline]] inline DoubleDouble<double> add_positive(const DoubleDouble<double>& a, const DoubleDouble<double>& b) {
    const auto high = two_sum(a.hi, b.hi);
    return quick_two_sum(high.hi, high.lo + (a.lo + b.lo));  // nothing cancels: good to 2^-103
}

/// value[U] = sum of value[P] over P in U, halves first: every half fits into the cache sooner or later.
template <class Real>
void sum_over_subsets(Real* values, std::size_t count) {
    if (count > (std::size_t{1} << block_bits)) {
        sum_over_subsets(values, count / 2);
        sum_over_subsets(values + count / 2, count / 2);
        at_level([&]() __attribute__((always_inline)) {
            for (std::size_t i = 0; i < count / 2; ++i) values[count / 2 + i] = add_positive(values[count / 2 + i], values[i]);
        });
        return;
    }
    at_level([&]() __attribute__((always_inline)) {
        for (std::size_t bit = 1; bit < count; bit *= 2)
            for (std::size_t start = 0; start < count; start += 2 * bit)
                for (std::size_t i = 0; i < bit; ++i) values[start + bit + i] = add_positive(values[start + bit + i], values[start + i]);
    });
}

/// The same where exponents differ widely: mantissas stay in [0.5, 2^(n-1)) while the larger exponent is kept.
template <class Real>
void sum_over_subsets(Real* mantissas, Exponent* exponents, std::size_t count) {
    for (std::size_t bit = 1; bit < count; bit *= 2)
        for (std::size_t start = 0; start < count; start += 2 * bit)
            for (std::size_t i = start; i < start + bit; ++i) {
                const std::size_t with_bit = i + bit;
                const Exponent top = std::max(exponents[i], exponents[with_bit]);
                mantissas[with_bit] =
                    mantissas[with_bit] * power_of_two(exponents[with_bit] - top) + mantissas[i] * power_of_two(exponents[i] - top);
                exponents[with_bit] = top;
            }
}

/// The least and the largest exponent of all that is not zero.
inline std::pair<Exponent, Exponent> range_of(const Exponent* exponents, std::size_t count) {
    Exponent top = exponent_of_zero, bottom = -exponent_of_zero;
    at_level([&]() __attribute__((always_inline)) {
        for (std::size_t i = 0; i < count; ++i) {
            top = std::max(top, exponents[i]);
            bottom = std::min(bottom, exponents[i] == exponent_of_zero ? -exponent_of_zero : exponents[i]);
        }
    });
    return {bottom, top};
}

inline constexpr Exponent max_plain_range = 960;  // bits

/// The same by plain numbers where their range allows, by scaled ones elsewhere; mantissas end in [0.5, 1).
template <class Real>
void sum_in_range(Real* mantissas, Exponent* exponents, std::size_t count) {
    const auto [bottom, top] = range_of(exponents, count);
    if (top - bottom >= max_plain_range) {
        sum_over_subsets(mantissas, exponents, count);
    } else {
        at_level([&, bottom = bottom, top = top]() __attribute__((always_inline)) {
            for (std::size_t i = 0; i < count; ++i) {
                mantissas[i] = mantissas[i] * power_of_two(std::max(exponents[i], bottom) - top);
                exponents[i] = top;
            }
        });
        sum_over_subsets(mantissas, count);
    }
    at_level([&]() __attribute__((always_inline)) {
        for (std::size_t i = 0; i < count; ++i) {
            const Exponent shift = normalise(mantissas[i]);
            exponents[i] = shift == exponent_of_zero ? exponent_of_zero : exponents[i] + shift;
        }
    });
}

/// Scores of v below this one cannot be seen beside that of the empty set, which every sum holds.
template <class Real, class Scores>
Score lowest_visible(const Scores& scores, const Exponential& exponential, int v) {
    const Score of_none = scores.score(v, 0);
    const auto visible = static_cast<Score>(Precision<Real>::visible_bits) + scores.num_variables + 4;
    return is_possible(of_none) ? of_none - visible * exponential.log_2() : impossible;
}

template <class Real>
class SubsetSums {
  public:
    template <class Scores>
    SubsetSums(const Scores& scores, int fraction_bits, Job& job) : SubsetSums(scores, fraction_bits, 0, scores.num_variables, job) {}

    /// Those of `count` variables from the first one on.
    template <class Scores>
    SubsetSums(const Scores& scores, int fraction_bits, int first, int count, Job& job)
        : num_variables_(scores.num_variables), first_(first), per_variable_(std::size_t{1} << (num_variables_ - 1)) {
        mantissas_.resize(static_cast<std::size_t>(count) * per_variable_);
        exponents_.resize(mantissas_.size());
        const Exponential exponential(fraction_bits);
        parallel_for(job, static_cast<std::size_t>(count), [&](std::size_t i, int) {
            const int v = first + static_cast<int>(i);
            fill(scores, exponential, v, job);
            sum_in_range(mantissas_.data() + place(v), exponents_.data() + place(v), per_variable_);
        });
    }

    int num_variables() const { return num_variables_; }
    std::size_t per_variable() const { return per_variable_; }

    /// All of one variable, by drop_bit(U, v).
    const Real* mantissas(int v) const { return mantissas_.data() + place(v); }
    const Exponent* exponents(int v) const { return exponents_.data() + place(v); }

    Real mantissa(int v, Varset set) const { return mantissas(v)[drop_bit(set, v)]; }
    Exponent exponent(int v, Varset set) const { return exponents(v)[drop_bit(set, v)]; }

  private:
    std::size_t place(int v) const { return static_cast<std::size_t>(v - first_) * per_variable_; }

    /// Scores that cannot be seen are left out.
    template <class Scores>
    void fill(const Scores& scores, const Exponential& exponential, int v, Job& job) {
        const Score lowest = lowest_visible<Real>(scores, exponential, v);
        std::vector<Score> block(std::min(per_variable_, std::size_t{1} << block_bits));
        for (std::size_t first = 0; first < per_variable_; first += block.size()) {
            job.check();
            scores.fill_block(v, first, block);
            exponential(block, lowest, mantissas_.data() + place(v) + first, exponents_.data() + place(v) + first);
        }
    }

    int num_variables_;
    int first_;
    std::size_t per_variable_;
    std::vector<Real> mantissas_;
    std::vector<Exponent> exponents_;
};

}  // namespace dagmass
