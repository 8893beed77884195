"""The answer to a question: a number, what bounds it, and how it was found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from dagmass.posterior.bounds import exact_probability, proposition_1
from dagmass.posterior.features import Feature, Networks, as_feature
from dagmass.posterior.intervals import clopper_pearson
from dagmass.posterior.language import parse_feature

if TYPE_CHECKING:
    from dagmass.posterior.posterior import Posterior

Method = Literal["exact", "bounds", "estimate"]


@dataclass(frozen=True)
class Probability:
    """The probability of a feature.

    `value` is the best single number: the posterior probability where method is "exact" or "estimate", the average over the networks
    at hand where it is "bounds". The posterior probability lies between `low` and `high`.
    """

    value: float
    low: float
    high: float
    method: Method
    average: float  # share of the networks at hand, by weight: eq. 8 and 9
    num_networks: int
    coverage: float | None = None  # share of the posterior that the networks at hand hold
    num_draws: int = 0  # independent draws behind an estimate

    @property
    def standard_error(self) -> float | None:
        """Standard error of an estimate; None for other methods."""
        if self.method != "estimate":
            return None
        outside = 1 - (self.coverage or 0.0)
        share = min(max((self.value - (1 - outside) * self.average) / outside, 0.0), 1.0) if outside else 0.0
        return outside * math.sqrt(share * (1 - share) / self.num_draws)

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        among = f"these {self.num_networks} networks" if self.num_networks > 1 else "this one network"
        if self.method == "exact":
            return f"{self.value:.6g} (exact, over all networks; {self.average:.6g} among {among})"
        if self.method == "estimate":
            return f"{self.value:.6g} (estimate from {self.num_draws} draws, 95 % interval {self.low:.6g} to {self.high:.6g})"
        if self.coverage is None:
            return f"{self.value:.6g} (share of {among}; their share of the whole posterior is not known)"
        return (
            f"{self.value:.6g} (share of {among}, which hold {self.coverage:.4g} of the posterior; "
            f"over all networks between {self.low:.6g} and {self.high:.6g})"
        )


def read_feature(posterior: Posterior, feature: object) -> Feature:
    """Return a feature given as one, as text or as a function."""
    return parse_feature(feature, posterior.variables) if isinstance(feature, str) else as_feature(feature)


def average_of(posterior: Posterior, feature: Feature) -> float:
    """Return the share of the networks at hand that have a feature: Tian, He and Ram (2010), eq. 9."""
    mask = feature.mask(Networks(posterior.variables, posterior.parents))
    return 1.0 if mask.all() else min(float(posterior.weights[mask].sum()), 1.0)


def from_draws(posterior: Posterior, feature: Feature) -> Probability:
    """Estimate a probability by its share among independent draws, with an interval of 95 %."""
    held = int(np.count_nonzero(feature.mask(Networks(posterior.variables, posterior.parents))))
    low, high = clopper_pearson(held, len(posterior))
    share = held / len(posterior)
    return Probability(share, low, high, "estimate", share, len(posterior), num_draws=len(posterior))


def probability(posterior: Posterior, feature: object) -> Probability:
    """Return the probability of a feature: exact where the sums over all networks know it, else by bounds."""
    parsed = read_feature(posterior, feature)
    if posterior.is_drawn:
        return from_draws(posterior, parsed)
    average, count = average_of(posterior, parsed), len(posterior)
    if posterior.exact is None:
        return Probability(average, 0.0, 1.0, "bounds", average, count)
    low, high = proposition_1(average, posterior.coverage_range[0])
    value = exact_probability(parsed, posterior.exact_sums(parsed))
    if value is None:
        return Probability(average, low, high, "bounds", average, count, posterior.coverage)
    error = posterior.exact.probability_error
    return Probability(value, max(value - error, 0.0), min(value + error, 1.0), "exact", average, count, posterior.coverage)
