/// The parent sets of a variable that can occur in a network close to the best.
///
/// gap(P) = best score among the strict subsets of P, minus its own. Replacing P by its best subset keeps a network acyclic, so a
/// network with family (v, P) lies at least gap(P) below the best: with a slack, only gaps up to it matter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "best_parents.hpp"
#include "score.hpp"

namespace dagmass {

struct ParentSet {
    Varset parents;
    Score score;
    Score gap;       // `impossible` where no strict subset is possible; negative = undominated
    Score loss = 0;  // at least so far the best network with this family lies below the best of all
};

struct ParentList {
    std::vector<ParentSet> sets;  // by falling score, then rising varset
    Score lowest = -impossible;   // lowest score of any family of the variable
    bool is_complete = true;      // holds every possible parent set
};

inline void keep_within(ParentList& list, Score slack) {
    const auto num_gone = std::erase_if(list.sets, [slack](const ParentSet& set) { return set.gap > slack; });
    list.is_complete = list.is_complete && num_gone == 0;
}

/// Walks the parent sets of one variable block by block; subsets come before their supersets.
template <class Scores>
class GapListBuilder {
  public:
    /// With more than `max_sets` the slack is halved, as often as it takes.
    GapListBuilder(const Scores& scores, int v, Score slack, std::size_t max_sets)
        : scores_(scores),
          v_(v),
          slack_(slack),
          max_sets_(max_sets),
          num_bits_(scores.num_variables - 1),
          low_bits_(std::min(num_bits_, block_bits)),
          undominated_(low_bits_),
          own_(std::size_t{1} << low_bits_),
          before_(own_.size()),
          best_(own_.size()) {}

    ParentList build(Job& job) {
        // Only blocks of candidates, and of no more of them than may be parents together.
        const Varset high_bits = scores_.candidate_bits(v_) >> low_bits_;
        const int most = scores_.max_parents(v_);
        Varset high = 0;
        do {
            job.check();
            if (size(high) <= most) add_block(high);
            high = (high - high_bits) & high_bits;
        } while (high != 0);
        job.done.fetch_add(Varset{1} << (num_bits_ - low_bits_), std::memory_order_relaxed);
        job.operations.fetch_add(num_steps_, std::memory_order_relaxed);
        std::sort(list_.sets.begin(), list_.sets.end(),
                  [](const ParentSet& a, const ParentSet& b) { return a.score != b.score ? a.score > b.score : a.parents < b.parents; });
        return std::move(list_);
    }

    Score slack() const { return slack_; }

  private:
    void add_block(Varset high) {
        const Varset first = high << low_bits_;
        scores_.fill_block(v_, first, own_);
        num_steps_ += own_.size();
        if (!has_any_within(high)) return;
        undominated_.scatter(high, best_);
        for (std::size_t i = 0; i < own_.size(); ++i) best_[i] = std::max(best_[i], own_[i]);
        max_over_subsets(best_);
        num_steps_ += own_.size() * static_cast<std::size_t>(low_bits_);
        bool has_before = false;
        for (std::size_t low = 0; low < own_.size(); ++low) {
            if (!is_possible(own_[low])) continue;
            list_.lowest = std::min(list_.lowest, own_[low]);
            if (best_[low] - own_[low] > slack_) {
                list_.is_complete = false;
                continue;
            }
            if (!has_before) undominated_.rebuild(high, before_);  // rarely needed, and before this block adds its own
            has_before = true;
            keep(first, low);
        }
    }

    /// Every set of the block holds the undominated ones with its high bits alone: most blocks lie too far below the best of these.
    bool has_any_within(Varset high) {
        Score top = impossible, bottom = -impossible;
        at_level([&]() __attribute__((always_inline)) {
            for (const Score score : own_) {
                top = top > score ? top : score;
                const Score possible = is_possible(score) ? score : -impossible;
                bottom = bottom < possible ? bottom : possible;
            }
        });
        if (!is_possible(top)) return false;
        Score best_subset = impossible;
        for (const auto& [parents, score] : of_high_bits_)
            if (is_subset(parents, high)) best_subset = std::max(best_subset, score);
        if (!is_possible(best_subset) || best_subset - top <= slack_) return true;
        list_.lowest = std::min(list_.lowest, bottom);
        list_.is_complete = false;
        return false;
    }

    void keep(Varset first, std::size_t low) {
        Score subset_best = before_[low];
        for (const int bit : members(low)) subset_best = std::max(subset_best, best_[without(low, bit)]);
        const Score gap = is_possible(subset_best) ? subset_best - own_[low] : impossible;
        list_.sets.push_back({insert_zero_bit(first | low, v_), own_[low], gap});
        if (gap >= 0) return shorten();
        undominated_.add(first | low, own_[low]);
        if (low == 0) of_high_bits_.emplace_back(first >> low_bits_, own_[low]);
    }

    void shorten() {
        while (list_.sets.size() > max_sets_ && slack_ > 0) {
            slack_ /= 2;
            keep_within(list_, slack_);
        }
    }

    const Scores& scores_;
    int v_;
    Score slack_;
    std::size_t max_sets_;
    int num_bits_, low_bits_;
    BestParents undominated_;
    std::vector<std::pair<Varset, Score>> of_high_bits_;  // undominated sets without low bits
    std::vector<Score> own_;                              // scores of the block's own sets
    std::vector<Score> before_;                           // best over subsets in earlier blocks
    std::vector<Score> best_;                             // best over all subsets, the set itself included
    ParentList list_;
    std::uint64_t num_steps_ = 0;
};

struct GapLists {
    std::vector<ParentList> of_variable;
    Score slack;  // all of them reach so far
};

/// Lists of all variables. Where one of them would hold more than `max_sets`, all reach less far than the slack that is wanted.
template <class Scores>
GapLists gap_lists(const Scores& scores, Score slack, Job& job, std::size_t max_sets = SIZE_MAX) {
    const auto n = static_cast<std::size_t>(scores.num_variables);
    GapLists lists{std::vector<ParentList>(n), slack};
    std::vector<Score> reached(n);
    parallel_for(job, n, [&](std::size_t v, int) {
        GapListBuilder<Scores> builder(scores, static_cast<int>(v), slack, max_sets);
        lists.of_variable[v] = builder.build(job);
        reached[v] = builder.slack();
    });
    lists.slack = *std::min_element(reached.begin(), reached.end());
    if (lists.slack < slack)
        for (auto& list : lists.of_variable) keep_within(list, lists.slack);
    return lists;
}

}  // namespace dagmass
