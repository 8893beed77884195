"""Networks as GraphML, for Gephi, Cytoscape, yEd, igraph and networkx."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

from dagmass.exchange.edge_values import EDGE_VALUES, edge_values
from dagmass.exchange.foreign_names import respelled

if TYPE_CHECKING:
    from dagmass.posterior.posterior import Posterior


_UNFIT = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def graphml_lines(posterior: Posterior, rank: int) -> Iterator[str]:
    """Yield the network of a rank; nodes are named by their variables, edges carry what `edge_values` says of them."""
    network = posterior[rank]
    names = [quoteattr(name) for name in xml_names(posterior.variables)]
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for name in EDGE_VALUES:
        yield f'  <key id="{name}" for="edge" attr.name="{name}" attr.type="double"/>\n'
    yield '  <key id="log_score" for="graph" attr.name="log_score" attr.type="double"/>\n'
    yield f'  <graph edgedefault="directed">\n    <data key="log_score">{network.log_score!r}</data>\n'
    for name in names:
        yield f"    <node id={name}/>\n"
    for u, v, values in edge_values(posterior, network):
        data = "".join(f'<data key="{key}">{value!r}</data>' for key, value in values.items())
        yield f"    <edge source={names[u]} target={names[v]}>{data}</edge>\n"
    yield "  </graph>\n</graphml>\n"


def xml_names(variables: tuple[str, ...]) -> tuple[str, ...]:
    r"""Replace the characters that no XML file may hold, keeping names different.

    >>> xml_names(("a\x01b", "c & d"))
    ('a_b', 'c & d')
    """
    return respelled(variables, lambda name: _UNFIT.sub("_", name), "_")
