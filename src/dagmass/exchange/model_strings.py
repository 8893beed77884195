"""Networks as model strings of R's bnlearn: ``[rain][wet|rain]``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dagmass.errors import InputError
from dagmass.exchange.foreign_names import respelled
from dagmass.graphs.network import Network

if TYPE_CHECKING:
    from dagmass.posterior.posterior import Posterior


_UNFIT = re.compile(r"[\[\]|:\x00-\x1f\x7f-\x9f\u2028\u2029]")


def model_string(network: Network) -> str:
    """Return the model string of a network, with names as bnlearn reads them."""
    return str(Network(bnlearn_names(network.variables), network.parents))


def model_string_lines(posterior: Posterior) -> Iterator[str]:
    """Yield one line a network: its weight, a tab, its model string."""
    names = bnlearn_names(posterior.variables)
    for weight, parents in zip(posterior.weights, posterior.parents.tolist(), strict=True):
        yield f"{float(weight)!r}\t{Network(names, tuple(parents))}\n"


def parse_model_string(text: str) -> dict[str, list[str]]:
    """Return the parents of every variable of a model string.

    >>> parse_model_string("[rain][wet|rain:hose][hose]")
    {'rain': [], 'wet': ['rain', 'hose'], 'hose': []}
    """
    families = re.findall(r"\[([^\[\]]*)\]", text)
    if "".join(f"[{family}]" for family in families) != "".join(text.split("\n")).strip() or not families:
        raise InputError(f"A model string looks like [a][b|a:c][c], got {text!r}.")
    parents: dict[str, list[str]] = {}
    for family in families:
        child, _, names = family.partition("|")
        if child in parents:
            raise InputError(f"The model string names {child!r} twice.")
        parents[child] = [name for name in names.split(":") if name]
    return parents


def bnlearn_names(variables: tuple[str, ...]) -> tuple[str, ...]:
    """Replace what means something in model strings and what breaks lines, keeping names different.

    >>> bnlearn_names(("a:b", "c"))
    ('a.b', 'c')
    """
    return respelled(variables, lambda name: _UNFIT.sub(".", name), ".")
