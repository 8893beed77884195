"""Networks as networkx graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagmass.errors import InputError
from dagmass.graphs.varset import members

if TYPE_CHECKING:
    import networkx as nx

    from dagmass.posterior.posterior import Posterior


def to_networkx(posterior: Posterior, rank: int = 1) -> nx.DiGraph[str]:
    """Return the network of a rank: nodes named as columns, edge attribute `probability`, graph attribute `log_score`."""
    try:
        import networkx as nx
    except ImportError:
        raise InputError("Graphs of networkx need networkx: pip install 'dagmass[graph]'.") from None
    network = posterior[rank]
    graph: nx.DiGraph[str] = nx.DiGraph(log_score=network.log_score)
    graph.add_nodes_from(network.variables)
    for v, parents in enumerate(network.parents):
        for u in members(parents):
            graph.add_edge(network.variables[u], network.variables[v], probability=float(posterior.edge_averages[u, v]))
    return graph
