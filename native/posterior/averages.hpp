/// Averages of whole tables of features over weighted networks (Tian, He and Ram 2010, eq. 9).
#pragma once

#include <array>
#include <span>
#include <vector>

#include "../graphs/relations.hpp"
#include "../graphs/varset.hpp"
#include "features.hpp"

namespace dagmass {

/// averages[a * n + b] = total weight of the networks in which a is a parent of b.
inline void edge_averages(const NetworkTable& networks, std::span<const double> weights, std::span<double> averages, Job& job) {
    const std::size_t n = networks.num_variables;
    for_each_network(networks, job, [&](std::size_t network, Parents parents) {
        for (std::size_t child = 0; child < n; ++child)
            for (const int parent : members(parents[child])) averages[static_cast<std::size_t>(parent) * n + child] += weights[network];
    });
}

/// Ancestors of every variable. Each is finished once all its parents are: at most n rounds, and two or three as a rule.
inline void all_ancestors(Parents parents, std::span<Varset> ancestors) {
    std::copy(parents.begin(), parents.end(), ancestors.begin());
    for (bool grows = true; grows;) {
        grows = false;
        for (std::size_t v = 0; v < parents.size(); ++v) {
            Varset found = ancestors[v];
            for (const int parent : members(parents[v])) found |= ancestors[static_cast<std::size_t>(parent)];
            grows |= found != ancestors[v];
            ancestors[v] = found;
        }
    }
}

/// averages[a * n + b] = total weight of the networks with a directed path from a to b.
inline void path_averages(const NetworkTable& networks, std::span<const double> weights, std::span<double> averages, Job& job) {
    const std::size_t n = networks.num_variables;
    std::vector<Varset> ancestors(n);
    for_each_network(networks, job, [&](std::size_t network, Parents parents) {
        all_ancestors(parents, ancestors);
        for (std::size_t v = 0; v < n; ++v)
            for (const int ancestor : members(ancestors[v])) averages[static_cast<std::size_t>(ancestor) * n + v] += weights[network];
    });
}

/// averages[role * n + u] = total weight of the networks in which u has the role for v: 0 in its blanket, 1 parent, 2 child, 3 spouse.
inline void blanket_averages(const NetworkTable& networks, std::span<const double> weights, int v, std::span<double> averages, Job& job) {
    const std::size_t n = networks.num_variables;
    for_each_network(networks, job, [&](std::size_t network, Parents parents) {
        const std::array<Varset, 4> roles{blanket_of(parents, v), parents[static_cast<std::size_t>(v)], children_of(parents, v),
                                          spouses_of(parents, v)};
        for (std::size_t role = 0; role < roles.size(); ++role)
            for (const int u : members(roles[role])) averages[role * n + static_cast<std::size_t>(u)] += weights[network];
    });
}

}  // namespace dagmass
