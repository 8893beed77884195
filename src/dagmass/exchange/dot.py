"""Networks as Graphviz DOT."""

from __future__ import annotations

from collections.abc import Iterator

from dagmass.graphs.network import Network


def dot_lines(network: Network) -> Iterator[str]:
    """Yield a network as DOT, variables first."""
    yield "digraph network {\n"
    for name in network.variables:
        yield f"  {_quoted(name)};\n"
    for parent, child in network.edges:
        yield f"  {_quoted(parent)} -> {_quoted(child)};\n"
    yield "}\n"


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
