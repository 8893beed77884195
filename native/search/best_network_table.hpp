/// best[W] = the best sum of local scores of a network over W.
///
///     best[W] = max over sinks s of W: best parents of s within W - s, plus best[W - s].   (Silander and Myllymaki 2006)
///
/// A block is all W with the same high bits. It needs only blocks with one high bit less, so all blocks with equally many high bits
/// can be computed at the same time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "../scores/best_parents.hpp"
#include "../scores/gap_lists.hpp"
#include "../scores/score.hpp"
#include "../simd.hpp"

namespace dagmass {

class BestNetworkTable {
  public:
    BestNetworkTable(const std::vector<ParentList>& lists, Job& job)
        : num_variables_(static_cast<int>(lists.size())),
          low_bits_(std::min(num_variables_, block_bits)),
          best_(Varset{1} << num_variables_) {
        for (const auto& list : lists) parents_.push_back(undominated(list));
        const int num_high = num_variables_ - low_bits_;
        job.total += Varset{1} << num_high;
        std::vector<Scratch> scratch(static_cast<std::size_t>(std::max(job.num_threads, 1)));
        for (int layer = 0; layer <= num_high; ++layer) {
            std::vector<Varset> blocks;
            for (Varset high = 0; high < Varset{1} << num_high; ++high)
                if (size(high) == layer) blocks.push_back(high);
            parallel_for(job, blocks.size(), [&](std::size_t index, int worker) {
                compute_block(blocks[index], scratch[static_cast<std::size_t>(worker)]);
                job.done.fetch_add(1, std::memory_order_relaxed);
            });
        }
        parents_.clear();
    }

    Score operator[](Varset set) const { return best_[set]; }
    Varset all() const { return first_variables(num_variables_); }

  private:
    struct Scratch {
        std::vector<Score> high_sink;              // best parents of one sink among the high bits
        std::vector<std::vector<Score>> low_sink;  // of every sink among the low bits
    };

    BestParents undominated(const ParentList& list) const {
        std::vector<ParentSet> sets;
        std::copy_if(list.sets.begin(), list.sets.end(), std::back_inserter(sets), [](const ParentSet& set) { return set.gap < 0; });
        std::sort(sets.begin(), sets.end(), [](const ParentSet& a, const ParentSet& b) { return a.parents < b.parents; });
        BestParents parents(low_bits_);
        for (const auto& set : sets) parents.add(set.parents, set.score);
        return parents;
    }

    std::span<Score> block(Varset high) { return std::span(best_).subspan(high << low_bits_, std::size_t{1} << low_bits_); }

    void compute_block(Varset high, Scratch& scratch) {
        const auto best = block(high);
        std::fill(best.begin(), best.end(), impossible);
        if (high == 0) best[0] = 0;
        scratch.high_sink.resize(best.size());
        scratch.low_sink.resize(static_cast<std::size_t>(low_bits_), std::vector<Score>(best.size()));
        for (const int sink : members(high)) {
            parents_[static_cast<std::size_t>(sink + low_bits_)].rebuild(without(high, sink), scratch.high_sink);
            add_sink(best, scratch.high_sink, block(without(high, sink)));
        }
        for (int sink = 0; sink < low_bits_; ++sink)
            parents_[static_cast<std::size_t>(sink)].rebuild(high, scratch.low_sink[static_cast<std::size_t>(sink)]);
        add_low_sinks(best, scratch.low_sink);
    }

    static void add_sink(std::span<Score> best, std::span<const Score> sink, std::span<const Score> rest) {
        at_level([&]() __attribute__((always_inline)) {
            for (std::size_t i = 0; i < best.size(); ++i) {
                const Score score = sink[i] + rest[i];
                best[i] = best[i] > score ? best[i] : score;
            }
        });
    }

    /// Within the block a set needs the sets with one low bit less: rising order has them ready.
    static void add_low_sinks(std::span<Score> best, const std::vector<std::vector<Score>>& low_sink) {
        for (std::size_t low = 0; low < best.size(); ++low) {
            Score top = best[low];
            for (const int sink : members(low)) {
                const auto rest = without(low, sink);
                top = std::max(top, low_sink[static_cast<std::size_t>(sink)][rest] + best[rest]);
            }
            best[low] = clamp_impossible(top);
        }
    }

    int num_variables_;
    int low_bits_;
    std::vector<BestParents> parents_;
    std::vector<Score> best_;
};

}  // namespace dagmass
