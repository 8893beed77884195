"""Classes of equivalent networks: those that say the same about any data (Verma and Pearl 1990)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from dagmass import _core
from dagmass.checks import MAX_COUNT, MAX_SEED, whole_number
from dagmass.graphs.network import Network
from dagmass.graphs.varset import members
from dagmass.job import Job

BYTES_A_VARSET = 64  # as a number of Python's, among those of a network


def representatives(parents: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return, for every network (row), the member of its class that stands for the class: the same for all members."""
    return _core.representatives(np.ascontiguousarray(parents))


def class_sizes(parents: NDArray[np.uint64]) -> list[int]:
    """Return the number of members of the class of every network (row).

    >>> class_sizes(np.array([[0, 1, 2], [0, 5, 0]], dtype=np.uint64))      # a chain, a v-structure
    [3, 1]
    """
    halves = _core.class_sizes(np.ascontiguousarray(parents))
    return [(int(upper) << 64) + int(lower) for upper, lower in halves]


@dataclass(frozen=True)
class EquivalenceClass:
    """All networks with the links and v-structures of one of them.

    Parameters
    ----------
    variables : tuple of str
        Names, in the order of the table.
    representative : tuple of int
        Parent varsets of the member that stands for the class.
    log_score : float, optional
        Natural log score of one member (of the best one, where they differ); not part of equality.

    Examples
    --------
    >>> chain = EquivalenceClass.of(Network.from_parents({"a": [], "b": ["a"], "c": ["b"]}))
    >>> chain.size, str(chain)
    (3, 'a – b, b – c')
    """

    variables: tuple[str, ...]
    representative: tuple[int, ...]
    log_score: float | None = field(default=None, compare=False)

    @classmethod
    def of(cls, network: Network) -> EquivalenceClass:
        """Return the class of a network."""
        row = representatives(np.array([network.parents], dtype=np.uint64))[0]
        return cls(network.variables, tuple(map(int, row)), network.log_score)

    @cached_property
    def size(self) -> int:
        """Number of members, whether some scores allow them or not."""
        return class_sizes(self._row)[0]

    @cached_property
    def directed(self) -> list[tuple[str, str]]:
        """Edges (from, to) that all members have."""
        compelled = self._cpdag[0]
        return [(self.variables[a], self.variables[b]) for b, varset in enumerate(compelled) for a in members(varset)]

    @cached_property
    def undirected(self) -> list[tuple[str, str]]:
        """Links that point one way in some members and the other way in others."""
        reversible = self._cpdag[1]
        return [(self.variables[a], self.variables[b]) for b, varset in enumerate(reversible) for a in members(varset) if a < b]

    def first_members(self, count: int) -> list[Network]:
        """Return up to `count` members, always the same ones first."""
        return list(islice(self.members(), self._count(count)))

    def members(self) -> Iterator[Network]:
        """Yield all members; they are found when they are asked for."""
        from dagmass.graphs.class_members import member_chunks

        for rows in member_chunks(self._row[0]):
            yield from self._networks(rows)

    def sample(self, count: int, seed: int = 0) -> list[Network]:
        """Return members drawn uniformly and independently; the same seed gives the same ones."""
        return self._networks(_core.random_members(self._row, self._count(count), whole_number("seed", seed, 0, MAX_SEED)))

    def _count(self, count: int) -> int:
        """Return how many members are asked for; refuse more than fit."""
        count = whole_number("count", count, 0, MAX_COUNT)
        Job().require(count * BYTES_A_VARSET * (len(self.variables) + 4), f"{count} networks need", "Ask for fewer.")
        return count

    @property
    def _row(self) -> NDArray[np.uint64]:
        return np.array([self.representative], dtype=np.uint64)

    @cached_property
    def _cpdag(self) -> tuple[list[int], list[int]]:
        compelled, reversible = _core.cpdags(self._row)
        return compelled[0].tolist(), reversible[0].tolist()

    def _networks(self, rows: NDArray[np.uint64]) -> list[Network]:
        return [Network(self.variables, tuple(parents), self.log_score) for parents in rows.tolist()]

    def __str__(self) -> str:
        edges = [f"{a} → {b}" for a, b in self.directed] + [f"{a} – {b}" for a, b in self.undirected]
        return ", ".join(edges) or "no links"
