"""Tables, comparison, consensus and one's own network, against the networks one by one."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import networkx_oracle
import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from strategies import local_score_tables

from dagmass import DagmassWarning, InputError, LocalScores, Network, Posterior, best_networks, learn
from dagmass.graphs.network import topological_order
from dagmass.posterior.names import written
from dagmass.posterior.own_network import single_changes


def posterior_of(scores: LocalScores, k: int = 30) -> Posterior | None:
    return Posterior.of_best(best_networks(scores), k) if oracle.networks_best_first(scores) else None


@given(local_score_tables(max_variables=4))
@settings(max_examples=40)
def test_tables_add_up_the_networks(scores: LocalScores) -> None:
    posterior = posterior_of(scores)
    if posterior is None:
        return
    graphs = [networkx_oracle.graph_of(posterior.variables, tuple(parents)) for parents in posterior.parents.tolist()]
    weights = posterior.weights.tolist()
    for start, end, average in posterior.paths().itertuples(index=False):
        expected = sum(w for w, graph in zip(weights, graphs, strict=True) if nx.has_path(graph, start, end))
        assert average == pytest.approx(expected, abs=1e-12)
    for variable in posterior.variables:
        for other, average, parent, child, spouse in posterior.blanket(variable).itertuples(index=False):
            for found, members in (
                (average, lambda graph, v=variable: networkx_oracle.blanket(graph, v)),
                (parent, lambda graph, v=variable: set(graph.predecessors(v))),
                (child, lambda graph, v=variable: set(graph.successors(v))),
                (spouse, lambda graph, v=variable: {p for c in graph.successors(v) for p in graph.predecessors(c)} - {v}),
            ):
                expected = sum(w for w, graph in zip(weights, graphs, strict=True) if other in members(graph))
                assert found == pytest.approx(expected, abs=1e-12)
        for parents, average in posterior.parent_sets(variable).itertuples(index=False):
            expected = sum(w for w, graph in zip(weights, graphs, strict=True) if set(graph.predecessors(variable)) == set(parents))
            assert average == pytest.approx(expected, abs=1e-12)
        assert posterior.parent_sets(variable)["average"].sum() == pytest.approx(1)


def test_differences_in_words() -> None:
    scores = LocalScores.from_dict({"a": {(): 0.0, ("b",): -1.0}, "b": {(): -1.5, ("a",): 0.0}})
    frame = posterior_of(scores).networks()
    assert frame["difference"].tolist() == ["the best", "removes a → b", "turns to b → a"]
    assert frame["cumulative_weight"].iloc[-1] == pytest.approx(1)


@given(local_score_tables(max_variables=4))
@settings(max_examples=30)
def test_comparisons_lead_from_one_to_the_other(scores: LocalScores) -> None:
    posterior = posterior_of(scores, 12)
    if posterior is None:
        return
    for second in range(1, len(posterior) + 1):
        found = posterior.compare(1, second)
        edges = set(posterior[1].edges) - set(found.removed) - {(b, a) for a, b in found.reversed}
        assert edges | set(found.added) | set(found.reversed) == set(posterior[second].edges)
        assert found.num_changes == len(found.added) + len(found.removed) + len(found.reversed)


@given(local_score_tables(max_variables=4))
@settings(max_examples=30)
def test_consensus_has_no_cycle_and_no_gap(scores: LocalScores) -> None:
    posterior = posterior_of(scores)
    if posterior is None:
        return
    found = posterior.consensus(0.2)
    assert topological_order(found.network.parents) is not None
    frame = posterior.edges()
    likely = {(a, b) for a, b, average in frame[["from", "to", "average"]].itertuples(index=False) if average >= 0.2}
    assert {(edge.a, edge.b) for edge in (*found.edges, *found.skipped)} == likely
    averages = [edge.average for edge in found.edges]
    assert averages == sorted(averages, reverse=True)
    for edge in found.skipped:
        stronger = [kept for kept in found.edges if kept.average >= edge.average]
        graph = nx.DiGraph([(kept.a, kept.b) for kept in stronger])
        assert graph.has_node(edge.b)
        assert nx.has_path(graph, edge.b, edge.a)


@pytest.mark.parametrize(("name", "k"), [("asia", 300), ("nursery", 7)])
def test_what_all_networks_have_is_one(name: str, k: int) -> None:
    """The sum of these weights misses one by rounding."""
    posterior = learn(name, k=k, evidence=False)
    shared = sorted(set.intersection(*(set(network.edges) for network in posterior)), key=edge_order(posterior))
    frame = posterior.edges()
    certain = frame[frame["average"] == 1]
    assert list(zip(certain["from"], certain["to"], strict=True)) == shared
    assert [(edge.a, edge.b) for edge in posterior.consensus(1.0).edges] == shared
    linked = set.intersection(*({frozenset(edge) for edge in network.edges} for network in posterior))
    assert {frozenset((link.a, link.b)) for link in posterior.consensus(1.0).links} == linked
    a, b = shared[0]
    assert posterior.probability(f"edge({a}, {b})").average == 1
    assert posterior.blanket(a).iloc[0]["average"] == posterior.paths()["average"].max() == 1


def edge_order(posterior: Posterior) -> Callable[[tuple[str, str]], list[int]]:
    return lambda edge: [posterior.variables.index(end) for end in edge]


def test_thresholds() -> None:
    posterior = learn("iris", k=20)
    for threshold in (0, 1.5, -1, "x", None, float("nan")):
        with pytest.raises(InputError, match="threshold must lie above 0"):
            posterior.consensus(threshold)
    assert "Edges with an average" in repr(posterior.consensus())


@given(local_score_tables(max_variables=4))
@settings(max_examples=30)
def test_rank_and_improvements(scores: LocalScores) -> None:
    posterior = posterior_of(scores, 20)
    if posterior is None:
        return
    networks = oracle.networks_best_first(scores)
    units_of = {dag: units for units, dag in networks}
    for units, dag in (networks[0], networks[len(networks) // 2], networks[-1]):
        found = posterior.rank(Network(scores.variables, dag))
        place = [d for _, d in networks[: len(posterior)]].index(dag) + 1 if dag in [d for _, d in networks[: len(posterior)]] else None
        assert found.rank == place
        assert found.log_score == units * 2.0**-scores.fraction_bits
        better = {changed for _, _, _, changed in single_changes(dag) if units_of.get(changed, -(2**63)) > units}
        assert len(found.improvements) == len(better)
        gains = sorted((units_of[changed] - units) * 2.0**-scores.fraction_bits for changed in better)
        assert sorted(change.gain for change in found.improvements) == pytest.approx(gains)


@given(local_score_tables(max_variables=4))
@settings(max_examples=30)
def test_improvements_of_forbidden_networks_are_allowed(scores: LocalScores) -> None:
    """A change of one edge improves a network with two forbidden families only if it mends both."""
    posterior = posterior_of(scores, 5)
    if posterior is None:
        return
    units_of = {dag: units for units, dag in oracle.networks_best_first(scores)}
    for dag in oracle.all_dags(scores.num_variables)[::7]:
        if dag not in units_of:
            found = posterior.rank(Network(scores.variables, dag))
            assert (found.log_score, found.loss, found.rank) == (-math.inf, math.inf, None)
            assert "one of its families is forbidden" in repr(found)
            assert len(found.improvements) == sum(changed in units_of for _, _, _, changed in single_changes(dag))
            assert all(change.gain == math.inf and "is allowed" in str(change) for change in found.improvements)


def test_a_text_among_parents_is_one_name() -> None:
    posterior = learn("asia", k=1)
    assert posterior.rank({"either": "tub"}).network.parents_of("either") == ("tub",)
    assert Network.from_parents({"wet": "rain", "rain": []}).parents_of("wet") == ("rain",)


@pytest.mark.parametrize("name", [3, None, ["asia"]])
def test_variables_are_given_by_name(name: object) -> None:
    posterior = learn("asia", k=1)
    for ask in (posterior.blanket, posterior.parent_sets):
        with pytest.raises(InputError, match="A variable is given by its name, got"):
            ask(name)


def test_single_changes_are_all_networks_one_edge_away() -> None:
    for dag in oracle.all_dags(3):
        edges = {(u, v) for v in range(3) for u in range(3) if dag[v] >> u & 1}
        expected = set()
        for other in oracle.all_dags(3):
            others = {(u, v) for v in range(3) for u in range(3) if other[v] >> u & 1}
            difference = edges ^ others
            is_reversal = len(difference) == 2 and len({frozenset(edge) for edge in difference}) == 1
            if len(difference) == 1 or is_reversal:
                expected.add(other)
        assert {changed for _, _, _, changed in single_changes(dag)} == expected


def test_networks_of_ones_own_in_every_form(tmp_path: Path) -> None:
    posterior = learn("asia", k=20)
    best = posterior[1]
    posterior.export(tmp_path / "best.bif")
    forms = [
        best,
        best.edges,
        best.to_dict(),
        str(best),
        ", ".join(f"{a} -> {b}" for a, b in best.edges),
        nx.DiGraph(best.edges),
        tmp_path / "best.bif",
        str(tmp_path / "best.bif"),
    ]
    for form in forms:
        found = posterior.rank(form)
        assert found.rank == 1
        assert found.loss == 0
        assert found.improvements == ()
    assert posterior.rank("asia -> tub -> either").rank is None


@pytest.mark.parametrize(
    ("network", "message"),
    [
        ("[asia|tub][tub|asia]", "directed cycle"),
        ("[asia][tub|nothing]", "variable 'nothing' that the run does not have"),
        ("nonsense", "A network is given as"),
        ("[asia", "A model string looks like"),
        ("[asia][asia]", "names 'asia' twice"),
        ("missing.bif", "There is no file"),
        ([("asia",)], "Edges are pairs"),
        (nx.Graph([("asia", "tub")]), "must be directed"),
        ([("asia", "asia")], "directed cycle"),
        (5, "A network is a Network, edges, a dict"),
        (None, "A network is a Network, edges, a dict"),
        ([5], "Edges are pairs"),
        ({"asia": None}, "Names of variables are needed"),
        ({"asia": "tub smoke"}, "variable 'tub smoke' that the run does not have"),
        ({5: []}, "variable 5 that the run does not have"),
    ],
)
def test_bad_networks(network: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        learn("asia", k=1).rank(network)


def odd_names() -> Posterior:
    rows = np.random.default_rng(0).integers(0, 2, size=(60, 4))
    related = rows[:, 0] ^ (rows[:, 1] & rows[:, 2])
    return learn({"blood group": rows[:, 0], 'a:b -> "c"': related, "[c|d]": rows[:, 2], "x, y": rows[:, 3]}, k=9)


def test_the_network_column_can_be_ranked() -> None:
    posterior = odd_names()
    assert [posterior.rank(network).rank for network in posterior.networks()["network"]] == list(range(1, 10))


def test_edges_name_variables_as_features_do() -> None:
    posterior = odd_names()
    for network in posterior:
        text = "; ".join(f"{written(a)} -> {written(b)}" for a, b in network.edges)
        assert posterior.rank(text).network == network
    found = posterior.rank('blood group → "[c|d]",\n"x, y"->"blood group" ;').network
    assert found.to_dict() == {"blood group": ["x, y"], 'a:b -> "c"': [], "[c|d]": ["blood group"], "x, y": []}


def test_names_as_other_programs_write_them(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).integers(0, 2, size=(60, 3))
    posterior = learn({"blood group": rows[:, 0], "a:b": rows[:, 0] ^ (rows[:, 1] & rows[:, 2]), "c": rows[:, 2]}, k=5)
    for name in ("x.bif", "x.txt"):
        with pytest.warns(DagmassWarning, match="is written as"):
            posterior.export(tmp_path / name)
    assert posterior.rank(tmp_path / "x.bif").rank == 1
    assert posterior.rank((tmp_path / "x.txt").read_text().splitlines()[1].split("\t")[1]).rank == 2
