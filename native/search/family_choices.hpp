/// The families that a search chooses from, best first, and who can descend from whom within its slack.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "../graphs/varset.hpp"
#include "../scores/gap_lists.hpp"
#include "../scores/score.hpp"
#include "search_state.hpp"

namespace dagmass {

inline constexpr int max_search_variables = 32;

class FamilyChoices {
  public:
    struct Choice {
        Varset32 parents;
        Score score;
    };

    explicit FamilyChoices(const std::vector<ParentList>& lists) : choices_(lists.size()) {
        for (auto& row : child_gap_) row.fill(unrelated);
        for (std::size_t v = 0; v < lists.size(); ++v)
            for (const auto& set : lists[v].sets) {
                choices_[v].push_back({static_cast<Varset32>(set.parents), set.score});
                for (const int parent : members(set.parents)) {
                    Score& gap = child_gap_[static_cast<std::size_t>(parent)][v];
                    gap = std::min(gap, std::max<Score>(set.gap, 0));
                    children_[static_cast<std::size_t>(parent)] |= static_cast<Varset32>(only(static_cast<int>(v)));
                }
            }
    }

    int num_variables() const { return static_cast<int>(choices_.size()); }

    /// By falling score.
    const std::vector<Choice>& of(int v) const { return choices_[static_cast<std::size_t>(v)]; }

    Varset32 children(int v) const { return children_[static_cast<std::size_t>(v)]; }

    /// All that can descend from v inside W, whatever it costs.
    Varset32 descendants(int v, Varset32 set) const {
        Varset32 found = children(v) & set;
        for (Varset32 fresh = found; fresh != 0;) {
            Varset32 next = 0;
            for (const int child : members(fresh)) next |= children(child);
            fresh = next & set & ~found;
            found |= fresh;
        }
        return static_cast<Varset32>(without(found, v));
    }

    /// All that can descend from v inside W in a network that loses at most `limit`: the gaps of the families along a path add up.
    Varset32 descendants(int v, Varset32 set, Score limit) const {
        std::array<Score, max_search_variables> distance;
        distance.fill(unrelated);
        distance[static_cast<std::size_t>(v)] = 0;
        Varset32 found = 0, waiting = static_cast<Varset32>(only(v));
        while (waiting != 0) {
            int nearest = lowest(waiting);
            for (const int u : members(waiting))
                if (distance[static_cast<std::size_t>(u)] < distance[static_cast<std::size_t>(nearest)]) nearest = u;
            waiting = static_cast<Varset32>(without(waiting, nearest));
            found |= static_cast<Varset32>(only(nearest));
            const auto& gaps = child_gap_[static_cast<std::size_t>(nearest)];
            for (const int child : members(children(nearest) & set & ~found)) {
                const Score reached = distance[static_cast<std::size_t>(nearest)] + gaps[static_cast<std::size_t>(child)];
                if (reached > limit || reached >= distance[static_cast<std::size_t>(child)]) continue;
                distance[static_cast<std::size_t>(child)] = reached;
                waiting |= static_cast<Varset32>(only(child));
            }
        }
        return static_cast<Varset32>(without(found, v));
    }

  private:
    static constexpr Score unrelated = std::numeric_limits<Score>::max() / 4;

    std::vector<std::vector<Choice>> choices_;
    std::array<Varset32, max_search_variables> children_{};
    std::array<std::array<Score, max_search_variables>, max_search_variables> child_gap_{};  // least gap of a family (child, P around v)
};

}  // namespace dagmass
