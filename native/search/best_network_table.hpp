/// best[W] = the best sum of local scores of a network over W; completion[W] = the best sum of what has to be added to W.
///
///     best[W]       = max over sinks s of W:      best parents of s within W - s, plus best[W - s]     (Silander and Myllymaki 2006)
///     completion[W] = max over v outside W:       best parents of v within W, plus completion[W + v]
///
/// A block is all W with the same high bits. It needs only blocks with one high bit less (or more), so all blocks with equally many
/// high bits can be computed at the same time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "../scores/best_parents.hpp"
#include "../scores/gap_lists.hpp"
#include "../scores/score.hpp"
#include "../scores/score_file.hpp"
#include "../simd.hpp"

namespace dagmass {

/// Where a table lives: in memory, and in a file so that it survives a stop; or in a file alone. The file must outlive the table.
struct TablePlace {
    ScoreFile* file = nullptr;
    std::size_t cache_bytes = 0;  // for single scores of a table in a file alone; 0: it is in memory

    bool is_in_memory() const { return cache_bytes == 0; }
};

/// What both tables share: blocks in layers, and the best parents of every variable for one block.
class SubsetTable {
  public:
    Score operator[](Varset set) const { return values_.empty() ? (*cache_)[set] : values_[set]; }
    Varset all() const { return first_variables(num_variables_); }
    int num_variables() const { return num_variables_; }

  protected:
    SubsetTable(const std::vector<ParentList>& lists, const TablePlace& place)
        : num_variables_(static_cast<int>(lists.size())),
          low_bits_(std::min(num_variables_, block_bits)),
          file_(place.file),
          values_(place.is_in_memory() ? std::size_t{1} << num_variables_ : 0),
          cache_(place.is_in_memory() ? nullptr : std::make_unique<BlockCache>(*place.file, place.cache_bytes)) {
        for (const auto& list : lists) parents_.push_back(undominated(list));
    }

    struct Scratch {
        std::vector<Score> high_sink;              // best parents of one variable among the high bits
        std::vector<std::vector<Score>> low_sink;  // of every variable among the low bits
        std::vector<Score> own, other;             // blocks of a table that is in a file alone
    };

    /// Call compute_block(high, values, scratch) for all blocks that are not in the file yet, layers of equally many high bits in order.
    template <class Compute>
    void for_each_layer(bool rising, Job& job, const Compute& compute_block) {
        const int num_high = num_variables_ - low_bits_;
        job.total += Varset{1} << num_high;
        std::vector<Scratch> scratch(static_cast<std::size_t>(std::max(job.num_threads, 1)));
        for (int step = 0; step <= num_high; ++step) {
            std::vector<Varset> blocks;
            for (Varset high = 0; high < Varset{1} << num_high; ++high)
                if (size(high) == (rising ? step : num_high - step)) blocks.push_back(high);
            parallel_for(job, blocks.size(), [&](std::size_t index, int worker) {
                Scratch& own = scratch[static_cast<std::size_t>(worker)];
                const auto values = target(blocks[index], own);
                if (!file_ || !file_->try_read(blocks[index], values)) {
                    compute_block(blocks[index], values, own);
                    if (file_) file_->write(blocks[index], values);
                    job.operations.fetch_add(num_steps(blocks[index], rising), std::memory_order_relaxed);
                }
                job.done.fetch_add(1, std::memory_order_relaxed);
            });
        }
        parents_.clear();
    }

    /// Sums for every sink of every set of a block, and the passes that rebuild best parents.
    std::uint64_t num_steps(Varset high, bool rising) const {
        const int num_sinks = rising ? size(high) : num_variables_ - low_bits_ - size(high);
        return static_cast<std::uint64_t>(num_sinks + low_bits_) * static_cast<std::uint64_t>(1 + low_bits_) << low_bits_;
    }

    /// Another block, which is complete.
    std::span<const Score> block(Varset high, Scratch& scratch) {
        if (!values_.empty()) return in_memory(high);
        scratch.other.resize(ScoreFile::block_size);
        file_->read(high, scratch.other);
        return scratch.other;
    }

    const std::vector<Score>& rebuild_high(int v, Varset high, Scratch& scratch) const {
        scratch.high_sink.resize(std::size_t{1} << low_bits_);
        parents_[static_cast<std::size_t>(v)].rebuild(high, scratch.high_sink);
        return scratch.high_sink;
    }

    const std::vector<std::vector<Score>>& rebuild_low(Varset high, Scratch& scratch) const {
        scratch.low_sink.resize(static_cast<std::size_t>(low_bits_), std::vector<Score>(std::size_t{1} << low_bits_));
        for (std::size_t v = 0; v < scratch.low_sink.size(); ++v) parents_[v].rebuild(high, scratch.low_sink[v]);
        return scratch.low_sink;
    }

    /// values[i] = max(values[i], parents[i] + rest[i])
    static void raise(std::span<Score> values, std::span<const Score> parents, std::span<const Score> rest) {
        at_level([&]() __attribute__((always_inline)) {
            for (std::size_t i = 0; i < values.size(); ++i) {
                const Score score = parents[i] + rest[i];
                values[i] = values[i] > score ? values[i] : score;
            }
        });
    }

    int num_variables_;
    int low_bits_;

  private:
    BestParents undominated(const ParentList& list) const {
        std::vector<ParentSet> sets;
        std::copy_if(list.sets.begin(), list.sets.end(), std::back_inserter(sets), [](const ParentSet& set) { return set.gap < 0; });
        std::sort(sets.begin(), sets.end(), [](const ParentSet& a, const ParentSet& b) { return a.parents < b.parents; });
        BestParents parents(low_bits_);
        for (const auto& set : sets) parents.add(set.parents, set.score);
        return parents;
    }

    /// Where a block is computed.
    std::span<Score> target(Varset high, Scratch& scratch) {
        if (!values_.empty()) return in_memory(high);
        scratch.own.resize(ScoreFile::block_size);
        return scratch.own;
    }

    std::span<Score> in_memory(Varset high) { return std::span(values_).subspan(high << low_bits_, std::size_t{1} << low_bits_); }

    std::vector<BestParents> parents_;
    ScoreFile* file_;
    std::vector<Score> values_;  // empty where the table is in the file alone
    std::unique_ptr<BlockCache> cache_;
};

class BestNetworkTable : public SubsetTable {
  public:
    BestNetworkTable(const std::vector<ParentList>& lists, Job& job, const TablePlace& place = {}) : SubsetTable(lists, place) {
        for_each_layer(true, job, [&](Varset high, std::span<Score> best, Scratch& scratch) { compute_block(high, best, scratch); });
    }

  private:
    void compute_block(Varset high, std::span<Score> best, Scratch& scratch) {
        std::fill(best.begin(), best.end(), impossible);
        if (high == 0) best[0] = 0;
        for (const int sink : members(high)) {
            const Varset rest = without(high, sink);
            raise(best, rebuild_high(sink + low_bits_, rest, scratch), block(rest, scratch));
        }
        add_low_sinks(best, rebuild_low(high, scratch));
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
};

class BestCompletionTable : public SubsetTable {
  public:
    BestCompletionTable(const std::vector<ParentList>& lists, Job& job) : SubsetTable(lists, {}) {
        for_each_layer(false, job, [&](Varset high, std::span<Score> values, Scratch& scratch) { compute_block(high, values, scratch); });
    }

  private:
    void compute_block(Varset high, std::span<Score> values, Scratch& scratch) {
        const Varset all_high = first_variables(num_variables_ - low_bits_);
        std::fill(values.begin(), values.end(), impossible);
        if (high == all_high) values.back() = 0;
        for (const int next : members(all_high & ~high))
            raise(values, rebuild_high(next + low_bits_, high, scratch), block(with(high, next), scratch));
        add_low(values, rebuild_low(high, scratch));
    }

    static void add_low(std::span<Score> values, const std::vector<std::vector<Score>>& low_parents) {
        for (std::size_t low = values.size(); low-- > 0;) {
            Score top = values[low];
            for (const int next : members(~low & (values.size() - 1)))
                top = std::max(top, low_parents[static_cast<std::size_t>(next)][low] + values[with(low, next)]);
            values[low] = clamp_impossible(top);
        }
    }
};

}  // namespace dagmass
