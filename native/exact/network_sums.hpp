/// Sums over every network (after Tian and He 2009), what they carry, and how wrong they can be.
///
/// A_s(U) here counts the empty parent set for a small part of its weight only; the rest of it is the base of s. E(W) is the product of
/// the bases of W. So every network of W is counted in E(W), or with some sinks S that are not in its base:
///
///     Z(W) = E(W) + sum over nonempty S in W of  (-1)^(|S|+1) Z(W - S) * product over s in S of A_s(W - S)     weight of the networks over
///     W X(U) = sum over nonempty S outside U of    (-1)^(|S|+1) X(U + S) * product over s in S of A_s(U)         weight of the ways to go
///     on
///                                                                                                              from U, bases left out
///
/// Sinks without parents are what these sums would cancel most about. q_v(U) = Z(U) / Z(V) * (the summands of X(U) with v in S), times
/// (A_v(U) + base of v) / A_v(U), = P(the non-descendants of v are U). Proofs: docs/method.md.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "../graphs/varset.hpp"
#include "../large_array.hpp"
#include "potentials.hpp"
#include "scaled.hpp"
#include "subset_sums.hpp"

namespace dagmass {

template <class Real>
struct NetworkSums {
    Real total{};  // Z(V) * 2^-exponent
    Exponent exponent = 0;
    LargeArray<Real> backward;           // X(U) * 2^-down(U)
    LargeArray<double> non_descendants;  // q_v(U) at [v * 2^(n-1) + drop_bit(U, v)]; empty if not asked for
    double absolute = 0;                 // sum over all U and S of |Z(U) * product of A_s(U) * X(U + S)| / Z(V)
    std::uint64_t num_terms = 0;         // of both recursions
    int num_additions = 0;               // most roundings of sums that a term passes through
};

template <class Real>
double log_evidence(const NetworkSums<Real>& sums) {
    constexpr double log_2 = 0x1.62e42fefa39efp-1;
    return std::log(leading(sums.total)) + static_cast<double>(sums.exponent) * log_2;
}

/// Most roundings of a sum of probabilities over all sets without a variable: within chunks of 4096, over the chunks, and around.
inline double final_roundings(int num_variables) { return 4096 + std::exp2(num_variables - 13) + 400; }

/// Bounds on what rounding and left-out terms did.
struct ErrorBounds {
    double log_evidence;  // nats
    double probability;   // absolute, for every probability computed from the sums
};

/// Z(V) changes by the error of a term Z(U) * product of A_s(U) times X(U + S), so all roundings together change it by at most their number
/// a term times the sum of all terms without signs. Errors of A_s(U) and of bases enter with weights that add up to at most n. In a
/// probability Z(U) is met by what follows with the base of one variable, up to 2^base_bits times as much, and so are the products.
/// (See docs/method.md.)
template <class Real>
ErrorBounds error_bounds(const NetworkSums<Real>& sums, int num_variables) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    if (!(leading(sums.total) > 0)) return {infinite, infinite};  // nothing but rounding is left
    constexpr double slop = 1.01;                                 // the bounds themselves are computed in double
    constexpr double with_base = 1 << base_bits;
    const double n = num_variables, unit = Precision<Real>::unit;
    const double rounding = slop * (sums.num_additions + n + 8) * unit;
    const double of_sums = n * (Precision<Real>::exponential + (n + 4) * unit);
    const double left_out = std::exp2(-Precision<Real>::visible_bits);
    const double relative = rounding * sums.absolute + of_sums + left_out;
    const double value = std::abs(log_evidence(sums));
    return {slop * relative + 4 * value * 0x1p-53 + 0x1p-52,
            slop * (2 * with_base + 2) * relative + (final_roundings(num_variables) + 2 * n + 8) * 0x1p-53};
}

}  // namespace dagmass
