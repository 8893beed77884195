"""Classes of equivalent networks. Goals for a machine with two cores."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from random_tables import random_table

from dagmass import Table, best_classes, best_networks, local_scores
from dagmass.graphs.equivalence import class_sizes, representatives
from dagmass.run.datasets import DATASETS


@pytest.mark.parametrize(("k", "goal"), [(1000, 0.2), (100_000, 3.0)])
def test_zoo(timed: Callable[..., Any], k: int, goal: float) -> None:
    scores = local_scores(Table.read(DATASETS["zoo"].path))
    batch = timed(goal, lambda: best_classes(scores).take(k))
    assert len({row.tobytes() for row in batch.parents}) == k
    networks = best_networks(scores).take(3 * 1000)
    seen = {row.tobytes() for row in representatives(networks.parents)}
    complete = {row.tobytes() for row, score in zip(batch.parents, batch.scores, strict=True) if score > networks.scores[-1]}
    assert complete <= seen  # whatever scores better than the last network has been met among the networks


def test_sizes_of_a_thousand_classes(timed: Callable[..., Any]) -> None:
    batch = best_classes(local_scores(Table.read(DATASETS["zoo"].path))).take(1000)
    sizes = timed(0.005, lambda: class_sizes(batch.parents), rounds=5)
    assert min(sizes) >= 1


def test_classes_of_24_variables(timed: Callable[..., Any]) -> None:
    """After the tables."""
    best = best_classes(local_scores(random_table(24, 1000)))
    batch = timed(0.5, lambda: best.take(100), rounds=1)
    assert len(batch.scores) == 100
    assert (np.diff(batch.scores) <= 0).all()


def complete_but_one() -> tuple[int, ...]:
    return (*((1 << v) - 1 for v in range(19)), (1 << 19) - 1 - 8)


def random_chordal(num_edges: int, seed: int) -> tuple[int, ...]:
    """Thirty variables, each joined to as many members of a clique as make about so many edges."""
    generator = random.Random(seed)
    width = next(w for w in range(1, 30) if 30 * w - w * (w + 1) // 2 >= num_edges)
    parents, cliques = [0], [[0]]
    for v in range(1, 30):
        clique = generator.choice([clique for clique in cliques if len(clique) >= min(v, width)])
        chosen = generator.sample(clique, min(len(clique), width))
        parents.append(sum(1 << u for u in chosen))
        cliques.append([*chosen, v])
    return tuple(parents)


@pytest.mark.parametrize("num_edges", [60, 120, 200, 300, 400])
def test_size_of_a_dense_class(timed: Callable[..., Any], num_edges: int) -> None:
    row = np.array([random_chordal(num_edges, num_edges)], dtype=np.uint64)
    print(f"{sum(int(p).bit_count() for p in row[0])} edges")
    assert timed(0.01, lambda: class_sizes(row), rounds=5)[0] > 1


def test_size_of_a_complete_graph_without_an_edge(timed: Callable[..., Any]) -> None:
    row = np.array([complete_but_one()], dtype=np.uint64)
    assert timed(0.01, lambda: class_sizes(row), rounds=5) == [2 * math.factorial(19) - math.factorial(18)]
