"""The figures of the paper (Table 1), and the packaged data."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dagmass import BDeu, InputError, Job, LocalScores, Table, learn, local_scores, plan, sample
from dagmass.run.datasets import DATASETS
from dagmass.run.source import resolve
from dagmass.show.contract import learn_json


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


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    table = Table.from_frame({"a": [0, 1, 0, 1], "b": [0, 1, 1, 1], "c": [0, 0, 1, 1]})
    plain = learn(table, k=5, score=BDeu(2.0), max_parents={"a": 1}, job=Job(threads=2))
    numpy = learn(
        table,
        k=np.int64(5),  # type: ignore[arg-type]
        score=BDeu(np.float32(2)),  # type: ignore[arg-type]
        max_parents={"a": np.int8(1)},  # type: ignore[dict-item]
        job=Job(threads=np.int32(2)),  # type: ignore[arg-type]
    )
    assert numpy == plain
    assert json.dumps(learn_json(numpy)["score"]) == json.dumps(learn_json(plain)["score"])
    assert numpy.more(np.int64(2)).k == 7  # type: ignore[arg-type]
    numpy.save(tmp_path / "a.dagmass")
    drawn = sample(plain.origin.scores(), np.int64(3), np.uint8(1))  # type: ignore[arg-type]
    assert drawn == sample(plain.origin.scores(), 3, 1)
    numpy_bound = learn(table, k=5, max_parents=np.int64(1))  # type: ignore[arg-type]
    assert numpy_bound == learn(table, k=5, max_parents=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": "5"}, "k must be a whole number, got '5'"),
        ({"k": 5.0}, "k must be a whole number"),
        ({"score": "BDeu"}, r"score must be a score such as BDeu\(ess=1.0\), got 'BDeu'"),
        ({"max_parents": "2"}, "max_parents must be at least 0, a whole number, got '2'"),
        ({"max_parents": {"hair": None}}, "got None for 'hair'"),
        ({"max_parents": {0: 1}}, "There is no variable '0'"),
    ],
)
@pytest.mark.parametrize("run", [learn, plan])
def test_options_of_the_wrong_type_are_refused(run: Callable[..., object], options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run("zoo", **options)


def test_values_of_the_wrong_type_are_refused() -> None:
    with pytest.raises(InputError, match="a whole number, got '2'"):
        Job(threads="2")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="must be a positive number, got 'one'"):
        BDeu("one")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="seed must be a whole number"):
        sample(LocalScores.from_dict({"a": {(): 0.0}, "b": {(): 0.0}}), 3, 1.5)  # type: ignore[arg-type]
    for source in (None, 7, [1, 2], b"zoo", {}, {"a": None}, object()):
        with pytest.raises(InputError):
            learn(source)
    with pytest.raises(InputError, match="read from its path, got NoneType"):
        Table.read(None)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="cannot be read: embedded null"):
        Table.read("a\0.csv")
