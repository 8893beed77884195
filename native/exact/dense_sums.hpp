/// The recursions of network_sums.hpp as matrix products over the lattice of the low variables (dense_block.hpp).
///
/// The backward pass also tells, for every high variable, the part of the summands with that variable in S. For the low ones it is done
/// again with the variables turned until each has been a high one.
#pragma once

#include <optional>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "../simd.hpp"
#include "dense_block.hpp"
#include "dense_pull.hpp"
#include "dense_push.hpp"
#include "network_sums.hpp"
#include "potentials.hpp"
#include "scaled.hpp"
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
          cut_(cut_bits<Real>(num_variables_)),
          forward_(num_blocks_ * num_low_sets),
          backward_(num_blocks_ * num_low_sets),
          is_wanted_(with_posteriors) {}

    static bool is_possible(int num_variables) { return num_variables > num_low; }

    /// Nothing where the numbers of some block do not fit into the range of doubles.
    std::optional<NetworkSums<Real>> compute() {
        const int num_high = num_variables_ - num_low;
        const int num_turns = is_wanted_ ? (num_variables_ + num_high - 1) / num_high : 1;
        job_.total = static_cast<std::uint64_t>(num_turns + 1) * num_blocks_;
        if (is_wanted_) sums_.non_descendants.resize(static_cast<std::size_t>(num_variables_) * subset_sums_.per_variable());
        if (!go_forward() || !go_backward({num_variables_, 0}, potentials_, forward_, backward_)) return {};
        for (int turn = 1; turn < num_turns; ++turn)
            if (!go_backward_turned({num_variables_, turn * num_high})) return {};
        hand_over();
        return std::move(sums_);
    }

  private:
    void progress() {
        job_.check();
        job_.done.fetch_add(1, std::memory_order_relaxed);
    }

    /// Which blocks hold a set that matters.
    std::vector<bool> blocks_that_matter(const Potentials& potentials) const {
        std::vector<bool> found(num_blocks_);
        for (std::size_t high = 0; high < num_blocks_; ++high)
            for (std::size_t low = 0; low < num_low_sets && !found[high]; ++low)
                found[high] = potentials.loss(high << num_low | low) <= cut_;
        return found;
    }

    static bool leads_on(const DenseBlock<Real>& block, std::size_t high, std::size_t tile, const std::vector<bool>& matters) {
        for (std::size_t lane = 0; lane < num_lanes; ++lane) {
            const auto& column = block.columns[tile * num_lanes + lane];
            if (column.leads_on && matters[high | column.set]) return true;
        }
        return false;
    }

    bool go_forward() {
        const auto matters = blocks_that_matter(potentials_);
        auto block = std::make_unique<DenseBlock<Real>>(subset_sums_, potentials_, Turn{num_variables_, 0});
        auto push = std::make_unique<DensePush<Real>>();
        forward_.put(0, Real(1.0));
        bool fits = true;
        for (std::size_t high = 0; high < num_blocks_ && fits; ++high) {
            progress();
            if (!matters[high]) continue;
            at_level([&]() __attribute__((always_inline)) {
                fits = block->enter(high);
                if (!fits) return;
                push->finish(*block, high, forward_);
                for (std::size_t tile = 0; tile < block->num_tiles(); ++tile) {
                    if (!leads_on(*block, high, tile, matters)) continue;
                    push->push(*block, high, tile, potentials_, forward_);
                    sums_.num_terms += LowLattice::num_factors * num_lanes;
                }
            });
            sums_.num_terms += LowLattice::num_factors;
        }
        return fits;
    }

    /// X in units of 2^(up(V) - up(U)), and the posteriors of the high variables. Turned, X is known already.
    bool go_backward(Turn turn, const Potentials& potentials, const SetNumbers& forward, SetNumbers& backward) {
        const auto matters = blocks_that_matter(potentials);
        auto block = std::make_unique<DenseBlock<Real>>(subset_sums_, potentials, turn);
        auto pull = std::make_unique<DensePull<Real>>();
        bool fits = true;
        for (std::size_t high = num_blocks_; high-- > 0 && fits;) {
            progress();
            if (!matters[high]) continue;
            at_level([&]() __attribute__((always_inline)) {
                fits = block->enter(high);
                if (!fits) return;
                load_weights(*block, high, forward);
                pull->start(*block);
                for (std::size_t tile = 0; tile < block->num_tiles(); ++tile) {
                    const bool is_used = leads_on(*block, high, tile, matters);
                    pull->pull(*block, high, tile, is_used, potentials, backward, weights_);
                    sums_.num_terms += is_used ? LowLattice::num_factors * num_lanes : 0;
                }
            });
            if (!fits) return false;
            if (turn.places == 0) finish_backward(*block, *pull, high, backward);
            if (is_wanted_) store_posteriors(*block, *pull, turn, high);
        }
        return fits;
    }

    /// weights_[Ul] = Z(Uh, Ul) in the units of the block.
    [[gnu::always_inline]] void load_weights(const DenseBlock<Real>& block, std::size_t high, const SetNumbers& forward) {
        for (std::size_t low = 0; low < num_low_sets; ++low)
            weights_[low] = forward.hi[high << num_low | low] * power_of_two(std::clamp(block.shift[low], -1023, 1000));
    }

    /// Add the terms within the block, from large sets down.
    void finish_backward(const DenseBlock<Real>& block, const DensePull<Real>& pull, std::size_t high, SetNumbers& backward) {
        absolute_ += pull.absolute();
        for (std::size_t row = num_rows; row-- > 0;) {
            const auto even = block.lattice.above(row, 0);
            ByParity<Real> sums[num_places]{};
            sum_row<false>({even.subspan(1), block.lattice.above(row, 1)}, block.factors.data(), values_.data(), sums);
            const Real* within = block.factors.data() + even.front().number * num_kinds;
            for (std::size_t place = num_places; place-- > 0;) {
                const std::size_t low = row * num_places + place;
                for (std::size_t k = 0; k < num_kinds; ++k)
                    if (kinds[k].lower == place && kinds[k].upper != place)
                        add_product(kinds[k].is_odd() ? sums[place].odd : sums[place].even, within[k],
                                    values_[row * num_places + kinds[k].upper]);
                finish_set(block, pull, sums[place], high, low, backward);
            }
        }
        sums_.num_terms += LowLattice::num_factors;
    }

    void finish_set(const DenseBlock<Real>& block, const DensePull<Real>& pull, const ByParity<Real>& sum, std::size_t high,
                    std::size_t low, SetNumbers& backward) {
        const Varset set = high << num_low | low;
        const Exponent shift = block.shift[low];
        if (set + 1 == backward.hi.size()) {
            values_[low] = Real(power_of_two(-shift));
        } else if (block.matters(low)) {
            values_[low] = pull.total(low) + (sum.odd - sum.even);
            absolute_ += (leading(sum.odd) + leading(sum.even)) * weights_[low];
        } else {
            values_[low] = Real(0.0);
        }
        backward.put(set, values_[low] * power_of_two(std::clamp(shift, -1023, 1000)));
    }

    void store_posteriors(const DenseBlock<Real>& block, const DensePull<Real>& pull, Turn turn, std::size_t high) {
        const double total = leading(forward_.get(forward_.hi.size() - 1, Real(0.0)));
        for (std::size_t i = 0; i < block.outside.size(); ++i) {
            const int v = turn.variable(block.outside[i]);
            double* q = sums_.non_descendants.data() + static_cast<std::size_t>(v) * subset_sums_.per_variable();
            for (std::size_t low = 0; low < num_low_sets; ++low)
                if (block.matters(low))
                    q[drop_bit(turn.set(high << num_low | low), v)] = weights_[low] * leading(pull.total_with(i, low)) / total;
        }
    }

    bool go_backward_turned(Turn turn) {
        Potentials potentials = potentials_;
        SetNumbers forward(forward_.hi.size()), backward(forward_.hi.size());
        for (Varset set = 0; set < forward_.hi.size(); ++set) {
            const Varset from = turn.set(set);
            potentials.up[set] = potentials_.up[from];
            potentials.down[set] = potentials_.down[from];
            forward.hi[set] = forward_.hi[from];
            backward.hi[set] = backward_.hi[from];
            backward.lo[set] = backward_.lo[from];
        }
        return go_backward(turn, potentials, forward, backward);
    }

    void hand_over() {
        sums_.forward.resize(forward_.hi.size());
        sums_.backward.resize(forward_.hi.size());
        for (Varset set = 0; set < forward_.hi.size(); ++set) {
            const Exponent loss = potentials_.loss(set);
            sums_.forward[set] = forward_.get(set, Real(0.0));
            sums_.backward[set] = loss <= cut_ ? backward_.get(set, Real(0.0)) * power_of_two(loss) : Real(0.0);
        }
        sums_.absolute = absolute_ / leading(sums_.forward.back());
        sums_.num_additions = additions_in_row + 8;  // between blocks sums are compensated
    }

    const SubsetSums<Real>& subset_sums_;
    const Potentials& potentials_;
    Job& job_;
    int num_variables_;
    std::size_t num_blocks_;
    Exponent cut_;
    SetNumbers forward_, backward_;
    bool is_wanted_;
    NetworkSums<Real> sums_;
    double absolute_ = 0;
    std::array<double, num_low_sets> weights_{};
    std::array<Real, num_low_sets> values_{};  // X of the block in its units
};

}  // namespace dagmass
