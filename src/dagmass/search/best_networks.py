"""The stream of all networks, best first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagmass import _core
from dagmass.graphs.network import Network
from dagmass.job import Job
from dagmass.scores.fixed_point import to_nats
from dagmass.scores.local_scores import LocalScores
from dagmass.search.best_first import BEST, Batch, BestFirst, Position, Stream


class BestNetworks(BestFirst[Network]):
    """All networks in decreasing score, each once; equal scores by the parent varsets of the first variable, then the second, ..."""

    what = "networks"

    def _open(self, slack: int, position: Position) -> Stream:
        return _core.NetworkStream(self._lists(slack), position, *self._place(), self.job.num_threads, self.job.stage(BEST))

    def items(self, batch: Batch) -> list[Network]:
        """Return the networks of a batch one by one."""
        nats = to_nats(batch.scores, self.scores.fraction_bits)
        return [
            Network(self.scores.variables, tuple(map(int, parents)), float(score))
            for parents, score in zip(batch.parents, nats, strict=True)
        ]

    def log_masses(self, batch: Batch) -> NDArray[np.float64]:
        """Return the log scores."""
        return to_nats(batch.scores, self.scores.fraction_bits)


def best_networks(scores: LocalScores, job: Job | None = None) -> BestNetworks:
    """Return an iterator over all networks in decreasing score, each exactly once, ending after the last.

    Examples
    --------
    >>> scores = LocalScores.from_dict({"a": {(): -1.0}, "b": {(): -2.0, ("a",): -1.5}})
    >>> [str(network) for network in best_networks(scores)]
    ['[a][b|a]', '[a][b]']
    """
    return BestNetworks(scores, job)
