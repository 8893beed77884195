/// Local scores in either storage, for kernels that do not care which.
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "../scores/families.hpp"
#include "../scores/gap_lists.hpp"
#include "arrays.hpp"

namespace dagmass::bind {

/// It keeps the arrays alive.
struct Families {
    std::variant<SetFunctionScores, ListedScores> scores;
    nb::object arrays;
    int num_variables;
    int fraction_bits;

    template <class Kernel>
    auto visit(const Kernel& kernel) const {
        return std::visit(kernel, scores);
    }
};

/// (offsets, parents, scores, gaps): the lists of all variables one after the other.
inline auto to_arrays(const std::vector<ParentList>& lists) {
    std::vector<std::uint64_t> offsets{0};
    std::vector<Varset> parents;
    std::vector<Score> scores, gaps;
    for (const auto& list : lists) {
        for (const auto& set : list.sets) {
            parents.push_back(set.parents);
            scores.push_back(set.score);
            gaps.push_back(set.gap);
        }
        offsets.push_back(parents.size());
    }
    return std::tuple(to_numpy(std::move(offsets)), to_numpy(std::move(parents)), to_numpy(std::move(scores)), to_numpy(std::move(gaps)));
}

}  // namespace dagmass::bind
