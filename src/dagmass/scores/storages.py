"""The two ways in which local scores are stored; both answer the same questions."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from math import comb
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


class Limits(NamedTuple):
    """What the parents of every variable may be and must be, as varsets."""

    candidates: NDArray[np.uint64]
    required: NDArray[np.uint64]


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

    def release(self) -> None:
        """Let go of what can be made again."""

    def with_zero_scores(self) -> Storage:
        """Return the same families, each with score zero."""

    def restricted(self, limits: Limits) -> Storage:
        """Return only the families that some limits allow."""


class SetFunction:
    """score(v, P) = f(P + v) - f(P) + terms(v, |P|).

    Parameters
    ----------
    num_variables : int
        Number of variables.
    values : array
        f, by varset; needed only for the sets that families are made of. None: counted when somebody asks.
    terms : array
        (variable, size), flat; empty if all are zero.
    candidates : array, optional
        By variable, the varset of whom it may choose as parents; empty if everybody.
    required : array, optional
        By variable, the varset of who must be among its parents; empty if nobody.
    count : callable, optional
        Counts the values again. Large ones can then be released for as long as nobody needs them.
    count_one : callable, optional
        Counts f of a single set.
    file : ScoreFile, optional
        Holds f where memory does not.
    """

    def __init__(
        self,
        num_variables: int,
        values: NDArray[np.int64] | None,
        terms: NDArray[np.int64],
        candidates: NDArray[np.uint64] | None = None,
        *,
        required: NDArray[np.uint64] | None = None,
        count: Callable[[], NDArray[np.int64]] | None = None,
        count_one: Callable[[int], int] | None = None,
        file: _core.ScoreFile | None = None,
    ) -> None:
        self.num_variables = num_variables
        self.terms = terms
        self.candidates = np.zeros(0, dtype=np.uint64) if candidates is None else candidates
        self.required = np.zeros(0, dtype=np.uint64) if required is None else required
        self.file = file
        self._values: NDArray[np.int64] | None = values
        self._count, self._count_one = count, count_one

    @property
    def values(self) -> NDArray[np.int64]:
        """Return f, by varset; counted again if it was released."""
        if self._values is None:
            assert self._count is not None
            self._values = self._count()
        return self._values

    def release(self) -> None:
        """Let go of the values if they can be counted again."""
        if self._count is not None:
            self._values = None

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_values": self.values, "_count": None, "_count_one": None, "file": None}  # the table stays behind

    @property
    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        """The arrays that hold the scores."""
        return self.values, self.terms, self.candidates, self.required

    def score(self, v: int, parents: int) -> int:
        """Return the score of one family in units."""
        if (len(self.candidates) and parents & ~int(self.candidates[v])) or (len(self.required) and int(self.required[v]) & ~parents):
            return IMPOSSIBLE
        term = int(self.terms[v * self.num_variables + parents.bit_count()]) if len(self.terms) else 0
        return IMPOSSIBLE if term == IMPOSSIBLE else self._of_set(parents | 1 << v) - self._of_set(parents) + term

    def _of_set(self, varset: int) -> int:
        if self._values is None and self._count_one is not None:
            return self._count_one(varset)
        return int(self.values[varset])

    def native(self, fraction_bits: int) -> _core.Families:
        """Return what the kernels take."""
        limits = self.terms, self.candidates, self.required, fraction_bits
        if self.file is not None:
            return _core.Families.of_score_file(self.num_variables, self.file, *limits)
        return _core.Families.of_set_function(self.num_variables, self.values, *limits)

    def uniform_bound(self) -> int | None:
        """Return d if exactly the families with at most d parents are possible, for all variables alike."""
        n = self.num_variables
        everybody = [((1 << n) - 1) & ~(1 << v) for v in range(n)]
        if (len(self.candidates) and self.candidates.tolist() != everybody) or self.required.any():
            return None
        if not len(self.terms):
            return n - 1
        possible = (self.terms != IMPOSSIBLE).reshape(n, n)
        bound = int(possible[0].sum()) - 1
        return bound if (possible == (np.arange(n) <= bound)).all() else None

    def with_zero_scores(self) -> SetFunction:
        """Return the same families, each with score zero."""
        terms = np.where(self.terms == IMPOSSIBLE, IMPOSSIBLE, 0)
        return SetFunction(self.num_variables, np.zeros_like(self.values), terms, self.candidates, required=self.required)

    def restricted(self, limits: Limits) -> SetFunction:
        """Return only the families that some limits allow."""
        limited = copy(self)
        limited.candidates = self.candidates & limits.candidates if len(self.candidates) else limits.candidates
        limited.required = self.required | limits.required if len(self.required) else limits.required
        return limited


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
        possible = self.scores != IMPOSSIBLE
        sizes = sum(self.parents[possible] >> np.uint64(u) & np.uint64(1) for u in range(n))
        bound = int(np.max(sizes, initial=0))
        ends = self.offsets.astype(np.int64)
        counts = np.diff(np.concatenate([[0], np.cumsum(possible)])[ends])
        return bound if (counts == sum(comb(n - 1, size) for size in range(bound + 1))).all() else None

    def release(self) -> None:
        """Keep the scores: nothing could make them again."""

    def with_zero_scores(self) -> Listed:
        """Return the same families, each with score zero."""
        return Listed(self.offsets, self.parents, np.where(self.scores == IMPOSSIBLE, IMPOSSIBLE, 0))

    def restricted(self, limits: Limits) -> Listed:
        """Return only the families that some limits allow."""
        ends = self.offsets.astype(np.int64)
        variable = np.repeat(np.arange(self.num_variables), ends[1:] - ends[:-1])
        candidates, required = limits.candidates[variable], limits.required[variable]
        allowed = ((self.parents & ~candidates) | (required & ~self.parents)) == 0
        kept = np.concatenate([[0], np.cumsum(allowed)])[ends]
        return Listed(kept.astype(np.uint64), self.parents[allowed], self.scores[allowed])
