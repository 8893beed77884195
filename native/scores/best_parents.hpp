/// The best local score of one variable among all subsets of a candidate set, rebuilt a block at a time.
///
/// Only undominated parent sets are kept (no subset of theirs scores at least as well): a few hundred or thousand in place of a table
/// of 2^(n-1). A block is all candidate sets with the same high bits; it fits into the cache.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "../graphs/varset.hpp"
#include "../simd.hpp"
#include "score.hpp"

namespace dagmass {

inline constexpr int block_bits = 12;

/// block[C] = max of block[P] over all subsets P of C: one pass a bit.
inline void max_over_subsets(std::span<Score> block) {
    at_level([&]() __attribute__((always_inline)) {
        for (std::size_t bit = 1; bit < block.size(); bit *= 2)
            for (std::size_t start = 0; start < block.size(); start += 2 * bit) {
                const Score* below = block.data() + start;
                Score* above = block.data() + start + bit;
                for (std::size_t i = 0; i < bit; ++i) above[i] = above[i] > below[i] ? above[i] : below[i];
            }
    });
}

/// Seconds for one pass over a full block on this machine, the unit of cost of the tables that are made of blocks.
inline double block_seconds() {
    std::vector<Score> block(std::size_t{1} << block_bits, 0);
    const auto start = std::chrono::steady_clock::now();
    constexpr int num_passes = 200;
    for (int pass = 0; pass < num_passes; ++pass) max_over_subsets(block);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / num_passes;
}

class BestParents {
  public:
    explicit BestParents(int num_low_bits) : num_low_bits_(num_low_bits) {}

    /// Undominated parent sets come in rising order of their high bits.
    void add(Varset parents, Score score) {
        const Varset high = parents >> num_low_bits_;
        if (groups_.empty() || groups_.back().high != high) groups_.push_back({high, entries_.size()});
        entries_.push_back({static_cast<std::uint32_t>(parents & first_variables(num_low_bits_)), score});
    }

    /// block[low] = best score over the parent sets added so far whose high bits lie in `high` and low bits equal `low`.
    void scatter(Varset high, std::span<Score> block) const {
        std::fill(block.begin(), block.end(), impossible);
        for (std::size_t g = 0; g < groups_.size() && groups_[g].high <= high; ++g) {
            if (!is_subset(groups_[g].high, high)) continue;
            const std::size_t end = g + 1 < groups_.size() ? groups_[g + 1].begin : entries_.size();
            for (std::size_t e = groups_[g].begin; e < end; ++e)
                block[entries_[e].low] = std::max(block[entries_[e].low], entries_[e].score);
        }
    }

    /// block[low] = best local score over all subsets of the candidate set with these high and low bits.
    void rebuild(Varset high, std::span<Score> block) const {
        scatter(high, block);
        max_over_subsets(block);
    }

  private:
    struct Group {
        Varset high;
        std::size_t begin;  // in entries_
    };
    struct Entry {
        std::uint32_t low;
        Score score;
    };
    int num_low_bits_;
    std::vector<Group> groups_;
    std::vector<Entry> entries_;
};

}  // namespace dagmass
