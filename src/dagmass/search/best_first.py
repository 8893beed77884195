"""What the streams of networks and of classes share: they are read one by one or many at once, within the memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from dagmass import _core
from dagmass.errors import NoNetworkError, TooLargeError
from dagmass.job import Job, Report, in_units
from dagmass.scores.fixed_point import IMPOSSIBLE
from dagmass.scores.local_scores import LISTS, LocalScores
from dagmass.scores.room import LARGEST_WITH_TWO_TABLES, fits, require_table
from dagmass.store import Store

LARGEST_CHUNK = 1024
BEST = "best networks"
FIRST_SLACK = 0  # lets the kernel choose
BYTES_A_SET = 32  # in a list
LEAST_LISTED = 1 << 15  # parent sets of a variable, where memory does not limit them
NO_LIMIT = 2**63
LEAST_CACHE = 1 << 20  # bytes, for a table in a file

Position = tuple[int, int, int]  # how many were taken, the loss of the last one in units, how many of that loss
START: Position = (0, -1, 0)

Found = TypeVar("Found")
Answer = TypeVar("Answer")


class Batch(NamedTuple):
    """Some networks of a stream, or one network for each of some classes, in its order."""

    scores: NDArray[np.int64]  # in units
    parents: NDArray[np.uint64]  # (network, variable): parent varsets


class Stream(Protocol):
    """A search that can be continued."""

    @property
    def best_score(self) -> int:
        """Score of the best network in units."""

    @property
    def table_operations(self) -> int:
        """What the table of best networks took."""

    @property
    def num_states(self) -> int:
        """What the search took so far: states of sets that are left and what must not be a sink of them."""

    @property
    def position(self) -> Position:
        """Where the stream stands."""

    def take(self, count: int, max_bytes: int, num_threads: int, progress: Report) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """Return scores and parents of the next ones."""

    def next_ties(self, num_threads: int, progress: Report) -> bool:
        """Tell whether the next one scores as much as the last one taken."""


class BestFirst(Iterator[Found], Generic[Found]):
    """A stream in decreasing score. Iterate, or `take` many at once; they are found when they are asked for."""

    what = ""  # is being looked for, in the plural

    def __init__(self, scores: LocalScores, job: Job | None = None) -> None:
        self.scores = scores
        self.job = job or Job()
        self._stream: Stream | None = None
        self._at = FIRST_SLACK, START  # where the stream begins when it is opened
        self.best_score = self._opened().best_score  # in units
        if self.best_score == IMPOSSIBLE:
            raise NoNetworkError(_why_none(scores))
        self.num_taken = 0
        self._chunk: Iterator[Found] = iter(())
        self._chunk_size = 1

    def _open(self, slack: int, position: Position) -> Stream:
        raise NotImplementedError

    def _lists(self, slack: int) -> _core.SearchLists:
        """List the families within a slack. Where only one large table fits, the scores go before the best networks come."""
        lists = self._kept_lists(slack) or self._new_lists(slack)
        n = self.scores.num_variables
        if n > LARGEST_WITH_TWO_TABLES or not fits(n, self.job):
            lists.forget_scores()
            self.scores.release()
        return lists

    def _opened(self) -> Stream:
        """Return the stream; open it first where it is not."""
        if self._stream is None:
            self._stream = self._open(*self._at)
            self.job.count(BEST, self._stream.table_operations)
        return self._stream

    def _kept_lists(self, slack: int) -> _core.SearchLists | None:
        kept = self.scores.store.load(LISTS) if self.scores.store else None
        if kept is None or slack > int(kept[-1]):
            return None
        offsets, parents, scores, gaps, lowest, are_complete, reached = kept
        return _core.SearchLists((offsets, parents, scores, gaps, lowest, are_complete, int(reached)), self.scores.fraction_bits)

    def _new_lists(self, slack: int) -> _core.SearchLists:
        max_sets = self._max_first_sets() if slack == FIRST_SLACK else NO_LIMIT
        lists = _core.SearchLists(self.scores.native, slack, max_sets, self.job.num_threads, self.job.stage(LISTS))
        self.job.count(LISTS, lists.operations)
        if self.scores.store and self.scores.store.is_checkpoint:
            self.scores.store.save(LISTS, tuple(np.asarray(array) for array in lists.saved()))
        return lists

    def _max_first_sets(self) -> int:
        """Return how many parent sets of a variable are listed at first: an eighth of a table over all subsets, if memory has that."""
        n, memory = self.scores.num_variables, self.job.memory
        num_bytes = min(max((8 << n) // 8, n * LEAST_LISTED * BYTES_A_SET), memory // 8)
        return max(num_bytes // BYTES_A_SET // n, 1)

    def _place(self) -> tuple[_core.ScoreFile | None, int]:
        """Return where the table of best networks lives: its file, and, where it is in the file alone, the bytes of a cache."""
        n, store = self.scores.num_variables, self.scores.store
        require_table("best networks", n, self.job)
        cache_bytes = 0 if fits(n, self.job) else max(self.job.memory // 4, LEAST_CACHE)
        if n < _core.BLOCK_BITS or (not cache_bytes and not (store and store.is_checkpoint)):
            return None, 0
        self._store = store or Store.temporary()
        return self._store.table(BEST, n), cache_bytes

    def items(self, batch: Batch) -> list[Found]:
        """Return what a batch holds one by one."""
        raise NotImplementedError

    def log_masses(self, batch: Batch) -> NDArray[np.float64]:
        """Return the natural log of what each item of a batch weighs in the sum over all networks."""
        raise NotImplementedError

    def take(self, count: int) -> Batch:
        """Return the next `count`; fewer only when there are no more."""
        memory = self.job.memory
        try:
            batch = Batch(
                *self._with_lists(lambda stream: stream.take(count, memory * 9 // 10, self.job.num_threads, self.job.stage(self.what)))
            )
        except MemoryError:
            raise TooLargeError(
                f"{count} {self.what} need more than the {in_units(memory)} that are free. "
                "Ask for fewer (-k); 'dagmass plan' says what fits."
            ) from None
        self.num_taken += len(batch.scores)
        self.job.operations[self.what] = self._opened().num_states
        return batch

    def next_ties(self) -> bool:
        """Tell whether the next one scores exactly as much as the last one taken."""
        return self._with_lists(lambda stream: stream.next_ties(self.job.num_threads, self.job.stage(self.what)))

    def _with_lists(self, ask: Callable[[Stream], Answer]) -> Answer:
        """Ask the search; where its lists are too short and the scores are gone, begin again with longer ones where it stood."""
        while True:
            stream = self._opened()
            try:
                return ask(stream)
            except _core.ListsTooShort as error:
                self._at = int(str(error)), stream.position
            self._stream = None  # its table makes room for the scores, and so must this name
            del stream

    def __next__(self) -> Found:
        for item in self._chunk:
            return item
        self._chunk = iter(self.items(self.take(self._chunk_size)))
        self._chunk_size = min(2 * self._chunk_size, LARGEST_CHUNK)
        return next(self._chunk)


def _why_none(scores: LocalScores) -> str:
    lists = scores.gap_lists(0.0)
    without = [name for v, name in enumerate(scores.variables) if lists.offsets[v] == lists.offsets[v + 1]]
    if without:
        return f"There is no network: every parent set of {', '.join(map(repr, without))} is forbidden. Allow at least one."
    return "There is no network: the families that are allowed cannot be joined without a directed cycle. Allow more of them."
