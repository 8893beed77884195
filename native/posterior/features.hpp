/// Features of networks, evaluated over all networks of a posterior at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../graphs/relations.hpp"
#include "../graphs/varset.hpp"
#include "../job.hpp"

namespace dagmass {

/// The parent varsets of many networks over the same variables, one network after the other.
struct NetworkTable {
    std::span<const Varset> parents;
    std::size_t num_variables;

    std::size_t size() const { return num_variables == 0 ? 0 : parents.size() / num_variables; }
    Parents operator[](std::size_t network) const { return parents.subspan(network * num_variables, num_variables); }
};

/// Visit every network in order, listening for a stop now and then.
template <class Visit>
void for_each_network(const NetworkTable& networks, Job& job, const Visit& visit) {
    for (std::size_t network = 0; network < networks.size(); ++network) {
        if ((network & 4095) == 0) job.check();
        visit(network, networks[network]);
    }
}

template <class Feature>
std::vector<std::uint8_t> evaluate(const NetworkTable& networks, Job& job, const Feature& feature) {
    std::vector<std::uint8_t> holds(networks.size());
    for_each_network(networks, job, [&](std::size_t network, Parents parents) { holds[network] = feature(parents); });
    return holds;
}

/// The sets that a variable has in a network. The numbers are those of the Python side.
enum class SetOf : int { parents = 0, children = 1, ancestors = 2, descendants = 3, blanket = 4 };

inline Varset set_of(Parents parents, SetOf which, int v) {
    switch (which) {
        case SetOf::parents:
            return parents[static_cast<std::size_t>(v)];
        case SetOf::children:
            return children_of(parents, v);
        case SetOf::ancestors:
            return ancestors_of(parents, only(v));
        case SetOf::descendants:
            return descendants_of(parents, v);
        case SetOf::blanket:
            return blanket_of(parents, v);
    }
    return 0;
}

enum class Comparison : int { equal = 0, superset = 1, subset = 2 };

inline bool compare(Varset set, Comparison comparison, Varset with) {
    switch (comparison) {
        case Comparison::equal:
            return set == with;
        case Comparison::superset:
            return is_subset(with, set);
        case Comparison::subset:
            return is_subset(set, with);
    }
    return false;
}

}  // namespace dagmass
