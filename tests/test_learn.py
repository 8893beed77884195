"""The figures of the paper (Table 1), and the packaged data."""

from __future__ import annotations

import math

import pytest

from dagmass import BDeu, InputError, Job, Table, learn, local_scores
from dagmass.run.datasets import DATASETS
from dagmass.run.source import resolve


@pytest.mark.parametrize(
    ("name", "k", "best", "log_lambda", "tied"),
    [
        ("iris", 900, -452.214297, math.log(2.07947e6), 1),
        ("nursery", 100, -125717.168109, math.log(2.06727e16), 2),
        ("tic-tac-toe", 1000, -9423.068333, math.log(3641.66), 104),
        ("zoo", 10, -642.258667, math.log(1.0889), 1),
        ("zoo", 100, -642.258667, math.log(1.51629), 1),
    ],
)
def test_table_1(name: str, k: int, best: float, log_lambda: float, tied: int) -> None:
    posterior = learn(name, k=k)
    assert round(float(posterior.log_scores[0]), 6) == best
    assert posterior.log_lambda == pytest.approx(log_lambda, abs=5e-6)
    assert int((posterior.scores == posterior.scores[0]).sum()) == tied


@pytest.mark.parametrize("threads", [2, 5])
def test_threads_give_the_same_bits(threads: int) -> None:
    one, many = learn("zoo", k=500, job=Job(threads=1)), learn("zoo", k=500, job=Job(threads=threads))
    assert one.parents.tolist() == many.parents.tolist()
    assert one.scores.tolist() == many.scores.tolist()


def test_best_zoo_network_cannot_be_improved_by_one_edge() -> None:
    table = Table.read(DATASETS["zoo"].path)
    scores = local_scores(table)
    best = learn(table, k=1)[1]
    for v, parents in enumerate(best.parents):
        own = scores.storage.score(v, parents)
        for u in range(table.num_variables):
            if parents >> u & 1:
                assert scores.storage.score(v, parents & ~(1 << u)) <= own


def test_packaged_data() -> None:
    for dataset in DATASETS.values():
        table = Table.read(dataset.path)
        assert (table.num_rows, table.num_variables + len(table.set_aside)) == (dataset.num_rows, dataset.num_columns)


def test_sources() -> None:
    table = Table.from_frame({"a": [0, 1, 0], "b": [0, 1, 1]})
    assert resolve(table) is table
    scores = local_scores(table)
    assert learn(scores, k=3).parents.tolist() == learn(table, k=3).parents.tolist()
    with pytest.raises(InputError, match=r"packaged data set 'zo'. Did you mean 'zoo'"):
        learn("zo")
    with pytest.raises(InputError, match="has been read already"):
        learn(table, drop=["a"])
    with pytest.raises(InputError, match="counts choose columns of a table"):
        learn(table, counts=0)
    with pytest.raises(InputError, match="scores are given already"):
        learn(scores, score=BDeu(2.0))
