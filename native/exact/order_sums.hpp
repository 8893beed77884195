/// Sums over all orders of the variables (Koivisto and Sood 2004): a network counts once for every order that agrees with it.
///
///     F(W) = sum over s in W of F(W - s) A_s(W - s),    B(U) = sum over s not in U of A_s(U) B(U + s).
///
/// All terms are positive, so nothing cancels.
#pragma once

#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "network_sums.hpp"
#include "potentials.hpp"
#include "scaled.hpp"
#include "subset_sums.hpp"

namespace dagmass {

template <class Real>
NetworkSums<Real> order_sums(const SubsetSums<Real>& subset_sums, const Potentials& potentials, bool with_posteriors, Job& job) {
    const int n = subset_sums.num_variables();
    const Varset all = first_variables(n);
    NetworkSums<Real> sums;
    sums.forward.resize(all + 1);
    sums.backward.resize(all + 1);
    sums.forward[0] = sums.backward[all] = Real(1.0);
    job.total = 2 * (all + 1);
    for (Varset set = 1; set <= all; ++set) {
        if ((set & 0xffff) == 0) job.check();
        for (const int s : members(set)) {
            const Varset rest = without(set, s);
            const auto shift = potentials.up[rest] + subset_sums.exponent(s, rest) - potentials.up[set];
            sums.forward[set] = sums.forward[set] + sums.forward[rest] * subset_sums.mantissa(s, rest) * power_of_two(std::min(shift, 0));
        }
    }
    for (Varset set = all; set-- > 0;) {
        if ((set & 0xffff) == 0) job.check();
        for (const int s : members(all & ~set)) {
            const auto shift = subset_sums.exponent(s, set) + potentials.down[with(set, s)] - potentials.down[set];
            sums.backward[set] =
                sums.backward[set] + sums.backward[with(set, s)] * subset_sums.mantissa(s, set) * power_of_two(std::min(shift, 0));
        }
    }
    sums.num_terms = static_cast<std::uint64_t>(n) * (all + 1);
    if (!with_posteriors) return sums;
    sums.non_descendants.resize(static_cast<std::size_t>(n) * subset_sums.per_variable());
    const double total = leading(sums.forward[all]);
    for (int v = 0; v < n; ++v)
        for (Varset index = 0; index < subset_sums.per_variable(); ++index) {
            const Varset set = insert_zero_bit(index, v);
            const auto shift = potentials.up[set] + subset_sums.exponent(v, set) + potentials.down[with(set, v)] - potentials.up[all];
            const Real through = sums.forward[set] * subset_sums.mantissa(v, set) * sums.backward[with(set, v)];
            sums.non_descendants[static_cast<std::size_t>(v) * subset_sums.per_variable() + index] =
                leading(through) * power_of_two(std::min(shift, 0)) / total;
        }
    return sums;
}

/// Every product and sum along an order rounds once; nothing cancels.
template <class Real>
ErrorBounds order_error_bounds(const NetworkSums<Real>& sums, const Potentials& potentials, int num_variables) {
    const double n = num_variables;
    const double relative = n * (Precision<Real>::exponential + (n + 2) * Precision<Real>::unit) + n * (n + 3) * Precision<Real>::unit;
    const double value = std::abs(log_evidence(sums, potentials));
    return {1.01 * relative + 4 * value * 0x1p-53 + 0x1p-52, 4 * relative + final_roundings(num_variables) * 0x1p-53};
}

}  // namespace dagmass
