/// Sums over the pairs U in W of low sets, for one number a set or for sixteen.
#pragma once

#include <array>
#include <span>

#include "eight.hpp"
#include "lanes.hpp"
#include "low_lattice.hpp"

namespace dagmass {

template <class Real>
using LowLanes = std::array<Lanes<Real>, num_low_sets>;

/// One lane of all low sets, eight sets together.
template <class Real>
using LowColumn = std::array<Eight<Real>, num_low_sets / num_in_eight>;

template <class Real>
[[gnu::always_inline]] inline void turn_columns(const LowLanes<Real>& lanes, std::array<LowColumn<Real>, num_lanes>& columns) {
    for (std::size_t low = 0; low < num_low_sets; low += num_in_eight)
        for (std::size_t half = 0; half < 2; ++half) {
            Eight<Real> values[num_in_eight];
            for (std::size_t i = 0; i < num_in_eight; ++i) values[i] = lanes[low + i].part[half];
            transpose(values);
            for (std::size_t i = 0; i < num_in_eight; ++i) columns[half * num_in_eight + i][low / num_in_eight] = values[i];
        }
}
template <class Real>
[[gnu::always_inline]] inline void turn_columns(const std::array<LowColumn<Real>, num_lanes>& columns, LowLanes<Real>& lanes) {
    for (std::size_t low = 0; low < num_low_sets; low += num_in_eight)
        for (std::size_t half = 0; half < 2; ++half) {
            Eight<Real> values[num_in_eight];
            for (std::size_t i = 0; i < num_in_eight; ++i) values[i] = columns[half * num_in_eight + i][low / num_in_eight];
            transpose(values);
            for (std::size_t i = 0; i < num_in_eight; ++i) lanes[low + i].part[half] = values[i];
        }
}

/// All terms between one row and some partners, by kind, sixteen numbers a set. `is_upper`: the row holds the W.
template <bool is_upper, class Real>
[[gnu::always_inline]] inline void add_row(std::span<const LowLattice::RowPair> partners, const Real* factors, const LowLanes<Real>& values,
                                           Lanes<Real> (&of_kind)[num_kinds]) {
    for (const auto& pair : partners) {
        const Real* factor = factors + pair.number * num_kinds;
        const Lanes<Real>* value = values.data() + pair.row * num_places;
#pragma GCC unroll 9
        for (std::size_t k = 0; k < num_kinds; ++k) add_product(of_kind[k], factor[k], value[is_upper ? kinds[k].lower : kinds[k].upper]);
    }
}

template <class Real>
[[gnu::always_inline]] inline Lanes<Real> add(const Lanes<Real>& a, const Lanes<Real>& b) {
    return {{a.part[0] + b.part[0], a.part[1] + b.part[1]}};
}

/// What has been added up for one low set: terms whose S has an even or odd number of low variables.
template <class Sum>
struct ByParity {
    Sum even{}, odd{};

    Sum& of(bool is_odd) { return is_odd ? odd : even; }
};

/// The same for one number a set, kinds side by side: the sums of all four places of a row, with the partners themselves left to the caller
/// where they are the row itself.
template <bool is_upper, class Real>
[[gnu::always_inline]] inline void sum_row(std::span<const LowLattice::RowPair> partners, bool are_odd, const Real* factors,
                                           const Real* values, ByParity<Real> (&sums)[num_places]) {
    Eight<Real> of_kind{};
    Real last(0.0);
    for (const auto& pair : partners) {
        const Real* factor = factors + pair.number * num_kinds;
        const Real* value = values + pair.row * num_places;
        Eight<Real> eight;
        if constexpr (std::is_same_v<Real, double>) {
            const Vec8 places{value[0], value[1], value[2], value[3]};
            eight = shuffled(places, is_upper ? Int8{0, 0, 0, 0, 1, 1, 2, 2} : Int8{0, 1, 2, 3, 1, 3, 2, 3});
        } else {
            for (std::size_t k = 0; k < num_in_eight; ++k) set(eight, k, value[is_upper ? kinds[k].lower : kinds[k].upper]);
        }
        of_kind = of_kind + load_eight(factor) * eight;
        last = last + factor[num_in_eight] * value[num_places - 1];
    }
    for (std::size_t k = 0; k < num_kinds; ++k) {
        Real& sum = sums[is_upper ? kinds[k].upper : kinds[k].lower].of(kinds[k].is_odd() != are_odd);
        sum = sum + (k < num_in_eight ? get(of_kind, k) : last);
    }
}

/// Most additions that a term passes through in `sum_row` or `add_row` and after.
inline constexpr int additions_in_row = num_rows + 8;

}  // namespace dagmass
