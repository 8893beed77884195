"""A network of the user's own, in any of the forms that people have it in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from dagmass.errors import InputError
from dagmass.exchange.bif import read_bif_parents, variable_words
from dagmass.exchange.model_strings import bnlearn_names, parse_model_string
from dagmass.graphs.network import Network
from dagmass.graphs.varset import names_in, nearest_hint
from dagmass.posterior.names import QUOTED_NAME, unquoted

_ARROW = re.compile("->|→")
_PIECE = re.compile(rf"{QUOTED_NAME.pattern}|(?P<arrow>{_ARROW.pattern})|(?P<end>[,;\n])|.", re.DOTALL)


def network_of(source: Any, variables: tuple[str, ...]) -> Network:
    """Return a network over exactly these variables; those that the source does not mention have no edges.

    Parameters
    ----------
    source : Network, dict, str, path, graph or iterable of pairs
        A dict gives the parents of variables; a text is a bnlearn model string, edges like ``a -> b, b -> c`` or, where it has no arrow
        and ends with .bif, the path of a BIF file; names in edges may stand in double quotes, as in the language of features; a graph is
        one of networkx; pairs are (from, to).
    variables : tuple of str
        The variables of the posterior, in order.
    """
    return Network.from_parents(_complete(_parents(source), variables))


def _parents(source: Any) -> Mapping[str, Iterable[str]]:
    if isinstance(source, Network):
        return source.to_dict()
    if isinstance(source, Mapping):
        return source
    if isinstance(source, Path):
        return read_bif_parents(source)
    if isinstance(source, str):
        return _from_text(source)
    if hasattr(source, "is_directed"):
        if not source.is_directed():
            raise InputError("The graph must be directed (networkx.DiGraph).")
        return {str(node): [str(parent) for parent in source.predecessors(node)] for node in source.nodes}
    if not isinstance(source, Iterable):
        raise InputError(f"A network is a Network, edges, a dict of parents, a text, a graph or a .bif file, got {source!r}.")
    return _from_edges(source)


def _from_text(text: str) -> Mapping[str, Iterable[str]]:
    if text.lstrip().startswith("["):
        return parse_model_string(text)
    if text.lower().endswith(".bif") and not _ARROW.search(text):
        return read_bif_parents(text)
    chains = [[unquoted(name) for name in chain] for chain in _chains(text) if chain != [""]]
    if not chains or any(len(chain) < 2 for chain in chains):
        raise InputError(f"A network is given as a model string [a][b|a], as edges 'a -> b, b -> c' or as a .bif file, got {text!r}.")
    return _from_edges(edge for chain in chains for edge in pairwise(chain))


def _chains(text: str) -> list[list[str]]:
    """Cut a text at commas, semicolons and line ends, and each part at its arrows; names in quotes stay whole."""
    chains = [[""]]
    for piece in _PIECE.finditer(text):
        if piece["end"]:
            chains.append([""])
        elif piece["arrow"]:
            chains[-1].append("")
        else:
            chains[-1][-1] += piece[0]
    return [[name.strip() for name in chain] for chain in chains]


def _from_edges(edges: Iterable[Any]) -> Mapping[str, Iterable[str]]:
    parents: dict[str, list[str]] = {}
    for edge in edges:
        ends = [] if isinstance(edge, str) or not isinstance(edge, Iterable) else [str(end) for end in edge]
        if len(ends) != 2:
            raise InputError(f"Edges are pairs (from, to), got {edge!r}.")
        parent, child = ends
        parents.setdefault(parent, [])
        parents.setdefault(child, []).append(parent)
    return parents


def _complete(parents: Mapping[str, Iterable[str]], variables: tuple[str, ...]) -> dict[str, list[str]]:
    """Order by variable; accept names as other programs had to write them."""
    known: dict[str, str] = {}
    for aliases in (variable_words(variables), bnlearn_names(variables), variables):
        known.update(zip(aliases, variables, strict=True))
    complete: dict[str, list[str]] = {name: [] for name in variables}
    for child, names in parents.items():
        complete[_known(child, known)] = [_known(name, known) for name in names_in(names)]
    return complete


def _known(name: str, known: Mapping[str, str]) -> str:
    if name not in known:
        raise InputError(f"The network has a variable {name!r} that the run does not have.{nearest_hint(str(name), known)}")
    return known[name]
