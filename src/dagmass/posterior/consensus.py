"""One graph that says what the networks agree on."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from dagmass.errors import InputError
from dagmass.graphs.network import Network, topological_order

if TYPE_CHECKING:
    from dagmass.posterior.posterior import Posterior

CLEAR_DIRECTION = 0.95  # a link is drawn as an arrow when so much of its weight has one direction


@dataclass(frozen=True)
class WeightedEdge:
    """An edge, or a link without direction, and its average."""

    a: str
    b: str
    average: float
    is_directed: bool = True

    def __str__(self) -> str:
        return f"{self.a} {'→' if self.is_directed else '–'} {self.b}"


@dataclass(frozen=True)
class Consensus:
    """Edges at or above a threshold, likely ones first, without a directed cycle."""

    threshold: float
    network: Network
    edges: tuple[WeightedEdge, ...]
    skipped: tuple[WeightedEdge, ...]  # would have closed a directed cycle
    links: tuple[WeightedEdge, ...]  # pairs linked in either direction, directed where that is clear

    def __repr__(self) -> str:
        lines = [f"Edges with an average of at least {self.threshold:g}:"]
        lines += [f"  {edge}  {edge.average:.4f}" for edge in self.edges] or ["  none"]
        if self.skipped:
            lines += ["Left out, as they would close a directed cycle:", *(f"  {edge}  {edge.average:.4f}" for edge in self.skipped)]
        lines += [f"Links in either direction, an arrow where {CLEAR_DIRECTION:.0%} agree on it:"]
        lines += [f"  {link}  {link.average:.4f}" for link in self.links] or ["  none"]
        return "\n".join(lines)


def consensus(posterior: Posterior, threshold: float = 0.5) -> Consensus:
    """Join edges by falling average, skipping what would close a cycle; edges of equal average in the order of the variables.

    The average is that over the networks at hand, also where exact probabilities are known.
    """
    if not isinstance(threshold, Real) or not 0 < threshold <= 1:
        raise InputError(f"The threshold must lie above 0 and at most at 1, got {threshold!r}.")
    averages = posterior.edge_averages
    parents = [0] * len(posterior.variables)
    kept: list[WeightedEdge] = []
    skipped: list[WeightedEdge] = []
    for a, b in zip(*np.unravel_index(np.argsort(-averages, axis=None, kind="stable"), averages.shape), strict=True):
        if averages[a, b] < threshold:
            break
        edge = WeightedEdge(posterior.variables[a], posterior.variables[b], float(averages[a, b]))
        parents[b] |= 1 << int(a)
        if topological_order(parents) is None:
            parents[b] ^= 1 << int(a)
            skipped.append(edge)
        else:
            kept.append(edge)
    return Consensus(threshold, Network(posterior.variables, tuple(parents)), tuple(kept), tuple(skipped), _links(posterior, threshold))


def _links(posterior: Posterior, threshold: float) -> tuple[WeightedEdge, ...]:
    frame = posterior.links()
    rows = frame[frame["link"] >= threshold][["a", "b", "link", "a → b"]].itertuples(index=False)
    return tuple(oriented_link(a, b, link, forward) for a, b, link, forward in rows)


def oriented_link(a: str, b: str, link: float, forward: float) -> WeightedEdge:
    """Give a link the direction that nearly all of its weight has, if there is one."""
    if forward >= CLEAR_DIRECTION * link:
        return WeightedEdge(a, b, link)
    if forward <= (1 - CLEAR_DIRECTION) * link:
        return WeightedEdge(b, a, link)
    return WeightedEdge(a, b, link, is_directed=False)
