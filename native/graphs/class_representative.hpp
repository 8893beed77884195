/// Which variables are a sink in some member of the equivalence class of a network, and one member that stands for the class.
///
/// Adding a sink s with parents P to a network G' gives a network G with potential sinks
///
///     T(G) = {s}  +  T(G') - P  +  {v in T(G') and P : the neighbours of v in G' are P - v},     T(empty) = empty.
///
/// The representative is the member from which the highest-numbered potential sink can be taken off again and again: it is the same
/// whatever member one starts with.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "varset.hpp"

namespace dagmass {

/// T of the part of a network over `set`; `order` has parents before children.
inline Varset32 potential_sinks(std::span<const Varset32> parents, std::span<const std::uint8_t> order, Varset32 set) {
    std::array<Varset32, 32> neighbours{};
    Varset32 found = 0;
    for (const int s : order) {
        if (!contains(set, s)) continue;
        const Varset32 own = parents[static_cast<std::size_t>(s)] & set;
        Varset32 kept = found & ~own;
        for (const int v : members(found & own))
            if (neighbours[static_cast<std::size_t>(v)] == without(own, v)) kept |= static_cast<Varset32>(only(v));
        found = static_cast<Varset32>(with(kept, s));
        for (const int p : members(own)) neighbours[static_cast<std::size_t>(p)] |= static_cast<Varset32>(only(s));
        neighbours[static_cast<std::size_t>(s)] = own;
    }
    return found;
}

/// The variables of a network, parents before children.
inline std::array<std::uint8_t, 32> order_of(std::span<const Varset32> parents) {
    std::array<std::uint8_t, 32> order{};
    Varset32 placed = 0;
    for (std::size_t count = 0; count < parents.size();)
        for (std::size_t v = 0; v < parents.size(); ++v)
            if (!contains(placed, static_cast<int>(v)) && is_subset(parents[v], placed)) {
                placed |= static_cast<Varset32>(only(static_cast<int>(v)));
                order[count++] = static_cast<std::uint8_t>(v);
            }
    return order;
}

/// Replace a network by the representative of its class.
inline void make_representative(std::span<Varset32> parents) {
    const auto order = order_of(parents);
    std::array<Varset32, 32> neighbours{}, network{};
    for (std::size_t v = 0; v < parents.size(); ++v) {
        network[v] = parents[v];
        neighbours[v] |= parents[v];
        for (const int p : members(parents[v])) neighbours[static_cast<std::size_t>(p)] |= static_cast<Varset32>(only(static_cast<int>(v)));
    }
    const std::span<const Varset32> whole(network.data(), parents.size());
    for (auto set = static_cast<Varset32>(first_variables(static_cast<int>(parents.size()))); set != 0;) {
        const int sink = highest(potential_sinks(whole, std::span(order).first(parents.size()), set));
        set = static_cast<Varset32>(without(set, sink));
        parents[static_cast<std::size_t>(sink)] = neighbours[static_cast<std::size_t>(sink)] & set;
    }
}

}  // namespace dagmass
