"""Independent draws of networks from the exact posterior."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagmass import _core
from dagmass.checks import MAX_SEED, whole_number
from dagmass.errors import InputError
from dagmass.exact.sums import BYTES_A_FAMILY, require_memory
from dagmass.job import Job
from dagmass.scores.local_scores import LocalScores

BYTES_A_LISTED_FAMILY = 24  # families lie in the order in which they are drawn


class Sampler:
    """Draws networks independently, each with its posterior probability.

    The same seed gives the same networks, whatever the number of threads.
    """

    def __init__(self, scores: LocalScores, seed: int = 0, job: Job | None = None) -> None:
        self.seed = whole_number("seed", seed, 0, MAX_SEED)
        self.job = job or Job()
        require_memory(scores.num_variables, self.job, BYTES_A_FAMILY + BYTES_A_LISTED_FAMILY)
        self._tables = _core.Sampler(scores.native, self.job.num_threads, self.job.stage("tables for drawing"))
        if not self._tables.has_networks:
            raise InputError("There is no network to draw: the families that are allowed cannot be joined without a directed cycle.")
        self.num_drawn = 0

    def draw(self, count: int) -> NDArray[np.uint64]:
        """Return the parent varsets of the next draws, (network, variable)."""
        parents = self._tables.draw(self.seed, self.num_drawn, count, self.job.memory, self.job.num_threads, self.job.stage("draws"))
        self.num_drawn += count
        return parents
