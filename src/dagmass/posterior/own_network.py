"""A network of the user's own, seen from the posterior."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from dagmass.graphs.equivalence import representatives
from dagmass.graphs.network import Network, topological_order
from dagmass.graphs.varset import members
from dagmass.scores.fixed_point import IMPOSSIBLE, to_nats

if TYPE_CHECKING:
    from dagmass.posterior.posterior import Posterior
    from dagmass.scores.local_scores import LocalScores


@dataclass(frozen=True)
class Change:
    """A change of a single edge and what it gains."""

    kind: Literal["add", "remove", "reverse"]
    parent: str  # of the edge as it is before the change (as it will be, for an addition)
    child: str
    gain: float  # nats; infinite from a network that is forbidden

    def __str__(self) -> str:
        gained = "is allowed" if math.isinf(self.gain) else f"+{self.gain:.4f}"
        return f"{self.kind} {self.parent} → {self.child} ({gained})"


@dataclass(frozen=True)
class NetworkRank:
    """Where a network stands."""

    network: Network
    log_score: float  # minus infinity where one of its families is forbidden
    loss: float  # nats below the best network
    rank: int | None  # None if it is not among the networks at hand
    num_networks: int
    improvements: tuple[Change, ...]  # all single-edge changes that score better, best first
    edges: tuple[tuple[str, str, float], ...]  # (from, to, average over the networks at hand)
    what: str = "networks"  # that are at hand; of classes, the rank is that of the class of this network

    def __repr__(self) -> str:
        place = f"number {self.rank} of these {self.num_networks}" if self.rank else f"not among these {self.num_networks} {self.what}"
        lines = [
            f"Network   {self.network}",
            f"Score     {_score(self.log_score, self.loss)}; {place}",
            "Edges     and the share of these networks that have them:" if self.edges else "Edges     none",
            *(f"          {parent} → {child}  {average:.4f}" for parent, child, average in self.edges),
            "Better    with a single change:" if self.improvements else "Better    no single change improves it",
            *(f"          {change}" for change in self.improvements),
        ]
        return "\n".join(lines)


def rank_network(posterior: Posterior, network: Network) -> NetworkRank:
    """Score a network over the variables of the posterior and say where it stands."""
    scores = posterior.origin.scores()
    units = _units(scores, network.parents)
    log_score = float(to_nats(units, scores.fraction_bits))
    row = np.array([network.parents], dtype=np.uint64)
    row = representatives(row) if posterior.classes_masses else row
    found = np.flatnonzero((posterior.parents == row).all(axis=1))
    return NetworkRank(
        network=Network(network.variables, network.parents, log_score),
        log_score=log_score,
        loss=float(posterior.log_scores[0]) - log_score,
        rank=int(found[0]) + 1 if len(found) else None,
        num_networks=len(posterior),
        improvements=tuple(sorted(_improvements(scores, network, units), key=lambda change: -change.gain)),
        edges=tuple(
            (network.variables[u], network.variables[v], float(posterior.edge_averages[u, v]))
            for v, parents in enumerate(network.parents)
            for u in members(parents)
        ),
        what=posterior.what,
    )


def _units(scores: LocalScores, parents: tuple[int, ...]) -> int:
    """Return the score of a network in units: `IMPOSSIBLE`, which is less than any other, where a family is forbidden."""
    local = [scores.storage.score(v, varset) for v, varset in enumerate(parents)]
    return IMPOSSIBLE if IMPOSSIBLE in local else sum(local)


def _improvements(scores: LocalScores, network: Network, before: int) -> Iterator[Change]:
    for kind, u, v, changed in single_changes(network.parents):
        after = _units(scores, changed)
        if after > before:
            gain = math.inf if before == IMPOSSIBLE else float(to_nats(after - before, scores.fraction_bits))
            yield Change(kind, network.variables[u], network.variables[v], gain)


def single_changes(parents: tuple[int, ...]) -> Iterator[tuple[Literal["add", "remove", "reverse"], int, int, tuple[int, ...]]]:
    """Yield every network one edge away as (kind, u, v, parents), where the edge is u → v before a removal or reversal."""
    n = len(parents)
    for v in range(n):
        for u in range(n):
            if u == v:
                continue
            if parents[v] >> u & 1:
                removed = (*parents[:v], parents[v] ^ 1 << u, *parents[v + 1 :])
                yield "remove", u, v, removed
                turned = (*removed[:u], removed[u] | 1 << v, *removed[u + 1 :])
                if topological_order(turned) is not None:
                    yield "reverse", u, v, turned
            elif not parents[u] >> v & 1:
                added = (*parents[:v], parents[v] | 1 << u, *parents[v + 1 :])
                if topological_order(added) is not None:
                    yield "add", u, v, added


def _score(log_score: float, loss: float) -> str:
    if math.isinf(loss):
        return "none, as one of its families is forbidden"
    return f"{log_score:.6f}, {loss:.6f} below the best (exp: {_odds(loss)})"


def _odds(loss: float) -> str:
    return f"{math.exp(loss):.4g} times less probable" if loss < 700 else "less probable by more than any number here"
