"""BDeu against the textbook, and the fast counting against its definition."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import oracle
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_tables import random_table
from strategies import coded_tables

from dagmass import BDeu, InputError, Job, Table, _core, best_networks, local_scores
from dagmass.graphs.varset import members, varset_of
from dagmass.scores.bdeu import WantedSets

ESS = st.sampled_from([1e-6, 0.1, 1.0, 7.5, 1e4, 1e12])


def set_function(table: Table, ess: float, threads: int = 1, max_size: int | None = None) -> np.ndarray:
    score = BDeu(ess)
    wanted = WantedSets(max_size or table.num_variables, np.zeros(0, dtype=np.uint64))
    return score.set_function(table, wanted, score.fraction_bits(table), Job(threads=threads))


def definition(table: Table, ess: float, varset: int) -> int:
    score = BDeu(ess)
    return _core.bdeu_of_set(*table.merged, table.num_levels, ess, score.fraction_bits(table), varset)


@given(coded_tables(max_variables=4, max_rows=30), ESS)
@settings(max_examples=40)
def test_families_equal_the_textbook(table: Table, ess: float) -> None:
    scores = local_scores(table, BDeu(ess))
    tolerance = max(1e-8, 2 * table.num_rows * 2.0 ** -(scores.fraction_bits + 1))
    for v, name in enumerate(table.variables):
        others = [u for u in range(table.num_variables) if u != v]
        for size in range(len(others) + 1):
            for parents in combinations(others, size):
                found = scores.score(name, [table.variables[p] for p in parents])
                assert abs(found - oracle.bdeu(table, v, parents, ess)) <= tolerance


@given(coded_tables(max_variables=8, max_rows=200), ESS)
@settings(max_examples=60)
def test_fast_counting_equals_the_definition(table: Table, ess: float) -> None:
    values = set_function(table, ess)
    assert values.tolist() == [definition(table, ess, varset) for varset in range(1 << table.num_variables)]


@pytest.mark.parametrize("levels", [[2] * 10, [40, 3, 2, 2, 70, 2], [100, 90, 80], [3] * 8, [65, 2]])
def test_any_number_of_levels(levels: list[int]) -> None:
    generator = np.random.default_rng(len(levels))
    codes = generator.integers(0, np.array(levels)[:, None], size=(len(levels), 500))
    codes[-1] = codes[0] % levels[-1]
    table = Table(
        tuple(f"v{v}" for v in range(len(levels))),
        tuple(tuple(map(str, range(count))) for count in levels),
        codes.astype(np.uint16),
        np.ones(500, dtype=np.uint32),
    )
    values = set_function(table, 1.0)
    assert values.tolist() == [definition(table, 1.0, varset) for varset in range(1 << len(levels))]


@given(coded_tables(max_variables=7, max_rows=100), st.integers(1, 6))
@settings(max_examples=30)
def test_bounded_sizes_are_the_same_sets(table: Table, max_size: int) -> None:
    bounded, full = set_function(table, 1.0, max_size=max_size), set_function(table, 1.0)
    small = [varset for varset in range(len(full)) if varset.bit_count() <= max_size]
    assert bounded[small].tolist() == full[small].tolist()


@pytest.fixture(params=list(enumerate(["baseline", "AVX2", "AVX-512"])), ids=lambda param: param[1])
def vector_level(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run at a level of vector instructions; one that this machine lacks is skipped by name."""
    level, name = request.param
    if level > _core.supported_vector_level():
        pytest.skip(f"this machine has no {name}")
    _core.set_vector_level(level)
    yield
    _core.set_vector_level(_core.supported_vector_level())


@pytest.mark.usefixtures("vector_level")
@given(coded_tables(max_variables=8, max_rows=200))
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_vector_level_counts_by_definition_on_any_threads(table: Table) -> None:
    expected = [definition(table, 1.0, varset) for varset in range(1 << table.num_variables)]
    for threads in (1, 2, 5):
        assert set_function(table, 1.0, threads).tolist() == expected


@pytest.mark.usefixtures("vector_level")
def test_every_vector_level_finds_the_same_networks() -> None:
    table = random_table(16, 400)
    batch = best_networks(local_scores(table)).take(200)
    _core.set_vector_level(0)
    again = best_networks(local_scores(table)).take(200)
    assert np.array_equal(batch.parents, again.parents)
    assert np.array_equal(batch.scores, again.scores)


@given(coded_tables(max_variables=4), ESS)
@settings(max_examples=20)
def test_equivalent_networks_score_identically(table: Table, ess: float) -> None:
    scores = local_scores(table, BDeu(ess))
    by_class: dict[object, set[int]] = {}
    for dag in oracle.all_dags(table.num_variables):
        by_class.setdefault(oracle.skeleton_and_v_structures(dag), set()).add(oracle.score(scores, dag))
    assert all(len(found) == 1 for found in by_class.values())


@given(coded_tables(max_variables=6), st.randoms(use_true_random=False))
@settings(max_examples=20)
def test_names_and_their_order_do_not_matter(table: Table, random: object) -> None:
    order = list(range(table.num_variables))
    random.shuffle(order)  # type: ignore[attr-defined]
    permuted = Table(
        tuple(table.variables[v] for v in order),
        tuple(table.levels[v] for v in order),
        np.ascontiguousarray(table.codes[order]),
        table.weights,
    )
    original, moved = set_function(table, 1.0), set_function(permuted, 1.0)
    assert all(moved[varset] == original[varset_of(order[v] for v in members(varset))] for varset in range(len(moved)))


def test_one_large_group_of_equal_rows() -> None:
    table = Table(("a", "b"), (("0", "1"),) * 2, np.array([[0, 1], [0, 1]], dtype=np.uint16), np.array([10**6, 5], dtype=np.uint32))
    scores = local_scores(table)
    exact = float(oracle.bdeu(table, 1, (0,), 1.0))
    assert scores.score("b", ["a"]) == pytest.approx(exact, rel=1e-12, abs=2 * table.num_rows * 2.0**-scores.fraction_bits)


@pytest.mark.parametrize("ess", [0.0, -1.0, float("nan"), float("inf"), 5e-324, 1e300])
def test_ess_must_be_positive(ess: float) -> None:
    with pytest.raises(InputError, match="equivalent sample size"):
        BDeu(ess)
