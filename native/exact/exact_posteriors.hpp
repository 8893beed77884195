/// Exact posterior probabilities over all networks, from q_v(U) = P(the non-descendants of v are U):
///
///     P(v leads to w)  = sum over U without w of  q_v(U)
///     P(w -> v)        = sum over U with w of     q_v(U) (1 - A_v(U - w) / A_v(U))
///     P(parents of v = P) = exp(score) * sum over U around P of  q_v(U) / A_v(U)
///
/// All sums are of positive numbers. With the order-modular q, P(the predecessors of v are U), the same formulas give edges and families.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "../large_array.hpp"
#include "bases.hpp"
#include "eight.hpp"
#include "exponential.hpp"
#include "potentials.hpp"
#include "scaled.hpp"
#include "subset_sums.hpp"

namespace dagmass {

/// The sum of many positive numbers, by chunks of 4096.
[[gnu::always_inline]] inline double sum_of(const double* values, std::size_t count) {
    double sum = 0;
    for (std::size_t first = 0; first < count; first += 4096) {
        const std::size_t last = std::min(count, first + 4096);
        Vec8 part{};
        std::size_t i = first;
        for (; i + num_in_eight <= last; i += num_in_eight) part = part + load(values + i);
        double rest = 0;
        for (; i < last; ++i) rest += values[i];
        sum += add_up(part) + rest;
    }
    return sum;
}

/// paths[v * n + w] from the q of v: fold the table over one variable after the other.
inline void add_paths(std::span<const double> q, int v, int num_variables, std::span<double> paths) {
    LargeArray<double> folded(q.begin(), q.end());
    at_level([&, values = folded.data()]() __attribute__((always_inline)) {
        for (int bit = num_variables - 2; bit >= 0; --bit) {
            const std::size_t half = std::size_t{1} << bit;
            const int w = bit < v ? bit : bit + 1;
            paths[static_cast<std::size_t>(v * num_variables + w)] = sum_of(values, half);
            for (std::size_t i = 0; i < half; ++i) values[i] += values[half + i];
        }
    });
}

/// What eight sets side by side add to the edges into v: for every variable (by its bit) in one of them, q(U) (1 - A(U - w) / A(U)).
template <class Real>
[[gnu::always_inline]] inline void add_edges_of_eight(const double* q, const SubsetSums<Real>& sums, int v, Varset first, Vec8* part) {
    constexpr double negligible = 0x1p-100;
    const Real* mantissas = sums.mantissas(v);
    const Exponent* exponents = sums.exponents(v);
    const Vec8 share = load(q + first);
    const Int8 counts = share > negligible;
    if (!any(counts)) return;
    const Vec8 own = leading(load_eight(mantissas + first));
    const Int8 exponent = load_exponents(exponents + first);
    const Vec8 per_sum = counts ? share / (own * base_ratio_of_eight(sums, v, first)) : Vec8{};
    for (const int bit : members(first)) {
        const Varset rest = without(first, bit);
        const Vec8 below = leading(load_eight(mantissas + rest)) * powers_of_two(load_exponents(exponents + rest) - exponent);
        part[bit] = part[bit] + per_sum * (own - below);
    }
    for (int bit = 0; bit < num_eight_bits; ++bit) {
        const Int8 rest = lane_numbers & ~static_cast<std::int64_t>(only(bit));
        const Vec8 below = shuffled(own, rest) * powers_of_two(shuffled(exponent, rest) - exponent);
        part[bit] = part[bit] + per_sum * (own - below);  // nothing in lanes without the bit
    }
}

/// edges[w * n + v] from the q of v. A table of fewer than eight sets is filled up with sets that share nothing.
template <class Real>
void add_edges(std::span<const double> q, const SubsetSums<Real>& sums, int v, std::span<double> edges) {
    const int n = sums.num_variables();
    std::array<Vec8, max_variables> part{};
    std::array<double, max_variables> sum{};
    std::array<double, num_in_eight> few{};
    if (q.size() < few.size()) std::ranges::copy(q, few.begin());
    const double* shares = q.size() < few.size() ? few.data() : q.data();
    at_level([&]() __attribute__((always_inline)) {
        for (std::size_t first = 0; first < q.size(); first += num_in_eight) {
            add_edges_of_eight(shares, sums, v, first, part.data());
            if (first % 32768 == 32768 - num_in_eight || first + num_in_eight >= q.size())
                for (std::size_t bit = 0; bit < part.size(); ++bit) sum[bit] += add_up(std::exchange(part[bit], Vec8{}));
        }
    });
    for (int bit = 0; bit < n - 1; ++bit) {
        const int w = bit < v ? bit : bit + 1;
        edges[static_cast<std::size_t>(w * n + v)] = sum[static_cast<std::size_t>(bit)];
    }
}

/// values[set] *= exp(score of v with these parents), the values in units of 2^exponents[set]. All are filled up to eight.
template <class Scores>
void multiply_by_weights(const Scores& scores, int fraction_bits, int v, std::size_t count, std::span<double> values,
                         std::span<const Exponent> exponents) {
    const Exponential exponential(fraction_bits);
    const Score lowest = lowest_visible<double>(scores, exponential, v);
    std::vector<Score> block(std::min(count, std::size_t{1} << block_bits));
    std::vector<double> weight(std::max(block.size(), num_in_eight));
    std::vector<Exponent> of_score(weight.size());
    for (std::size_t first = 0; first < count; first += block.size()) {
        scores.fill_block(v, first, block);
        exponential(block, lowest, weight.data(), of_score.data());
        at_level([&, to = values.data() + first, from = exponents.data() + first]() __attribute__((always_inline)) {
            for (std::size_t i = 0; i < weight.size(); i += num_in_eight) {
                const Int8 exponent = load_exponents(from + i) + load_exponents(&of_score[i]);
                store(to + i, load(to + i) * load(&weight[i]) * powers_of_two(exponent));
            }
        });
    }
}

/// Probabilities of all parent sets of v, by drop_bit(parents, v). `sums` hold the empty set at its full weight.
template <class Real, class Scores>
std::vector<double> family_posteriors(const Scores& scores, int fraction_bits, std::span<const double> q, const SubsetSums<Real>& sums,
                                      int v) {
    std::vector<double> value(q.begin(), q.end());
    value.resize(std::max(q.size(), num_in_eight));
    std::vector<Exponent> exponent(value.size());
    at_level([&]() __attribute__((always_inline)) {
        for (std::size_t set = 0; set < value.size(); set += num_in_eight) {
            const Vec8 own = leading(load_eight(sums.mantissas(v) + set)), share = load(&value[set]);
            Vec8 per_sum = own > 0.0 ? share / own : Vec8{};
            const Int8 shift = normalise(per_sum), own_exponent = load_exponents(sums.exponents(v) + set);
            store(&value[set], per_sum);
            store_exponents(&exponent[set], shift == exponent_of_zero ? spread_whole(exponent_of_zero) : shift - own_exponent);
        }
    });
    const auto turn_around = [&] {  // supersets become subsets
        std::reverse(value.begin(), value.begin() + static_cast<std::ptrdiff_t>(q.size()));
        std::reverse(exponent.begin(), exponent.begin() + static_cast<std::ptrdiff_t>(q.size()));
    };
    turn_around();
    sum_in_range(value.data(), exponent.data(), q.size());
    turn_around();
    multiply_by_weights(scores, fraction_bits, v, q.size(), value, exponent);
    value.resize(q.size());
    return value;
}

}  // namespace dagmass
