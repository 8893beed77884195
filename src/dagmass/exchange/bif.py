"""Networks with parameters in the Bayesian network interchange format (BIF 0.15), as bnlearn, pgmpy and pyAgrum read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dagmass.errors import InputError
from dagmass.exchange.foreign_names import changes, respelled
from dagmass.graphs.network import Network
from dagmass.graphs.varset import members
from dagmass.table.table import Table

RESERVED = frozenset({"network", "variable", "probability", "property", "type", "discrete", "table", "default"})
_QUOTED = r'"[^"\n]*"'
_COMMENT = re.compile(rf"(?P<kept>{_QUOTED})|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_NAME = re.compile(rf'{_QUOTED}|[^\s",][^",]*')
_PROPERTY = rf"\bproperty\b(?:{_QUOTED}|[^;\n])*"
_PARENTS = rf'(?P<parents>(?:{_QUOTED}|[^)"])*)'
_FAMILY = re.compile(rf'\bprobability\s*\(\s*(?P<child>{_QUOTED}|[^|)"]+?)\s*(?:\|{_PARENTS})?\)|{_PROPERTY}|{_QUOTED}')


def bif_lines(network: Network, table: Table, ess: float) -> Iterator[str]:
    """Yield a network with its expected parameters under the BDeu prior: (N + a) / (sum of N + a) in every cell."""
    names = variable_words(table.variables)
    levels = [level_words(shown) for shown in table.levels]
    yield "network dagmass {\n}\n"
    for name, words in zip(names, levels, strict=True):
        yield f"variable {name} {{\n  type discrete [ {len(words)} ] {{ {', '.join(words)} }};\n}}\n"
    for v, name in enumerate(names):
        parents = list(members(network.parents[v]))
        rows = expected_parameters(table, v, parents, ess)
        if not parents:
            yield f"probability ( {name} ) {{\n  table {_numbers(rows[0])};\n}}\n"
            continue
        yield f"probability ( {name} | {', '.join(names[u] for u in parents)} ) {{\n"
        for configuration, row in zip(product(*(levels[u] for u in parents)), rows, strict=True):
            yield f"  ({', '.join(configuration)}) {_numbers(row)};\n"
        yield "}\n"


def expected_parameters(table: Table, v: int, parents: list[int], ess: float) -> NDArray[np.float64]:
    """Return one row of probabilities for each configuration of the parents; the last parent runs fastest."""
    sizes = table.num_levels
    num_configurations = int(np.prod(sizes[parents], dtype=np.int64)) if parents else 1
    configuration = np.zeros(table.codes.shape[1], dtype=np.int64)
    for u in parents:
        configuration = configuration * sizes[u] + table.codes[u]
    counts = np.zeros((num_configurations, sizes[v]))
    np.add.at(counts, (configuration, table.codes[v]), table.weights)
    counts += ess / counts.size
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def read_bif_parents(path: str | Path) -> dict[str, list[str]]:
    """Read the parents of every variable from a BIF file."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"There is no file {str(path)!r}.")
    text = _without_comments(path.read_text(encoding="utf-8", errors="replace"))
    families = [(found["child"], found["parents"] or "") for found in _FAMILY.finditer(text) if found["child"]]  # the rest is free text
    if not families:
        raise InputError(f"{str(path)!r} is not a BIF file: it has no 'probability ( ... )'.")
    return {_unquoted(child): [_unquoted(parent) for parent in _NAME.findall(parents)] for child, parents in families}


def variable_words(variables: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of variables as words of BIF, which are never numbers.

    >>> variable_words(("blood group", "type", "1990"))
    ('blood_group', 'type_', '_1990')
    """
    return respelled(variables, lambda name: f"_{name}" if re.fullmatch("[0-9]+", name) else _word(name), "_")


def level_words(levels: tuple[str, ...]) -> tuple[str, ...]:
    """Return levels as words of BIF, which may be whole numbers.

    >>> level_words(("<=50K", "table", "1e5", "0"))
    ('__50K', 'table_', '_1e5', '0')
    """
    return respelled(levels, _word, "_")


def bif_changes(table: Table) -> list[str]:
    """Say which names and levels a BIF file spells in another way."""
    found = changes(table.variables, variable_words(table.variables))
    for levels in table.levels:
        found += changes(levels, level_words(levels))
    return list(dict.fromkeys(found))


def _without_comments(text: str) -> str:
    """Put a blank in place of every comment; what looks like one within quotes is none."""
    return _COMMENT.sub(lambda found: found["kept"] or " ", text)


def _word(name: str) -> str:
    """Keep letters, digits and underscores; avoid the words of the format and what begins like a number (1e5)."""
    word = re.sub(r"[^A-Za-z0-9_]", "_", name)
    if word in RESERVED:
        return f"{word}_"
    return f"_{word}" if re.match("[0-9]+[eE]", word) else word


def _numbers(row: NDArray[np.float64]) -> str:
    return ", ".join(f"{value:.12g}" for value in row)


def _unquoted(name: str) -> str:
    return name.strip().strip('"')
