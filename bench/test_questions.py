"""Questions to 100,000 networks of zoo. Goals for a machine with two cores."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dagmass import Network, Posterior, learn, load
from dagmass.posterior.tables import edge_averages, path_averages


@pytest.fixture(scope="module")
def posterior() -> Posterior:
    return learn("zoo", k=100_000)


def test_all_edges(timed: Callable[..., Any], posterior: Posterior) -> None:
    averages = timed(0.02, lambda: edge_averages(posterior), rounds=10)
    assert math.isclose(averages[3, 16], posterior.weights[(posterior.parents[:, 16] >> 3 & 1).astype(bool)].sum())


def test_all_paths(timed: Callable[..., Any], posterior: Posterior) -> None:
    averages = timed(0.3, lambda: path_averages(posterior), rounds=5)
    assert math.isclose(averages[3, 16], float(posterior.probability("path(milk, type)")), rel_tol=1e-9)


@pytest.mark.parametrize(
    "expression",
    [
        "path(milk, type) and not edge(type, milk)",
        "separated(eggs, legs | type, milk)",
        "blanket(type) >= {milk, feathers}",
        "v_structure(milk, type, eggs)",
    ],
)
def test_one_query(timed: Callable[..., Any], posterior: Posterior, expression: str) -> None:
    answer = timed(0.05, lambda: posterior.probability(expression), rounds=5)
    assert 0 <= answer.average <= 1


def test_load(timed: Callable[..., Any], posterior: Posterior, tmp_path: Path) -> None:
    posterior.save(tmp_path / "zoo.dagmass")
    assert (tmp_path / "zoo.dagmass").stat().st_size < 10_000_000
    print(f"\nsize {(tmp_path / 'zoo.dagmass').stat().st_size / 1e6:.2f} MB")
    assert timed(0.2, lambda: load(tmp_path / "zoo.dagmass")) == posterior
    assert isinstance(posterior[1], Network)
