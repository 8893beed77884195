/// How far the best network with a given family lies below the best of all.
///
///     loss(v, P) = best[V] - score(v, P) - max over W around P, v not in W, of  best[W] + completion[W + v]
///
/// Any network with that family has the variables before v (in some order) as such a W. Only families within the slack of a search occur in
/// its networks at all.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "../scores/gap_lists.hpp"
#include "../scores/score.hpp"
#include "../simd.hpp"
#include "best_network_table.hpp"

namespace dagmass {

/// values[P] = max of values[W] over W around P, halves first: every half fits into the cache sooner or later.
inline void max_over_supersets(std::span<Score> values) {
    if (values.size() > std::size_t{1} << block_bits) {
        const auto below = values.first(values.size() / 2), above = values.subspan(values.size() / 2);
        at_level([&]() __attribute__((always_inline)) {
            for (std::size_t i = 0; i < below.size(); ++i) below[i] = below[i] > above[i] ? below[i] : above[i];
        });
        max_over_supersets(below);
        max_over_supersets(above);
        return;
    }
    at_level([&]() __attribute__((always_inline)) {
        for (std::size_t bit = values.size() / 2; bit > 0; bit /= 2)
            for (std::size_t start = 0; start < values.size(); start += 2 * bit) {
                Score* below = values.data() + start;
                const Score* above = below + bit;
                for (std::size_t i = 0; i < bit; ++i) below[i] = below[i] > above[i] ? below[i] : above[i];
            }
    });
}

/// around[P] = max over W around P, v not in W, of best[W] + completion[W + v]; sets are numbered without v.
inline std::vector<Score> best_around(const BestNetworkTable& best, const BestCompletionTable& completion, int v) {
    std::vector<Score> around(std::size_t{1} << (best.num_variables() - 1));
    for (Varset index = 0; index < around.size(); ++index) {
        const Varset set = insert_zero_bit(index, v);
        around[index] = add(best[set], completion[with(set, v)]);
    }
    max_over_supersets(around);
    return around;
}

/// Note for every listed family how far the best network with it lies below the best of all.
inline void note_losses(std::vector<ParentList>& lists, const BestNetworkTable& best, const BestCompletionTable& completion, Job& job) {
    const Score top = best[best.all()];
    parallel_for(job, lists.size(), [&](std::size_t v, int) {
        const auto around = best_around(best, completion, static_cast<int>(v));
        for (auto& set : lists[v].sets) {
            const Score with_set = add(set.score, around[drop_bit(set.parents, static_cast<int>(v))]);
            set.loss = is_possible(with_set) ? top - with_set : infinite_loss;
        }
    });
}

/// How far the best network with each edge lies below the best of all, at [a * n + b] for a -> b; infinite where there is none.
template <class Scores>
std::vector<Score> losses_of_edges(const Scores& scores, const BestNetworkTable& best, const BestCompletionTable& completion, Job& job) {
    const auto n = static_cast<std::size_t>(scores.num_variables);
    const Score top = best[best.all()];
    std::vector<Score> losses(n * n, infinite_loss);
    parallel_for(job, n, [&](std::size_t v, int) {
        auto with_family = best_around(best, completion, static_cast<int>(v));
        std::vector<Score> block(std::min<std::size_t>(with_family.size(), std::size_t{1} << block_bits));
        for (std::size_t first = 0; first < with_family.size(); first += block.size()) {
            job.check();
            scores.fill_block(static_cast<int>(v), first, block);
            for (std::size_t i = 0; i < block.size(); ++i) with_family[first + i] = add(with_family[first + i], block[i]);
        }
        max_over_supersets(with_family);
        for (std::size_t a = 0; a < n; ++a) {
            const Score with_edge = a == v ? impossible : with_family[drop_bit(only(static_cast<int>(a)), static_cast<int>(v))];
            if (is_possible(with_edge)) losses[a * n + v] = top - with_edge;
        }
    });
    return losses;
}

}  // namespace dagmass
