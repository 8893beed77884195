"""What other programs read of what we write."""

from __future__ import annotations

import csv
import shutil
import subprocess
import warnings
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from dagmass import DagmassWarning, InputError, Posterior, learn
from dagmass.exchange.bif import expected_parameters, level_words, read_bif_parents, variable_words
from dagmass.exchange.model_strings import bnlearn_names, parse_model_string

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture(scope="module")
def asia() -> Posterior:
    return learn("asia", k=40)


@pytest.fixture(scope="module")
def odd() -> Posterior:
    rows = np.random.default_rng(3).integers(0, 3, size=(80, 3))
    columns = {"blood group": [["0", "A+", "<B>"][x] for x in rows[:, 0]], "x&y": rows[:, 0] // 2 ^ rows[:, 1] // 2, "größe": rows[:, 2]}
    return learn(columns, k=5)


@pytest.fixture(scope="module")
def zoo() -> Posterior:
    return learn("zoo", k=1)


@pytest.fixture(scope="module")
def reserved() -> Posterior:
    """Variables and levels with the names of BIF's own words and of numbers."""
    rows = np.random.default_rng(4).integers(0, 2, size=(90, 6))
    rows[:, 1] = rows[:, 0] ^ (rows[:, 2] & rows[:, 3])
    levels = [["type", "table"], ["1e5", "default"], ["0", "1"], ["network", "12"], ["2E", "2_E"], ["property", "property_"]]
    names = ["type", "probability", "1990", "1e5", "table_", "table"]
    return learn({name: [levels[v][x] for x in rows[:, v]] for v, name in enumerate(names)}, k=2)


def export_renamed(posterior: Posterior, path: Path) -> None:
    """Export without the warning of changed names, which has a test of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DagmassWarning)
        posterior.export(path)


def test_networkx_graph(asia: Posterior) -> None:
    graph = asia.to_networkx(2)
    assert list(graph.nodes) == list(asia.variables)
    assert set(graph.edges) == set(asia[2].edges)
    assert graph.graph["log_score"] == asia.log_scores[1]
    known = {(a, b): values for a, b, *values in asia.edges()[["from", "to", "average", "probability"]].itertuples(index=False)}
    assert all([data["average"], data["probability"]] == known[a, b] for a, b, data in graph.edges(data=True))
    without_sums = replace(asia, exact=None).to_networkx(2)
    assert all(data["average"] == data["probability"] == known[a, b][0] for a, b, data in without_sums.edges(data=True))


@pytest.mark.parametrize("name", ["asia", "odd"])
def test_graphml_read_by_networkx(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    posterior: Posterior = request.getfixturevalue(name)
    posterior.export(tmp_path / "x.graphml")
    graph = nx.read_graphml(tmp_path / "x.graphml")
    assert list(graph.nodes) == list(posterior.variables)
    assert nx.utils.graphs_equal(nx.DiGraph(graph.edges(data=True)), nx.DiGraph(posterior.to_networkx().edges(data=True)))
    assert graph.graph["log_score"] == posterior.log_scores[0]


@pytest.mark.parametrize("name", ["asia", "zoo", "odd", "reserved"])
def test_bif_read_by_pgmpy(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    posterior: Posterior = request.getfixturevalue(name)
    export_renamed(posterior, tmp_path / "x.bif")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy.readwrite import BIFReader

        model = BIFReader(str(tmp_path / "x.bif")).get_model()
        assert model.check_model()
    names = variable_words(posterior.variables)
    assert set(model.nodes) == set(names)
    written = dict(zip(posterior.variables, names, strict=True))
    assert set(model.edges) == {(written[a], written[b]) for a, b in posterior[1].edges}
    table = posterior.origin.require_table("is needed")
    for v, variable in enumerate(names):
        cpd = model.get_cpds(variable)
        parents = [u for u in range(len(names)) if posterior[1].parents[v] >> u & 1]
        ours = expected_parameters(table, v, parents, 1.0)
        order = [names.index(name) for name in cpd.variables[1:]]
        values = np.asarray(cpd.values)
        axes = [0, *(1 + order.index(u) for u in parents)]
        theirs = values.transpose(axes).reshape(values.shape[0], -1).T
        assert np.allclose(theirs, ours, atol=1e-6)


@pytest.mark.parametrize("name", ["asia", "zoo", "odd", "reserved"])
def test_bif_read_by_pyagrum(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    posterior: Posterior = request.getfixturevalue(name)
    export_renamed(posterior, tmp_path / "x.bif")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pyagrum

        model = pyagrum.loadBN(str(tmp_path / "x.bif"))
    names = variable_words(posterior.variables)
    assert model.names() == set(names)
    written = dict(zip(posterior.variables, names, strict=True))
    assert {(model.variable(a).name(), model.variable(b).name()) for a, b in model.arcs()} == {
        (written[a], written[b]) for a, b in posterior[1].edges
    }


def test_words_of_bif() -> None:
    assert variable_words(("type", "type_", "12", "_12", "1e5", "a b")) == ("type__", "type_", "_12_", "_12", "_1e5", "a_b")
    assert level_words(("0", "table", "3E1", "3.5")) == ("0", "table_", "_3E1", "3_5")


def test_changed_names_are_said(zoo: Posterior, odd: Posterior, asia: Posterior, tmp_path: Path) -> None:
    with pytest.warns(DagmassWarning, match=r"x.bif', 'type' is written as 'type_': words of BIF"):
        zoo.export(tmp_path / "x.bif")
    assert zoo.rank(tmp_path / "x.bif").rank == 1
    with pytest.warns(DagmassWarning, match=r"'blood group' is written as 'blood_group'; .*; and 2 more: words of BIF"):
        odd.export(tmp_path / "x.bif")
    with pytest.warns(DagmassWarning, match=r"'a:b' is written as 'a.b': names in model strings"):
        learn({"a:b": [0, 1, 1], "c": [0, 1, 0]}, k=1).export(tmp_path / "x.txt")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        asia.export(tmp_path / "x.bif")
        odd.export(tmp_path / "x.txt")
    assert caught == []


def test_control_characters_in_names(tmp_path: Path) -> None:
    rows = np.random.default_rng(5).integers(0, 2, size=(50, 3))
    names = ("line\nend", "tab\tand \x01", "next\u2028\x85")
    posterior = learn(dict(zip(names, (rows[:, 0], rows[:, 0], rows[:, 2]), strict=True)), k=9)
    with pytest.warns(DagmassWarning, match="control characters"):
        posterior.export(tmp_path / "x.txt")
    lines = [line.split("\t") for line in (tmp_path / "x.txt").read_text().splitlines()]
    assert [len(line) for line in lines] == [2] * 9
    assert [posterior.rank(model).rank for _, model in lines] == list(range(1, 10))
    with pytest.warns(DagmassWarning, match=r"'tab\\tand \\x01' is written as 'tab\\tand _': XML has no control characters"):
        posterior.export(tmp_path / "x.graphml")
    graph = nx.read_graphml(tmp_path / "x.graphml")
    assert set(graph.nodes) == {"line\nend", "tab\tand _", "next\u2028\x85"}
    assert graph.number_of_edges() == len(posterior[1].edges)


FREE_TEXT = """
network "say probability (x | y)" { property author "a; probability (x | y)"; property note probability (y | x); }
// probability ( a | b ) { }
/* probability ( a | b ) { }
   probability ( b | a ) { } */
variable "b, c (http://d)" { type discrete [ 2 ] { 0, 1 }; }
probability ( a /* none | b */ ) { table 0.5, 0.5; } // probability ( a | b )
probability ( "b, c (http://d)" | // two of them
  a, "e | f" ) { }
probability("e | f"){ table 1; }
/* not closed: probability ( a | b ) { }
"""


def test_only_families_are_read_from_bif(tmp_path: Path) -> None:
    (tmp_path / "x.bif").write_text(FREE_TEXT)
    assert read_bif_parents(tmp_path / "x.bif") == {"a": [], "b, c (http://d)": ["a", "e | f"], "e | f": []}


def test_a_text_with_an_arrow_is_no_file(tmp_path: Path) -> None:
    posterior = learn({"a": [0, 1, 1, 0], "x.bif": [0, 1, 0, 0]}, k=3)
    assert posterior.rank("a -> x.bif").network.to_dict() == {"a": [], "x.bif": ["a"]}
    assert posterior.rank("a → x.bif") == posterior.rank("[a][x.bif|a]") == posterior.rank("a -> x.bif")
    path = tmp_path / "a -> b.bif"
    path.write_text("probability ( a ) { }")
    assert posterior.rank(path).network.edges == []
    with pytest.raises(InputError, match=r"There is no file 'x\.bif'"):
        posterior.rank("x.bif")


def test_expected_parameters_are_smoothed_counts(odd: Posterior) -> None:
    table = odd.origin.require_table("is needed")
    found = expected_parameters(table, 1, [0, 2], ess=2.0)
    levels = table.num_levels
    for i in range(levels[0]):
        for j in range(levels[2]):
            rows = (table.codes[0] == i) & (table.codes[2] == j)
            counts = np.bincount(table.codes[1][rows], minlength=levels[1]) + 2.0 / np.prod(levels)
            assert np.allclose(found[i * levels[2] + j], counts / counts.sum())


def test_model_strings(asia: Posterior, tmp_path: Path) -> None:
    asia.export(tmp_path / "x.txt")
    lines = [line.split("\t") for line in (tmp_path / "x.txt").read_text().splitlines()]
    assert [float(weight) for weight, _ in lines] == asia.weights.tolist()
    assert [parse_model_string(model) for _, model in lines] == [asia[rank].to_dict() for rank in range(1, 41)]
    assert bnlearn_names(("a[1]", "a.1.")) == ("a.1..", "a.1.")


def test_dot(odd: Posterior, tmp_path: Path) -> None:
    odd.export(tmp_path / "x.dot", 2)
    text = (tmp_path / "x.dot").read_text()
    assert text.startswith("digraph network {\n")
    assert all(f'"{name}"' in text for name in odd.variables)
    assert text.count("->") == len(odd[2].edges)


def test_bad_targets(asia: Posterior, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must say what to write"):
        asia.export(tmp_path / "x.pdf")
    with pytest.raises(InputError, match="Ranks run from 1 to 40"):
        asia.export(tmp_path / "x.dot", 41)


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_bnlearn_reads_model_strings(asia: Posterior, tmp_path: Path) -> None:
    found = subprocess.run(
        ["Rscript", "-e", 'cat(requireNamespace("bnlearn", quietly = TRUE))'], capture_output=True, text=True, check=True
    )
    if found.stdout != "TRUE":
        pytest.skip("bnlearn is not installed")
    asia.export(tmp_path / "x.txt")
    script = ["Rscript", str(EXAMPLES / "custom_strength.R"), str(tmp_path / "x.txt")]
    rows = csv.reader(subprocess.run(script, capture_output=True, text=True, check=True).stdout.splitlines()[1:])
    strengths = {(row[0], row[1]): float(row[2]) for row in rows}
    for a, b, link in asia.edges()[["from", "to", "link"]].itertuples(index=False):
        assert strengths[a, b] == pytest.approx(link, abs=1e-6)
