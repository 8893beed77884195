"""What a posterior of classes of equivalent networks knows beside a representative of each: sizes, masses and members."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagmass import _core
from dagmass.errors import InputError
from dagmass.scores.fixed_point import to_nats
from dagmass.search.best_classes import allowed_members, members_with_scores

if TYPE_CHECKING:
    from dagmass.posterior.posterior import Posterior

ClassPrior = Literal["networks", "classes"]
CLASS_PRIORS: tuple[ClassPrior, ...] = ("networks", "classes")

LISTED_MEMBERS = 1000  # of a class; from a larger one members are drawn
MAX_ROWS = 2_000_000  # networks that stand for all classes together


@dataclass(frozen=True, eq=False)
class ClassMasses:
    """Sizes and masses of classes."""

    sizes: tuple[int, ...]
    log_masses: NDArray[np.float64]  # ln of the sum of exp(log score) over the members
    prior: ClassPrior = "networks"  # what the weights count: every network, or every class once
    why_grouped: str | None = None  # why members may score differently; None where they cannot

    def __post_init__(self) -> None:
        if self.prior not in CLASS_PRIORS:
            raise InputError(f"The prior of classes counts 'networks' or 'classes', got {self.prior!r}.")


class MemberTable(NamedTuple):
    """Networks that stand for the classes of a posterior: all members of small classes, draws from large ones."""

    parents: NDArray[np.uint64]  # (network, variable)
    weights: NDArray[np.float64]
    rank: NDArray[np.int64]  # position of the class of each network
    num_draws: NDArray[np.int64]  # by class; 0 where all members are listed

    def average(self, mask: NDArray[np.bool_]) -> float:
        """Return the weight of the networks with a feature."""
        return min(float(self.weights[mask].sum()), 1.0)

    def standard_error(self, mask: NDArray[np.bool_]) -> float:
        """Return the standard error that drawing members brings into the average."""
        drawn = self.num_draws > 0
        if not drawn.any():
            return 0.0
        weight = np.bincount(self.rank, weights=self.weights, minlength=len(self.num_draws))[drawn]
        held = np.bincount(self.rank, weights=mask, minlength=len(self.num_draws))[drawn] / self.num_draws[drawn]
        return math.sqrt(float((weight**2 * held * (1 - held) / self.num_draws[drawn]).sum()))

    def half_width(self, confidence: float) -> float:
        """Return the half-width of an interval for any average: Hoeffding's bound for draws of unequal weight."""
        drawn = self.num_draws > 0
        if not drawn.any():
            return 0.0
        weight = np.bincount(self.rank, weights=self.weights, minlength=len(self.num_draws))[drawn]
        return math.sqrt(math.log(2 / (1 - confidence)) / 2 * float((weight**2 / self.num_draws[drawn]).sum()))


def member_table(posterior: Posterior) -> MemberTable:
    """List the members of small classes and draw from large ones; the same posterior gives the same table."""
    masses = posterior.classes_masses
    assert masses is not None
    most = max(20, min(LISTED_MEMBERS, MAX_ROWS // len(posterior)))
    parts = [_members(posterior, masses, position, most) for position in range(len(posterior))]
    counts = [len(parents) for parents, _, _ in parts]
    return MemberTable(
        parents=np.concatenate([parents for parents, _, _ in parts]),
        weights=np.concatenate([shares * weight for (_, shares, _), weight in zip(parts, posterior.weights, strict=True)]),
        rank=np.repeat(np.arange(len(posterior)), counts),
        num_draws=np.array([drawn for _, _, drawn in parts], dtype=np.int64),
    )


def _members(posterior: Posterior, masses: ClassMasses, position: int, most: int) -> tuple[NDArray[np.uint64], NDArray[np.float64], int]:
    """Return networks of one class, the share of each in its mass, and how many were drawn."""
    row = posterior.parents[position : position + 1]
    if masses.why_grouped is not None:
        parents, units = members_with_scores(posterior.origin.scores(), row[0])
        shares = np.exp(np.ldexp((units - units.max()).astype(np.float64), -posterior.fraction_bits))
        return parents, shares / shares.sum(), 0
    if masses.sizes[position] <= most:
        parents = _core.first_members(row, masses.sizes[position])
        return parents, np.full(len(parents), 1 / len(parents)), 0
    return _core.random_members(row, most, position), np.full(most, 1 / most), most


def edge_averages(posterior: Posterior) -> NDArray[np.float64]:
    """Return the weight of each edge, by counting how many members of each class have it."""
    masses = posterior.classes_masses
    assert masses is not None
    if masses.why_grouped is None:
        return _core.class_edge_averages(posterior.parents, posterior.weights)
    n = len(posterior.variables)
    averages = np.zeros((n, n))
    for row, weight, log_mass in zip(posterior.parents, posterior.weights, masses.log_masses, strict=True):
        for parents, units in allowed_members(posterior.origin.scores(), row):
            averages += _core.edge_averages(parents, weight * np.exp(to_nats(units, posterior.fraction_bits) - log_mass))
    return averages


def most_probable(posterior: Posterior) -> tuple[int, bool]:
    """Return the rank of the class with the largest weight, and whether none that was left out can have a larger one.

    What was left out scores at most as much as the last class at hand, and a class has at most n! members.
    """
    masses = posterior.classes_masses
    assert masses is not None
    if masses.prior == "classes":
        return 1, True  # weights follow the scores
    top = int(np.argmax(masses.log_masses))
    n = len(posterior.variables)
    could_come = float(posterior.log_scores[-1]) + math.lgamma(n + 1)
    is_certain = posterior.stopped_by == "all" or bool(masses.log_masses[top] > could_come + 1e-9)
    return top + 1, is_certain
