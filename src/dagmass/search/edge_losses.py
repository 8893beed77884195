"""How far the best network with each edge lies below the best of all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagmass import _core
from dagmass.job import Job
from dagmass.scores.fixed_point import IMPOSSIBLE, to_nats
from dagmass.scores.local_scores import LocalScores

LARGEST = 20  # variables for which this takes a fraction of a second


def edge_losses(scores: LocalScores, job: Job | None = None) -> NDArray[np.float64]:
    """Return, for a → b at [a, b], the nats from the best network to the best one with that edge; infinite where there is none."""
    job = job or Job()
    losses = _core.losses_of_edges(scores.native, job.num_threads, job.stage("best with each edge"))
    return np.where(losses >= -IMPOSSIBLE // 2, np.inf, to_nats(losses, scores.fraction_bits))
