/// The average of every edge over weighted networks (Tian, He and Ram 2010, eq. 9).
#pragma once

#include <span>

#include "../graphs/varset.hpp"

namespace dagmass {

/// averages[a * n + b] = total weight of the networks in which a is a parent of b.
inline void edge_averages(std::span<const Varset> parents, std::span<const double> weights, std::span<double> averages) {
    const std::size_t n = weights.empty() ? 0 : parents.size() / weights.size();
    for (std::size_t network = 0; network < weights.size(); ++network)
        for (std::size_t child = 0; child < n; ++child)
            for (const int parent : members(parents[network * n + child]))
                averages[static_cast<std::size_t>(parent) * n + child] += weights[network];
}

}  // namespace dagmass
