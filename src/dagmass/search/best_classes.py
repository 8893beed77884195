"""The stream of all classes of equivalent networks, best first."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dagmass import _core
from dagmass.errors import TooLargeError
from dagmass.graphs.equivalence import EquivalenceClass, class_sizes, representatives
from dagmass.job import Job, Report
from dagmass.scores.fixed_point import IMPOSSIBLE, to_nats
from dagmass.scores.local_scores import LocalScores
from dagmass.search.best_first import START, Batch, BestFirst, Position, Stream
from dagmass.search.best_networks import BestNetworks, best_networks

MAX_LISTED_MEMBERS = 100_000  # of a class whose members score differently; more are not summed


class BestClasses(BestFirst[EquivalenceClass]):
    """All classes in decreasing score of a member, each once; equal scores by the parent varsets of their representatives.

    Where the scores can tell members apart, the stream of networks is grouped instead: classes come in the order of their best members.
    `why_grouped` says why, and is None otherwise.
    """

    what = "classes"

    def _open(self, slack: int, position: Position) -> Stream:
        self.why_grouped = why_members_differ(self.scores)
        stage = self.job.stage("best network")
        if self.why_grouped is None:
            return _core.ClassStream(self._lists(slack), position, self.job.num_threads, stage)
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
        return np.array([_log_sum(members_with_scores(self.scores, row)[1], self.scores.fraction_bits) for row in batch.parents])

    def sizes(self, batch: Batch) -> list[int]:
        """Return the number of members of each class, those that are allowed."""
        if self.why_grouped is None:
            return class_sizes(batch.parents)
        return [len(members_with_scores(self.scores, row)[0]) for row in batch.parents]


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
        """Read all networks that score like the next one; keep the classes among them that are new."""
        found: dict[bytes, NDArray[np.uint64]] = {}
        while True:
            scores, parents = self._networks.take(1)
            if not len(scores):
                return False
            row = representatives(parents)[0]
            found.setdefault(row.tobytes(), row)
            if not self._networks.next_ties():
                break
        fresh = [row for key, row in found.items() if key not in self._known]
        self._known.update(found)
        self._waiting += [(int(scores[0]), row) for row in sorted(fresh, key=lambda row: tuple(row.tolist()))]
        return True


def members_with_scores(scores: LocalScores, representative: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the members of a class that are allowed, and their scores in units."""
    row = representative.reshape(1, -1)
    size = class_sizes(row)[0]
    if size > MAX_LISTED_MEMBERS:
        raise TooLargeError(
            f"The scores tell equivalent networks apart, and a class has {size} members; at most {MAX_LISTED_MEMBERS} are summed. "
            "Search for networks instead (without classes, --classes)."
        )
    parents = _core.first_members(row, size)
    units = scores.of_networks(parents)
    return parents[units != IMPOSSIBLE], units[units != IMPOSSIBLE]


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
            one_way = table[u, shared] + table[v, shared | 1 << u]
            if not np.array_equal(one_way, table[v, shared] + table[u, shared | 1 << v]):
                return False
    return True


def _log_sum(units: NDArray[np.int64], fraction_bits: int) -> float:
    nats = to_nats(units, fraction_bits)
    return float(nats.max() + math.log(math.fsum(np.exp(nats - nats.max()))))
