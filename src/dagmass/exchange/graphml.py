"""Networks as GraphML, for Gephi, Cytoscape, yEd, igraph and networkx."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

from dagmass.exchange.foreign_names import respelled
from dagmass.graphs.varset import members

if TYPE_CHECKING:
    from dagmass.posterior.posterior import Posterior


_UNFIT = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def graphml_lines(posterior: Posterior, rank: int) -> Iterator[str]:
    """Yield the network of a rank; nodes are named by their variables, edges carry their average."""
    network = posterior[rank]
    names = [quoteattr(name) for name in xml_names(posterior.variables)]
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    yield '  <key id="probability" for="edge" attr.name="probability" attr.type="double"/>\n'
    yield '  <key id="log_score" for="graph" attr.name="log_score" attr.type="double"/>\n'
    yield f'  <graph edgedefault="directed">\n    <data key="log_score">{network.log_score!r}</data>\n'
    for name in names:
        yield f"    <node id={name}/>\n"
    for v, parents in enumerate(network.parents):
        for u in members(parents):
            average = float(posterior.edge_averages[u, v])
            yield f'    <edge source={names[u]} target={names[v]}><data key="probability">{average!r}</data></edge>\n'
    yield "  </graph>\n</graphml>\n"


def xml_names(variables: tuple[str, ...]) -> tuple[str, ...]:
    r"""Replace the characters that no XML file may hold, keeping names different.

    >>> xml_names(("a\x01b", "c & d"))
    ('a_b', 'c & d')
    """
    return respelled(variables, lambda name: _UNFIT.sub("_", name), "_")
