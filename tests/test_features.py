"""Features against their definitions, through Python and through text; the language there and back."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import networkx_oracle
import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagmass as dm
from dagmass import InputError, Network, Posterior, parse_feature
from dagmass.posterior.features import MAX_DEPTH, And, Edge, Feature, Link, Networks, Not, Or, Path, Separated, SetComparison, VStructure
from dagmass.posterior.language import MAX_NESTING
from dagmass.posterior.posterior import Ties

NAMES = ("a", "b", "c", "d")


def posterior_of(variables: tuple[str, ...], dags: list[tuple[int, ...]], scores: list[int] | None = None) -> Posterior:
    units = np.array(scores or [0] * len(dags), dtype=np.int64)
    return Posterior(variables, np.array(dags, dtype=np.uint64), units, 0, Ties(len(dags), more=False), len(dags))


@pytest.mark.parametrize("n", [2, 3, 4])
def test_every_feature_on_every_network(n: int) -> None:
    names = NAMES[:n]
    dags = list(oracle.all_dags(n))
    networks = Networks(names, np.array(dags, dtype=np.uint64))
    graphs = [networkx_oracle.graph_of(names, dag) for dag in dags]
    for feature in networkx_oracle.every_simple_feature(names):
        expected = [networkx_oracle.holds(graph, feature) for graph in graphs]
        assert feature.mask(networks).tolist() == expected, feature
        assert parse_feature(str(feature), names).mask(networks).tolist() == expected, feature


ODD_NAMES = ("a", "blood group", 'say "x"', "größe", "not", "edge", "back\\slash", "tic-tac.toe")


@st.composite
def random_dags(draw: st.DrawFn, n: int) -> tuple[int, ...]:
    order = draw(st.permutations(range(n)))
    parents = [0] * n
    for place, v in enumerate(order):
        for u in order[:place]:
            if draw(st.booleans()):
                parents[v] |= 1 << u
    return tuple(parents)


def disjoint_names(names: tuple[str, ...], count: int) -> st.SearchStrategy[list[str]]:
    return st.permutations(names).map(lambda shuffled: list(shuffled[:count]))


def simple_features(names: tuple[str, ...]) -> st.SearchStrategy[Feature]:
    pair = disjoint_names(names, 2)
    sets = st.sampled_from(["parents", "children", "ancestors", "descendants", "blanket"])
    compared = st.builds(
        lambda which, operator, chosen, size: SetComparison(which, chosen[0], operator, frozenset(chosen[1 : 1 + size])),
        sets, st.sampled_from(["=", ">=", "<="]), st.permutations(names), st.integers(0, 3),
    )  # fmt: skip
    split = st.builds(
        lambda chosen, first, second: Separated(frozenset(chosen[:first]), frozenset(chosen[3 : 3 + second]), frozenset(chosen[6:])),
        st.permutations(names), st.integers(1, 3), st.integers(1, 3),
    )  # fmt: skip
    return st.one_of(
        pair.map(lambda p: Edge(*p)), pair.map(lambda p: Link(*p)), pair.map(lambda p: Path(*p)),
        disjoint_names(names, 3).map(lambda t: VStructure(*t)), compared, split,
    )  # fmt: skip


def several(inner: st.SearchStrategy[Feature]) -> st.SearchStrategy[tuple[Feature, ...]]:
    return st.lists(inner, min_size=2, max_size=3).map(tuple)


def features(names: tuple[str, ...]) -> st.SearchStrategy[Feature]:
    return st.recursive(
        simple_features(names),
        lambda inner: st.one_of(st.builds(And, several(inner)), st.builds(Or, several(inner)), st.builds(Not, inner)),
        max_leaves=6,
    )


@given(st.lists(random_dags(8), min_size=1, max_size=4), features(ODD_NAMES))
@settings(max_examples=150)
def test_random_networks_of_eight_variables(dags: list[tuple[int, ...]], feature: Feature) -> None:
    posterior = posterior_of(ODD_NAMES, dags)
    held = [networkx_oracle.holds(networkx_oracle.graph_of(ODD_NAMES, dag), feature) for dag in dags]
    expected = sum(held) / len(held)
    assert float(posterior.probability(feature)) == pytest.approx(expected)
    assert float(posterior.probability(str(feature))) == pytest.approx(expected)


@given(features(ODD_NAMES))
@settings(max_examples=200)
def test_printing_and_parsing_again(feature: Feature) -> None:
    again = parse_feature(str(feature), ODD_NAMES)
    assert str(again) == str(feature)
    assert again == feature


@given(st.lists(st.text(min_size=1, max_size=6), min_size=2, max_size=2, unique=True))
@settings(max_examples=200)
def test_any_name_can_be_written(names: list[str]) -> None:
    assert parse_feature(str(Edge(*names)), tuple(names)) == Edge(*names)


def test_precedence() -> None:
    a, b, c = (Edge("a", name) for name in "bcd")
    assert parse_feature("edge(a,b) or edge(a,c) and not edge(a,d)", NAMES) == Or((a, And((b, Not(c)))))
    assert parse_feature("(edge(a,b) or edge(a,c)) and edge(a,d)", NAMES) == And((Or((a, b)), c))
    assert parse_feature("not not edge(a,b)", NAMES) == Not(Not(a))
    assert (a | b & ~c) == Or((a, And((b, Not(c)))))
    assert (a & b & c) == parse_feature("edge(a,b) and edge(a,c) and edge(a,d)", NAMES) == And((a, b, c))
    assert (a | (b | c)) == parse_feature("edge(a,b) or (edge(a,c) or edge(a,d))", NAMES) == Or((a, Or((b, c))))


def test_the_python_face() -> None:
    assert (dm.blanket("a") >= {"b", "c"}) == SetComparison("blanket", "a", ">=", frozenset("bc"))
    assert (dm.parents("a") == {"b"}) == SetComparison("parents", "a", "=", frozenset("b"))
    assert (dm.descendants("a") <= ["b"]) == SetComparison("descendants", "a", "<=", frozenset("b"))
    assert dm.separated("a", "b", given=["c"]) == Separated(frozenset("a"), frozenset("b"), frozenset("c"))
    assert str(dm.separated(["a", "b"], "c")) == "separated({a, b}, c)"
    assert str(dm.edge("a", "b") & ~dm.path("b", "c")) == "edge(a, b) and not path(b, c)"
    with pytest.raises(InputError, match="combined with &"):
        bool(dm.edge("a", "b"))


def test_predicates() -> None:
    posterior = posterior_of(NAMES[:2], list(oracle.all_dags(2)))

    def has_two_edges(network: Network) -> bool:
        return len(network.edges) == 2

    assert float(posterior.probability(lambda network: len(network.edges) == 1)) == pytest.approx(2 / 3)
    assert float(posterior.probability(dm.edge("a", "b") & has_two_edges)) == 0  # type: ignore[arg-type]
    assert "has_two_edges" in str(dm.link("a", "b") | has_two_edges)  # type: ignore[arg-type]
    assert str(has_two_edges & dm.edge("a", "b")) == "<has_two_edges> and edge(a, b)"
    assert str(has_two_edges | (dm.edge("a", "b") & has_two_edges)) == "<has_two_edges> or edge(a, b) and <has_two_edges>"  # type: ignore[arg-type]
    with pytest.raises(InputError, match="A feature is made by"):
        {"a"} & dm.edge("a", "b")  # type: ignore[operator]


def test_predicates_know_scores() -> None:
    posterior = posterior_of(NAMES[:2], list(oracle.all_dags(2)), [3, 2, 1])
    assert [network.log_score for network in posterior.at_hand] == [3, 2, 1]
    assert list(posterior.at_hand) == list(posterior)
    assert posterior.best_with(lambda network: network.log_score < 3).network == posterior[2]
    assert [network.log_score for network in Networks(posterior.variables, posterior.parents)] == [None] * 3


def test_a_probability_says_what_it_is() -> None:
    answer = posterior_of(NAMES[:2], list(oracle.all_dags(2))).probability("link(a, b)")
    assert (answer.low, answer.high, answer.method) == (0.0, 1.0, "bounds")
    assert answer.value == answer.average == pytest.approx(2 / 3)
    assert "share of these 3 networks" in repr(answer)


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("path(a, x)", "no variable 'x'", 8),
        ("edge(a b)", "',' was expected", 7),
        ("edge(a, b) edge(a, c)", "'and', 'or' or the end", 11),
        ("edgy(a, b)", "Did you mean 'edge'", 0),
        ("edge(a, b) and", "ends too early", 14),
        ("", "ends too early", 0),
        ("(edge(a, b)", "')' was expected", 11),
        ("parents(a) > {b}", "not part of the language", 11),
        ("parents(a) {b}", "comparison was expected", 11),
        ("edge(a, a)", "different variables", 0),
        ("  separated(a, b | b)", "must not overlap", 2),
        ("parents(a) = {a}", "never among its own parents", 0),
        ('edge("a, b)', "double quote is not closed", 5),
        ("edge(a, b) & edge(b, c)", "Write 'and' for '&'", 11),
        ("(edge(a, b) | edge(b, c))", "Write 'or' for '|'", 12),
        ("not ~edge(a, b)", "Write 'not' for '~'", 4),
        ("parents(a) == {b}", "Write '=' for '=='", 11),
        ("parents(a) != {b}", "Write 'not' for '!'", 11),
        ("edge(a, (b))", "name of a variable", 8),
    ],
)
def test_errors_mark_the_place(text: str, message: str, place: int) -> None:
    with pytest.raises(InputError) as caught:
        parse_feature(text, NAMES)
    said, shown, mark = str(caught.value).split("\n")
    assert message in said
    assert shown == f"  {text}"
    assert mark == " " * (place + 2) + "^"


def test_marks_stand_under_what_is_shown() -> None:
    variables = ("größe", "血液型", "e\u0301")
    for text, shown, columns in (
        ("edge(größe,\tx)", "edge(größe, x)", 12),
        ("edge(größe,\n  x)", "edge(größe,   x)", 14),
        ('edge("血液型", x)', 'edge("血液型", x)', 15),
        ('edge("e\u0301", x)', 'edge("e\u0301", x)', 10),
        ("edge(größe, " + " " * 90 + "x)" + " " * 90 + "and", "…" + " " * 60 + "x)" + " " * 58 + "…", 61),
    ):
        with pytest.raises(InputError, match="no variable 'x'") as caught:
            parse_feature(text, variables)
        _, line, mark = str(caught.value).split("\n")
        assert (line, mark) == (f"  {shown}", " " * (columns + 2) + "^")


def test_long_chains() -> None:
    posterior = posterior_of(NAMES, list(oracle.all_dags(4)))
    pairs = [(a, b) for a in NAMES for b in NAMES if a != b]
    terms = [f"edge({a}, {b})" for a, b in pairs] * 500
    none = posterior.probability(" or ".join(terms))
    assert float(none) == pytest.approx(1 - 1 / 543)
    joined = dm.edge("a", "b")
    for a, b in pairs[1:] * 200:
        joined = joined & ~dm.edge(a, b)
    assert float(posterior.probability(joined)) == float(posterior.probability(str(joined))) == pytest.approx(1 / 543)


def nested(levels: int) -> str:
    """Parentheses around an 'or' of an 'and' at every level."""
    return "link(a, b) or link(a, b) and (" * levels + "edge(a, b)" + ")" * levels


def test_deep_expressions() -> None:
    posterior = posterior_of(NAMES[:2], list(oracle.all_dags(2)))
    deepest = parse_feature(nested(MAX_NESTING), NAMES[:2])
    assert float(posterior.probability(deepest)) == pytest.approx(2 / 3)
    assert str(parse_feature(str(deepest), NAMES[:2])) == str(deepest)
    assert float(posterior.probability("not " * (MAX_NESTING - 1) + "edge(a, b)")) == pytest.approx(1 / 3)
    for text in (nested(MAX_NESTING + 1), "not " * 5000 + "edge(a, b)", "(" * 5000 + "edge(a, b)" + ")" * 5000):
        with pytest.raises(InputError, match=f"go at most {MAX_NESTING} deep"):
            parse_feature(text, NAMES[:2])
    with pytest.raises(InputError, match=f"nest at most {MAX_DEPTH} deep"):
        reduce(lambda inner, _: Not(inner), range(1000), deepest)


@pytest.mark.parametrize("feature", [7, dm.parents("a"), None])
def test_what_is_no_feature(feature: object) -> None:
    with pytest.raises(InputError, match="A feature is made by"):
        posterior_of(NAMES[:2], [(0, 0)]).probability(feature)


@pytest.mark.parametrize(
    "build",
    [
        lambda: dm.edge(1, 2),
        lambda: dm.edge(["a"], "b"),
        lambda: dm.link("a", None),
        lambda: dm.v_structure("a", 2, "b"),
        lambda: dm.parents(3) == {"a"},
        lambda: dm.blanket(["a"]) >= {"b"},
    ],
)
def test_features_need_names(build: Callable[[], Feature]) -> None:
    with pytest.raises(InputError, match="needs names of variables, got"):
        build()


@pytest.mark.parametrize("names", [3, [["a"]], [None]])
def test_sets_need_names(names: object) -> None:
    with pytest.raises(InputError, match="Names of variables are needed"):
        dm.separated(names, "b")


def test_unknown_names_in_python() -> None:
    with pytest.raises(InputError, match="no variable 'z'"):
        posterior_of(NAMES[:2], [(0, 0)]).probability(dm.edge("a", "z"))
