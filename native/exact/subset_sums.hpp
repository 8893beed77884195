/// A_v(U) = sum over P in U of exp(score of v with parents P), less the base of v, for all v and all U without v.
///
/// Each is a mantissa in [0.5, 1) and an exponent: local scores differ by up to 1e5 nats. The base is a part of the weight of the empty
/// parent set, which is kept apart (network_sums.hpp says what for); zero if it is not asked for.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "../large_array.hpp"
#include "../scores/best_parents.hpp"
#include "../simd.hpp"
#include "eight.hpp"
#include "exponential.hpp"
#include "scaled.hpp"

namespace dagmass {

[[gnu::always_inline]] inline double add_positive(double a, double b) { return a + b; }
[[gnu::always_inline]] inline DoubleDouble<double> add_positive(const DoubleDouble<double>& a, const DoubleDouble<double>& b) {
    const auto high = two_sum(a.hi, b.hi);
    return quick_two_sum(high.hi, high.lo + (a.lo + b.lo));  // nothing cancels: good to 2^-103
}

/// What one variable adds: the half of the sets with it gains the half without it.
template <class Real>
[[gnu::always_inline]] inline void add_lower_half(Real* values, std::size_t bit) {
    for (std::size_t i = 0; i < bit; ++i) values[bit + i] = add_positive(values[bit + i], values[i]);
}

/// What three variables add, in one go through the numbers; `bit` is at least eight.
[[gnu::always_inline]] inline void add_lower_eighths(double* values, std::size_t bit) {
    for (std::size_t i = 0; i < bit; i += num_in_eight) {
        double* place = values + i;
        const Vec8 none = load(place), a = load(place + bit) + none, b = load(place + 2 * bit), c = load(place + 4 * bit);
        const Vec8 with_b = b + none, with_c = c + none;
        const Vec8 ab = load(place + 3 * bit) + b, ac = load(place + 5 * bit) + c, bc = load(place + 6 * bit) + c;
        const Vec8 abc = (load(place + 7 * bit) + load(place + 6 * bit)) + ac;
        store(place + bit, a);
        store(place + 2 * bit, with_b);
        store(place + 3 * bit, ab + a);
        store(place + 4 * bit, with_c);
        store(place + 5 * bit, ac + a);
        store(place + 6 * bit, bc + with_b);
        store(place + 7 * bit, abc + (ab + a));
    }
}
[[gnu::always_inline]] inline void add_lower_eighths(DoubleDouble<double>* values, std::size_t bit) {
    for (std::size_t step = bit; step < 8 * bit; step *= 2)
        for (std::size_t start = 0; start < 8 * bit; start += 2 * step) add_lower_half(values + start, step);
}

/// What the lowest three variables add to eight numbers side by side.
[[gnu::always_inline]] inline void add_within_eight(double* values) {
    const Vec8 none{};
    Vec8 sum = load(values);
    sum = sum + shuffled(sum, none, Int8{8, 0, 8, 2, 8, 4, 8, 6});
    sum = sum + shuffled(sum, none, Int8{8, 8, 0, 1, 8, 8, 4, 5});
    sum = sum + shuffled(sum, none, Int8{8, 8, 8, 8, 0, 1, 2, 3});
    store(values, sum);
}
[[gnu::always_inline]] inline void add_within_eight(DoubleDouble<double>* values) { add_lower_eighths(values, 1); }

/// value[U] = sum of value[P] over P in U: blocks that fit into the cache first, three variables at a time.
template <class Real>
void sum_over_subsets(Real* values, std::size_t count) {
    const std::size_t block = std::min(count, std::size_t{1} << block_bits);
    at_level([=]() __attribute__((always_inline)) {
        const auto raise = [=](std::size_t first, std::size_t from, std::size_t to) __attribute__((always_inline)) {
            std::size_t bit = from;
            for (; 8 * bit <= to; bit *= 8)
                for (std::size_t start = first; start < first + to; start += 8 * bit) add_lower_eighths(values + start, bit);
            for (; bit < to; bit *= 2)
                for (std::size_t start = first; start < first + to; start += 2 * bit) add_lower_half(values + start, bit);
        };
        for (std::size_t first = 0; first < count; first += block) {
            if (block < num_in_eight) {
                raise(first, 1, block);
                continue;
            }
            for (std::size_t i = 0; i < block; i += num_in_eight) add_within_eight(values + first + i);
            raise(first, num_in_eight, block);
        }
        raise(0, block, count);
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
    constexpr Exponent beyond = std::numeric_limits<Exponent>::max();
    std::array<Exponent, num_in_eight> tops, bottoms;
    tops.fill(exponent_of_zero);
    bottoms.fill(beyond);
    at_level([=, &tops, &bottoms]() __attribute__((always_inline)) {
        Exponent8 top = Exponent8{} + exponent_of_zero, bottom = Exponent8{} + beyond;
        for (std::size_t i = 0; i + num_in_eight <= count; i += num_in_eight) {
            const Exponent8 exponent = load_vector<Exponent8>(exponents + i);
            top = exponent > top ? exponent : top;
            const Exponent8 known = exponent == Exponent8{} + exponent_of_zero ? Exponent8{} + beyond : exponent;
            bottom = known < bottom ? known : bottom;
        }
        for (std::size_t i = 0; i < num_in_eight; ++i) tops[i] = top[i], bottoms[i] = bottom[i];
    });
    for (std::size_t i = count - count % num_in_eight; i < count; ++i)
        if (exponents[i] != exponent_of_zero) tops[0] = std::max(tops[0], exponents[i]), bottoms[0] = std::min(bottoms[0], exponents[i]);
    const Exponent top = std::ranges::max(tops);
    return {std::min(std::ranges::min(bottoms), top), top};
}

inline constexpr Exponent max_plain_range = 960;  // bits

/// The same by plain numbers where their range allows, by scaled ones elsewhere; mantissas end in [0.5, 1).
template <class Real>
void sum_in_range(Real* mantissas, Exponent* exponents, std::size_t count) {
    const auto [bottom, top] = range_of(exponents, count);
    if (top - bottom >= max_plain_range) {
        sum_over_subsets(mantissas, exponents, count);
    } else {
        at_level([=, bottom = bottom, top = top]() __attribute__((always_inline)) {
            for (std::size_t i = 0; i < count; ++i) {
                mantissas[i] = mantissas[i] * power_of_two(std::max(exponents[i], bottom) - top);
                exponents[i] = top;
            }
        });
        sum_over_subsets(mantissas, count);
    }
    at_level([=]() __attribute__((always_inline)) {
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

/// More than the tables have room for.
inline constexpr std::size_t max_variables = 32;

/// A number and its power of two.
template <class Real>
struct Scaled {
    Real mantissa{};
    Exponent exponent = exponent_of_zero;
};

template <class Real>
class SubsetSums {
  public:
    /// Of all variables. The empty parent set counts 2^-base_bits of its weight (all of it for zero), its base the rest.
    template <class Scores>
    SubsetSums(const Scores& scores, int fraction_bits, int base_bits, Job& job)
        : SubsetSums(scores, fraction_bits, base_bits, 0, scores.num_variables, job) {}

    /// Those of `count` variables from the first one on.
    template <class Scores>
    SubsetSums(const Scores& scores, int fraction_bits, int base_bits, int first, int count, Job& job)
        : num_variables_(scores.num_variables),
          first_(first),
          per_variable_(std::size_t{1} << (num_variables_ - 1)),
          bases_(static_cast<std::size_t>(count)) {
        const std::size_t size = static_cast<std::size_t>(count) * per_variable_;
        mantissas_.resize(size + num_in_eight);  // so that eight can be read anywhere
        exponents_.resize(mantissas_.size());
        std::fill(mantissas_.begin() + static_cast<std::ptrdiff_t>(size), mantissas_.end(), Real(0.0));
        std::fill(exponents_.begin() + static_cast<std::ptrdiff_t>(size), exponents_.end(), exponent_of_zero);
        const Exponential exponential(fraction_bits);
        parallel_for(job, static_cast<std::size_t>(count), [&](std::size_t i, int) {
            const int v = first + static_cast<int>(i);
            fill(scores, exponential, v, job);
            set_base_apart(v, base_bits);
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

    /// What the empty parent set weighs beside these sums.
    const Scaled<Real>& base(int v) const { return bases_[static_cast<std::size_t>(v - first_)]; }

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

    void set_base_apart(int v, int base_bits) {
        Real& mantissa = mantissas_[place(v)];
        Exponent& exponent = exponents_[place(v)];
        if (base_bits == 0 || exponent == exponent_of_zero) return;
        bases_[static_cast<std::size_t>(v - first_)] = {mantissa * (1 - power_of_two(-base_bits)), exponent};
        exponent -= base_bits;
    }

    int num_variables_;
    int first_;
    std::size_t per_variable_;
    std::vector<Scaled<Real>> bases_;
    LargeArray<Real> mantissas_;
    LargeArray<Exponent> exponents_;
};

}  // namespace dagmass
