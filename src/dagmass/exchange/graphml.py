"""Networks as GraphML, for Gephi, Cytoscape, yEd, igraph and networkx."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

from dagmass.graphs.varset import members

if TYPE_CHECKING:
    from dagmass.posterior.posterior import Posterior


def graphml_lines(posterior: Posterior, rank: int) -> Iterator[str]:
    """Yield the network of a rank; nodes are named by their variables, edges carry their average."""
    network = posterior[rank]
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    yield '  <key id="probability" for="edge" attr.name="probability" attr.type="double"/>\n'
    yield '  <key id="log_score" for="graph" attr.name="log_score" attr.type="double"/>\n'
    yield f'  <graph edgedefault="directed">\n    <data key="log_score">{network.log_score!r}</data>\n'
    for name in network.variables:
        yield f"    <node id={quoteattr(name)}/>\n"
    for v, parents in enumerate(network.parents):
        for u in members(parents):
            ends = f"source={quoteattr(network.variables[u])} target={quoteattr(network.variables[v])}"
            yield f'    <edge {ends}><data key="probability">{float(posterior.edge_averages[u, v])!r}</data></edge>\n'
    yield "  </graph>\n</graphml>\n"
