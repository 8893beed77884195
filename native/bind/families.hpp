/// Local scores in either storage, for kernels that do not care which.
#pragma once

#include <variant>

#include "../scores/families.hpp"
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

}  // namespace dagmass::bind
