/// The variables in another numbering, turned by some places, so that others are the low ones.
#pragma once

#include "../graphs/varset.hpp"

namespace dagmass {

struct Turn {
    int num_variables;
    int places;

    int variable(int v) const { return (v + places) % num_variables; }
    Varset set(Varset turned) const {
        const Varset all = first_variables(num_variables);
        return places == 0 ? turned : ((turned << places) | (turned >> (num_variables - places))) & all;
    }
};

}  // namespace dagmass
