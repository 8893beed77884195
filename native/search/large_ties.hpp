/// The first of a group of networks that all lose the same, where there are too many to list and sort them.
///
/// In canonical order networks go by the parents of variable 0, then 1, ... So the parents of one variable after the other are fixed, each
/// choice in turn, until what is left of the group is small enough to be listed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "../scores/gap_lists.hpp"
#include "best_network_table.hpp"
#include "threshold_search.hpp"

namespace dagmass {

class LargeTies {
  public:
    LargeTies(Score best_score, Score loss, std::size_t count, std::size_t num_variables, Job& job)
        : best_score_(best_score), loss_(loss), count_(count), found_(num_variables), job_(job) {}

    /// Add those of the group whose parents are in the lists, of which the first `num_fixed` hold one set each.
    void add_from(const std::vector<ParentList>& lists, std::size_t num_fixed) {
        if (!try_to_list(lists)) split(lists, num_fixed);
    }

    FoundNetworks& found() { return found_; }

  private:
    static constexpr std::size_t max_listed = 1 << 14;

    /// False where there are too many. The table is gone by then: splitting makes others.
    bool try_to_list(const std::vector<ParentList>& lists) {
        job_.check_memory(sizeof(Score) << lists.size());
        const BestNetworkTable best(lists, job_);
        const Score top = best[best.all()];
        if (!is_possible(top) || best_score_ - top > loss_) return true;
        const Score slack = loss_ - (best_score_ - top);
        const FamilyChoices choices(lists);
        const auto result = ThresholdSearch<NetworkStates>(
                                choices, best, {.slack = slack, .above = slack - 1, .wanted = max_listed, .most = max_listed}, job_)
                                .run();
        if (result.has_too_many_ties) return false;
        for (const auto index : result.found.in_order())
            if (found_.size() < count_) found_.add(loss_, result.found.parents(index));
        return true;
    }

    void split(const std::vector<ParentList>& lists, std::size_t num_fixed) {
        auto sets = lists[num_fixed].sets;
        std::sort(sets.begin(), sets.end(), [](const ParentSet& a, const ParentSet& b) { return a.parents < b.parents; });
        for (const auto& set : sets) {
            if (found_.size() >= count_) return;
            job_.check();
            auto fixed = lists;
            fixed[num_fixed].sets = {set};
            fixed[num_fixed].sets.front().gap = impossible;  // nothing dominates the only choice
            add_from(fixed, num_fixed + 1);
        }
    }

    Score best_score_, loss_;
    std::size_t count_;
    FoundNetworks found_;
    Job& job_;
};

/// The first `count` of all that lose exactly `loss`: networks in canonical order; classes in the order in which the search meets them,
/// which does not depend on how many are asked for.
template <class States>
FoundNetworks first_ties(const std::vector<ParentList>& lists, const BestNetworkTable& best, Score loss, std::size_t count, Job& job) {
    if constexpr (std::is_same_v<States, ClassStates>) {
        const FamilyChoices choices(lists);
        const SearchRequest request{.slack = loss, .above = loss - 1, .wanted = SIZE_MAX / 4, .most = SIZE_MAX, .first_ones = count};
        return ThresholdSearch<States>(choices, best, request, job).run().found;
    } else {
        LargeTies ties(best[best.all()], loss, count, lists.size(), job);
        ties.add_from(lists, 0);
        return std::move(ties.found());
    }
}

}  // namespace dagmass
