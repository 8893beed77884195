"""Sums over every network, on one thread. Goals for a machine with two cores."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from letters import letter_table
from random_tables import random_table

from dagmass import Exact, Job, LocalScores, Table, _core, exact, local_scores, sample
from dagmass.run.datasets import DATASETS

ONE_THREAD = Job(threads=1)
TABLES = {
    "zoo": lambda: Table.read(DATASETS["zoo"].path),
    "letter": letter_table,
    "random 17": lambda: random_table(17, 1000),
    "random 20": lambda: random_table(20, 1000),
    "random 22": lambda: random_table(22, 1000),
}


def scores_of(name: str) -> LocalScores:
    return local_scores(TABLES[name]())


def check_paths_from_draws(scores: LocalScores, found: Exact) -> None:
    """What cannot be listed is drawn: the exact posteriors lie within a few standard errors of 2000 draws."""
    drawn = sample(scores, 2000, seed=1)
    exact_paths = found.paths()["probability"].to_numpy()
    error = np.sqrt(np.maximum(exact_paths * (1 - exact_paths), 1e-4) / 2000)
    assert (np.abs(drawn.paths()["average"].to_numpy() - exact_paths) / error).max() < 5.5


@pytest.mark.parametrize(("name", "goal"), [("zoo", 0.015), ("random 17", 0.015), ("random 20", 0.25), ("random 22", 2.0), ("letter", 0.1)])
def test_evidence(timed: Callable[..., Any], name: str, goal: float) -> None:
    scores = scores_of(name)
    found = timed(goal, lambda: _core.exact(scores.native, 0, 0, False, 1, None), 5)
    print(f"{found[5]:.3g} terms, error bound {found[1]:.2g}")
    other_way = 2 if found[3] == 1 else 1
    if name in ("zoo", "letter", "random 17"):
        again = _core.exact(scores.native, other_way, 0, False, 1, None)
        assert abs(again[0] - found[0]) <= again[1] + found[1]


@pytest.mark.parametrize(("name", "goal"), [("zoo", 0.06), ("random 17", 0.06), ("letter", 0.1), ("random 20", 1.0)])
def test_everything(timed: Callable[..., Any], name: str, goal: float) -> None:
    scores = scores_of(name)

    def everything() -> tuple[Exact, list[Any]]:
        found = exact(scores, job=ONE_THREAD)
        return found, [found.family_probabilities(v) for v in range(len(found.variables))]

    found, families = timed(goal, everything, 5)
    for probabilities in families:
        assert math.isclose(probabilities.sum(), 1.0, abs_tol=1e-6)
    if name != "random 20":
        check_paths_from_draws(scores, found)


def test_ten_thousand_draws(timed: Callable[..., Any]) -> None:
    scores = scores_of("zoo")
    averages = timed(3.0, lambda: sample(scores, 10_000, seed=1, job=ONE_THREAD).edge_averages)
    assert np.abs(averages - exact(scores).edge_probabilities).max() < 5 * 0.5 / 100
