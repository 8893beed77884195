"""How two networks differ, in edges and in words."""

from __future__ import annotations

from dataclasses import dataclass

from dagmass.graphs.equivalence import EquivalenceClass
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

    def rows(self) -> list[dict[str, str]]:
        """Return one row a change."""
        return _rows(added=self.added, removed=self.removed, reversed=self.reversed)

    def __str__(self) -> str:
        said = [
            f"{verb} {', '.join(f'{parent} → {child}' for parent, child in edges)}"
            for verb, edges in (("adds", self.added), ("removes", self.removed), ("turns to", self.reversed))
            if edges
        ]
        return "; ".join(said) or "the same"


@dataclass(frozen=True)
class ClassComparison:
    """How two classes differ."""

    added: tuple[Edge, ...]  # links that only the second one has
    removed: tuple[Edge, ...]  # links that only the first one has
    redirected: tuple[Edge, ...]  # links of both that they direct differently
    marks: tuple[str, ...]  # how the second one directs these
    log_lambda: float  # ln P(member of the first) / P(member of the second)

    @property
    def num_different_links(self) -> int:
        """Number of links that only one of them has: the measure of Tian, He and Ram (2010), table 2."""
        return len(self.added) + len(self.removed)

    def __str__(self) -> str:
        said = [
            f"{verb} {', '.join(f'{a} – {b}' for a, b in links)}"
            for verb, links in (("adds", self.added), ("removes", self.removed))
            if links
        ]
        if self.redirected:
            said.append(f"turns to {', '.join(self.marks)}")
        return "; ".join(said) or "the same"

    def rows(self) -> list[dict[str, str]]:
        """Return one row a change."""
        return _rows(added=self.added, removed=self.removed, redirected=self.redirected)


def compare_classes(first: EquivalenceClass, second: EquivalenceClass) -> ClassComparison:
    """Return how the second class differs from the first."""
    before, after = _marked_links(first), _marked_links(second)
    redirected = tuple(pair for pair in after if pair in before and after[pair] != before[pair])
    return ClassComparison(
        added=tuple(pair for pair in after if pair not in before),
        removed=tuple(pair for pair in before if pair not in after),
        redirected=redirected,
        marks=tuple(after[pair] for pair in redirected),
        log_lambda=(first.log_score or 0.0) - (second.log_score or 0.0),
    )


def _rows(**changes: tuple[Edge, ...]) -> list[dict[str, str]]:
    return [{"change": change, "from": a, "to": b} for change, edges in changes.items() for a, b in edges]


def _marked_links(found: EquivalenceClass) -> dict[Edge, str]:
    """Return every link, its ends in the order of the variables, and how the class directs it."""
    links = {(a, b): f"{a} – {b}" for a, b in found.undirected}
    for a, b in found.directed:
        in_order = found.variables.index(a) < found.variables.index(b)
        links[(a, b) if in_order else (b, a)] = f"{a} → {b}"
    return links


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
