/// Sixteen numbers side by side, for both precisions, under the same few names.
#pragma once

#include <cstddef>

#include "double_double.hpp"

namespace dagmass {

inline constexpr std::size_t num_lanes = 16;

template <class Real>
struct Lanes;

template <>
struct Lanes<double> {
    Vec8 part[2]{};

    double get(std::size_t lane) const { return part[lane / 8][lane % 8]; }
    void set(std::size_t lane, double value) { part[lane / 8][lane % 8] = value; }
};

template <>
struct Lanes<DoubleDouble<double>> {
    DoubleDouble<Vec8> part[2]{};

    DoubleDouble<double> get(std::size_t lane) const { return {part[lane / 8].hi[lane % 8], part[lane / 8].lo[lane % 8]}; }
    void set(std::size_t lane, const DoubleDouble<double>& value) {
        part[lane / 8].hi[lane % 8] = value.hi;
        part[lane / 8].lo[lane % 8] = value.lo;
    }
};

[[gnu::always_inline]] inline Vec8 spread(double value) { return Vec8{} + value; }
[[gnu::always_inline]] inline DoubleDouble<Vec8> spread(const DoubleDouble<double>& value) {
    return {Vec8{} + value.hi, Vec8{} + value.lo};
}

/// sum += factor * lanes, the factor the same for all.
template <class Real>
[[gnu::always_inline]] inline void add_product(Lanes<Real>& sum, const Real& factor, const Lanes<Real>& lanes) {
    const auto spread_factor = spread(factor);
    sum.part[0] = sum.part[0] + spread_factor * lanes.part[0];
    sum.part[1] = sum.part[1] + spread_factor * lanes.part[1];
}

template <class Real>
[[gnu::always_inline]] inline void add_product(Lanes<Real>& sum, const Lanes<Real>& a, const Lanes<Real>& b) {
    sum.part[0] = sum.part[0] + a.part[0] * b.part[0];
    sum.part[1] = sum.part[1] + a.part[1] * b.part[1];
}

template <class Real>
[[gnu::always_inline]] inline Lanes<Real> scaled(const Lanes<Real>& lanes, const Real& factor) {
    const auto spread_factor = spread(factor);
    Lanes<Real> result;
    result.part[0] = lanes.part[0] * spread_factor;
    result.part[1] = lanes.part[1] * spread_factor;
    return result;
}

}  // namespace dagmass
