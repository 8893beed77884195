"""Up to thirty variables, up to ten million networks. Goals for a machine with two cores; sums over all networks are left out.

Each run is measured in a process of its own, and its answer checked: independent searches, textbook scores, local optimality.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from letters import letter_table
from measure import measure
from other_searches import best_by_all_tables, best_by_branching, is_locally_optimal, textbook_score
from random_tables import random_table

from dagmass import Table, best_networks, local_scores
from dagmass.run.datasets import DATASETS


@pytest.fixture
def checked(benchmark: Any) -> Callable[..., dict[str, Any]]:
    """Measure a run once, with two threads and with one; compare them, and seconds and megabytes with their goals."""

    def run(
        data: str, *options: str, goal: float, stage: str = "total", megabytes: float | None = None, above: str = "megabytes"
    ) -> dict[str, Any]:
        found = benchmark.pedantic(lambda: measure(data, *options), rounds=1)
        alone = measure(data, *options, "--threads", "1")
        assert all(found[name] == alone[name] for name in ("num_found", "best_score", "last_score", "checksum"))
        used = found["seconds"][stage]
        text = f"{used:.3f} s, {used / goal:.2f} of the goal {goal} s; one thread {alone['seconds'][stage]:.3f} s"
        if megabytes is not None:
            text += f"; {found[above]:.0f} MB, {found[above] / megabytes:.2f} of the goal {megabytes:.0f} MB"
        benchmark.extra_info["measured"] = text
        print(f"\n{data} {' '.join(options)}: {text}\n  operations {found['operations']}")
        return found

    return run


@pytest.mark.parametrize(
    ("n", "goal", "megabytes"),
    [(20, 0.4, 200), (25, 10.0, 1500), (28, 40.0, 3000), (30, 150.0, 10_000)],
)
def test_from_table_to_networks(checked: Callable[..., Any], n: int, goal: float, megabytes: float) -> None:
    found = checked(f"random:{n}:1000", "-k", "100", goal=goal, megabytes=megabytes)
    assert found["num_found"] == 100


@pytest.mark.parametrize(("data", "goal"), [("letter", 0.2), ("random:20:10000", 1.5), ("random:25:1000", 5.0)])
def test_all_set_functions(checked: Callable[..., Any], data: str, goal: float) -> None:
    checked(data, "-k", "1", goal=goal, stage="scores")


@pytest.mark.parametrize(
    ("data", "k", "goal", "megabytes"),
    [
        ("zoo", 1_000_000, 1.0, None),
        ("random:20:1000", 1_000_000, 1.5, 600),
        ("random:24:1000", 10_000, 1.0, None),
        ("random:25:1000", 10_000, 1.0, None),
        ("zoo", 10_000_000, 60.0, 3 * 2**30 / 1e6),
    ],
)
def test_many_networks(checked: Callable[..., Any], data: str, k: int, goal: float, megabytes: float | None) -> None:
    """After the tables."""
    found = checked(data, "-k", str(k), goal=goal, stage="search", megabytes=megabytes, above="megabytes_above_tables")
    assert found["num_found"] == k


def test_classes(checked: Callable[..., Any]) -> None:
    """After the tables."""
    assert checked("random:24:1000", "-k", "100", "--classes", goal=0.5, stage="search")["num_found"] == 100


def test_operations_grow_slowly() -> None:
    """By at most 2.3 for each variable more, in every stage up to the tables."""
    sizes = range(18, 25)
    counted = {n: measure(f"random:{n}:1000", "-k", "100")["operations"] for n in sizes}
    for stage in ("scores", "parent sets", "best networks"):
        growth = (counted[sizes[-1]][stage] / counted[sizes[0]][stage]) ** (1 / (len(sizes) - 1))
        print(f"\n{stage}: {growth:.2f} times as many operations a variable more")
        assert growth <= 2.3


@pytest.mark.parametrize(("n", "seed"), [(12, 1), (16, 2), (20, 1), (22, 1)])
def test_the_best_score_is_that_of_a_plain_recursion(n: int, seed: int) -> None:
    scores = local_scores(random_table(n, 1000, seed))
    assert best_networks(scores).best_score == best_by_all_tables(scores)


@pytest.mark.parametrize(("n", "bound"), [(20, 2), (26, 1), (30, 1), (30, 2)])
def test_the_best_score_with_few_parents_is_that_of_another_search(n: int, bound: int) -> None:
    table = random_table(n, 1000)
    found = best_networks(local_scores(table, max_parents=bound))
    assert found.best_score == best_by_branching(table, bound)


@pytest.mark.parametrize("source", ["zoo", "letter", "random 20", "random 24"])
def test_networks_score_what_the_textbook_says_and_the_best_is_locally_optimal(source: str) -> None:
    tables: dict[str, Callable[[], Table]] = {
        "zoo": lambda: Table.read(DATASETS["zoo"].path),
        "letter": letter_table,
        "random 20": lambda: random_table(20, 1000),
        "random 24": lambda: random_table(24, 1000),
    }
    table = tables[source]()
    scores = local_scores(table)
    batch = best_networks(scores).take(100)
    nats = np.ldexp(batch.scores.astype(float), -scores.fraction_bits)
    assert np.abs(nats - [textbook_score(table, row) for row in batch.parents.tolist()]).max() < 1e-6
    assert is_locally_optimal(scores, tuple(batch.parents[0].tolist()))
