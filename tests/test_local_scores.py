"""The hub: both storages answer the same questions."""

from __future__ import annotations

import math
from typing import Any

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import coded_tables, local_score_tables

from dagmass import InputError, LocalScores, Table, TooLargeError, best_networks, local_scores
from dagmass.scores.fixed_point import IMPOSSIBLE, to_nats


def listed_copy(scores: LocalScores) -> LocalScores:
    """The same scores in the other storage."""
    families = [
        {int(p): float(s) for p, s in zip(parents, to_nats(units, scores.fraction_bits), strict=True)}
        for _, parents, units in scores.families()
    ]
    return LocalScores.from_families(scores.variables, families)


@given(local_score_tables(max_variables=5), st.sampled_from([0.0, 0.5, 3.0, math.inf]))
@settings(max_examples=60)
def test_gap_lists_equal_their_definition(scores: LocalScores, gap: float) -> None:
    lists = scores.gap_lists(gap)
    slack = int(min(math.ldexp(gap, scores.fraction_bits), -IMPOSSIBLE // 4))
    for v in range(scores.num_variables):
        rows = slice(int(lists.offsets[v]), int(lists.offsets[v + 1]))
        found = list(zip(lists.scores[rows].tolist(), lists.parents[rows].tolist(), lists.gaps[rows].tolist(), strict=True))
        assert found == oracle.gap_lists(scores, v, slack)


@given(coded_tables(max_variables=5), st.sampled_from([0, 1, 2, None]))
@settings(max_examples=30)
def test_both_storages_give_the_same_networks(table: Table, max_parents: int | None) -> None:
    scores = local_scores(table, max_parents=max_parents)
    listed = listed_copy(scores)
    ours, theirs = best_networks(scores).take(300), best_networks(listed).take(300)
    assert ours.parents.tolist() == theirs.parents.tolist()


@given(coded_tables(max_variables=4), st.integers(0, 3))
@settings(max_examples=30)
def test_bounded_parents_equal_filtered_scores(table: Table, max_parents: int) -> None:
    bounded, full = local_scores(table, max_parents=max_parents), local_scores(table)
    expected = [(s, dag) for s, dag in oracle.networks_best_first(full) if max(p.bit_count() for p in dag) <= max_parents]
    found = best_networks(bounded).take(1000)
    assert [(s, tuple(p)) for s, p in zip(found.scores.tolist(), found.parents.tolist(), strict=True)] == expected


def test_bounds_by_variable() -> None:
    table = Table.from_frame({"a": [0, 1, 0, 1], "b": [0, 1, 0, 1], "c": [0, 1, 1, 1]})
    scores = local_scores(table, max_parents={"a": 0})
    assert scores.score("a", ["b"]) == -math.inf
    assert scores.score("b", ["a", "c"]) > -math.inf


@given(local_score_tables(max_variables=4))
@settings(max_examples=30)
def test_best_parents_is_the_best_subset(scores: LocalScores) -> None:
    for v, name in enumerate(scores.variables):
        others = [other for other in scores.variables if other != name]
        found = scores.best_parents(name, others)[1]
        everything = sum(1 << u for u in range(scores.num_variables) if u != v)
        best = max(scores.storage.score(v, subset) for subset in oracle.subsets(everything))
        assert found == to_nats(best, scores.fraction_bits)


def test_names_that_are_alike_as_text_are_refused() -> None:
    with pytest.raises(InputError, match="must differ as text, got 1, 'a', '1'"):
        LocalScores.from_dict({1: {(): -1.0}, "a": {(): -1.0}, "1": {(): -2.0}})  # type: ignore[dict-item]


def test_from_dict_takes_names() -> None:
    scores = LocalScores.from_dict({"a": {(): -1.0}, "b": {(): -2.0, ("a",): -math.inf}})
    assert scores.score("b", []) == -2.0
    assert scores.score("b", ["a"]) == -math.inf
    assert scores.score("a", ["b"]) == -math.inf
    assert scores.is_score_equivalent is None


def test_equal_scores_are_equal() -> None:
    table = Table.from_frame({"a": [0, 1, 0, 1], "b": [0, 1, 1, 1]})
    assert local_scores(table) == local_scores(table)
    assert local_scores(table) != local_scores(table, max_parents=0)


@pytest.mark.parametrize(
    ("families", "message"),
    [
        ({"a": {(): math.nan}, "b": {(): 0.0}}, "natural logs"),
        ({"a": {(): math.inf}, "b": {(): 0.0}}, "natural logs"),
        ({"a": {(): -1e100}, "b": {(): 0.0}}, "left out|leaving it out"),
        ({"a": {("b", "c"): 0.0, ("c", "b"): 1.0}, "b": {(): 0.0}, "c": {(): 0.0}}, "listed twice"),
        ({"a": {("a",): 0.0}, "b": {(): 0.0}}, "own parent"),
        ({"a": {("x",): 0.0}, "b": {(): 0.0}}, "no variable 'x'"),
        ({"a": {(): 0.0}}, "two variables"),
        ({"a": {(): "-1"}, "b": {(): 0.0}}, r"Scores must be numbers; 'a' with parents \[\] has '-1'"),
        ({"a": {(): None}, "b": {(): 0.0}}, "Scores must be numbers"),
        ({"a": {None: 0.0}, "b": {(): 0.0}}, "names in a tuple, .* got None"),
        ({"a": None, "b": {(): 0.0}}, "families of 'a' must be a dict"),
        ("scores", "must be a dict {variable: {parents: score}}, got 'scores'"),
        (None, "must be a dict"),
    ],
)
def test_bad_families_are_refused(families: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        LocalScores.from_dict(families)


def test_a_single_parent_may_stand_alone() -> None:
    scores = LocalScores.from_dict({"age": {(): -1.0}, 7: {(): -2.0, "age": -1.5}})  # type: ignore[dict-item]
    assert scores.score("7", ["age"]) == -1.5


def test_too_many_variables_name_what_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = Table.from_frame({f"v{v}": [0, 1, v % 2] for v in range(33)})
    with pytest.raises(TooLargeError, match="33 variables are too many"):
        local_scores(wide)
    monkeypatch.setattr("dagmass.job.available_memory", lambda: 1 << 20)
    with pytest.raises(TooLargeError, match="At most 17 variables fit"):
        local_scores(Table.from_frame({f"v{v}": [0, 1, v % 2] for v in range(20)}))
    chain = {f"v{v}": {(): 0.0} for v in range(27)}
    with pytest.raises(TooLargeError, match="At most 17 variables fit"):
        best_networks(LocalScores.from_dict(chain))
