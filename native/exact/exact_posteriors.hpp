/// Exact posterior probabilities over all networks, from q_v(U) = P(the non-descendants of v are U):
///
///     P(v leads to w)  = sum over U without w of  q_v(U)
///     P(w -> v)        = sum over U with w of     q_v(U) (1 - A_v(U - w) / A_v(U))
///     P(parents of v = P) = exp(score) * sum over U around P of  q_v(U) / A_v(U)
///
/// All sums are of positive numbers. With the order-modular q, P(the predecessors of v are U), the same formulas give edges and families.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "bases.hpp"
#include "exponential.hpp"
#include "scaled.hpp"
#include "subset_sums.hpp"

namespace dagmass {

/// paths[v * n + w] from the q of v: fold the table over one variable after the other.
inline void add_paths(std::span<const double> q, int v, int num_variables, std::span<double> paths) {
    std::vector<double> folded(q.begin(), q.end());
    for (int bit = num_variables - 2; bit >= 0; --bit) {
        const std::size_t half = std::size_t{1} << bit;
        double without_bit = 0;
        for (std::size_t first = 0; first < half; first += 4096) {
            double part = 0;
            for (std::size_t i = first; i < std::min(half, first + 4096); ++i) part += folded[i];
            without_bit += part;
        }
        for (std::size_t i = 0; i < half; ++i) folded[i] += folded[half + i];
        const int w = bit < v ? bit : bit + 1;
        paths[static_cast<std::size_t>(v * num_variables + w)] = without_bit;
    }
}

/// edges[w * n + v] from the q of v.
template <class Real>
void add_edges(std::span<const double> q, const SubsetSums<Real>& sums, int v, std::span<double> edges) {
    constexpr double negligible = 0x1p-100;
    const int n = sums.num_variables();
    const Real* mantissa = sums.mantissas(v);
    const Exponent* exponent = sums.exponents(v);
    std::vector<double> part(static_cast<std::size_t>(n - 1), 0.0), sum(part.size(), 0.0);
    for (std::size_t set = 0; set < q.size(); ++set) {
        if (q[set] > negligible) {
            const double per_sum = q[set] / leading(mantissa[set]);
            for (const int bit : members(set)) {
                const std::size_t rest = without(set, bit);
                const double ratio = leading(mantissa[rest]) * power_of_two(exponent[rest] - exponent[set]);
                part[static_cast<std::size_t>(bit)] += q[set] - per_sum * ratio;
            }
        }
        if ((set & 4095) == 4095 || set + 1 == q.size())
            for (std::size_t bit = 0; bit < part.size(); ++bit) sum[bit] += std::exchange(part[bit], 0.0);
    }
    for (int bit = 0; bit < n - 1; ++bit) {
        const int w = bit < v ? bit : bit + 1;
        edges[static_cast<std::size_t>(w * n + v)] = sum[static_cast<std::size_t>(bit)];
    }
}

/// values[set] *= exp(score of v with these parents), the values in units of 2^exponents[set].
template <class Scores>
void multiply_by_weights(const Scores& scores, int fraction_bits, int v, std::span<double> values, std::span<const Exponent> exponents) {
    const Exponential exponential(fraction_bits);
    const Score lowest = lowest_visible<double>(scores, exponential, v);
    std::vector<Score> block(std::min(values.size(), std::size_t{1} << block_bits));
    std::vector<double> weight(block.size());
    std::vector<Exponent> of_score(block.size());
    for (std::size_t first = 0; first < values.size(); first += block.size()) {
        scores.fill_block(v, first, block);
        exponential(block, lowest, weight.data(), of_score.data());
        for (std::size_t i = 0; i < block.size(); ++i) {
            const Exponent exponent = std::min(exponents[first + i] + of_score[i], 1000);
            values[first + i] = weight[i] == 0 ? 0.0 : values[first + i] * weight[i] * power_of_two(exponent);
        }
    }
}

/// Probabilities of all parent sets of v, by drop_bit(parents, v). `sums` hold the empty set at its full weight.
template <class Real, class Scores>
std::vector<double> family_posteriors(const Scores& scores, int fraction_bits, std::span<const double> q, const SubsetSums<Real>& sums,
                                      int v) {
    std::vector<double> value(q.begin(), q.end());
    std::vector<Exponent> exponent(q.size());
    for (std::size_t set = 0; set < q.size(); ++set) {
        value[set] = leading(sums.mantissas(v)[set]) > 0 ? std::max(value[set], 0.0) / leading(sums.mantissas(v)[set]) : 0.0;
        const Exponent shift = normalise(value[set]);
        exponent[set] = value[set] > 0 ? shift - sums.exponents(v)[set] : exponent_of_zero;
    }
    std::reverse(value.begin(), value.end());  // supersets become subsets
    std::reverse(exponent.begin(), exponent.end());
    sum_in_range(value.data(), exponent.data(), value.size());
    std::reverse(value.begin(), value.end());
    std::reverse(exponent.begin(), exponent.end());
    multiply_by_weights(scores, fraction_bits, v, value, exponent);
    return value;
}

}  // namespace dagmass
