"""The stream of all networks, best first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagmass import _core
from dagmass.errors import InputError, TooLargeError
from dagmass.graphs.network import Network
from dagmass.job import Job, in_units
from dagmass.scores.fixed_point import IMPOSSIBLE, to_nats
from dagmass.scores.local_scores import LocalScores, largest_countable

LARGEST_CHUNK = 1024


class Batch(NamedTuple):
    """Some networks of a stream, in its order."""

    scores: NDArray[np.int64]  # in units
    parents: NDArray[np.uint64]  # (network, variable): parent varsets


class BestNetworks(Iterator[Network]):
    """All networks in decreasing score, each once; equal scores by the parent varsets of the first variable, then the second, ...

    Networks are found when they are asked for. Iterate, or `take` many at once.
    """

    def __init__(self, scores: LocalScores, job: Job | None = None) -> None:
        self.scores = scores
        self.job = job or Job()
        n = scores.num_variables
        self.job.require(
            8 << n,
            f"{n} variables need a table of best networks of",
            f"At most {largest_countable(self.job)} variables fit. Drop some (drop=, --drop).",
        )
        self._stream = _core.NetworkStream(scores.native, self.job.num_threads, self.job.stage("best network"))
        if self._stream.best_score == IMPOSSIBLE:
            raise InputError(_why_none(scores))
        self.num_taken = 0
        self._chunk: Iterator[Network] = iter(())
        self._chunk_size = 1

    def take(self, count: int) -> Batch:
        """Return the next `count` networks; fewer only when there are no more."""
        memory = self.job.memory
        try:
            batch = Batch(*self._stream.take(count, memory * 9 // 10, self.job.num_threads, self.job.stage("networks")))
        except MemoryError:
            raise TooLargeError(
                f"{count} networks need more than the {in_units(memory)} that are free. Ask for fewer (-k); 'dagmass plan' says what fits."
            ) from None
        self.num_taken += len(batch.scores)
        return batch

    def next_ties(self) -> bool:
        """Tell whether the next network scores exactly as much as the last one taken."""
        return self._stream.next_ties(self.job.num_threads, self.job.stage("networks"))

    def __next__(self) -> Network:
        for network in self._chunk:
            return network
        self._chunk = iter(self.networks(self.take(self._chunk_size)))
        self._chunk_size = min(2 * self._chunk_size, LARGEST_CHUNK)
        return next(self._chunk)

    def networks(self, batch: Batch) -> list[Network]:
        """Return the networks of a batch one by one."""
        nats = to_nats(batch.scores, self.scores.fraction_bits)
        return [
            Network(self.scores.variables, tuple(map(int, parents)), float(score))
            for parents, score in zip(batch.parents, nats, strict=True)
        ]


def best_networks(scores: LocalScores, job: Job | None = None) -> BestNetworks:
    """Return an iterator over all networks in decreasing score, each exactly once, ending after the last.

    Examples
    --------
    >>> scores = LocalScores.from_dict({"a": {(): -1.0}, "b": {(): -2.0, ("a",): -1.5}})
    >>> [str(network) for network in best_networks(scores)]
    ['[a][b|a]', '[a][b]']
    """
    return BestNetworks(scores, job)


def _why_none(scores: LocalScores) -> str:
    lists = scores.gap_lists(0.0)
    without = [name for v, name in enumerate(scores.variables) if lists.offsets[v] == lists.offsets[v + 1]]
    if without:
        return f"There is no network: every parent set of {', '.join(map(repr, without))} is forbidden. Allow at least one."
    return "There is no network: the families that are allowed cannot be joined without a directed cycle. Allow more of them."
