"""What is known beforehand makes searches cheaper and changes nothing else."""

from __future__ import annotations

import math
from typing import Any

import oracle
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import coded_tables

from dagmass import Constraints, InputError, Job, Table, best_classes, best_networks, exact, learn, load, local_scores, sample
from dagmass.cli.main import cli
from dagmass.cli.options import scoring


@st.composite
def constrained(draw: st.DrawFn, max_variables: int = 4) -> tuple[Table, Constraints, int | None]:
    """A table, candidates for some variables, some absent edges, and perhaps a bound on the parents."""
    table = draw(coded_tables(max_variables=max_variables))
    names = st.sampled_from(table.variables)
    candidates = draw(st.dictionaries(names, st.lists(names, unique=True), max_size=3))
    absent = draw(st.lists(st.tuples(names, names), max_size=4))
    return table, Constraints(candidates, absent), draw(st.sampled_from([None, 0, 1, 2]))


def allowed_sets(table: Table, constraints: Constraints, bound: int | None, v: int) -> list[int]:
    """The parent sets that a variable may have, by definition."""
    names = table.variables
    candidates = set(constraints.candidates.get(names[v], names)) - {parent for parent, child in constraints.absent if child == names[v]}
    most = len(names) if bound is None else bound
    sets = [p for p in range(1 << len(names)) if not p >> v & 1 and p.bit_count() <= most]
    return [p for p in sets if {name for u, name in enumerate(names) if p >> u & 1} <= candidates]


Given = tuple[Table, Constraints, int | None]


@given(constrained(max_variables=5))
@settings(max_examples=60)
def test_families_are_those_of_the_full_scores(problem: Given) -> None:
    table, constraints, bound = problem
    full, found = local_scores(table), local_scores(table, constraints=constraints, max_parents=bound)
    for v, parents, scores in found.families():
        expected = [(p, full.storage.score(v, p)) for p in allowed_sets(table, constraints, bound, v)]
        assert list(zip(parents.tolist(), scores.tolist(), strict=True)) == expected
        assert [found.storage.score(v, p) for p, _ in expected] == [score for _, score in expected]


@given(constrained(), st.sampled_from([1, 3]))
@settings(max_examples=60)
def test_networks_are_those_of_the_filtered_scores(problem: Given, threads: int) -> None:
    table, constraints, bound = problem
    allowed = [set(allowed_sets(table, constraints, bound, v)) for v in range(table.num_variables)]
    expected = [
        (score, dag)
        for score, dag in oracle.networks_best_first(local_scores(table))
        if all(parents in allowed[v] for v, parents in enumerate(dag))
    ]
    scores = local_scores(table, constraints=constraints, max_parents=bound)
    found = best_networks(scores, Job(threads=threads)).take(1000)
    assert [(score, tuple(dag)) for score, dag in zip(found.scores.tolist(), found.parents.tolist(), strict=True)] == expected


@given(constrained())
@settings(max_examples=30)
def test_sums_and_draws_are_over_what_is_allowed(problem: Given) -> None:
    table, constraints, bound = problem
    scores = local_scores(table, constraints=constraints, max_parents=bound)
    expected = oracle.sums(scores)
    assert math.isclose(exact(scores).log_evidence, expected.log_evidence, rel_tol=0, abs_tol=1e-9)
    assert all(tuple(dag) in expected.shares for dag in sample(scores, 20, seed=3).parents.tolist())


@given(constrained())
@settings(max_examples=30)
def test_classes_are_grouped_where_members_may_be_forbidden(problem: Given) -> None:
    table, constraints, bound = problem
    scores = local_scores(table, constraints=constraints, max_parents=bound)
    found = best_classes(scores).take(1000)
    expected = [(score, dag) for score, dag, _ in oracle.classes_best_first(scores)]
    assert [(score, tuple(dag)) for score, dag in zip(found.scores.tolist(), found.parents.tolist(), strict=True)] == expected


def test_a_variable_is_no_candidate_of_its_own_and_absent_edges_are_taken_from_the_candidates() -> None:
    constraints = Constraints({"a": ["a", "b", "c"]}, [("b", "a")])
    assert constraints.varsets(("a", "b", "c")) == [0b100, 0b101, 0b011]


def test_the_command_line_says_the_same(tmp_path: Any) -> None:
    run = tmp_path / "iris.dagmass"
    options = ["--candidates", "class=petal_length,petal_width", "--absent", "class -> sepal_length", "--absent", "class->sepal_width"]
    done = CliRunner().invoke(cli, ["learn", "iris", "-k", "10", *options, "-o", str(run)], catch_exceptions=False)
    assert done.exit_code == 0
    ours = learn(
        "iris",
        k=10,
        constraints=Constraints({"class": ["petal_length", "petal_width"]}, [("class", "sepal_length"), ("class", "sepal_width")]),
    )
    assert load(run) == ours
    assert load(run).more(5) == ours.more(5)  # the constraints are kept in the file
    assert ours.probability("edge(class, sepal_length)").value == 0


@pytest.mark.parametrize(
    ("candidates", "absent", "expected"),
    [
        ('"x=1"=y,z', "a->b", ({"x=1": ("y", "z")}, (("a", "b"),))),
        ('y="x, 1",z', '"a -> b" -> c', ({"y": ("x, 1", "z")}, (("a -> b", "c"),))),
        ("y=", ' a -> "b ""c""" ', ({"y": ()}, (("a", 'b "c"'),))),
    ],
)
def test_odd_names_on_the_command_line(candidates: str, absent: str, expected: Any) -> None:
    found = scoring({"ess": None, "max_parents": None, "candidates": (candidates,), "absent": (absent,)})["constraints"]
    assert (found.candidates, found.absent) == expected


@pytest.mark.parametrize(
    "options", [["--absent", "a -> b -> c"], ["--absent", "a"], ["--candidates", "a"], ["--max-memory", "9" * 30 + "T"]]
)
def test_what_can_be_read_in_two_ways_is_refused(options: list[str]) -> None:
    assert CliRunner().invoke(cli, ["learn", "iris", *options]).exit_code == 2


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Constraints([("a", "b")]), "must be a dict"),
        (lambda: Constraints({"a": "b"}), "list of names"),
        (lambda: Constraints({"a": 3}), "list of names"),
        (lambda: Constraints({}, None), "list of edges"),  # type: ignore[arg-type]
        (lambda: Constraints({}, ["a->b"]), "is a pair"),
        (lambda: Constraints({}, [("a", "b", "c")]), "is a pair"),
        (lambda: learn("iris", constraints=Constraints({"klass": ["petal_width"]})), "Did you mean 'class'"),
        (lambda: learn("iris", constraints=Constraints({"class": ["petal_widht"]})), "petal_width"),
        (lambda: learn("iris", constraints=Constraints({}, [("class", "x")])), "'x'"),
    ],
)
def test_what_cannot_be_meant_is_refused(make: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        make()
