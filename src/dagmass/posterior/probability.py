"""The answer to a question: a number, what bounds it, and how it was found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from dagmass.graphs.varset import index_of
from dagmass.posterior.bounds import exact_probability, proposition_1
from dagmass.posterior.features import Edge, Feature, Networks, as_feature
from dagmass.posterior.intervals import clopper_pearson
from dagmass.posterior.language import parse_feature

if TYPE_CHECKING:
    from dagmass.posterior.posterior import Posterior

Method = Literal["exact", "bounds", "estimate"]
ONE_OF = {"networks": "network", "classes": "class"}


@dataclass(frozen=True)
class Probability:
    """The probability of a feature.

    `value` is the best single number: the posterior probability where method is "exact" or "estimate", the average over the networks
    at hand where it is "bounds". The posterior probability lies between `low` and `high`: certainly, or, where there were draws,
    with 95 %.
    """

    value: float
    low: float
    high: float
    method: Method
    average: float  # share of the networks at hand, by weight: eq. 8 and 9
    num_networks: int
    coverage: float | None = None  # share of the posterior that the networks at hand hold
    num_draws: int = 0  # independent draws behind an estimate, or of members of large classes behind an average
    standard_error: float | None = None  # of `value`, where there were draws
    what: str = "networks"  # that are at hand

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        among = f"these {self.num_networks} {self.what}" if self.num_networks > 1 else f"this one {ONE_OF[self.what]}"
        if self.method == "bounds" and self.num_draws:
            among += f", estimated from {self.num_draws} draws of members"
        if self.method == "exact":
            return f"{self.value:.6g} (exact, over all networks; {self.average:.6g} among {among})"
        if self.method == "estimate":
            return f"{self.value:.6g} (estimate from {self.num_draws} draws, 95 % interval {self.low:.6g} to {self.high:.6g})"
        if self.coverage is None:
            return f"{self.value:.6g} (share of {among}; their share of the whole posterior is not known)"
        sure = ", with 95 %" if self.num_draws else ""
        return (
            f"{self.value:.6g} (share of {among}, which hold {self.coverage:.4g} of the posterior; "
            f"over all networks between {self.low:.6g} and {self.high:.6g}{sure})"
        )


def read_feature(posterior: Posterior, feature: object) -> Feature:
    """Return a feature given as one, as text or as a function."""
    return parse_feature(feature, posterior.variables) if isinstance(feature, str) else as_feature(feature)


@dataclass(frozen=True)
class Average:
    """The share of the networks at hand that have a feature; uncertain where members of large classes had to be drawn."""

    value: float
    half_width: float = 0.0  # of an interval with the confidence asked for
    standard_error: float = 0.0
    num_draws: int = 0

    @property
    def low(self) -> float:
        """Least share."""
        return max(self.value - self.half_width, 0.0)

    @property
    def high(self) -> float:
        """Largest share."""
        return min(self.value + self.half_width, 1.0)


def average_of(posterior: Posterior, feature: Feature, confidence: float = 0.95) -> Average:
    """Return the share of the networks at hand that have a feature: Tian, He and Ram (2010), eq. 9."""
    if posterior.classes_masses is None or feature.is_same_in_class:
        mask = feature.mask(posterior.at_hand)
        return Average(1.0 if mask.all() else min(float(posterior.weights[mask].sum()), 1.0))
    if isinstance(feature, Edge):
        a, b = (index_of(name, posterior.variables) for name in (feature.parent, feature.child))
        return Average(float(posterior.edge_averages[a, b]))
    table = posterior.member_table
    mask = feature.mask(Networks(posterior.variables, table.parents))
    return Average(table.average(mask), table.half_width(confidence), table.standard_error(mask), int(table.num_draws.sum()))


def from_draws(posterior: Posterior, feature: Feature) -> Probability:
    """Estimate a probability by its share among independent draws, with an interval of 95 %."""
    held = int(np.count_nonzero(feature.mask(posterior.at_hand)))
    low, high = clopper_pearson(held, len(posterior))
    share = held / len(posterior)
    error = math.sqrt(share * (1 - share) / len(posterior))
    return Probability(share, low, high, "estimate", share, len(posterior), num_draws=len(posterior), standard_error=error)


def probability(posterior: Posterior, feature: object) -> Probability:
    """Return the probability of a feature: exact where the sums over all networks know it, else by bounds."""
    parsed = read_feature(posterior, feature)
    if posterior.is_drawn:
        return from_draws(posterior, parsed)
    average = average_of(posterior, parsed)
    exact = posterior.exact
    value = exact_probability(parsed, posterior.exact_sums(parsed)) if exact else None
    if exact is None or value is None:
        return bounded(posterior, average)
    low, high = max(value - exact.probability_error, 0.0), min(value + exact.probability_error, 1.0)
    return Probability(value, low, high, "exact", average.value, len(posterior), posterior.coverage, what=posterior.what)


def bounded(posterior: Posterior, average: Average) -> Probability:
    """Bound a probability by the average over what is at hand: Proposition 1, widened by what drawing members left open."""
    low, high = 0.0, 1.0
    if posterior.coverage is not None:
        low = proposition_1(average.low, posterior.coverage_range[0])[0]
        high = proposition_1(average.high, posterior.coverage_range[0])[1]
    return Probability(
        value=average.value,
        low=low,
        high=high,
        method="bounds",
        average=average.value,
        num_networks=len(posterior),
        coverage=posterior.coverage,
        num_draws=average.num_draws,
        standard_error=average.standard_error if average.num_draws else None,
        what=posterior.what,
    )
