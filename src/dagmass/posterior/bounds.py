"""What can be concluded over all networks from those at hand: coverage and Proposition 1 of Tian, He and Ram (2010)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dagmass.graphs.varset import index_of, varset_of
from dagmass.posterior.features import Edge, Feature, Link, Not, Path, SetComparison

if TYPE_CHECKING:
    from dagmass.exact.sums import Exact

ROUNDING = 1e-15  # relative; of exp, of sums of weights


def coverage_range(log_scores: NDArray[np.float64], exact: Exact) -> tuple[float, float]:
    """Return the least and the largest share of the posterior that the networks can hold, given the error of the evidence."""
    top = float(log_scores.max())
    log_share = top + math.log(math.fsum(np.exp(log_scores - top))) - exact.log_evidence
    margin = exact.log_evidence_error + 4 * abs(top) * np.finfo(float).eps + ROUNDING
    return min(math.exp(log_share - margin), 1.0), min(math.exp(log_share + margin), 1.0)


def proposition_1(average: float, least_coverage: float) -> tuple[float, float]:
    """Bound a probability by its average over networks that hold at least this share of the posterior: eq. 18, rounded outwards."""
    margin = 1e-13  # of the average itself
    low = least_coverage * average
    high = least_coverage * average + 1 - least_coverage
    return max(low - margin * average, 0.0), min(high + margin, 1.0)


def exact_probability(feature: Feature, exact: Exact) -> float | None:
    """Return the exact posterior probability where the sums know it: edges, links, paths, parent sets, and what is not one of them."""
    if isinstance(feature, Not):
        opposite = exact_probability(feature.feature, exact)
        return None if opposite is None else 1.0 - opposite
    index = {name: position for position, name in enumerate(exact.variables)}
    edges, paths = exact.edge_probabilities, exact.path_probabilities
    value: float | None = None
    match feature:
        case Edge(parent, child):
            value = edges[index[parent], index[child]]
        case Link(a, b):
            value = min(edges[index[a], index[b]] + edges[index[b], index[a]], 1.0)
        case Path(start, end) if paths is not None:
            value = paths[index[start], index[end]]
        case SetComparison("parents", variable, "=", names) if exact.knows_families:
            value = exact.parent_set_probability(index[variable], varset_of(index_of(name, exact.variables) for name in names))
    return None if value is None else float(value)
