/// The backward sums of the dense kernel: what the blocks above give to one block, in all and for every high variable that is in S.
///
///     X(Uh, Ul) loses, for every Sh,  column[Ul][Sh] * sum over Wl around Ul of factor[Ul -> Wl] * X(Uh + Sh, Wl)
///
/// Tiles are added up in pairs, pairs in fours and so on: the right halves of each step, one after the other, are the sum over the S that
/// hold its variable.
#pragma once

#include <array>
#include <bit>

#include "dense_block.hpp"
#include "lanes.hpp"
#include "low_sums.hpp"
#include "set_numbers.hpp"

namespace dagmass {

template <class Real>
class DensePull {
  public:
    explicit DensePull(bool with_variables) : is_wanted_(with_variables) {}

    /// Begin a block.
    [[gnu::always_inline]] void start(const DenseBlock<Real>& block) {
        num_levels_ = static_cast<std::size_t>(std::countr_zero(block.num_tiles())) + 1;
        if (stack_.size() < num_levels_) stack_.resize(num_levels_), with_variable_.resize(num_levels_);
        if (is_wanted_)
            for (std::size_t level = 0; level < num_levels_; ++level) with_variable_[level].fill({});
        absolute_ = Vec8{};
    }

    /// `weights` are the sizes of Z of the block's sets, for the sum of all terms without signs.
    [[gnu::always_inline]] void pull(const DenseBlock<Real>& block, std::size_t high, std::size_t tile, const SetNumbers& backward,
                                     const double* weights) {
        for (std::size_t lane = 0; lane < num_lanes; ++lane) {
            const auto& column = block.columns[tile * num_lanes + lane];
            const Vec8 scale = spread(column.scale);
            for (std::size_t low = 0; low < num_low_sets; low += num_in_eight) {
                Eight<Real> value;
                backward.get_eight((high | column.set) << num_low | low, value);
                columns_[lane][low / num_in_eight] = value * scale;
            }
        }
        turn_columns(columns_, inputs_);
        multiply(block, tile, weights, tile & 1 ? gained_ : stack_[0]);
        for (std::size_t level = 0; tile >> level & 1; ++level) merge(level, tile >> (level + 1) & 1 ? gained_ : stack_[level + 1]);
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
    const Lanes<Real>& top(std::size_t low) const { return stack_[num_levels_ - 1][low]; }

    /// The left half of a step lies on the stack, the right one in gained_.
    [[gnu::always_inline]] void merge(std::size_t level, LowLanes<Real>& sum) {
        const auto& left = stack_[level];
        auto& with_variable = with_variable_[level];
        if (is_wanted_)
            for (std::size_t low = 0; low < num_low_sets; ++low) with_variable[low] = add(with_variable[low], gained_[low]);
        for (std::size_t low = 0; low < num_low_sets; ++low) sum[low] = add(gained_[low], left[low]);
    }

    [[gnu::always_inline]] void multiply(const DenseBlock<Real>& block, std::size_t tile, const double* weights, LowLanes<Real>& gained) {
        Vec8 absolute = absolute_;
        for (std::size_t row = 0; row < num_rows; ++row) {
            Lanes<Real> sums[2][num_places];
            for (int parity = 0; parity < 2; ++parity) {
                Lanes<Real> of_kind[num_kinds]{};
                add_row<false>(block.lattice.above(row, parity), block.factors.data(), inputs_, of_kind);
                if (parity == 0) {
                    sums[0][0] = add(of_kind[0], of_kind[3]), sums[1][0] = add(of_kind[1], of_kind[2]);
                    sums[0][1] = of_kind[4], sums[1][1] = of_kind[5];
                    sums[0][2] = of_kind[6], sums[1][2] = of_kind[7];
                    sums[0][3] = of_kind[8], sums[1][3] = {};
                } else {
                    sums[1][0] = add(sums[1][0], add(of_kind[0], of_kind[3])), sums[0][0] = add(sums[0][0], add(of_kind[1], of_kind[2]));
                    sums[1][1] = add(sums[1][1], of_kind[4]), sums[0][1] = add(sums[0][1], of_kind[5]);
                    sums[1][2] = add(sums[1][2], of_kind[6]), sums[0][2] = add(sums[0][2], of_kind[7]);
                    sums[1][3] = of_kind[8];
                }
            }
            for (std::size_t place = 0; place < num_places; ++place) {
                const std::size_t low = row * num_places + place;
                const auto factor = spread(block.tile_products[tile][low]);
                for (std::size_t half = 0; half < 2; ++half) {
                    const auto &even = sums[0][place].part[half], &odd = sums[1][place].part[half];
                    const auto product = block.lane_products[low].part[half] * factor;
                    gained[low].part[half] = (even + odd) * product;
                    absolute = absolute + size_of(leading(even) - leading(odd)) * leading(product) * weights[low];
                }
            }
        }
        absolute_ = absolute;
    }

    bool is_wanted_;
    std::size_t num_levels_ = 0;
    std::array<LowColumn<Real>, num_lanes> columns_{};
    LowLanes<Real> inputs_{}, gained_{};
    LargeArray<LowLanes<Real>> stack_, with_variable_;  // by level of the pairing
    Vec8 absolute_{};
};

}  // namespace dagmass
