/// Eight numbers side by side, for both precisions, under the same few names.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "../scores/score.hpp"
#include "double_double.hpp"
#include "scaled.hpp"

namespace dagmass {

using Int8 = std::int64_t __attribute__((vector_size(64)));
// as they lie in arrays:
using Double8 = double __attribute__((vector_size(64), aligned(8)));
using Score8 = Score __attribute__((vector_size(64), aligned(8)));
using Exponent8 = Exponent __attribute__((vector_size(32), aligned(4)));

inline constexpr std::size_t num_in_eight = 8;

/// Eight numbers of either precision.
template <class Real>
struct EightOf;
template <>
struct EightOf<double> {
    using type = Vec8;
};
template <>
struct EightOf<DoubleDouble<double>> {
    using type = DoubleDouble<Vec8>;
};
template <class Real>
using Eight = typename EightOf<Real>::type;

[[gnu::always_inline]] inline Vec8 spread(double value) { return value - Vec8{}; }
[[gnu::always_inline]] inline DoubleDouble<Vec8> spread(const DoubleDouble<double>& value) { return {spread(value.hi), spread(value.lo)}; }
[[gnu::always_inline]] inline Int8 spread_whole(std::int64_t value) { return value - Int8{}; }

[[gnu::always_inline]] inline double get(const Vec8& eight, std::size_t i) { return eight[i]; }
[[gnu::always_inline]] inline DoubleDouble<double> get(const DoubleDouble<Vec8>& eight, std::size_t i) {
    return {eight.hi[i], eight.lo[i]};
}
[[gnu::always_inline]] inline void set(Vec8& eight, std::size_t i, double value) { eight[i] = value; }
[[gnu::always_inline]] inline void set(DoubleDouble<Vec8>& eight, std::size_t i, const DoubleDouble<double>& value) {
    eight.hi[i] = value.hi;
    eight.lo[i] = value.lo;
}

[[gnu::always_inline]] inline Vec8 leading(const Vec8& value) { return value; }
[[gnu::always_inline]] inline Vec8 leading(const DoubleDouble<Vec8>& value) { return value.hi; }

[[gnu::always_inline]] inline Vec8 load(const double* from) { return *reinterpret_cast<const Double8*>(from); }
[[gnu::always_inline]] inline void store(double* to, const Vec8& value) { *reinterpret_cast<Double8*>(to) = value; }
/// Eight numbers of an array of either precision.
[[gnu::always_inline]] inline Vec8 load_eight(const double* from) { return load(from); }
[[gnu::always_inline]] inline DoubleDouble<Vec8> load_eight(const DoubleDouble<double>* from) {
    DoubleDouble<Vec8> eight;
    for (std::size_t i = 0; i < num_in_eight; ++i) set(eight, i, from[i]);
    return eight;
}
[[gnu::always_inline]] inline void store_eight(double* to, const Vec8& eight) { store(to, eight); }
[[gnu::always_inline]] inline void store_eight(DoubleDouble<double>* to, const DoubleDouble<Vec8>& eight) {
    for (std::size_t i = 0; i < num_in_eight; ++i) to[i] = get(eight, i);
}
[[gnu::always_inline]] inline Int8 load_exponents(const Exponent* from) {
    return __builtin_convertvector(*reinterpret_cast<const Exponent8*>(from), Int8);
}

/// Whether any of eight comparisons holds.
[[gnu::always_inline]] inline bool any(const Int8& holds) {
    using Byte8 = signed char __attribute__((vector_size(8)));
    return std::bit_cast<std::uint64_t>(__builtin_convertvector(holds, Byte8)) != 0;
}

[[gnu::always_inline]] inline Vec8 select(const Int8& mask, const Vec8& yes, const Vec8& no) { return mask ? yes : no; }
[[gnu::always_inline]] inline DoubleDouble<Vec8> select(const Int8& mask, const DoubleDouble<Vec8>& yes, const DoubleDouble<Vec8>& no) {
    return {select(mask, yes.hi, no.hi), select(mask, yes.lo, no.lo)};
}

/// |value|
[[gnu::always_inline]] inline Vec8 size_of(const Vec8& value) {
    return reinterpret_cast<Vec8>(reinterpret_cast<Int8>(value) & spread_whole(0x7fffffffffffffff));
}

/// 2^exponent; zero below the normal range, 2^900 above it.
[[gnu::always_inline]] inline Vec8 powers_of_two(Int8 exponent) {
    exponent = exponent < -1023 ? Int8{} - 1023 : exponent;
    exponent = exponent > 900 ? Int8{} + 900 : exponent;
    return reinterpret_cast<Vec8>((exponent + 1023) << 52);
}

[[gnu::always_inline]] inline double add_up(const Vec8& v) { return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7])); }

}  // namespace dagmass
