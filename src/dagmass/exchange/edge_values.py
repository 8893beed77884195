"""What graphs for other programs say of each edge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dagmass.graphs.varset import members

if TYPE_CHECKING:
    from dagmass.graphs.network import Network
    from dagmass.posterior.posterior import Posterior

EDGE_VALUES = ("probability", "average")


def edge_values(posterior: Posterior, network: Network) -> Iterator[tuple[int, int, dict[str, float]]]:
    """Yield every edge u → v of a network with its values.

    `average` is taken over the networks at hand; `probability` is the exact one where the sums over all networks are known, else the
    average too.
    """
    averages = posterior.edge_averages
    probabilities = posterior.exact.edge_probabilities if posterior.exact else averages
    for v, parents in enumerate(network.parents):
        for u in members(parents):
            values = float(probabilities[u, v]), float(averages[u, v])
            yield u, v, dict(zip(EDGE_VALUES, values, strict=True))
