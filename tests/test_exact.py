"""Sums over all networks and orders: against listing them all, and against 60 digits."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import NAMES, local_score_tables

from dagmass import Constraints, InputError, LocalScores, Table, TooLargeError, _core, exact, learn, local_scores
from dagmass.exact.counting import num_networks
from dagmass.exact.sums import PROMISE, Exact
from dagmass.job import Job
from dagmass.run.datasets import DATASETS
from dagmass.show.numbers import rounded_up, with_error

FULL_PRECISION = 1e-12
WAYS = ("dense", "sparse")
PRECISIONS = ("double", "double-double")


def has_networks(scores: LocalScores) -> bool:
    return bool(oracle.networks_best_first(scores))


def q_of(found: Exact, v: int, non_descendants: int) -> float:
    index = (non_descendants & ((1 << v) - 1)) | (non_descendants >> (v + 1) << v)
    assert found._q is not None
    return float(found._q[v, index])


def check_against_listing(scores: LocalScores, found: Exact) -> None:
    """Evidence, edges, paths, families and non-descendants."""
    n = scores.num_variables
    listed = oracle.sums(scores)
    assert found.log_evidence == pytest.approx(listed.log_evidence, rel=1e-15, abs=FULL_PRECISION)
    assert found.path_probabilities is not None
    for a in range(n):
        families = found.family_probabilities(a)
        for b in range(n):
            if a != b:
                edge = listed.share(lambda dag, a=a, b=b: bool(dag[b] >> a & 1))  # type: ignore[misc]
                path = listed.share(lambda dag, a=a, b=b: bool(oracle.descendants(dag, a) >> b & 1))  # type: ignore[misc]
                assert found.edge_probabilities[a, b] == pytest.approx(edge, abs=FULL_PRECISION)
                assert found.path_probabilities[a, b] == pytest.approx(path, abs=FULL_PRECISION)
        for index in range(1 << (n - 1)):
            varset = (index & ((1 << a) - 1)) | (index >> a << (a + 1))
            family = listed.share(lambda dag, a=a, p=varset: dag[a] == p)  # type: ignore[misc]
            outside = ((1 << n) - 1) & ~(1 << a) & ~varset
            q = listed.share(lambda dag, a=a, d=outside: oracle.descendants(dag, a) == d)  # type: ignore[misc]
            assert families[index] == pytest.approx(family, abs=FULL_PRECISION)
            assert q_of(found, a, varset) == pytest.approx(q, abs=FULL_PRECISION)


@given(local_score_tables(max_variables=4), st.sampled_from(PRECISIONS))
@settings(max_examples=60)
def test_sums_equal_the_listing_of_all_networks(scores: LocalScores, arithmetic: str) -> None:
    if not has_networks(scores):
        with pytest.raises(InputError, match="There is no network"):
            exact(scores)
        return
    check_against_listing(scores, exact(scores, arithmetic=arithmetic))  # type: ignore[arg-type]


@given(local_score_tables(min_variables=5, max_variables=5))
@settings(max_examples=4)
def test_sums_of_five_variables(scores: LocalScores) -> None:
    if has_networks(scores):
        check_against_listing(scores, exact(scores))


@given(local_score_tables(max_variables=4))
@settings(max_examples=40)
def test_sums_over_orders_equal_their_listing(scores: LocalScores) -> None:
    if has_networks(scores):
        check_against_orders(scores)


@given(local_score_tables(min_variables=5, max_variables=5))
@settings(max_examples=3)
def test_sums_over_orders_of_five_variables(scores: LocalScores) -> None:
    if has_networks(scores):
        check_against_orders(scores)


def check_against_orders(scores: LocalScores) -> None:
    """Evidence, edges and families, where a network counts once for each order that it agrees with."""
    found, listed = exact(scores, over="orders"), oracle.sums(scores, "orders")
    n = scores.num_variables
    assert found.log_evidence == pytest.approx(listed.log_evidence, rel=1e-15, abs=FULL_PRECISION)
    for v in range(n):
        for index, probability in enumerate(found.family_probabilities(v)):
            varset = (index & ((1 << v) - 1)) | (index >> v << (v + 1))
            assert probability == pytest.approx(listed.share(lambda dag, v=v, p=varset: dag[v] == p), abs=FULL_PRECISION)  # type: ignore[misc]
        for u in range(n):
            if u != v:
                edge = listed.share(lambda dag, u=u, v=v: bool(dag[v] >> u & 1))  # type: ignore[misc]
                assert found.edge_probabilities[u, v] == pytest.approx(edge, abs=FULL_PRECISION)
    with pytest.raises(InputError, match="do not know the probability of paths"):
        found.paths()


def random_scores(n: int, kind: str, seed: int) -> LocalScores:
    """Scores that are hard to sum: over 1e5 nats wide, led by the network without edges, or with forbidden families."""
    generator = np.random.default_rng(seed)

    def score(v: int, parents: int) -> float:
        match kind:
            case "rootless":
                return -math.inf if v > n // 2 and not parents else float(generator.normal(0, 3))
            case "wide":
                return float(generator.normal(0, 2e4))
            case "empty":
                return -8.0 * parents.bit_count() + float(generator.normal(0, 0.1))
            case "holes":
                return -math.inf if parents and generator.random() < 0.5 else float(generator.normal(0, 3))
        return float(generator.normal(0, 4))

    families = [{p: score(v, p) for p in range(1 << n) if not p >> v & 1} for v in range(n)]
    return LocalScores.from_families(tuple(f"v{v}" for v in range(n)), families)


@pytest.mark.parametrize("n", [7, 9])
@pytest.mark.parametrize("kind", ["plain", "wide", "empty", "holes", "rootless"])
def test_every_way_is_as_good_as_it_says(n: int, kind: str) -> None:
    """Each way and arithmetic, forced, against 60 digits: errors stay within the bounds that are reported."""
    scores = random_scores(n, kind, seed=n)
    total, q = oracle.recursion(scores)
    with mpmath.workdps(60):
        log_evidence = mpmath.log(total)
    for way in WAYS:
        if way == "dense" and n < 9:
            continue  # the dense kernel needs nine variables
        for arithmetic in PRECISIONS:
            found = exact(scores, way=way, arithmetic=arithmetic)  # type: ignore[arg-type]
            used = "sparse" if kind == "wide" else way  # where the range is too wide for the dense kernel, the walk steps in
            assert (found.way, found.arithmetic) == (used, arithmetic)
            assert abs(mpmath.mpf(found.log_evidence) - log_evidence) <= found.log_evidence_error
            assert max(abs(q_of(found, v, u) - float(p)) for (v, u), p in q.items()) <= found.probability_error
            assert found.num_terms > 0


def star(n: int) -> LocalScores:
    """Every variable follows from the first one alone: n - 1 sinks, which the sums cancel about."""
    families = [{p: 60.0 * (v > 0 and p & 1) - 8.0 * p.bit_count() for p in range(1 << n) if not p >> v & 1} for v in range(n)]
    return LocalScores.from_families(tuple(f"v{v}" for v in range(n)), families)


def test_double_double_steps_in_where_it_must() -> None:
    """Twelve variables that follow from a thirteenth: the sums cancel until double is not enough for the promise."""
    scores = star(13)
    rough, good = exact(scores, arithmetic="double"), exact(scores)
    assert rough.log_evidence_error > PROMISE
    assert good.arithmetic == "double-double"
    assert good.log_evidence_error <= PROMISE
    assert abs(rough.log_evidence - good.log_evidence) <= rough.log_evidence_error + good.log_evidence_error
    assert exact(star(10)).arithmetic == "double"


def test_unrelated_variables_need_no_more_than_double() -> None:
    """Networks without edges are counted apart, so that nothing cancels about them."""
    scores = random_scores(14, "empty", seed=3)
    found = exact(scores)
    assert found.arithmetic == "double"
    assert found.log_evidence_error < 1e-11


@pytest.mark.parametrize(
    ("name", "log_evidence"),
    [("iris", -450.491161775), ("tic-tac-toe", -9418.289139836), ("nursery", -125716.411731393), ("zoo", -619.501642174)],
)
def test_known_evidence(name: str, log_evidence: float) -> None:
    scores = local_scores(Table.read(DATASETS[name].path))
    found = exact(scores)
    assert found.log_evidence == pytest.approx(log_evidence, abs=1e-9)
    assert found.log_evidence_error < 1e-10
    sparse = exact(scores, way="sparse") if name != "zoo" else found
    assert abs(sparse.log_evidence - found.log_evidence) <= sparse.log_evidence_error + found.log_evidence_error
    assert np.abs(sparse.edge_probabilities - found.edge_probabilities).max() <= sparse.probability_error + found.probability_error


@pytest.mark.parametrize(("way", "arithmetic"), [("dense", "double-double"), ("sparse", "double"), ("sparse", "double-double")])
def test_ways_agree_on_zoo(way: str, arithmetic: str) -> None:
    scores = local_scores(Table.read(DATASETS["zoo"].path))
    found, other = exact(scores), exact(scores, way=way, arithmetic=arithmetic)  # type: ignore[arg-type]
    assert (found.way, found.arithmetic) == ("dense", "double")
    assert (other.way, other.arithmetic) == (way, arithmetic)
    assert max(found.log_evidence_error, other.log_evidence_error) < 1e-10
    assert abs(found.log_evidence - other.log_evidence) <= found.log_evidence_error + other.log_evidence_error
    assert found.path_probabilities is not None
    assert other.path_probabilities is not None
    error = found.probability_error + other.probability_error
    assert np.abs(found.edge_probabilities - other.edge_probabilities).max() <= error
    assert np.abs(found.path_probabilities - other.path_probabilities).max() <= error


@pytest.mark.parametrize(("way", "kind"), [("dense", "plain"), ("dense", "empty"), ("sparse", "plain"), ("sparse", "wide")])
def test_neither_threads_nor_instructions_matter(way: str, kind: str) -> None:
    """Bit for bit: any number of threads, any kind of vector registers."""
    scores = random_scores(10, kind, seed=5)
    found = [exact(scores, way=way, job=Job(threads=threads)) for threads in (1, 5)]  # type: ignore[arg-type]
    for level in range(_core.supported_vector_level()):
        _core.set_vector_level(level)
        found.append(exact(scores, way=way))  # type: ignore[arg-type]
    _core.set_vector_level(_core.supported_vector_level())
    for other in found[1:]:
        assert other.way == found[0].way == way
        assert other.log_evidence == found[0].log_evidence
        assert other.log_evidence_error == found[0].log_evidence_error
        assert np.array_equal(other.edge_probabilities, found[0].edge_probabilities)
        assert np.array_equal(other._q, found[0]._q)  # type: ignore[arg-type]


@pytest.mark.parametrize("order", ["rising", "falling", "mixed"])
def test_the_order_of_the_columns_does_not_matter(order: str) -> None:
    """The kernels number variables by what they gain; answers come back under their own names."""
    table = Table.read(DATASETS["tic-tac-toe"].path)
    names = sorted(table.variables)
    names = {"rising": names, "falling": names[::-1], "mixed": [*names[4:], *names[:4]]}[order]
    columns = dict(zip(table.variables, table.codes, strict=True))
    found, other = exact(local_scores(table)), exact(local_scores(Table.from_frame({name: columns[name] for name in names})))
    assert abs(found.log_evidence - other.log_evidence) <= found.log_evidence_error + other.log_evidence_error
    error = found.probability_error + other.probability_error
    for pairs in ("edges", "paths"):
        ours, theirs = (getattr(e, pairs)().set_index(["from", "to"])["probability"] for e in (found, other))
        assert (ours - theirs.reindex(ours.index)).abs().max() <= error
    ours, theirs = ({frozenset(p): q for p, q in e.parent_sets(table.variables[-1]).itertuples(index=False)} for e in (found, other))
    assert max(abs(ours.get(parents, 0.0) - theirs.get(parents, 0.0)) for parents in ours | theirs) <= error


def test_sums_of_restricted_families() -> None:
    """Bounds, candidates, absent and required edges, in whatever order the kernels take the variables."""
    generator = np.random.default_rng(8)
    a = generator.integers(0, 2, 60)
    columns = {"noise": generator.integers(0, 2, 60), "a": a, "b": a ^ (generator.random(60) < 0.1), "c": generator.integers(0, 3, 60)}
    columns["d"] = (columns["b"] + columns["c"] + (generator.random(60) < 0.2)) % 2
    limits = Constraints(absent=[("a", "d")], candidates={"b": ["a", "d"]})
    scores = local_scores(Table.from_frame(columns), max_parents={"d": 2, "c": 1}, constraints=limits)
    check_against_listing(scores, exact(scores))
    required = LocalScores.from_families(
        NAMES[:5], [{p: float(generator.normal(0, 2)) for p in range(32) if not p >> v & 1 and (v != 2 or p & 1)} for v in range(5)]
    )
    check_against_listing(required, exact(required))


def test_prior_total_counts_networks() -> None:
    assert [num_networks(n) for n in range(1, 6)] == [1, 3, 25, 543, 29281]
    everything = random_scores(5, "plain", seed=1)
    assert exact(everything).log_prior_total == pytest.approx(math.log(29281))
    assert exact(everything, over="orders").log_prior_total == pytest.approx(math.log(sum(map(oracle.num_orders, oracle.all_dags(5)))))
    bounded = local_scores(Table.from_frame({name: [0, 1, 0, 1, 1] for name in NAMES[:4]}), max_parents=1)
    allowed = sum(all(p.bit_count() <= 1 for p in dag) for dag in oracle.all_dags(4))
    assert exact(bounded).log_prior_total == pytest.approx(math.log(allowed))
    holes = random_scores(4, "holes", seed=2)
    assert exact(holes).log_prior_total == pytest.approx(math.log(len(oracle.networks_best_first(holes))))


def test_tables_of_sums() -> None:
    scores = random_scores(4, "plain", seed=4)
    found, listed = exact(scores), oracle.sums(scores)
    assert len(found.edges()) == len(found.paths()) == 12
    assert found.parent_sets("v1")["probability"].sum() == pytest.approx(1)
    assert found.non_descendants("v1")["probability"].sum() == pytest.approx(1)
    best_pair = found.links().iloc[0]
    a, b = int(best_pair["a"][1]), int(best_pair["b"][1])
    assert best_pair["link"] == pytest.approx(listed.share(lambda dag: bool(dag[a] >> b & 1 or dag[b] >> a & 1)))
    assert "log evidence" in repr(found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"over": "x"}, "over must be one of 'networks', 'orders', got 'x'"),
        ({"way": "orders"}, "way must be one of 'auto', 'dense', 'sparse', got 'orders'"),
        ({"arithmetic": "quad"}, "arithmetic must be one of 'auto', 'double', 'double-double', got 'quad'"),
        ({"way": "dense"}, "needs at least 9 variables, got 8"),
    ],
)
def test_choices_that_do_not_exist_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        exact(random_scores(8, "plain", seed=1), **options)  # type: ignore[arg-type]


def test_numbers_are_as_good_as_they_say() -> None:
    for value, error in ((-450.49116177543, 2.1e-13), (-2726000.123456789, 9.99e-10), (0.25, 3.0), (-1e6, 1.01e-6)):
        printed, bound = with_error(value, error).split(" ± ")
        assert abs(Fraction(printed) - Fraction(value)) + Fraction(error) <= Fraction(bound)
        assert Fraction(rounded_up(error)) >= Fraction(error)


def test_sums_that_keep_no_promise_are_left_out_unless_asked_for() -> None:
    """The evidence of so many rows cannot be told to 1e-9 in a double."""
    scores = LocalScores.from_dict({"a": {(): -3e6}, "b": {(): -3e6, ("a",): -3e6}})
    posterior = learn(scores, k=5)
    assert posterior.coverage is None
    assert "more than the 1e-09 promised" in posterior.info.notes[0]
    assert "Sums over all networks were left out" in repr(posterior)
    with pytest.raises(InputError, match="more than the 1e-09 promised"):
        learn(scores, k=5, evidence=True)


def test_too_many_variables_name_what_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = local_scores(Table.read(DATASETS["zoo"].path))
    monkeypatch.setattr("dagmass.job.available_memory", lambda: 1 << 20)
    with pytest.raises(TooLargeError, match="variables fit"):
        exact(scores)
