/// Everything exact about one set of local scores: chooses the way and the precision, and reports what it chose.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "../graphs/varset.hpp"
#include "../job.hpp"
#include "dense_sums.hpp"
#include "exact_posteriors.hpp"
#include "network_sums.hpp"
#include "numbering.hpp"
#include "order_sums.hpp"
#include "potentials.hpp"
#include "sparse_sums.hpp"
#include "step_count.hpp"
#include "subset_sums.hpp"

namespace dagmass {

enum class Way : int { automatic = 0, dense = 1, sparse = 2, orders = 3 };
enum class Arithmetic : int { automatic = 0, doubles = 1, double_doubles = 2 };

struct ExactRequest {
    Way way = Way::automatic;
    Arithmetic arithmetic = Arithmetic::automatic;
    bool with_posteriors = true;
    double promise = 1e-9;  // largest error of the log evidence in nats before double-double steps in
};

struct ExactResult {
    double log_evidence = 0;  // minus infinity where there is no network
    ErrorBounds errors{};
    Way way = Way::automatic;
    Arithmetic arithmetic = Arithmetic::automatic;
    std::uint64_t num_terms = 0;
    std::vector<double> edges, paths;    // [a * n + b]; empty if not asked for
    LargeArray<double> non_descendants;  // q_v(U) at [v * 2^(n-1) + drop_bit(U, v)]
};

/// Nanoseconds a term of the dense kernel takes, and a step and eight sets of the walk, roughly; only the choice of the way depends on
/// them.
inline constexpr double dense_term_cost = 0.075, sparse_step_cost = 15.0, sparse_octet_cost = 120.0;

template <class Real>
Way cheaper_way(const SubsetSums<Real>& subset_sums, const Potentials& potentials, bool with_posteriors) {
    const int n = subset_sums.num_variables();
    if (!DenseSums<Real>::is_possible(n)) return Way::sparse;
    const double num_octets = std::exp2(n - num_eight_bits);
    const double steps = StepCount<Real>(subset_sums, potentials).average() * num_octets;
    const double sparse_cost = 2 * (steps * sparse_step_cost + num_octets * sparse_octet_cost);
    const double dense_cost = DenseSums<Real>::num_passes(n, with_posteriors) * std::pow(3.0, n) * dense_term_cost;
    return sparse_cost < dense_cost ? Way::sparse : Way::dense;
}

/// Sums by the way asked for; the sparse walk steps in where the range is too wide for the dense kernel.
template <class Real>
NetworkSums<Real> sum_networks(Way& way, const SubsetSums<Real>& subset_sums, const Potentials& potentials, bool with_posteriors,
                               Job& job) {
    if (way == Way::orders) return order_sums(subset_sums, potentials, with_posteriors, job);
    if (way == Way::dense) {
        if (auto sums = DenseSums<Real>(subset_sums, potentials, with_posteriors, job).compute()) return std::move(*sums);
        way = Way::sparse;
        job.done = 0;
    }
    return SparseSums<Real>(subset_sums, potentials, with_posteriors, job).compute();
}

template <class Real, class Scores>
ExactResult exact_in(const Scores& scores, int fraction_bits, const ExactRequest& request, Job& job) {
    const int n = scores.num_variables;
    const SubsetSums<Real> subset_sums(scores, fraction_bits, request.way == Way::orders ? 0 : base_bits, job);
    const Potentials found = potentials(subset_sums, job);
    ExactResult result;
    if (found.total == exponent_of_zero) {
        result.log_evidence = -std::numeric_limits<double>::infinity();
        return result;
    }
    result.way = request.way == Way::automatic ? cheaper_way(subset_sums, found, request.with_posteriors) : request.way;
    NetworkSums<Real> sums = sum_networks(result.way, subset_sums, found, request.with_posteriors, job);
    result.log_evidence = log_evidence(sums);
    result.errors = result.way == Way::orders ? order_error_bounds(sums, n) : error_bounds(sums, n);
    result.num_terms = sums.num_terms;
    if (!request.with_posteriors) return result;
    for (double& q : sums.non_descendants) q = q > 0 ? q : 0.0;  // tiny ones carry an absolute error only; no signed zeros
    result.edges.resize(static_cast<std::size_t>(n * n));
    result.paths.resize(result.edges.size());
    parallel_for(job, static_cast<std::size_t>(n), [&](std::size_t v, int) {
        const auto q = std::span<const double>(sums.non_descendants).subspan(v * subset_sums.per_variable(), subset_sums.per_variable());
        add_edges(q, subset_sums, static_cast<int>(v), std::span<double>(result.edges));
        if (result.way != Way::orders) add_paths(q, static_cast<int>(v), n, std::span<double>(result.paths));
    });
    result.non_descendants = std::move(sums.non_descendants);
    return result;
}

/// In double where that keeps the promise, else in double-double.
template <class Scores>
ExactResult exact_as_promised(const Scores& scores, int fraction_bits, const ExactRequest& request, Job& job) {
    if (request.arithmetic != Arithmetic::double_doubles) {
        ExactResult result = exact_in<double>(scores, fraction_bits, request, job);
        result.arithmetic = Arithmetic::doubles;
        if (request.arithmetic == Arithmetic::doubles || result.errors.log_evidence <= request.promise) return result;
    }
    job.done = 0;
    ExactResult result = exact_in<DoubleDouble<double>>(scores, fraction_bits, request, job);
    result.arithmetic = Arithmetic::double_doubles;
    return result;
}

template <class Scores>
ExactResult exact(const Scores& scores, int fraction_bits, const ExactRequest& request, Job& job) {
    const Numbering numbering = by_gain(scores);
    ExactResult result = exact_as_promised(renumber(scores, numbering).scores, fraction_bits, request, job);
    result.edges = pairs_in_original(result.edges, numbering);
    result.paths = pairs_in_original(result.paths, numbering);
    result.non_descendants = tables_in_original(result.non_descendants, numbering, job);
    return result;
}

}  // namespace dagmass
