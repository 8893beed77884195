"""The searches against other exact methods, where enumeration cannot go."""

from __future__ import annotations

import numpy as np
import pytest
from other_searches import best_by_all_tables, best_by_branching, is_locally_optimal, textbook_score
from random_tables import random_table

from dagmass import Table, best_networks, local_scores
from dagmass.run.datasets import DATASETS


@pytest.mark.parametrize(("n", "seed"), [(9, 1), (13, 2), (15, 3)])
def test_the_best_score_is_that_of_a_plain_recursion(n: int, seed: int) -> None:
    scores = local_scores(random_table(n, 300, seed))
    assert best_networks(scores).best_score == best_by_all_tables(scores)


@pytest.mark.parametrize(("n", "bound"), [(10, 2), (14, 1), (20, 1)])
def test_the_best_score_with_few_parents_is_that_of_another_search(n: int, bound: int) -> None:
    table = random_table(n, 300)
    assert best_networks(local_scores(table, max_parents=bound)).best_score == best_by_branching(table, bound)


def test_networks_score_what_the_textbook_says_and_the_best_is_locally_optimal() -> None:
    table = Table.read(DATASETS["zoo"].path)
    scores = local_scores(table)
    batch = best_networks(scores).take(30)
    nats = np.ldexp(batch.scores.astype(float), -scores.fraction_bits)
    assert np.abs(nats - [textbook_score(table, row) for row in batch.parents.tolist()]).max() < 1e-8
    assert is_locally_optimal(scores, tuple(batch.parents[0].tolist()))
