/// Sixteen numbers side by side, for both precisions, under the same few names.
#pragma once

#include <cstddef>
#include <cstdint>

#include "double_double.hpp"
#include "eight.hpp"

namespace dagmass {

inline constexpr std::size_t num_lane_bits = 4, num_lanes = 1 << num_lane_bits;

template <class Real>
struct alignas(64) Lanes {
    Eight<Real> part[2]{};
};

template <class Real>
[[gnu::always_inline]] inline Real get(const Lanes<Real>& lanes, std::size_t lane) {
    return get(lanes.part[lane / num_in_eight], lane % num_in_eight);
}
/// sum += factor * values, the factor the same for all. The low parts of double-doubles are left as large as they come.
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

[[gnu::always_inline]] inline DoubleDouble<double> add_up(const DoubleDouble<Vec8>& lanes) {
    DoubleDouble<double> sum(0.0);
    for (std::size_t lane = 0; lane < num_in_eight; ++lane) sum += DoubleDouble<double>(lanes.hi[lane], lanes.lo[lane]);
    return sum;
}

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
