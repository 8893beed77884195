/// The graph that stands for a class of equivalent networks: edges that all members direct alike, and edges that they do not.
#pragma once

#include <array>
#include <span>

#include "varset.hpp"

namespace dagmass {

struct Cpdag {
    std::size_t num_variables = 0;
    std::array<Varset32, 32> compelled{};   // by variable: parents in every member
    std::array<Varset32, 32> reversible{};  // by variable: neighbours that are parents in some members and children in others
};

/// Mark the edges of v-structures, then close under Meek's first three rules (Meek 1995).
inline Cpdag cpdag_of(std::span<const Varset32> parents) {
    Cpdag graph{parents.size(), {}, {}};
    const auto n = static_cast<int>(parents.size());
    std::array<Varset32, 32> neighbours{};
    for (int v = 0; v < n; ++v)
        for (const int p : members(parents[static_cast<std::size_t>(v)])) {
            neighbours[static_cast<std::size_t>(v)] |= static_cast<Varset32>(only(p));
            neighbours[static_cast<std::size_t>(p)] |= static_cast<Varset32>(only(v));
        }
    // An edge a -> b is compelled by a third variable:
    const auto is_compelled = [&](int a, int b) {
        const auto into_b = parents[static_cast<std::size_t>(b)], near_a = neighbours[static_cast<std::size_t>(a)];
        const auto directed_into_b = graph.compelled[static_cast<std::size_t>(b)],
                   directed_into_a = graph.compelled[static_cast<std::size_t>(a)];
        if (without(into_b, a) & ~near_a) return true;                                // a -> b <- c, a and c not linked
        if (directed_into_a & ~neighbours[static_cast<std::size_t>(b)]) return true;  // c -> a -> b, c and b not linked
        for (const int c : members(directed_into_b & near_a))
            if (contains(graph.compelled[static_cast<std::size_t>(c)], a)) return true;  // a -> c -> b
        const Varset32 into_a = parents[static_cast<std::size_t>(a)];
        for (const int c : members(directed_into_b & near_a)) {  // c -> b <- d, c and d not linked, both linked to a but not c -> a <- d
            const Varset32 beside = directed_into_b & near_a & ~neighbours[static_cast<std::size_t>(c)] & ~static_cast<Varset32>(only(c));
            if (contains(into_a, c) ? beside & ~into_a : beside) return true;
        }
        return false;
    };
    for (bool grows = true; grows;) {
        grows = false;
        for (int b = 0; b < n; ++b)
            for (const int a : members(parents[static_cast<std::size_t>(b)] & ~graph.compelled[static_cast<std::size_t>(b)]))
                if (is_compelled(a, b)) {
                    graph.compelled[static_cast<std::size_t>(b)] |= static_cast<Varset32>(only(a));
                    grows = true;
                }
    }
    for (int v = 0; v < n; ++v)
        graph.reversible[static_cast<std::size_t>(v)] =
            neighbours[static_cast<std::size_t>(v)] & ~graph.compelled[static_cast<std::size_t>(v)];
    for (int b = 0; b < n; ++b)
        for (const int a : members(graph.compelled[static_cast<std::size_t>(b)]))
            graph.reversible[static_cast<std::size_t>(a)] &= ~static_cast<Varset32>(only(b));
    return graph;
}

}  // namespace dagmass
