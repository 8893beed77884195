/// exp of a score, as a mantissa and a power of two.
///
/// A score is an integer t in units of 2^-q nat. With k = floor(t / ln 2), exp(t) = 2^k * exp(r), 0 <= r < ln 2. The integer part of k * ln
/// 2 is taken off exactly, so nothing is lost however large t is.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

#include "../scores/score.hpp"
#include "../simd.hpp"
#include "double_double.hpp"
#include "eight.hpp"
#include "scaled.hpp"

namespace dagmass {

class Exponential {
  public:
    explicit Exponential(int fraction_bits) : unit_(std::ldexp(1.0, -fraction_bits)) {
        constexpr double parts[] = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56, 0x1.7b57a079a1934p-111};  // of ln 2
        const double scaled = std::ldexp(parts[0], fraction_bits);
        whole_ = static_cast<Score>(scaled);
        rest_ = DoubleDouble<double>(scaled - static_cast<double>(whole_)) + DoubleDouble<double>(std::ldexp(parts[1], fraction_bits)) +
                DoubleDouble<double>(std::ldexp(parts[2], fraction_bits));
        per_score_ = 1.0 / scaled;
    }

    /// ln 2, rounded down to a whole score.
    Score log_2() const { return whole_; }

    /// Many at once. Scores below `lowest` count as impossible.
    template <class Real>
    void operator()(std::span<const Score> scores, Score lowest, Real* mantissas, Exponent* exponents) const {
        if constexpr (std::is_same_v<Real, double>)
            if (scores.size() % num_in_eight == 0) {
                at_level([&, this]() __attribute__((always_inline)) {
                    for (std::size_t i = 0; i < scores.size(); i += num_in_eight)
                        in_double(scores.data() + i, lowest, mantissas + i, exponents + i);
                });
                return;
            }
        for (std::size_t i = 0; i < scores.size(); ++i) exponents[i] = (*this)(scores[i] < lowest ? impossible : scores[i], mantissas[i]);
    }

    template <class Real>
    Exponent operator()(Score score, Real& mantissa) const {
        if (!is_possible(score)) {
            mantissa = Real{};
            return exponent_of_zero;
        }
        const double k = std::floor(static_cast<double>(score) * per_score_);
        const auto t = static_cast<double>(score - static_cast<Score>(k) * whole_);
        exponential(t, k, mantissa);
        return normalise(mantissa) + static_cast<Exponent>(k);
    }

  private:
    void exponential(double t, double k, double& mantissa) const { mantissa = near_zero<double>((t - k * rest_.hi) * unit_); }

    /// exp(r) for 0 <= r < ln 2, by its Taylor series around (ln 2) / 2: the rest after 14 terms is below 2^-57.
    template <class Number>
    [[gnu::always_inline]] static Number near_zero(const Number& r) {
        constexpr double middle = 0x1.62e42fefa39efp-2, exp_middle = 0x1.6a09e667f3bcdp+0;
        constexpr double factors[] = {
            1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0,
            1.0 / 720.0,        1.0 / 120.0,       1.0 / 24.0,       1.0 / 6.0,       1.0 / 2.0,      1.0,           1.0};
        const Number x = r - middle;
        Number sum{};
        for (const double factor : factors) sum = sum * x + factor;
        return sum * exp_middle;
    }

    /// exp(r) lies in [1, 2), or hardly outside where k was rounded: the exponent is known, the mantissa is half of it.
    [[gnu::always_inline]] void in_double(const Score* scores, Score lowest, double* mantissas, Exponent* exponents) const {
        const Int8 score = load_vector<Int8>(scores);
        const Int8 k = __builtin_convertvector(__builtin_convertvector(score, Vec8) * per_score_ + round_down_, Int8) -
                       static_cast<Score>(round_down_);
        const Vec8 t = __builtin_convertvector(score - k * whole_, Vec8);
        const Vec8 value = near_zero<Vec8>((t - __builtin_convertvector(k, Vec8) * rest_.hi) * unit_) * 0.5;
        const Int8 is_kept = score >= spread_whole(std::max(lowest, barely_possible + 1));
        store(mantissas, reinterpret_cast<Vec8>(reinterpret_cast<Int8>(value) & is_kept));
        const Int8 exponent = is_kept ? k + 1 : spread_whole(exponent_of_zero);
        store_exponents(exponents, exponent);
    }

    /// exp(r) = exp(r / 256)^256 with a Taylor series.
    void exponential(double t, double k, DoubleDouble<double>& mantissa) const {
        using Real = DoubleDouble<double>;
        const Real r = (Real(t) - Real(k) * rest_) * (unit_ / 256);
        Real sum(1.0), term(1.0);
        for (int i = 1; i <= 14; ++i) {
            term = term * r * reciprocal(i);
            sum += term;
        }
        for (int square = 0; square < 8; ++square) sum = sum * sum;
        mantissa = sum;
    }

    static DoubleDouble<double> reciprocal(int i) {
        const double first = 1.0 / i;
        const auto product = two_product(first, static_cast<double>(i));
        return {first, ((1.0 - product.hi) - product.lo) / i};
    }

    static constexpr double round_down_ = 0x1p32;  // truncation rounds down once all numbers are positive

    double unit_;
    double per_score_;
    Score whole_;                // integer part of ln 2 in units
    DoubleDouble<double> rest_;  // fraction of ln 2 in units
};

}  // namespace dagmass
