/// A number for every set, of either precision; the low parts of sums in double are what rounding took from the high parts.
#pragma once

#include <cstddef>

#include "../graphs/varset.hpp"
#include "../large_array.hpp"
#include "eight.hpp"

namespace dagmass {

struct SetNumbers {
    LargeArray<double> hi, lo;

    explicit SetNumbers(std::size_t count = 0) : hi(count, 0.0), lo(count, 0.0) {}

    double get(Varset set, double) const { return hi[set] + lo[set]; }
    DoubleDouble<double> get(Varset set, const DoubleDouble<double>&) const { return quick_two_sum(hi[set], lo[set]); }
    void put(Varset set, double value) { hi[set] = value, lo[set] = 0; }
    void put(Varset set, const DoubleDouble<double>& value) { hi[set] = value.hi, lo[set] = value.lo; }

    /// Eight sets side by side gain.
    [[gnu::always_inline]] void collect(Varset set, const Vec8& value) {
        const auto sum = two_sum(load(&hi[set]), value);
        store(&hi[set], sum.hi);
        store(&lo[set], load(&lo[set]) + sum.lo);
    }
    [[gnu::always_inline]] void collect(Varset set, const DoubleDouble<Vec8>& value) {
        const auto sum = DoubleDouble<Vec8>(load(&hi[set]), load(&lo[set])) + value;
        store(&hi[set], sum.hi);
        store(&lo[set], sum.lo);
    }

    /// Eight sets side by side; in double, those whose sums are complete.
    [[gnu::always_inline]] void get_eight(Varset set, Vec8& value) const { value = load(&hi[set]); }
    [[gnu::always_inline]] void get_eight(Varset set, DoubleDouble<Vec8>& value) const { value = {load(&hi[set]), load(&lo[set])}; }
    [[gnu::always_inline]] void put_eight(Varset set, const Vec8& value) {
        store(&hi[set], value);
        store(&lo[set], Vec8{});
    }
    [[gnu::always_inline]] void put_eight(Varset set, const DoubleDouble<Vec8>& value) {
        store(&hi[set], value.hi);
        store(&lo[set], value.lo);
    }
    /// What was collected for eight sets, rounded once.
    [[gnu::always_inline]] void collected(Varset set, Vec8& value) const { value = load(&hi[set]) + load(&lo[set]); }
    [[gnu::always_inline]] void collected(Varset set, DoubleDouble<Vec8>& value) const { get_eight(set, value); }
};

}  // namespace dagmass
