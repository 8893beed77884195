"""Networks as networkx graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagmass.errors import InputError
from dagmass.exchange.edge_values import edge_values

if TYPE_CHECKING:
    import networkx as nx

    from dagmass.posterior.posterior import Posterior


def to_networkx(posterior: Posterior, rank: int = 1) -> nx.DiGraph[str]:
    """Return the network of a rank: nodes named as columns, edge attributes as `edge_values` says, graph attribute `log_score`."""
    try:
        import networkx as nx
    except ImportError:
        raise InputError("Graphs of networkx need networkx: pip install 'dagmass[graph]'.") from None
    network = posterior[rank]
    graph: nx.DiGraph[str] = nx.DiGraph(log_score=network.log_score)
    graph.add_nodes_from(network.variables)
    for u, v, values in edge_values(posterior, network):
        graph.add_edge(network.variables[u], network.variables[v], **values)
    return graph
