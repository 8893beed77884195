/// The forward sums of the dense kernel: (-1)^|W| Z of one block, then what it gives to the blocks above.
///
///     Z(Uh + Sh, Wl) loses, for every Sh, sum over Ul in Wl of factor[Ul -> Wl] * column[Ul][Sh] * Z(Uh, Ul)        (with these signs)
#pragma once

#include <array>

#include "dense_block.hpp"
#include "lanes.hpp"
#include "low_sums.hpp"
#include "set_numbers.hpp"

namespace dagmass {

template <class Real>
class DensePush {
  public:
    /// Take up what was collected for a block and complete it with the terms within.
    [[gnu::always_inline]] void finish(const DenseBlock<Real>& block, Real* values) {
        for (std::size_t row = 0; row < num_rows; ++row) {
            const auto even = block.lattice.below(row, 0);
            ByParity<Real> sums[num_places]{};
            sum_row<true>(even.first(even.size() - 1), false, block.factors.data(), values, sums);
            sum_row<true>(block.lattice.below(row, 1), true, block.factors.data(), values, sums);
            const Real* within = block.factors.data() + even.back().number * num_kinds;
            for (std::size_t place = 0; place < num_places; ++place) {
                Real& value = values[row * num_places + place];
                value = value - (sums[place].even + sums[place].odd);
                for (std::size_t k = 0; k < num_kinds; ++k)
                    if (kinds[k].upper == place && kinds[k].lower != place)
                        value = value - within[k] * values[row * num_places + kinds[k].lower];
            }
        }
    }

    /// Add what leads out of a block to the sums above. `values` are zero where nothing matters.
    [[gnu::always_inline]] void push(const DenseBlock<Real>& block, std::size_t high, std::size_t tile, const Real* values,
                                     SetNumbers& forward) {
        const auto& products = block.tile_products[tile];
        for (std::size_t low = 0; low < num_low_sets; ++low) {
            const auto factor = spread(products[low] * values[low]);
            inputs_[low] = {{block.lane_products[low].part[0] * factor, block.lane_products[low].part[1] * factor}};
        }
        for (std::size_t row = 0; row < num_rows; ++row) {
            Lanes<Real> of_kind[num_kinds]{};
            add_row<true>(block.lattice.below(row, 0), block.factors.data(), inputs_, of_kind);
            add_row<true>(block.lattice.below(row, 1), block.factors.data(), inputs_, of_kind);
            Lanes<Real>* to = outputs_.data() + row * num_places;
            to[0] = of_kind[0];
            to[1] = add(of_kind[1], of_kind[4]);
            to[2] = add(of_kind[2], of_kind[6]);
            to[3] = add(add(of_kind[3], of_kind[5]), add(of_kind[7], of_kind[8]));
        }
        turn_columns(outputs_, columns_);
        for (std::size_t lane = 0; lane < num_lanes; ++lane) {
            const auto& column = block.columns[tile * num_lanes + lane];
            if (column.scale == 0) continue;
            const Vec8 scale = spread(-column.scale);
            for (std::size_t low = 0; low < num_low_sets; low += num_in_eight)
                forward.collect((high | column.set) << num_low | low, columns_[lane][low / num_in_eight] * scale);
        }
    }

  private:
    LowLanes<Real> inputs_{}, outputs_{};
    std::array<LowColumn<Real>, num_lanes> columns_{};
};

}  // namespace dagmass
