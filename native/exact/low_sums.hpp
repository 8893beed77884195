/// Sums over the pairs U in W of low sets, for one number a set or for sixteen.
#pragma once

#include <array>

#include "dense_block.hpp"
#include "lanes.hpp"
#include "low_lattice.hpp"

namespace dagmass {

template <class Real>
using LowLanes = std::array<Lanes<Real>, num_low_sets>;

/// One lane of all low sets, eight sets together.
template <class Real>
using LowColumn = std::array<typename Eight<Real>::type, num_low_sets / half_lanes>;

template <class Real>
[[gnu::always_inline]] inline void turn_columns(const LowLanes<Real>& lanes, std::array<LowColumn<Real>, num_lanes>& columns) {
    for (std::size_t low = 0; low < num_low_sets; low += half_lanes)
        for (std::size_t half = 0; half < 2; ++half) {
            typename Eight<Real>::type values[half_lanes];
            for (std::size_t i = 0; i < half_lanes; ++i) values[i] = lanes[low + i].part[half];
            transpose(values);
            for (std::size_t i = 0; i < half_lanes; ++i) columns[half * half_lanes + i][low / half_lanes] = values[i];
        }
}
template <class Real>
[[gnu::always_inline]] inline void turn_columns(const std::array<LowColumn<Real>, num_lanes>& columns, LowLanes<Real>& lanes) {
    for (std::size_t low = 0; low < num_low_sets; low += half_lanes)
        for (std::size_t half = 0; half < 2; ++half) {
            typename Eight<Real>::type values[half_lanes];
            for (std::size_t i = 0; i < half_lanes; ++i) values[i] = columns[half * half_lanes + i][low / half_lanes];
            transpose(values);
            for (std::size_t i = 0; i < half_lanes; ++i) lanes[low + i].part[half] = values[i];
        }
}

/// What has been added up for one low set: terms whose S has an even or odd number of low variables.
template <class Sum>
struct ByParity {
    Sum even{}, odd{};
};

template <class Real>
[[gnu::always_inline]] inline Lanes<Real> add(const Lanes<Real>& a, const Lanes<Real>& b) {
    return {{settled(a.part[0] + b.part[0]), settled(a.part[1] + b.part[1])}};
}
template <class Real>
[[gnu::always_inline]] inline Lanes<Real> difference(const Lanes<Real>& a, const Lanes<Real>& b) {
    return {{a.part[0] - b.part[0], a.part[1] - b.part[1]}};
}
template <class Real>
[[gnu::always_inline]] inline Lanes<Real> settle(const Lanes<Real>& a) {
    return {{settled(a.part[0]), settled(a.part[1])}};
}
[[gnu::always_inline]] inline double add(double a, double b) { return a + b; }
[[gnu::always_inline]] inline DoubleDouble<double> add(const DoubleDouble<double>& a, const DoubleDouble<double>& b) { return a + b; }
[[gnu::always_inline]] inline double settle(double a) { return a; }
[[gnu::always_inline]] inline DoubleDouble<double> settle(const DoubleDouble<double>& a) { return a; }
[[gnu::always_inline]] inline void add_product(double& sum, double factor, double value) { sum += factor * value; }
[[gnu::always_inline]] inline void add_product(DoubleDouble<double>& sum, const DoubleDouble<double>& factor,
                                               const DoubleDouble<double>& value) {
    sum += factor * value;
}

/// All terms between one row and the rows that are its partners: to each of its places, by parity. `is_upper`: the row holds the W.
template <bool is_upper, class Real, class Value>
[[gnu::always_inline]] inline void sum_row(const std::span<const LowLattice::RowPair> (&partners)[2], const Real* factors,
                                           const Value* values, ByParity<Value> (&sums)[num_places]) {
    for (int parity = 0; parity < 2; ++parity) {
        Value of_kind[num_kinds]{};
        for (const auto& pair : partners[parity]) {
            const Real* factor = factors + pair.number * num_kinds;
            const Value* value = values + pair.row * num_places;
#pragma GCC unroll 9
            for (std::size_t k = 0; k < num_kinds; ++k)
                add_product(of_kind[k], factor[k], value[is_upper ? kinds[k].lower : kinds[k].upper]);
        }
#pragma GCC unroll 9
        for (std::size_t k = 0; k < num_kinds; ++k) {
            auto& sum = sums[is_upper ? kinds[k].upper : kinds[k].lower];
            auto& half = kinds[k].is_odd() == (parity == 1) ? sum.even : sum.odd;
            half = add(half, settle(of_kind[k]));
        }
    }
}

/// Most additions that a term passes through in `sum_row`.
inline constexpr int additions_in_row = num_rows / 2 + 4;

}  // namespace dagmass
