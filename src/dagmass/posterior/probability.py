"""The answer to a question: a number, what bounds it, and how it was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dagmass.posterior.features import Networks, as_feature
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

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        among = f"these {self.num_networks} networks" if self.num_networks > 1 else "this one network"
        return f"{self.value:.6g} (share of {among}; their share of the whole posterior is not known)"


def probability(posterior: Posterior, feature: object) -> Probability:
    """Return the share of the networks that have a feature: Tian, He and Ram (2010), eq. 9."""
    parsed = parse_feature(feature, posterior.variables) if isinstance(feature, str) else as_feature(feature)
    mask = parsed.mask(Networks(posterior.variables, posterior.parents))
    average = min(float(posterior.weights[mask].sum()), 1.0)
    return Probability(average, 0.0, 1.0, "bounds", average, len(posterior))
