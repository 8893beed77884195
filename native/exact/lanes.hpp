/// Sixteen numbers side by side, for both precisions, under the same few names.
#pragma once

#include <cstddef>
#include <cstdint>

#include "double_double.hpp"
#include "scaled.hpp"

namespace dagmass {

inline constexpr std::size_t num_lanes = 16;
inline constexpr std::size_t half_lanes = 8;

using Int8 = std::int64_t __attribute__((vector_size(64)));
using Exponent8 = Exponent __attribute__((vector_size(32), aligned(4)));
using Double8 = double __attribute__((vector_size(64), aligned(8)));  // as it lies in an array

/// Eight numbers of either precision.
template <class Real>
struct Eight;
template <>
struct Eight<double> {
    using type = Vec8;
};
template <>
struct Eight<DoubleDouble<double>> {
    using type = DoubleDouble<Vec8>;
};

template <class Real>
struct alignas(64) Lanes {
    typename Eight<Real>::type part[2]{};
};

[[gnu::always_inline]] inline double get(const Lanes<double>& lanes, std::size_t lane) {
    return lanes.part[lane / half_lanes][lane % half_lanes];
}
[[gnu::always_inline]] inline DoubleDouble<double> get(const Lanes<DoubleDouble<double>>& lanes, std::size_t lane) {
    const auto& part = lanes.part[lane / half_lanes];
    return {part.hi[lane % half_lanes], part.lo[lane % half_lanes]};
}
[[gnu::always_inline]] inline void set(Lanes<double>& lanes, std::size_t lane, double value) {
    lanes.part[lane / half_lanes][lane % half_lanes] = value;
}
[[gnu::always_inline]] inline void set(Lanes<DoubleDouble<double>>& lanes, std::size_t lane, const DoubleDouble<double>& value) {
    lanes.part[lane / half_lanes].hi[lane % half_lanes] = value.hi;
    lanes.part[lane / half_lanes].lo[lane % half_lanes] = value.lo;
}

[[gnu::always_inline]] inline Vec8 spread(double value) { return value - Vec8{}; }
[[gnu::always_inline]] inline DoubleDouble<Vec8> spread(const DoubleDouble<double>& value) { return {spread(value.hi), spread(value.lo)}; }

[[gnu::always_inline]] inline Vec8 leading(const Vec8& value) { return value; }
[[gnu::always_inline]] inline Vec8 leading(const DoubleDouble<Vec8>& value) { return value.hi; }

/// Values beyond `limit` become the limit: for terms that a factor zero takes away, which must not meet an infinity.
[[gnu::always_inline]] inline Vec8 within(Vec8 value, double limit) {
    const Vec8 top = spread(limit), bottom = spread(-limit);
    value = value < top ? value : top;
    return value > bottom ? value : bottom;
}
[[gnu::always_inline]] inline DoubleDouble<Vec8> within(const DoubleDouble<Vec8>& value, double limit) {
    return {within(value.hi, limit), value.lo};
}

/// |value|
[[gnu::always_inline]] inline Vec8 size_of(const Vec8& value) {
    return reinterpret_cast<Vec8>(reinterpret_cast<Int8>(value) & (Int8{} + std::int64_t{0x7fffffffffffffff}));
}

/// sum += factor * values, the factor the same for all. The sum of double-doubles is put in order by `settled` alone.
[[gnu::always_inline]] inline void add_product(Vec8& sum, double factor, const Vec8& values) { sum = sum + factor * values; }
[[gnu::always_inline]] inline void add_product(DoubleDouble<Vec8>& sum, const DoubleDouble<double>& factor,
                                               const DoubleDouble<Vec8>& values) {
    const DoubleDouble<Vec8> f = spread(factor);
    const auto product = two_product(f.hi, values.hi);
    const auto high = two_sum(sum.hi, product.hi);
    sum.hi = high.hi;
    sum.lo = sum.lo + (high.lo + (product.lo + (f.hi * values.lo + f.lo * values.hi)));
}
template <class Real>
[[gnu::always_inline]] inline void add_product(Lanes<Real>& sum, const Real& factor, const Lanes<Real>& values) {
    add_product(sum.part[0], factor, values.part[0]);
    add_product(sum.part[1], factor, values.part[1]);
}

[[gnu::always_inline]] inline Vec8 settled(const Vec8& sum) { return sum; }
[[gnu::always_inline]] inline DoubleDouble<Vec8> settled(const DoubleDouble<Vec8>& sum) { return two_sum(sum.hi, sum.lo); }

[[gnu::always_inline]] inline double add_up(const Vec8& v) { return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7])); }
[[gnu::always_inline]] inline DoubleDouble<double> add_up(const DoubleDouble<Vec8>& lanes) {
    DoubleDouble<double> sum(0.0);
    for (std::size_t lane = 0; lane < half_lanes; ++lane) sum += DoubleDouble<double>(lanes.hi[lane], lanes.lo[lane]);
    return sum;
}

/// 2^exponent; zero below the normal range, 2^1000 above it.
[[gnu::always_inline]] inline Vec8 powers_of_two(Int8 exponent) {
    exponent = exponent < -1023 ? Int8{} - 1023 : exponent;
    exponent = exponent > 1000 ? Int8{} + 1000 : exponent;
    return reinterpret_cast<Vec8>((exponent + 1023) << 52);
}

[[gnu::always_inline]] inline Int8 load_exponents(const Exponent* from) {
    return __builtin_convertvector(*reinterpret_cast<const Exponent8*>(from), Int8);
}
[[gnu::always_inline]] inline Vec8 load(const double* from) { return *reinterpret_cast<const Double8*>(from); }
[[gnu::always_inline]] inline void store(double* to, const Vec8& value) { *reinterpret_cast<Double8*>(to) = value; }

/// Rows become columns: eight sets with eight lanes each become eight lanes of eight sets each.
[[gnu::always_inline]] inline void transpose(Vec8 (&rows)[8]) {
    Vec8 pairs[8], fours[8];
    for (int i = 0; i < 8; i += 2) {
        pairs[i] = __builtin_shufflevector(rows[i], rows[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        pairs[i + 1] = __builtin_shufflevector(rows[i], rows[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int j = 0; j < 2; ++j) {
            fours[i + j] = __builtin_shufflevector(pairs[i + j], pairs[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            fours[i + j + 2] = __builtin_shufflevector(pairs[i + j], pairs[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int j = 0; j < 4; ++j) {
        rows[j] = __builtin_shufflevector(fours[j], fours[j + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        rows[j + 4] = __builtin_shufflevector(fours[j], fours[j + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}
[[gnu::always_inline]] inline void transpose(DoubleDouble<Vec8> (&rows)[8]) {
    Vec8 hi[8], lo[8];
    for (int i = 0; i < 8; ++i) hi[i] = rows[i].hi, lo[i] = rows[i].lo;
    transpose(hi);
    transpose(lo);
    for (int i = 0; i < 8; ++i) rows[i] = {hi[i], lo[i]};
}

}  // namespace dagmass
