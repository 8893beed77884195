"""From a table to the k best networks. Goals for a machine with two cores."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from letters import letter_table
from measure import MEGABYTE, peak_memory
from random_tables import random_table

from dagmass import Posterior, Table, best_networks, learn, local_scores
from dagmass.run.datasets import DATASETS


def from_table(table: Table, k: int) -> Posterior:
    """The main job, without reading and without the sums, which have benchmarks of their own."""
    return learn(table, k=k, evidence=False)


def test_zoo_100(timed: Callable[..., Any]) -> None:
    table = Table.read(DATASETS["zoo"].path)
    posterior = timed(0.15, lambda: from_table(table, 100))
    assert round(float(posterior.log_scores[0]), 6) == -642.258667
    assert math.isclose(posterior.lambda_, 1.51629, rel_tol=1e-5)


def test_zoo_100000(timed: Callable[..., Any]) -> None:
    table = Table.read(DATASETS["zoo"].path)
    posterior = timed(1.0, lambda: from_table(table, 100_000))
    rows = [tuple(parents) for parents in posterior.parents.tolist()]
    assert len(set(rows)) == 100_000
    assert (np.diff(posterior.scores) <= 0).all()


def test_letter_scores(timed: Callable[..., Any]) -> None:
    table = letter_table()
    scores = timed(1.0, lambda: local_scores(table))
    assert len(scores.storage.arrays[0]) == 1 << 17
    best = next(best_networks(scores))
    assert math.isclose(best.log_score, sum(scores.score(name, best.parents_of(name)) for name in scores.variables), rel_tol=1e-12)


def test_random_20(timed: Callable[..., Any]) -> None:
    table = random_table(20, 1000)
    before = peak_memory()
    posterior = timed(2.0, lambda: from_table(table, 100))
    assert len(posterior) == 100
    assert peak_memory() - before < 200 * MEGABYTE
