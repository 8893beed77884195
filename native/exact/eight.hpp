/// Eight numbers side by side, for both precisions, under the same few names.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../scores/score.hpp"
#include "../simd.hpp"
#include "double_double.hpp"
#include "scaled.hpp"

namespace dagmass {

using Int8 = std::int64_t __attribute__((vector_size(64)));
inline constexpr Int8 lane_numbers{0, 1, 2, 3, 4, 5, 6, 7};
using Exponent8 = Exponent __attribute__((vector_size(32)));

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

[[gnu::always_inline]] inline Vec8 load(const double* from) { return load_vector<Vec8>(from); }
[[gnu::always_inline]] inline void store(double* to, const Vec8& value) { store_vector(to, value); }
/// Eight numbers of an array of either precision.
[[gnu::always_inline]] inline Vec8 load_eight(const double* from) { return load(from); }
[[gnu::always_inline]] inline DoubleDouble<Vec8> load_eight(const DoubleDouble<double>* from) {
    DoubleDouble<Vec8> eight{Vec8{}, Vec8{}};
    for (std::size_t i = 0; i < num_in_eight; ++i) set(eight, i, from[i]);
    return eight;
}
[[gnu::always_inline]] inline void store_eight(double* to, const Vec8& eight) { store(to, eight); }
[[gnu::always_inline]] inline void store_eight(DoubleDouble<double>* to, const DoubleDouble<Vec8>& eight) {
    for (std::size_t i = 0; i < num_in_eight; ++i) to[i] = get(eight, i);
}
[[gnu::always_inline]] inline Int8 load_exponents(const Exponent* from) {
    return __builtin_convertvector(load_vector<Exponent8>(from), Int8);
}

[[gnu::always_inline]] inline void store_exponents(Exponent* to, const Int8& exponents) {
    store_vector(to, __builtin_convertvector(exponents, Exponent8));
}

/// Four numbers in the lanes whose number lacks a bit, in turn; zero in the others.
template <class Vector, class Number>
[[gnu::always_inline]] inline Vector take_turns(int bit, const Number* four) {
    const Int8 places[] = {{0, 8, 1, 8, 2, 8, 3, 8}, {0, 1, 8, 8, 2, 3, 8, 8}, {0, 1, 2, 3, 8, 8, 8, 8}};
    return shuffled(Vector{four[0], four[1], four[2], four[3]}, Vector{}, places[bit]);
}
[[gnu::always_inline]] inline Vec8 take_turns(int bit, const double* four) { return take_turns<Vec8, double>(bit, four); }
[[gnu::always_inline]] inline DoubleDouble<Vec8> take_turns(int bit, const DoubleDouble<double>* four) {
    const double hi[] = {four[0].hi, four[1].hi, four[2].hi, four[3].hi}, lo[] = {four[0].lo, four[1].lo, four[2].lo, four[3].lo};
    return {take_turns(bit, hi), take_turns(bit, lo)};
}
[[gnu::always_inline]] inline Int8 take_turns(int bit, const Exponent* four) { return take_turns<Int8, Exponent>(bit, four); }

/// Lanes whose number has a bit, as a mask.
[[gnu::always_inline]] inline Int8 lanes_with_bit(int bit) { return (lane_numbers >> static_cast<std::int64_t>(bit) & 1) != 0; }

/// Whether any of eight comparisons holds.
[[gnu::always_inline]] inline bool any(const Int8& holds) {
    using Byte8 = signed char __attribute__((vector_size(8)));
    return std::bit_cast<std::uint64_t>(__builtin_convertvector(holds, Byte8)) != 0;
}

[[gnu::always_inline]] inline Vec8 select(const Int8& mask, const Vec8& yes, const Vec8& no) { return mask ? yes : no; }
[[gnu::always_inline]] inline DoubleDouble<Vec8> select(const Int8& mask, const DoubleDouble<Vec8>& yes, const DoubleDouble<Vec8>& no) {
    return {select(mask, yes.hi, no.hi), select(mask, yes.lo, no.lo)};
}

/// Eight doubles as numbers of either precision.
template <class Real>
[[gnu::always_inline]] inline Eight<Real> widened(const Vec8& eight) {
    if constexpr (std::is_same_v<Real, double>)
        return eight;
    else
        return {eight, Vec8{}};
}

/// (-1)^size of the lanes' numbers.
[[gnu::always_inline]] inline Vec8 lane_signs() { return Vec8{1, -1, -1, 1, -1, 1, 1, -1}; }

/// |value|
[[gnu::always_inline]] inline Vec8 size_of(const Vec8& value) {
    return reinterpret_cast<Vec8>(reinterpret_cast<Int8>(value) & spread_whole(0x7fffffffffffffff));
}

/// Split eight positive numbers into mantissas in [0.5, 1) and exponents; zeros get the exponent of zero.
[[gnu::always_inline]] inline Int8 normalise(Vec8& mantissas) {
    const Int8 bits = reinterpret_cast<Int8>(mantissas), is_zero = bits == 0;
    const Int8 unit = (bits & 0x000fffffffffffff) | 0x3fe0000000000000;
    mantissas = reinterpret_cast<Vec8>(unit & ~is_zero);
    return is_zero ? spread_whole(exponent_of_zero) : (bits >> 52) - 1022;
}

/// 2^exponent; zero below the normal range, 2^900 above it.
[[gnu::always_inline]] inline Vec8 powers_of_two(Int8 exponent) {
    exponent = exponent < -1023 ? Int8{} - 1023 : exponent;
    exponent = exponent > 900 ? Int8{} + 900 : exponent;
    return reinterpret_cast<Vec8>((exponent + 1023) << 52);
}

[[gnu::always_inline]] inline double add_up(const Vec8& v) { return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7])); }

/// Sets with the same high bits lie side by side, eight of them: all subsets of the low variables.
inline constexpr int num_eight_bits = 3;

/// The lanes whose numbers hold so many low variables, as a mask.
[[gnu::always_inline]] inline Int8 lanes_of_size(int size) { return Int8{0, 1, 1, 2, 1, 2, 2, 3} == spread_whole(size); }

/// In lane Ul, what lane Ul + D holds; itself where D meets Ul.
[[gnu::always_inline]] inline Int8 lanes_with(std::size_t added) { return lane_numbers | static_cast<std::int64_t>(added); }
template <class Vector>
[[gnu::always_inline]] inline Vector upper_lanes(const Vector& eight, std::size_t added) {
    return shuffled(eight, lanes_with(added));
}
[[gnu::always_inline]] inline DoubleDouble<Vec8> upper_lanes(const DoubleDouble<Vec8>& eight, std::size_t added) {
    return {upper_lanes(eight.hi, added), upper_lanes(eight.lo, added)};
}

/// In lane Wl, what lane Wl - D holds; zero in lanes without D.
[[gnu::always_inline]] inline Vec8 lower_lanes(const Vec8& eight, std::size_t added) {
    const auto bits = static_cast<std::int64_t>(added);
    const Int8 lanes{0, 1, 2, 3, 4, 5, 6, 7};
    return shuffled(eight, Vec8{}, (lanes & bits) == bits ? lanes - bits : spread_whole(num_in_eight));
}
[[gnu::always_inline]] inline DoubleDouble<Vec8> lower_lanes(const DoubleDouble<Vec8>& eight, std::size_t added) {
    return {lower_lanes(eight.hi, added), lower_lanes(eight.lo, added)};
}

/// Sums in eight lanes, compensated.
template <class Real>
struct EightSums {
    DoubleDouble<Vec8> sum{};

    [[gnu::always_inline]] void add(const Vec8& value) {
        const auto high = two_sum(sum.hi, value);
        sum.hi = high.hi;
        sum.lo = sum.lo + high.lo;
    }
    [[gnu::always_inline]] void add(const DoubleDouble<Vec8>& value) { sum = sum + value; }
    [[gnu::always_inline]] Eight<Real> total() const {
        if constexpr (std::is_same_v<Real, double>)
            return sum.hi + sum.lo;
        else
            return sum;
    }
};

}  // namespace dagmass
