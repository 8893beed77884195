/// Sums over every network (Tian and He 2009, after Robinson's recursion), what they carry, and how wrong they can be.
///
///     Z(W) = sum over nonempty S in W of       (-1)^(|S|+1) Z(W - S) * product over s in S of A_s(W - S)        weight of the networks
///     over W X(U) = sum over nonempty S outside U of  (-1)^(|S|+1) X(U + S) * product over s in S of A_s(U)            of all ways to go
///     on from U
///
/// Z(W) X(W) / Z(V) = P(W is closed under parents). q_v(U) = Z(U) / Z(V) * (the summands of X(U) with v in S) = P(the non-descendants of v
/// are U).
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "../graphs/varset.hpp"
#include "potentials.hpp"
#include "scaled.hpp"
#include "subset_sums.hpp"

namespace dagmass {

template <class Real>
struct NetworkSums {
    std::vector<Real> forward;            // Z(W) * 2^-up(W)
    std::vector<Real> backward;           // X(U) * 2^-down(U)
    std::vector<double> non_descendants;  // q_v(U) at [v * 2^(n-1) + drop_bit(U, v)]; empty if not asked for
    double absolute = 0;                  // sum over all U and S of |Z(U) * product of A_s(U) * X(U + S)| / Z(V)
    std::uint64_t num_terms = 0;          // of both recursions
    int num_additions = 0;                // most roundings of sums that a term passes through
};

template <class Real>
double log_evidence(const NetworkSums<Real>& sums, const Potentials& potentials) {
    constexpr double log_2 = 0x1.62e42fefa39efp-1;
    return std::log(leading(sums.forward.back())) + static_cast<double>(potentials.up.back()) * log_2;
}

/// Most roundings of a sum of probabilities over all sets without a variable: within chunks of 4096, over the chunks, and around.
inline double final_roundings(int num_variables) { return 4096 + std::exp2(num_variables - 13) + 400; }

/// Bounds on what rounding and left-out terms did.
struct ErrorBounds {
    double log_evidence;  // nats
    double probability;   // absolute, for every probability computed from the sums
};

/// Z(V) changes by the error of a term Z(U) * product of A_s(U) times X(U + S), so all roundings together change it by at most their number
/// a term times the sum of all terms without signs. Errors of A_s(U) enter with weight q_s(U), which adds up to n. (See docs/method.md.)
template <class Real>
ErrorBounds error_bounds(const NetworkSums<Real>& sums, const Potentials& potentials, int num_variables) {
    constexpr double slop = 1.01;  // the bounds themselves are computed in double
    const double n = num_variables;
    const double rounding = slop * (sums.num_additions + n + 8) * Precision<Real>::unit;
    const double of_sums = n * (Precision<Real>::exponential + (n + 2) * Precision<Real>::unit);
    const double left_out = std::exp2(-Precision<Real>::visible_bits);
    const double relative = rounding * sums.absolute + of_sums + left_out;
    const double value = std::abs(log_evidence(sums, potentials));
    return {slop * relative + 4 * value * 0x1p-53 + 0x1p-52,
            slop * (2 * relative + 2 * rounding * sums.absolute + of_sums + left_out) + final_roundings(num_variables) * 0x1p-53};
}

}  // namespace dagmass
