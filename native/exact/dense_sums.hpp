/// The recursions of network_sums.hpp as matrix products over the lattice of the low variables (dense_block.hpp).
///
/// With (-1)^|W| Z(W) and (-1)^(n-|U|) X(U) in place of Z and X all terms are subtracted. The backward pass also tells, for every high
/// variable, the part of the summands with that variable in S. For the low ones it is done again with the variables turned until each has
/// been a high one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "../simd.hpp"
#include "bases.hpp"
#include "dense_block.hpp"
#include "dense_pull.hpp"
#include "dense_push.hpp"
#include "network_sums.hpp"
#include "potentials.hpp"
#include "scaled.hpp"
#include "set_numbers.hpp"
#include "subset_sums.hpp"

namespace dagmass {

template <class Real>
class DenseSums {
  public:
    DenseSums(const SubsetSums<Real>& subset_sums, const Potentials& potentials, bool with_posteriors, Job& job)
        : subset_sums_(subset_sums),
          potentials_(potentials),
          job_(job),
          num_variables_(subset_sums.num_variables()),
          num_blocks_(std::size_t{1} << (num_variables_ - num_low)),
          threshold_(power_of_two(-cut_bits<Real>(num_variables_))),
          units_(subset_sums, potentials.down, {num_variables_, 0}),
          forward_(potentials.down.size()),
          backward_(potentials.down.size()),
          is_wanted_(with_posteriors) {}

    /// The range of doubles is known to suffice up to some number of variables (docs/method.md).
    static bool is_possible(int num_variables) { return num_variables > num_low && num_variables <= 25; }

    /// One forward, and one backward for every way to turn the variables.
    static int num_passes(int num_variables, bool with_posteriors) {
        const int num_high = num_variables - num_low;
        return with_posteriors ? 1 + (num_variables + num_high - 1) / num_high : 2;
    }

    /// Nothing where the numbers of some block do not fit into the range of doubles.
    std::optional<NetworkSums<Real>> compute() {
        const int num_passes = DenseSums::num_passes(num_variables_, is_wanted_);
        job_.total = static_cast<std::uint64_t>(num_passes) * num_blocks_;
        if (!go_forward()) return {};
        if (is_wanted_) sums_.non_descendants.assign(static_cast<std::size_t>(num_variables_) * subset_sums_.per_variable(), 0.0);
        if (!go_backward({num_variables_, 0}, potentials_.down, units_, forward_.hi, backward_)) return {};
        for (int turn = 1; turn + 1 < num_passes; ++turn)
            if (!go_backward_turned({num_variables_, turn * (num_variables_ - num_low)})) return {};
        hand_over();
        return std::move(sums_);
    }

  private:
    using Values = typename DenseBlock<Real>::Values;

    void progress() {
        job_.check();
        job_.done.fetch_add(1, std::memory_order_relaxed);
    }

    bool go_forward() {
        auto block = std::make_unique<DenseBlock<Real>>(subset_sums_, potentials_.down, units_, Turn{num_variables_, 0}, threshold_);
        auto push = std::make_unique<DensePush<Real>>();
        const Bases<Real> bases(subset_sums_, potentials_.total);
        bool fits = true;
        for (std::size_t high = 0; high < num_blocks_ && fits; ++high) {
            progress();
            at_level([&, this]() __attribute__((always_inline)) {
                block->enter(high);
                block->prefetch((high + 1) % num_blocks_);
                finish_forward(*block, *push, bases, high);
                fits = find_sizes(high, forward_.hi);
                if (!fits || !block->find_shares(sizes_.data())) return;
                fits = block->list_columns();
                if (!fits) return;
                for (std::size_t low = 0; low < num_low_sets; ++low) values_[low] = block->share(low) > 0 ? values_[low] : Real(0.0);
                for (std::size_t tile = 0; tile < block->num_tiles(); ++tile) {
                    if (!block->leads_on(tile)) continue;
                    push->push(*block, high, tile, values_.data(), forward_);
                    sums_.num_terms += LowLattice::num_factors * num_lanes;
                }
            });
            sums_.num_terms += LowLattice::num_factors;
        }
        const Varset all = first_variables(num_variables_);
        sums_.total = forward_.get(all, Real(0.0)) * (sign_ * power_of_two(-units_(all)));
        sums_.exponent = potentials_.total;
        return fits && leading(sums_.total) > 0;
    }

    /// values_ become the sums of the block, from the bases, what was collected, and the terms within.
    [[gnu::always_inline]] void finish_forward(const DenseBlock<Real>& block, DensePush<Real>& push, const Bases<Real>& bases,
                                               std::size_t high) {
        const Varset first = high << num_low;
        for (std::size_t low = 0; low < num_low_sets; low += num_in_eight) {
            Eight<Real> collected;
            forward_.collected(first | low, collected);
            store_eight(&values_[low], collected + bases(first | low, units_.of_eight(first | low)));
        }
        push.finish(block, values_.data());
        for (std::size_t low = 0; low < num_low_sets; low += num_in_eight) {
            const Int8 leads_on = load_exponents(&potentials_.down[first | low]) > exponent_of_zero;
            forward_.put_eight(first | low, select(leads_on, load_eight(&values_[low]), Eight<Real>{}));
        }
    }

    /// sizes_ become those of Z in a block; false where one is too large to be trusted.
    [[gnu::always_inline]] bool find_sizes(std::size_t high, const LargeArray<double>& forward) {
        Int8 fit = spread_whole(-1);
        for (std::size_t low = 0; low < num_low_sets; low += num_in_eight) {
            const Vec8 size = size_of(load(&forward[high << num_low | low]));
            fit &= size <= DenseUnits::largest<Real>;
            store(&sizes_[low], size);
        }
        return !any(fit == 0);
    }

    /// X, and the posteriors of the high variables. Turned, X is known already.
    bool go_backward(Turn turn, const LargeArray<Exponent>& down, const DenseUnits& units, const LargeArray<double>& forward,
                     SetNumbers& backward) {
        auto block = std::make_unique<DenseBlock<Real>>(subset_sums_, down, units, turn, threshold_);
        auto pull = std::make_unique<DensePull<Real>>(is_wanted_, turn.places == 0);
        bool fits = true;
        for (std::size_t high = num_blocks_; high-- > 0 && fits;) {
            progress();
            at_level([&, this]() __attribute__((always_inline)) {
                fits = find_sizes(high, forward);
                if (!fits) return;
                block->enter(high);
                block->prefetch((high + num_blocks_ - 1) % num_blocks_);
                if (!block->find_shares(sizes_.data())) return;
                fits = block->list_columns();
                if (!fits) return;
                pull->start(*block);
                for (std::size_t tile = 0; tile < block->num_tiles(); ++tile) {
                    pull->pull(*block, high, tile, backward, sizes_.data());
                    sums_.num_terms += LowLattice::num_factors * num_lanes;
                }
                if (turn.places == 0) finish_backward(*block, *pull, high, backward);
                if (is_wanted_) store_posteriors(*block, *pull, turn, high, forward);
            });
        }
        return fits;
    }

    /// Add the terms within the block, from large sets down.
    [[gnu::always_inline]] void finish_backward(const DenseBlock<Real>& block, const DensePull<Real>& pull, std::size_t high,
                                                SetNumbers& backward) {
        absolute_ += pull.absolute();
        Values gained;
        for (std::size_t low = 0; low < num_low_sets; low += num_in_eight) store_eight(&gained[low], pull.total(low));
        for (std::size_t row = num_rows; row-- > 0;) {
            const auto even = block.lattice.above(row, 0);
            ByParity<Real> sums[num_places]{};
            sum_row<false>(even.subspan(1), false, block.factors.data(), values_.data(), sums);
            sum_row<false>(block.lattice.above(row, 1), true, block.factors.data(), values_.data(), sums);
            const Real* within = block.factors.data() + even.front().number * num_kinds;
            for (std::size_t place = num_places; place-- > 0;) {
                const std::size_t low = row * num_places + place;
                for (std::size_t k = 0; k < num_kinds; ++k) {
                    if (kinds[k].lower != place || kinds[k].upper == place) continue;
                    Real& sum = sums[place].of(kinds[k].is_odd());
                    sum = sum + within[k] * values_[row * num_places + kinds[k].upper];
                }
                finish_set(block, gained[low], sums[place], high << num_low | low, backward);
            }
        }
        sums_.num_terms += LowLattice::num_factors;
    }

    [[gnu::always_inline]] void finish_set(const DenseBlock<Real>& block, const Real& gained, const ByParity<Real>& sum, Varset set,
                                           SetNumbers& backward) {
        const std::size_t low = set % num_low_sets;
        if (set == first_variables(num_variables_)) {
            values_[low] = Real(power_of_two(-units_(set)));
        } else if (block.share(low) > 0) {
            values_[low] = -(gained + (sum.even + sum.odd));
            absolute_ += std::abs(leading(sum.even) - leading(sum.odd)) * sizes_[low];
        } else {
            values_[low] = Real(0.0);
        }
        backward.put(set, values_[low]);
    }

    /// q_v for the high variables that may be added; the base of v is added to what the sums hold.
    [[gnu::always_inline]] void store_posteriors(const DenseBlock<Real>& block, const DensePull<Real>& pull, Turn turn, std::size_t high,
                                                 const LargeArray<double>& forward) {
        for (std::size_t i = 0; i < block.outside.size(); ++i) {
            const int v = turn.variable(block.outside[i]);
            const Varset first = block.first_index(block.outside[i]);
            double* q = sums_.non_descendants.data() + static_cast<std::size_t>(v) * subset_sums_.per_variable();
            for (std::size_t low = 0; low < num_low_sets; low += num_in_eight) {
                const Vec8 shares =
                    leading(pull.total_with(i, low)) * load(&forward[high << num_low | low]) * (-sign_ / leading(sums_.total));
                if (turn.places == 0) {
                    const Vec8 all = shares * base_ratio_of_eight(subset_sums_, v, first | low);
                    store(q + (first | low), block.matters(low) ? all : Vec8{});
                } else {
                    for (std::size_t lane = 0; lane < num_in_eight; ++lane) {
                        const Varset index = first | block.low_index(block.outside[i], low + lane);
                        if (block.share(low + lane) > 0) q[index] = shares[lane] * base_ratio(subset_sums_, v, index);
                    }
                }
            }
        }
    }

    bool go_backward_turned(Turn turn) {
        LargeArray<Exponent> down(potentials_.down.size());
        for (Varset set = 0; set < down.size(); ++set) down[set] = potentials_.down[turn.set(set)];
        const DenseUnits units(subset_sums_, down, turn);
        LargeArray<double> forward(down.size());
        SetNumbers backward(down.size());
        for (Varset set = 0; set < down.size(); ++set) {
            const Varset from = turn.set(set);
            const Exponent shift = units(set) - units_(from);
            forward[set] = forward_.hi[from] * power_of_two(std::clamp(shift, -1023, 900));
            const double back = power_of_two(std::clamp(-shift, -1023, 900));
            backward.hi[set] = backward_.hi[from] * back;
            backward.lo[set] = backward_.lo[from] * back;
        }
        return go_backward(turn, down, units, forward, backward);
    }

    void hand_over() {
        sums_.backward.resize(backward_.hi.size());
        for (Varset set = 0; set < sums_.backward.size(); ++set) {
            const double unit = power_of_two(std::clamp(units_(set) - potentials_.down[set], -1023, 900));
            sums_.backward[set] = backward_.get(set, Real(0.0)) * ((size(set) + num_variables_) % 2 == 1 ? -unit : unit);
        }
        sums_.absolute = absolute_ / leading(sums_.total);
        sums_.num_split_additions = static_cast<int>(num_blocks_ / (2 * num_lanes));                   // tiles that hold a variable
        sums_.num_additions = additions_in_row + num_variables_ + plain_additions<Real>(num_blocks_);  // between tiles paired
    }

    const SubsetSums<Real>& subset_sums_;
    const Potentials& potentials_;
    Job& job_;
    int num_variables_;
    std::size_t num_blocks_;
    double threshold_;
    DenseUnits units_;
    SetNumbers forward_, backward_;
    bool is_wanted_;
    NetworkSums<Real> sums_;
    double absolute_ = 0;
    double sign_ = num_variables_ & 1 ? -1.0 : 1.0;
    alignas(64) std::array<double, num_low_sets> sizes_{};
    Values values_{};  // Z or X of the block
};

}  // namespace dagmass
