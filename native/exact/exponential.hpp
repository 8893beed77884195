/// exp of a score, as a mantissa and a power of two.
///
/// A score is an integer t in units of 2^-q nat. With k = floor(t / ln 2), exp(t) = 2^k * exp(r), 0 <= r < ln 2. The integer part of k * ln
/// 2 is taken off exactly, so nothing is lost however large t is.
#pragma once

#include <cmath>
#include <cstdint>

#include "../scores/score.hpp"
#include "double_double.hpp"
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
    void exponential(double t, double k, double& mantissa) const { mantissa = std::exp((t - k * rest_.hi) * unit_); }

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

    double unit_;
    double per_score_;
    Score whole_;                // integer part of ln 2 in units
    DoubleDouble<double> rest_;  // fraction of ln 2 in units
};

}  // namespace dagmass
