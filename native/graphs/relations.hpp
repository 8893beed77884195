/// Who is related to whom in one network, given as the parent varset of every variable.
#pragma once

#include <cstdint>
#include <span>

#include "varset.hpp"

namespace dagmass {

using Parents = std::span<const Varset>;

inline Varset parents_of_any(Parents parents, Varset set) {
    Varset found = 0;
    for (const int v : members(set)) found |= parents[static_cast<std::size_t>(v)];
    return found;
}

inline Varset children_of(Parents parents, int v) {
    Varset found = 0;
    for (std::size_t child = 0; child < parents.size(); ++child)
        if (contains(parents[child], v)) found |= only(static_cast<int>(child));
    return found;
}

/// The variables from which a directed path leads into the set; members of the set only if they are ancestors of others.
inline Varset ancestors_of(Parents parents, Varset set) {
    Varset found = 0;
    for (Varset fresh = parents_of_any(parents, set); fresh != 0; fresh = parents_of_any(parents, fresh) & ~found) found |= fresh;
    return found;
}

inline Varset descendants_of(Parents parents, int v) {
    Varset found = only(v);
    for (bool grows = true; grows;) {
        grows = false;
        for (std::size_t child = 0; child < parents.size(); ++child)
            if (!contains(found, static_cast<int>(child)) && (parents[child] & found)) {
                found |= only(static_cast<int>(child));
                grows = true;
            }
    }
    return without(found, v);
}

/// Other parents of a variable's children.
inline Varset spouses_of(Parents parents, int v) { return without(parents_of_any(parents, children_of(parents, v)), v); }

inline Varset blanket_of(Parents parents, int v) {
    return parents[static_cast<std::size_t>(v)] | children_of(parents, v) | spouses_of(parents, v);
}

/// a → c ← b without a link between a and b.
inline bool is_v_structure(Parents parents, int a, int c, int b) {
    const auto into = [&](int v) { return parents[static_cast<std::size_t>(v)]; };
    return contains(into(c), a) && contains(into(c), b) && !contains(into(a), b) && !contains(into(b), a);
}

/// d-separation of two sets given a third: no path between them in the moral graph of their common ancestors once the third is
/// taken out (Lauritzen et al. 1990).
inline bool is_separated(Parents parents, Varset left, Varset right, Varset given) {
    const Varset all = left | right | given;
    const Varset relevant = all | ancestors_of(parents, all);
    Varset reached = left;
    for (Varset fresh = left; fresh != 0;) {
        Varset neighbours = parents_of_any(parents, fresh);
        for (const int child : members(relevant)) {
            const Varset into = parents[static_cast<std::size_t>(child)];
            if (into & fresh) neighbours |= with(into, child);  // children, and those who share them
        }
        fresh = neighbours & ~reached & ~given;
        reached |= fresh;
        if (reached & right) return false;
    }
    return true;
}

}  // namespace dagmass
