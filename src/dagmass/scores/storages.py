"""The two ways in which local scores are stored; both answer the same questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dagmass import _core
from dagmass.scores.fixed_point import IMPOSSIBLE


class GapLists(NamedTuple):
    """Parent sets of all variables, one variable after the other; those of v are at offsets[v]:offsets[v + 1], best first."""

    offsets: NDArray[np.uint64]
    parents: NDArray[np.uint64]
    scores: NDArray[np.int64]
    gaps: NDArray[np.int64]  # best score among the strict subsets minus the own one; IMPOSSIBLE where no strict subset is possible


class Storage(Protocol):
    """What `LocalScores` asks of its storage."""

    @property
    def num_variables(self) -> int:
        """Number of variables."""

    @property
    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        """The arrays that hold the scores."""

    def score(self, v: int, parents: int) -> int:
        """Return the score of one family in units."""

    def native(self, fraction_bits: int) -> _core.Families:
        """Return what the kernels take."""

    def uniform_bound(self) -> int | None:
        """Return d if exactly the families with at most d parents are possible, for all variables alike."""

    def with_zero_scores(self) -> Storage:
        """Return the same families, each with score zero."""


@dataclass(frozen=True, eq=False)
class SetFunction:
    """score(v, P) = f(P + v) - f(P) + terms(v, |P|)."""

    num_variables: int
    values: NDArray[np.int64]  # f, by varset
    terms: NDArray[np.int64]  # (variable, size), flat; empty if all are zero

    @property
    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        """The arrays that hold the scores."""
        return self.values, self.terms

    def score(self, v: int, parents: int) -> int:
        """Return the score of one family in units."""
        term = int(self.terms[v * self.num_variables + parents.bit_count()]) if len(self.terms) else 0
        return IMPOSSIBLE if term == IMPOSSIBLE else int(self.values[parents | 1 << v]) - int(self.values[parents]) + term

    def native(self, fraction_bits: int) -> _core.Families:
        """Return what the kernels take."""
        return _core.Families.of_set_function(self.num_variables, self.values, self.terms, fraction_bits)

    def uniform_bound(self) -> int | None:
        """Return d if exactly the families with at most d parents are possible, for all variables alike."""
        if not len(self.terms):
            return self.num_variables - 1
        possible = (self.terms != IMPOSSIBLE).reshape(self.num_variables, self.num_variables)
        bound = int(possible[0].sum()) - 1
        return bound if (possible == (np.arange(self.num_variables) <= bound)).all() else None

    def with_zero_scores(self) -> SetFunction:
        """Return the same families, each with score zero."""
        return SetFunction(self.num_variables, np.zeros_like(self.values), np.where(self.terms == IMPOSSIBLE, IMPOSSIBLE, 0))


@dataclass(frozen=True, eq=False)
class Listed:
    """Listed families, sorted by parent varset; families that are absent are forbidden."""

    offsets: NDArray[np.uint64]
    parents: NDArray[np.uint64]
    scores: NDArray[np.int64]

    @property
    def num_variables(self) -> int:
        """Number of variables."""
        return len(self.offsets) - 1

    @property
    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        """The arrays that hold the scores."""
        return self.offsets, self.parents, self.scores

    def of_variable(self, v: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the listed parent sets of a variable and their scores."""
        families = slice(int(self.offsets[v]), int(self.offsets[v + 1]))
        return self.parents[families], self.scores[families]

    def score(self, v: int, parents: int) -> int:
        """Return the score of one family in units."""
        sets, scores = self.of_variable(v)
        place = int(np.searchsorted(sets, np.uint64(parents)))
        return int(scores[place]) if place < len(sets) and int(sets[place]) == parents else IMPOSSIBLE

    def native(self, fraction_bits: int) -> _core.Families:
        """Return what the kernels take."""
        return _core.Families.of_lists(self.offsets, self.parents, self.scores, fraction_bits)

    def uniform_bound(self) -> int | None:
        """Return d if exactly the families with at most d parents are possible, for all variables alike."""
        n = self.num_variables
        is_complete = len(self.parents) == n << (n - 1) and bool((self.scores != IMPOSSIBLE).all())
        return n - 1 if is_complete else None

    def with_zero_scores(self) -> Listed:
        """Return the same families, each with score zero."""
        return Listed(self.offsets, self.parents, np.where(self.scores == IMPOSSIBLE, IMPOSSIBLE, 0))
