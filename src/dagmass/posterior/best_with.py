"""The best network with a feature, whether it is among the networks at hand or not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from dagmass.errors import InputError, NoNetworkError
from dagmass.graphs.network import Network
from dagmass.posterior.features import And, Edge, Feature, Link, Networks, Not, Or, SetComparison, VStructure
from dagmass.scores.fixed_point import to_nats
from dagmass.scores.storages import Limits
from dagmass.search.best_networks import best_networks

if TYPE_CHECKING:
    from dagmass.job import Job
    from dagmass.posterior.posterior import Posterior
    from dagmass.scores.local_scores import LocalScores

MAX_ALTERNATIVES = 64  # ways to have a feature, each of which takes a search of its own

Literals = dict[tuple[int, int], bool]
"""Edges that are there or absent."""


@dataclass(frozen=True)
class BestWith:
    """The best network that has a feature."""

    feature: str
    network: Network | None  # None where no network has it
    loss: float  # nats below the best network of all; infinite where there is none

    def __repr__(self) -> str:
        if self.network is None:
            return f"No network has {self.feature}."
        below = "as good as the best of all" if self.loss == 0 else f"{self.loss:.6f} nats below the best of all"
        return f"The best network with {self.feature}: log score {self.network.log_score:.6f}, {below}\n{self.network}"


def best_with(posterior: Posterior, feature: Feature) -> BestWith:
    """Return the best network that has a feature.

    Whatever says of edges that they are there or absent is answered by a search among the families that it leaves; other features only by
    the networks at hand.
    """
    ways = _ways(feature, posterior.at_hand)
    if ways is None:
        return _among_those_at_hand(posterior, feature)
    scores, job = posterior.origin.scores(), posterior.origin.job
    best = best_networks(scores, job).best_score if posterior.is_drawn else int(posterior.scores[0])
    firsts = [_first(scores.restricted(_limits(way, len(posterior.variables))), job) for way in ways]
    found = [first for first in firsts if first is not None]
    if not found:
        return BestWith(str(feature), None, math.inf)
    units, parents = min(found, key=lambda first: (-first[0], first[1]))
    network = Network(posterior.variables, parents, float(to_nats(units, scores.fraction_bits)))
    return BestWith(str(feature), network, float(to_nats(best - units, scores.fraction_bits)))


def _first(scores: LocalScores, job: Job) -> tuple[int, tuple[int, ...]] | None:
    """Return score and parents of the first network of a stream; None where there is none."""
    try:
        batch = best_networks(scores, job).take(1)
    except NoNetworkError:
        return None
    return int(batch.scores[0]), tuple(batch.parents[0].tolist())


def _among_those_at_hand(posterior: Posterior, feature: Feature) -> BestWith:
    others = (
        "draws" if posterior.is_drawn else "classes" if posterior.classes_masses else "a strict choice" if posterior.is_strict else None
    )
    if others is not None:
        raise InputError(f"{feature} is looked up among networks in order of their score, and this run holds {others}; learn one by -k.")
    having = np.flatnonzero(feature.mask(posterior.at_hand))
    if not len(having):
        raise InputError(
            f"None of these {len(posterior)} networks has {feature}. Only what says which edges are there is found beyond them; "
            "otherwise ask for more networks (more, -k)."
        )
    network = posterior[int(having[0]) + 1]
    return BestWith(str(feature), network, float(posterior.log_scores[0] - network.log_score))


def _limits(literals: Literals, n: int) -> Limits:
    candidates = [((1 << n) - 1) & ~(1 << v) for v in range(n)]
    required = [0] * n
    for (parent, child), is_there in literals.items():
        if is_there:
            required[child] |= 1 << parent
        else:
            candidates[child] &= ~(1 << parent)
    return Limits(np.array(candidates, dtype=np.uint64), np.array(required, dtype=np.uint64))


def _ways(feature: Feature, networks: Networks, *, negated: bool = False) -> list[Literals] | None:
    """Return the alternatives of a feature (its disjunctive normal form over edges), or None where it says more than that."""
    if isinstance(feature, Not):
        return _ways(feature.feature, networks, negated=not negated)
    if isinstance(feature, Edge):
        return [{(networks.index(feature.parent), networks.index(feature.child)): not negated}]
    parts = _parts(feature, networks)
    if parts is None:
        return None
    return _joined(parts, networks, any_of=isinstance(feature, Or | Link), negated=negated)


def _parts(feature: Feature, networks: Networks) -> Sequence[Feature] | None:
    """Return what holds together for this feature, or one of which does; None where that is not said by edges alone."""
    match feature:
        case And(features) | Or(features):
            return features
        case Link(a, b):
            return Edge(a, b), Edge(b, a)
        case VStructure(a, c, b):
            return Edge(a, c), Edge(b, c), Not(Link(a, b))
        case SetComparison("parents" | "children"):
            return _edges_of_set(feature, networks)
    return None


def _edges_of_set(comparison: SetComparison, networks: Networks) -> list[Feature]:
    """Return what a comparison of parents or children says of single edges."""
    v = comparison.variable
    networks.varset({v, *comparison.names})  # refuses names that are not there
    others = [name for name in networks.variables if name != v]
    edges = {name: Edge(name, v) if comparison.which == "parents" else Edge(v, name) for name in others}
    present: list[Feature] = [edges[name] for name in others if name in comparison.names and comparison.operator != "<="]
    absent = [Not(edges[name]) for name in others if name not in comparison.names and comparison.operator != ">="]
    return present + absent


def _joined(features: Sequence[Feature], networks: Networks, *, any_of: bool, negated: bool) -> list[Literals] | None:
    parts = [part for feature in features if (part := _ways(feature, networks, negated=negated)) is not None]
    if len(parts) < len(features):
        return None
    if any_of != negated:
        return _few([way for part in parts for way in part])
    ways: list[Literals] = [{}]
    for part in sorted(parts, key=len):  # what can be had in one way only leaves fewer of the others
        ways = _few([merged for way, other in product(ways, part) if (merged := _merged(way, other)) is not None])
    return ways


def _few(ways: list[Literals]) -> list[Literals]:
    ways = list({frozenset(way.items()): way for way in ways}.values())
    if len(ways) > MAX_ALTERNATIVES:
        raise InputError(f"The feature can be had in more than {MAX_ALTERNATIVES} ways, each of which takes a search. Ask for parts of it.")
    return ways


def _merged(way: Literals, other: Literals) -> Literals | None:
    """Return what says both, or None where they contradict each other."""
    return None if any(way.get(edge, is_there) != is_there for edge, is_there in other.items()) else way | other
