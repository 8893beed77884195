/// The forward sums of the dense kernel: Z of one block, then what it adds to the blocks above.
///
///     Z(Uh + Sh, Wl) gains, for every Sh, minus (-1)^|Sh| * sum over Ul in Wl of (-1)^|Wl - Ul| factor[Ul -> Wl] * column[Ul][Sh] * Z(Uh,
///     Ul)
#pragma once

#include <vector>

#include "dense_block.hpp"
#include "lanes.hpp"
#include "low_sums.hpp"

namespace dagmass {

/// A number for every set; the low parts of sums in double are what rounding took from the high parts.
struct SetNumbers {
    std::vector<double> hi, lo;

    explicit SetNumbers(std::size_t count = 0) : hi(count), lo(count) {}

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
    [[gnu::always_inline]] void get8(Varset set, Vec8& value) const { value = load(&hi[set]); }
    [[gnu::always_inline]] void get8(Varset set, DoubleDouble<Vec8>& value) const { value = {load(&hi[set]), load(&lo[set])}; }
};

template <class Real>
class DensePush {
  public:
    /// Finish the sums of a block, kept in units of 2^up, from what was collected for it.
    [[gnu::always_inline]] void finish(const DenseBlock<Real>& block, std::size_t high, SetNumbers& forward) {
        const Varset first = high << num_low;
        for (std::size_t row = 0; row < num_rows; ++row) {
            const auto even = block.lattice.below(row, 0);
            ByParity<Real> sums[num_places]{};
            sum_row<true>({even.first(even.size() - 1), block.lattice.below(row, 1)}, block.factors.data(), values_.data(), sums);
            const Real* within = block.factors.data() + even.back().number * num_kinds;
            for (std::size_t place = 0; place < num_places; ++place) {
                const std::size_t low = row * num_places + place;
                for (std::size_t k = 0; k < num_kinds; ++k) {
                    if (kinds[k].upper != place || kinds[k].lower == place) continue;
                    add_product(kinds[k].is_odd() ? sums[place].odd : sums[place].even, within[k],
                                values_[row * num_places + kinds[k].lower]);
                }
                const Exponent shift = block.shift[low];
                values_[low] = Real(0.0);
                if (block.up[low] == exponent_of_zero) continue;
                values_[low] = forward.get(first + low, Real(0.0)) * power_of_two(std::clamp(shift, -1023, 1000)) +
                               (sums[place].odd - sums[place].even);
                forward.put(first + low, values_[low] * power_of_two(std::clamp(-shift, -1023, 1000)));
            }
        }
    }

    /// Add what leads out of a block to the sums above.
    [[gnu::always_inline]] void push(const DenseBlock<Real>& block, std::size_t high, std::size_t tile, const Potentials& potentials,
                                     SetNumbers& forward) {
        const auto& products = block.tile_products[tile];
        for (std::size_t low = 0; low < num_low_sets; ++low) {
            const auto factor = spread(products[low] * values_[low]);
            inputs_[low] = {{block.lane_products[low].part[0] * factor, block.lane_products[low].part[1] * factor}};
        }
        for (std::size_t row = 0; row < num_rows; ++row) {
            ByParity<Lanes<Real>> sums[num_places]{};
            sum_row<true>({block.lattice.below(row, 0), block.lattice.below(row, 1)}, block.factors.data(), inputs_.data(), sums);
            for (std::size_t place = 0; place < num_places; ++place)
                outputs_[row * num_places + place] = difference(sums[place].odd, sums[place].even);
        }
        turn_columns(outputs_, columns_);
        for (std::size_t lane = 0; lane < num_lanes; ++lane)
            if (block.columns[tile * num_lanes + lane].leads_on)
                scatter(block, high, block.columns[tile * num_lanes + lane], columns_[lane], potentials, forward);
    }

  private:
    [[gnu::always_inline]] static void scatter(const DenseBlock<Real>& block, std::size_t high,
                                               const typename DenseBlock<Real>::Column& column, const LowColumn<Real>& values,
                                               const Potentials& potentials, SetNumbers& forward) {
        const Vec8 sign = spread(column.is_odd ? -1.0 : 1.0);
        for (std::size_t low = 0; low < num_low_sets; low += half_lanes) {
            const Varset target = (high | column.set) << num_low | low;
            const Int8 exponent = load_exponents(&block.unit[low]) + column.scale - load_exponents(&potentials.up[target]);
            forward.collect(target, values[low / half_lanes] * (powers_of_two(exponent) * sign));
        }
    }

    std::array<Real, num_low_sets> values_{};  // Z of the block in its units
    LowLanes<Real> inputs_{}, outputs_{};
    std::array<LowColumn<Real>, num_lanes> columns_{};
};

}  // namespace dagmass
