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
    /// `with_variables`: the sums that hold one variable are wanted; `with_absolute`: that of all terms without signs.
    DensePull(bool with_variables, bool with_absolute) : is_wanted_(with_variables), is_counted_(with_absolute) {}

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
        LowLanes<Real>& gained = tile & 1 ? gained_ : stack_[0];
        if (is_counted_)
            multiply(block, tile, weights, gained);
        else
            multiply(block, tile, gained);
        for (std::size_t level = 0; tile >> level & 1; ++level) merge(level, tile >> (level + 1) & 1 ? gained_ : stack_[level + 1]);
    }

    /// After the last tile: the sums over all S of eight sets, and over those S that hold one of the high variables outside Uh.
    [[gnu::always_inline]] Eight<Real> total(std::size_t low) const { return over_lanes(&top(low), 0, both_halves); }
    [[gnu::always_inline]] Eight<Real> total_with(std::size_t variable, std::size_t low) const {
        if (variable >= num_lane_bits) return over_lanes(&with_variable_[variable - num_lane_bits][low], 0, both_halves);
        if (variable == num_lane_bits - 1) return over_lanes(&top(low), 0, upper_half);
        return over_lanes(&top(low), only(static_cast<int>(variable)), both_halves);
    }
    double absolute() const { return add_up(absolute_); }

  private:
    static constexpr bool both_halves = true, upper_half = false;

    /// For eight sets, the sum over the lanes of both halves or the upper one whose number holds `bits`.
    [[gnu::always_inline]] static Eight<Real> over_lanes(const Lanes<Real>* sets, std::size_t bits, bool of_both) {
        Eight<Real> lanes[num_in_eight];
        for (std::size_t i = 0; i < num_in_eight; ++i) lanes[i] = of_both ? sets[i].part[0] + sets[i].part[1] : sets[i].part[1];
        transpose(lanes);
        if (bits == 0) return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
        Eight<Real> sum{};
        for (std::size_t lane = bits; lane < num_in_eight; ++lane)
            if (lane & bits) sum = sum + lanes[lane];
        return sum;
    }

    const Lanes<Real>& top(std::size_t low) const { return stack_[num_levels_ - 1][low]; }

    /// The left half of a step lies on the stack, the right one in gained_.
    [[gnu::always_inline]] void merge(std::size_t level, LowLanes<Real>& sum) {
        const auto& left = stack_[level];
        auto& with_variable = with_variable_[level];
        if (is_wanted_)
            for (std::size_t low = 0; low < num_low_sets; ++low) with_variable[low] = add(with_variable[low], gained_[low]);
        for (std::size_t low = 0; low < num_low_sets; ++low) sum[low] = add(gained_[low], left[low]);
    }

    [[gnu::always_inline]] void multiply(const DenseBlock<Real>& block, std::size_t tile, LowLanes<Real>& gained) const {
        for (std::size_t row = 0; row < num_rows; ++row) {
            Lanes<Real> of_kind[num_kinds]{};
            add_row<false>(block.lattice.above(row, 0), block.factors.data(), inputs_, of_kind);
            add_row<false>(block.lattice.above(row, 1), block.factors.data(), inputs_, of_kind);
            const Lanes<Real> sums[] = {add(add(of_kind[0], of_kind[1]), add(of_kind[2], of_kind[3])), add(of_kind[4], of_kind[5]),
                                        add(of_kind[6], of_kind[7]), of_kind[8]};
            for (std::size_t place = 0; place < num_places; ++place) {
                const std::size_t low = row * num_places + place;
                const auto factor = spread(block.tile_products[tile][low]);
                for (std::size_t half = 0; half < 2; ++half)
                    gained[low].part[half] = sums[place].part[half] * (block.lane_products[low].part[half] * factor);
            }
        }
    }

    /// The same with terms of an even and an odd number of low variables apart: they differ in sign.
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

    bool is_wanted_, is_counted_;
    std::size_t num_levels_ = 0;
    std::array<LowColumn<Real>, num_lanes> columns_{};
    LowLanes<Real> inputs_{}, gained_{};
    LargeArray<LowLanes<Real>> stack_, with_variable_;  // by level of the pairing
    Vec8 absolute_{};
};

}  // namespace dagmass
