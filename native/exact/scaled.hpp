/// Numbers far outside the range of double: a mantissa and a power of two kept apart.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "double_double.hpp"

namespace dagmass {

using Exponent = std::int32_t;

/// The exponent of zero: so low that zero never decides a maximum, and sums of three do not overflow. Other exponents stay above its half.
inline constexpr Exponent exponent_of_zero = -(1 << 29);

/// A sum in which a zero took part is the exponent of zero again.
constexpr Exponent clamp_zero(Exponent exponent) { return exponent < exponent_of_zero / 2 ? exponent_of_zero : exponent; }

/// 2^exponent; zero where that is below the normal range. `exponent` is at most 1023.
constexpr double power_of_two(std::int64_t exponent) {
    return exponent < -1022 ? 0.0 : std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

inline double leading(double value) { return value; }
inline double leading(const DoubleDouble<double>& value) { return value.hi; }

/// Split a positive normal value into a mantissa in [0.5, 1) and an exponent; zero stays zero. Without a branch, so that loops of it can
/// use vector registers.
[[gnu::always_inline]] inline Exponent normalise(double& mantissa) {
    const auto bits = std::bit_cast<std::uint64_t>(mantissa);
    const auto unit = std::bit_cast<double>((bits & 0x800fffffffffffffULL) | 0x3fe0000000000000ULL);
    mantissa = bits == 0 ? 0.0 : unit;
    return bits == 0 ? exponent_of_zero : static_cast<Exponent>(bits >> 52 & 0x7ff) - 1022;
}

template <class Real>
Exponent normalise(Real& mantissa) {
    if (leading(mantissa) == 0) return exponent_of_zero;
    int exponent = 0;
    std::frexp(leading(mantissa), &exponent);
    mantissa = mantissa * power_of_two(-exponent);
    return exponent;
}

/// What the arithmetic of a number type may lose.
template <class Real>
struct Precision;

template <>
struct Precision<double> {
    static constexpr double unit = 0x1p-53;         // relative error of one operation
    static constexpr double exponential = 0x1p-50;  // relative error of exp of a score
    static constexpr double visible_bits = 46;      // what all left-out terms together stay below
};

template <>
struct Precision<DoubleDouble<double>> {
    static constexpr double unit = 0x1p-101;
    static constexpr double exponential = 0x1p-92;
    static constexpr double visible_bits = 110;
};

/// The empty parent set of every variable counts 2^-base_bits of its weight in the sums, its base the rest (network_sums.hpp).
inline constexpr int base_bits = 3;

/// Terms whose share in Z(V) lies more bits below one are left out: there are at most 3^n of them in each recursion, and one share of a
/// posterior is at most 2^base_bits times its term.
template <class Real>
Exponent cut_bits(int num_variables) {
    return static_cast<Exponent>(std::ceil(Precision<Real>::visible_bits + num_variables * std::log2(3.0) + base_bits));
}

}  // namespace dagmass
