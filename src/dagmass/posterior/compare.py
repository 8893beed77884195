"""How two networks differ, in edges and in words."""

from __future__ import annotations

from dataclasses import dataclass

from dagmass.graphs.network import Network
from dagmass.graphs.varset import members

Edge = tuple[str, str]


@dataclass(frozen=True)
class Comparison:
    """What turns one network into another; every edge as (from, to) of the second one, removed ones of the first."""

    added: tuple[Edge, ...]
    removed: tuple[Edge, ...]
    reversed: tuple[Edge, ...]

    @property
    def num_changes(self) -> int:
        """Number of edges that differ."""
        return len(self.added) + len(self.removed) + len(self.reversed)

    def __str__(self) -> str:
        said = [
            f"{verb} {', '.join(f'{parent} → {child}' for parent, child in edges)}"
            for verb, edges in (("adds", self.added), ("removes", self.removed), ("turns to", self.reversed))
            if edges
        ]
        return "; ".join(said) or "the same"


def compare_networks(first: Network, second: Network) -> Comparison:
    """Return what is added, removed and reversed on the way from the first network to the second.

    >>> print(compare_networks(Network(("a", "b", "c"), (0, 1, 0)), Network(("a", "b", "c"), (2, 0, 1))))
    adds a → c; turns to b → a
    """
    return compare_parents(first.variables, first.parents, second.parents)


def compare_parents(variables: tuple[str, ...], first: tuple[int, ...], second: tuple[int, ...]) -> Comparison:
    """Compare networks over the same variables by their parent varsets."""
    added: list[Edge] = []
    removed: list[Edge] = []
    turned: list[Edge] = []
    for v, (before, after) in enumerate(zip(first, second, strict=True)):
        for u in members(after & ~before):
            (turned if first[u] >> v & 1 else added).append((variables[u], variables[v]))
        for u in members(before & ~after):
            if not second[u] >> v & 1:
                removed.append((variables[u], variables[v]))
    return Comparison(tuple(added), tuple(removed), tuple(turned))
