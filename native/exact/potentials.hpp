/// Integer potentials that keep the sums in range, and say what can be left out.
///
///     up(W)   = max over s in W of     up(W - s) + e_s(W - s),     up(empty) = 0
///     down(U) = max over s not in U of e_s(U) + down(U + s),       down(V) = 0
///
/// where A_s(U) < 2^e_s(U). Z(W) lies between 2^(up(W) - |W|) and |W|! * 2^up(W); what starts in U and ends in all variables is of the
/// order of 2^(up(U) + down(U)), so a set far below up(V) does not matter.
#pragma once

#include <algorithm>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "scaled.hpp"
#include "subset_sums.hpp"

namespace dagmass {

struct Potentials {
    std::vector<Exponent> up, down;

    /// How many bits below the total all that passes through `set` lies; at least zero.
    Exponent loss(Varset set) const { return up.back() - up[set] - down[set]; }
};

inline Exponent add_exponents(Exponent a, Exponent b) { return std::max(a + b, exponent_of_zero); }

template <class Real>
Potentials potentials(const SubsetSums<Real>& sums, Job& job) {
    const int n = sums.num_variables();
    const Varset all = first_variables(n);
    Potentials found{std::vector<Exponent>(all + 1, exponent_of_zero), std::vector<Exponent>(all + 1, exponent_of_zero)};
    found.up[0] = found.down[all] = 0;
    for (Varset set = 1; set <= all; ++set) {
        if ((set & 0xffff) == 0) job.check();
        for (const int s : members(set))
            found.up[set] = std::max(found.up[set], add_exponents(found.up[without(set, s)], sums.exponent(s, without(set, s))));
    }
    for (Varset set = all; set-- > 0;) {
        if ((set & 0xffff) == 0) job.check();
        for (const int s : members(all & ~set))
            found.down[set] = std::max(found.down[set], add_exponents(sums.exponent(s, set), found.down[with(set, s)]));
    }
    return found;
}

}  // namespace dagmass
