/// Sums over all orders of the variables (Koivisto and Sood 2004): a network counts once for every order that agrees with it.
///
///     F(W) = sum over s in W of F(W - s) A_s(W - s),    B(U) = sum over s not in U of A_s(U) B(U + s).
///
/// All terms are positive, so nothing cancels.
#pragma once

#include <algorithm>
#include <cmath>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "network_sums.hpp"
#include "potentials.hpp"
#include "scaled.hpp"
#include "subset_sums.hpp"

namespace dagmass {

/// `subset_sums` without bases. F is kept in units of 2^(total - down), B in units of 2^down.
template <class Real>
NetworkSums<Real> order_sums(const SubsetSums<Real>& subset_sums, const Potentials& potentials, bool with_posteriors, Job& job) {
    const int n = subset_sums.num_variables();
    const Varset all = first_variables(n);
    const auto& down = potentials.down;
    const auto step = [&](int s, Varset set) {
        const Exponent shift = subset_sums.exponent(s, set) + down[with(set, s)] - down[set];
        return subset_sums.mantissa(s, set) * power_of_two(std::min(shift, 900));
    };
    LargeArray<Real> forward(all + 1, Real(0.0));
    NetworkSums<Real> sums;
    sums.backward.assign(all + 1, Real(0.0));
    forward[0] = Real(power_of_two(std::clamp(down[0] - potentials.total, -1023, 900)));
    sums.backward[all] = Real(power_of_two(-down[all]));
    job.total = 2 * (all + 1);
    for (Varset set = 1; set <= all; ++set) {
        if ((set & 0xffff) == 0) job.check();
        for (const int s : members(set)) forward[set] = forward[set] + forward[without(set, s)] * step(s, without(set, s));
    }
    for (Varset set = all; set-- > 0;) {
        if ((set & 0xffff) == 0) job.check();
        for (const int s : members(all & ~set)) sums.backward[set] = sums.backward[set] + sums.backward[with(set, s)] * step(s, set);
    }
    sums.total = forward[all] * power_of_two(-down[all]);
    sums.exponent = potentials.total;
    sums.num_terms = static_cast<std::uint64_t>(n) * (all + 1);
    if (!with_posteriors) return sums;
    sums.non_descendants.resize(static_cast<std::size_t>(n) * subset_sums.per_variable());
    for (int v = 0; v < n; ++v)
        for (Varset index = 0; index < subset_sums.per_variable(); ++index) {
            const Varset set = insert_zero_bit(index, v);
            const Real through = forward[set] * step(v, set) * sums.backward[with(set, v)];
            sums.non_descendants[static_cast<std::size_t>(v) * subset_sums.per_variable() + index] = leading(through) / leading(sums.total);
        }
    return sums;
}

/// Every product and sum along an order rounds once; nothing cancels.
template <class Real>
ErrorBounds order_error_bounds(const NetworkSums<Real>& sums, int num_variables) {
    const double n = num_variables;
    const double relative = n * (Precision<Real>::exponential + (n + 2) * Precision<Real>::unit) + n * (n + 3) * Precision<Real>::unit;
    return {1.01 * relative + logarithm_error(sums), 4 * relative + final_roundings(num_variables) * 0x1p-53};
}

}  // namespace dagmass
