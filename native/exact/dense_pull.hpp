/// The backward sums of the dense kernel: what the blocks above give to one block, in all and for every high variable that is in S.
///
///     X(Uh, Ul) gains, for every Sh, minus (-1)^|Sh| * column[Ul][Sh] * sum over Wl around Ul of (-1)^|Wl - Ul| factor[Ul -> Wl] * X(Uh +
///     Sh, Wl)
///
/// Tiles are added up in pairs, pairs in fours and so on: the right halves of each step are the sum over the S that hold its variable.
#pragma once

#include <vector>

#include "dense_block.hpp"
#include "dense_push.hpp"
#include "lanes.hpp"
#include "low_sums.hpp"

namespace dagmass {

template <class Real>
class DensePull {
  public:
    /// Begin a block. `weights` are Z of its sets, for the sum of all terms without signs.
    [[gnu::always_inline]] void start(const DenseBlock<Real>& block) {
        num_levels_ = static_cast<std::size_t>(std::countr_zero(block.num_tiles())) + 1;
        if (stack_.size() < num_levels_) stack_.resize(num_levels_), with_variable_.resize(num_levels_);
        for (std::size_t level = 0; level < num_levels_; ++level) with_variable_[level].fill({});
        absolute_ = Vec8{};
    }

    [[gnu::always_inline]] void pull(const DenseBlock<Real>& block, std::size_t high, std::size_t tile, bool is_used,
                                     const Potentials& potentials, const SetNumbers& backward,
                                     const std::array<double, num_low_sets>& weights) {
        if (is_used) {
            for (std::size_t lane = 0; lane < num_lanes; ++lane)
                gather(block, high, block.columns[tile * num_lanes + lane], potentials, backward, columns_[lane]);
            turn_columns(columns_, inputs_);
            multiply(block, tile, weights);
        } else {
            gained_.fill({});
        }
        std::size_t level = 0;
        for (; tile >> level & 1; ++level)
            for (std::size_t low = 0; low < num_low_sets; ++low) {
                with_variable_[level][low] = add(with_variable_[level][low], gained_[low]);
                gained_[low] = add(gained_[low], stack_[level][low]);
            }
        stack_[level] = gained_;
    }

    /// After the last tile: the sum over all S, and over those that hold one of the high variables outside Uh.
    Real total(std::size_t low) const { return add_up(top(low).part[0]) + add_up(top(low).part[1]); }
    Real total_with(std::size_t variable, std::size_t low) const {
        constexpr std::size_t num_lane_bits = 4;
        if (variable >= num_lane_bits) {
            const auto& lanes = with_variable_[variable - num_lane_bits][low];
            return add_up(lanes.part[0]) + add_up(lanes.part[1]);
        }
        Real sum(0.0);
        for (std::size_t lane = 0; lane < num_lanes; ++lane)
            if (lane >> variable & 1) sum = sum + get(top(low), lane);
        return sum;
    }
    double absolute() const { return add_up(absolute_); }

  private:
    static constexpr double largest_sum = 0x1p1000;

    const Lanes<Real>& top(std::size_t low) const { return stack_[num_levels_ - 1][low]; }

    /// values[Wl] = X(Uh + Sh, Wl) in the units of the block, with the sign of Sh.
    [[gnu::always_inline]] static void gather(const DenseBlock<Real>& block, std::size_t high,
                                              const typename DenseBlock<Real>::Column& column, const Potentials& potentials,
                                              const SetNumbers& backward, LowColumn<Real>& values) {
        const Vec8 sign = spread(!column.leads_on ? 0.0 : column.is_odd ? 1.0 : -1.0);
        for (std::size_t low = 0; low < num_low_sets; low += half_lanes) {
            const Varset source = (high | column.set) << num_low | low;
            const Int8 exponent = load_exponents(&block.unit[low]) + column.scale - load_exponents(&potentials.up[source]);
            typename Eight<Real>::type value;
            backward.get8(source, value);
            values[low / half_lanes] = within(value * (powers_of_two(exponent) * sign), DenseBlock<Real>::largest_value);
        }
    }

    [[gnu::always_inline]] void multiply(const DenseBlock<Real>& block, std::size_t tile, const std::array<double, num_low_sets>& weights) {
        for (std::size_t row = 0; row < num_rows; ++row) {
            ByParity<Lanes<Real>> sums[num_places]{};
            sum_row<false>({block.lattice.above(row, 0), block.lattice.above(row, 1)}, block.factors.data(), inputs_.data(), sums);
            for (std::size_t place = 0; place < num_places; ++place) {
                const std::size_t low = row * num_places + place;
                const auto factor = spread(block.tile_products[tile][low]);
                for (std::size_t half = 0; half < 2; ++half) {  // sums beyond the range belong to columns that are zero
                    sums[place].even.part[half] = within(sums[place].even.part[half], largest_sum);
                    sums[place].odd.part[half] = within(sums[place].odd.part[half], largest_sum);
                }
                const Lanes<Real> signed_sum = difference(sums[place].even, sums[place].odd);
                for (std::size_t half = 0; half < 2; ++half) {
                    const auto product = block.lane_products[low].part[half] * factor;
                    gained_[low].part[half] = signed_sum.part[half] * product;
                    const Vec8 all = leading(sums[place].even.part[half]) + leading(sums[place].odd.part[half]);
                    absolute_ = absolute_ + size_of(all) * leading(product) * weights[low];  // inputs carry the sign of Sh
                }
            }
        }
    }

    std::size_t num_levels_ = 0;
    std::array<LowColumn<Real>, num_lanes> columns_{};
    LowLanes<Real> inputs_{}, gained_{};
    std::vector<LowLanes<Real>> stack_, with_variable_;  // by level of the pairing
    Vec8 absolute_{};
};

}  // namespace dagmass
