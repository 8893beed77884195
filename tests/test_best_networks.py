"""The stream of networks against the sorted list of all of them."""

from __future__ import annotations

from itertools import islice

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import NAMES, local_score_tables

from dagmass import InputError, Job, LocalScores, best_networks
from dagmass.scores.fixed_point import to_nats


def test_oracle_counts_all_dags() -> None:
    assert [len(oracle.all_dags(n)) for n in range(1, 6)] == [1, 3, 25, 543, 29281]


@given(local_score_tables(max_variables=4))
@settings(max_examples=150)
def test_stream_is_the_sorted_list_of_all_dags(scores: LocalScores) -> None:
    expected = oracle.networks_best_first(scores)
    if not expected:
        with pytest.raises(InputError, match="There is no network"):
            best_networks(scores)
        return
    batch = best_networks(scores).take(1000)
    assert [(s, tuple(p)) for s, p in zip(batch.scores.tolist(), batch.parents.tolist(), strict=True)] == expected


@given(local_score_tables(min_variables=5, max_variables=5))
@settings(max_examples=6)
def test_stream_of_five_variables(scores: LocalScores) -> None:
    expected = oracle.networks_best_first(scores)
    if expected:
        batch = best_networks(scores).take(30000)
        assert [(s, tuple(p)) for s, p in zip(batch.scores.tolist(), batch.parents.tolist(), strict=True)] == expected


@given(local_score_tables(max_variables=4), st.lists(st.integers(1, 40), min_size=1, max_size=5))
@settings(max_examples=50)
def test_parts_of_the_stream_join(scores: LocalScores, counts: list[int]) -> None:
    expected = oracle.networks_best_first(scores)
    if not expected:
        return
    best = best_networks(scores)
    taken = 0
    for count in counts:
        batch = best.take(count)
        assert [tuple(p) for p in batch.parents.tolist()] == [dag for _, dag in expected[taken : taken + count]]
        taken = min(taken + count, len(expected))
        assert best.next_ties() == (taken < len(expected) and expected[taken][0] == expected[taken - 1][0])


def test_iterating_gives_networks() -> None:
    scores = LocalScores.from_dict({"a": {(): -1.0, ("b",): -3.0}, "b": {(): -2.0, ("a",): -1.5}})
    found = list(best_networks(scores))
    assert [str(network) for network in found] == ["[a][b|a]", "[a][b]", "[a|b][b]"]
    assert [network.log_score for network in found] == [-2.5, -3.0, -5.0]


@pytest.mark.parametrize("n", [7, 10])
def test_many_ties_come_in_canonical_order(n: int) -> None:
    """With all scores equal, the first networks fill the parents of the last variables first."""
    families = [{p: 0.0 for p in range(1 << n) if not p >> v & 1} for v in range(n)]
    names = tuple(f"v{v}" for v in range(n))
    batch = best_networks(LocalScores.from_families(names, families)).take(200)
    expected = [(0,) * (n - 1) + (p,) for p in range(1 << (n - 1))]
    assert [tuple(p) for p in batch.parents.tolist()][: len(expected)] == expected[:200]
    rows = [tuple(p) for p in batch.parents.tolist()]
    assert rows == sorted(set(rows))


@pytest.mark.parametrize("n", [13, 14])
def test_more_than_one_block_of_the_tables(n: int) -> None:
    """A chain that is known: past twelve variables the tables are built from several blocks."""
    families = [{0: -5.0} | {1 << p: -1.0 if p == v - 1 else -9.0 for p in range(n) if p != v} for v in range(n)]
    best = next(best_networks(LocalScores.from_families(tuple(f"v{v}" for v in range(n)), families)))
    assert best.parents == (0, *(1 << v for v in range(n - 1)))
    assert best.log_score == -5.0 - (n - 1)


@given(local_score_tables(max_variables=4), st.sampled_from([2, 5]))
@settings(max_examples=20)
def test_threads_do_not_matter(scores: LocalScores, threads: int) -> None:
    if oracle.networks_best_first(scores):
        one, many = (best_networks(scores, Job(threads=count)).take(50) for count in (1, threads))
        assert np.array_equal(one.parents, many.parents)
        assert np.array_equal(one.scores, many.scores)


@given(local_score_tables(max_variables=4), st.randoms(use_true_random=False))
@settings(max_examples=50)
def test_renaming_variables_permutes_the_answer(scores: LocalScores, random: object) -> None:
    n = scores.num_variables
    order = list(range(n))
    random.shuffle(order)  # type: ignore[attr-defined]

    def renamed(varset: int) -> int:
        return sum(1 << order[v] for v in range(n) if varset >> v & 1)

    families: list[dict[int, float]] = [{} for _ in range(n)]
    for v, parents, units in scores.families():
        nats = to_nats(units, scores.fraction_bits)
        families[order[v]] = {renamed(int(p)): float(s) for p, s in zip(parents, nats, strict=True)}
    permuted = LocalScores.from_families(NAMES[:n], families)
    if oracle.networks_best_first(scores):
        originals = {tuple(renamed(network.parents[order.index(v)]) for v in range(n)) for network in best_networks(scores)}
        found = best_networks(permuted).take(1000)
        assert {tuple(p) for p in found.parents.tolist()} == originals
        assert found.scores.tolist() == best_networks(scores).take(1000).scores.tolist()


def test_a_variable_without_families_is_named() -> None:
    with pytest.raises(InputError, match="every parent set of 'b' is forbidden"):
        best_networks(LocalScores.from_dict({"a": {(): 0.0}, "b": {}}))


def test_families_that_only_make_cycles_are_refused() -> None:
    with pytest.raises(InputError, match="without a directed cycle"):
        best_networks(LocalScores.from_dict({"a": {("b",): 0.0}, "b": {("a",): 0.0}}))


def test_the_stream_is_lazy() -> None:
    scores = LocalScores.from_dict({name: {(): 0.0, **{(other,): -1.0 for other in NAMES if other != name}} for name in NAMES})
    assert [network.log_score for network in islice(best_networks(scores), 3)] == [0.0, -1.0, -1.0]
