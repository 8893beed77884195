"""The stream of all classes of equivalent networks, best first."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagmass import _core
from dagmass.errors import TooLargeError
from dagmass.graphs.class_members import member_chunks
from dagmass.graphs.equivalence import EquivalenceClass, class_sizes, representatives
from dagmass.job import Job, Report
from dagmass.scores.fixed_point import IMPOSSIBLE, to_nats
from dagmass.scores.local_scores import LocalScores
from dagmass.search.best_first import BEST, START, Batch, BestFirst, Position, Stream
from dagmass.search.best_networks import BestNetworks, best_networks

MAX_LISTED_MEMBERS = 100_000  # of a class whose members score differently, where they are needed all at once
MAX_SUMMED_MEMBERS = 10_000_000
NETWORKS_AT_ONCE = 256  # that are read to be grouped


class BestClasses(BestFirst[EquivalenceClass]):
    """All classes in decreasing score of a member, each once; equal scores by the parent varsets of their representatives.

    Where the scores can tell members apart, the stream of networks is grouped instead: classes come in the order of their best members.
    `why_grouped` says why, and is None otherwise.
    """

    what = "classes"

    def _open(self, slack: int, position: Position) -> Stream:
        self.why_grouped = why_members_differ(self.scores)
        if self.why_grouped is None:
            return _core.ClassStream(self._lists(slack), position, *self._place(), self.job.num_threads, self.job.stage(BEST))
        return GroupedStream(best_networks(self.scores, self.job))

    def items(self, batch: Batch) -> list[EquivalenceClass]:
        """Return the classes of a batch one by one."""
        nats = to_nats(batch.scores, self.scores.fraction_bits)
        return [
            EquivalenceClass(self.scores.variables, tuple(map(int, parents)), float(score))
            for parents, score in zip(batch.parents, nats, strict=True)
        ]

    def log_masses(self, batch: Batch) -> NDArray[np.float64]:
        """Return the log of the sum over the members of each class."""
        if self.why_grouped is None:
            sizes = np.array([math.log(size) for size in class_sizes(batch.parents)])
            return np.asarray(to_nats(batch.scores, self.scores.fraction_bits) + sizes)
        return np.array([self._members_sum(row).log_sum for row in batch.parents])

    def sizes(self, batch: Batch) -> list[int]:
        """Return the number of members of each class, those that are allowed."""
        if self.why_grouped is None:
            return class_sizes(batch.parents)
        return [self._members_sum(row).size for row in batch.parents]

    def _members_sum(self, row: NDArray[np.uint64]) -> MembersSum:
        """Sum over the members of a class, once."""
        known = self._known_sums.get(row.tobytes())
        if known is None:
            known = self._known_sums[row.tobytes()] = members_sum(self.scores, row)
        return known

    @cached_property
    def _known_sums(self) -> dict[bytes, MembersSum]:
        return {}


class MembersSum(NamedTuple):
    """What the members of a class that are allowed come to."""

    size: int
    log_sum: float  # ln of the sum of exp(log score)


class GroupedStream:
    """Classes in the order of their best members, from a stream of networks."""

    def __init__(self, networks: BestNetworks) -> None:
        self._networks = networks
        self._known: set[bytes] = set()
        self._waiting: list[tuple[int, NDArray[np.uint64]]] = []  # found, not handed out yet

    @property
    def best_score(self) -> int:
        """Score of the best network in units."""
        return self._networks.best_score

    @property
    def table_operations(self) -> int:
        """None of its own: the stream of networks counts them."""
        return 0

    @property
    def num_states(self) -> int:
        """How many classes were met."""
        return len(self._known)

    @property
    def position(self) -> Position:
        """Never asked for: the stream of networks keeps its own lists."""
        return START

    def take(self, count: int, max_bytes: int, num_threads: int, progress: Report) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """Return best scores and representatives of the next classes."""
        del max_bytes, num_threads, progress  # the stream of networks has them from its job
        while len(self._waiting) < count and self._read_group():
            pass
        taken, self._waiting = self._waiting[:count], self._waiting[count:]
        scores = np.array([score for score, _ in taken], dtype=np.int64)
        self._last = scores[-1] if len(scores) else None
        return scores, np.array([row for _, row in taken], dtype=np.uint64).reshape(len(taken), self._networks.scores.num_variables)

    def next_ties(self, num_threads: int, progress: Report) -> bool:
        """Tell whether the next class scores as much as the last one taken: ties are always read together."""
        del num_threads, progress
        return bool(self._waiting) and self._waiting[0][0] == self._last

    def _read_group(self) -> bool:
        """Read some networks and all that tie with the last of them; keep the classes among them that are new."""
        batches = [self._networks.take(NETWORKS_AT_ONCE)]
        if not len(batches[0].scores):
            return False
        while self._networks.next_ties():
            batches.append(self._networks.take(1))
        scores = np.concatenate([batch.scores for batch in batches]).tolist()
        rows = representatives(np.concatenate([batch.parents for batch in batches]))
        firsts = np.unique(rows, axis=0, return_index=True)[1].tolist()
        fresh = [i for i in firsts if rows[i].tobytes() not in self._known]
        self._known.update(rows[i].tobytes() for i in fresh)
        self._waiting += [(scores[i], rows[i]) for i in sorted(fresh, key=lambda i: (-scores[i], rows[i].tolist()))]
        return True


def members_sum(scores: LocalScores, representative: NDArray[np.uint64]) -> MembersSum:
    """Count the members of a class that are allowed, and sum over them."""
    _require_few(representative, MAX_SUMMED_MEMBERS, "its size and its mass need a sum over them", "are summed")
    parts = [(len(units), _log_sum(to_nats(units, scores.fraction_bits))) for _, units in allowed_members(scores, representative)]
    return MembersSum(sum(size for size, _ in parts), _log_sum(np.array([part for _, part in parts])))


def members_with_scores(scores: LocalScores, representative: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the members of a class that are allowed, and their scores in units."""
    _require_few(representative, MAX_LISTED_MEMBERS, "this question needs all of them", "are listed")
    chunks = list(allowed_members(scores, representative))
    return np.concatenate([parents for parents, _ in chunks]), np.concatenate([units for _, units in chunks])


def allowed_members(scores: LocalScores, representative: NDArray[np.uint64]) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.int64]]]:
    """Yield the members of a class that are allowed and their scores in units, some thousands at a time."""
    for parents in member_chunks(representative):
        units = scores.of_networks(parents)
        allowed = units != IMPOSSIBLE
        if allowed.any():
            yield parents[allowed], units[allowed]


def _require_few(representative: NDArray[np.uint64], most: int, why: str, done: str) -> None:
    size = class_sizes(representative.reshape(1, -1))[0]
    if size > most:
        raise TooLargeError(
            f"The scores tell equivalent networks apart, and a class has {size:,} members; {why}, and at most {most:,} {done}. "
            "Search for networks instead (without classes, --classes)."
        )


def best_classes(scores: LocalScores, job: Job | None = None) -> BestClasses:
    """Return an iterator over all classes of equivalent networks in decreasing score of a member, each exactly once.

    Examples
    --------
    >>> scores = LocalScores.from_dict({"a": {(): -1.0, ("b",): -0.5}, "b": {(): -2.0, ("a",): -1.5}})
    >>> [(str(found), found.size) for found in best_classes(scores)]
    [('a – b', 2), ('no links', 1)]
    """
    return BestClasses(scores, job)


def why_members_differ(scores: LocalScores) -> str | None:
    """Say why equivalent networks can have different scores, or None if they cannot."""
    if scores.storage.uniform_bound() is None:
        return "some families are forbidden that equivalent networks have"
    if scores.is_score_equivalent is False or (scores.is_score_equivalent is None and not is_equivalent_on_covered_edges(scores)):
        return "the scores tell equivalent networks apart"
    return None


def is_equivalent_on_covered_edges(scores: LocalScores) -> bool:
    """Test whether turning any covered edge keeps the score: equivalent networks are joined by such turns (Chickering 1995)."""
    n = scores.num_variables
    table = np.full((n, 1 << n), IMPOSSIBLE, dtype=np.int64)
    for v, parents, units in scores.families():
        table[v, parents.astype(np.int64)] = units
    sets = np.arange(1 << n)
    for u in range(n):
        for v in range(u):
            shared = sets[(sets >> u & 1 == 0) & (sets >> v & 1 == 0)]
            one_way, other_way = (table[u, shared], table[v, shared | 1 << u]), (table[v, shared], table[u, shared | 1 << v])
            if not np.array_equal(_of_both(*one_way), _of_both(*other_way)):
                return False
    return True


def _of_both(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """Add scores of two families; what is forbidden stays forbidden."""
    is_forbidden = (first == IMPOSSIBLE) | (second == IMPOSSIBLE)
    return np.where(is_forbidden, IMPOSSIBLE, np.where(is_forbidden, 0, first) + np.where(is_forbidden, 0, second))


def _log_sum(nats: NDArray[np.float64]) -> float:
    return float(nats.max() + math.log(math.fsum(np.exp(nats - nats.max()))))
