/// Sums over every network (after Tian and He 2009), what they carry, and how wrong they can be.
///
/// A_s(U) is what subset_sums.hpp computes, the base of s left out; E(W) is the product of the bases of W. Every network over W is counted
/// in E(W), or has some sinks S that do not use their bases:
///
///     Z(W) = E(W) + sum over nonempty S in W of  (-1)^(|S|+1) Z(W - S) * product over s in S of A_s(W - S)
///     X(U) =        sum over nonempty S not in U  (-1)^(|S|+1) X(U + S) * product over s in S of A_s(U)
///
/// Z(W) is the weight of all networks over W, X(U) that of all ways to go on from U in which nobody uses a base.
///
/// Sinks without parents are what these sums would cancel most about. q_v(U) = Z(U) / Z(V) * (the summands of X(U) with v in S), times
/// (A_v(U) + base of v) / A_v(U), = P(the non-descendants of v are U). Proofs: docs/method.md.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

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
    int num_split_additions = 0;         // more of them in the sums over the S that hold one variable
};

inline constexpr double log_of_two = 0x1.62e42fefa39efp-1;

template <class Real>
double log_evidence(const NetworkSums<Real>& sums) {
    return std::log(leading(sums.total)) + static_cast<double>(sums.exponent) * log_of_two;
}

/// What the logarithm and the printing of the log evidence may add to its error: its two parts may cancel.
template <class Real>
double logarithm_error(const NetworkSums<Real>& sums) {
    const double sizes = std::abs(std::log(leading(sums.total))) + std::abs(static_cast<double>(sums.exponent)) * log_of_two;
    return 4 * sizes * 0x1p-53 + 0x1p-52;
}

/// Most roundings of a sum of probabilities over all sets without a variable: within chunks of 4096, over the chunks, and around.
inline double final_roundings(int num_variables) { return 4096 + std::exp2(num_variables - 13) + 400; }

/// Additions between blocks that a term passes through, beside those within: in double they are compensated, in double-double not.
template <class Real>
int plain_additions(std::size_t num_blocks) {
    return std::is_same_v<Real, double> ? 0 : static_cast<int>(num_blocks);
}

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
    const double of_sums = n * (Precision<Real>::exponential + (n + 4) * unit) + (n + 10) * unit;
    const double left_out = std::exp2(1 - Precision<Real>::visible_bits);
    const double relative = rounding * sums.absolute + of_sums + left_out;
    const double of_splits = with_base * sums.num_split_additions * unit * sums.absolute;
    return {slop * relative + logarithm_error(sums),
            slop * ((2 * with_base + 2) * relative + of_splits) + (final_roundings(num_variables) + 2 * n + 8) * 0x1p-53};
}

}  // namespace dagmass
