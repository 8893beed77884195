"""The commands that ask a saved run: what they print, for people and for programs."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dagmass import BestNetworks, LocalScores, Posterior, best_networks, learn, load
from dagmass.cli.main import run


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that succeeds; return what it printed."""
    assert run(list(arguments)) == 0
    return capsys.readouterr().out


def strict_json(text: str) -> Any:
    """Read JSON as programs do that know no NaN or Infinity."""
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


def test_json_has_no_infinity(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = LocalScores.from_dict({"a": {(): -1.0}, "b": {(): -2.0, ("a",): -1.5}})
    path = str(tmp_path / "a.dagmass")
    Posterior.of_best(best_networks(scores), 2).save(path)
    found = strict_json(answer(capsys, "rank", path, "b -> a", "--json"))
    assert (found["log_score"], found["loss"], found["rank"]) == (None, None, None)
    assert [change["gain"] for change in found["improvements"]] == [None, None]


def test_more_of_a_run_without_a_description(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = LocalScores.from_dict({"a": {(): -1.0}, "b": {(): -2.0, ("a",): -1.5}})
    path = str(tmp_path / "a.dagmass")
    Posterior.of_best(best_networks(scores), 1).save(path)
    assert "Written" in answer(capsys, "more", path, "-k", "2")
    found = strict_json(answer(capsys, "more", path, "-k", "3", "--json"))
    assert (found["k"], found["num_networks"]) == (3, 2)
    assert (found["data"], found["score"]) == ({"scores_file": None}, {"name": None, "ess": None})


@pytest.mark.parametrize(
    ("output", "message"),
    [("x.txt", "saved to a .dagmass file"), ("nowhere/x.dagmass", "There is no folder"), ("folder.dagmass", "is a folder")],
)
def test_more_checks_the_target_before_it_searches(
    output: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.dagmass"
    (tmp_path / "folder.dagmass").mkdir()
    learn("iris", k=2).save(path)
    monkeypatch.setattr(BestNetworks, "take", lambda *_: pytest.fail("the search began"))
    assert run(["more", str(path), "-k", "5", "-o", str(tmp_path / output)]) == 2
    assert message in capsys.readouterr().err


def no_space(*_: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.fixture(scope="module")
def iris(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("runs") / "iris.dagmass"
    learn("iris", k=20).save(path)
    return str(path)


def test_csv_has_a_header_and_a_row_an_entry(iris: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, "compare", iris, "1", "1", "--csv") == "change,from,to\n"
    assert answer(capsys, "compare", iris, "1", "2", "--csv").startswith("change,from,to\n")
    best = answer(capsys, "rank", iris, str(load(iris)[1]), "--csv").splitlines()
    assert best[0] == "kind,from,to,value"
    assert {line.split(",")[0] for line in best[4:]} == {"edge"}
    assert best[1:4] == [f"log_score,,,{load(iris).log_scores[0]!s}", "loss,,,0.0", "rank,,,1"]
    ranked = load(iris).rank("class -> petal_width")
    lines = answer(capsys, "rank", iris, "class -> petal_width", "--csv").splitlines()
    assert lines[1:4] == [f"log_score,,,{ranked.log_score}", f"loss,,,{ranked.loss}", "rank,,,"]
    rows = [line.split(",") for line in lines[4:]]
    assert rows[0][:3] == ["edge", "class", "petal_width"]
    assert float(rows[0][3]) == pytest.approx(ranked.edges[0][2])
    assert [(row[0], row[1], row[2]) for row in rows[1:]] == [(c.kind, c.parent, c.child) for c in ranked.improvements]
    assert [float(row[3]) for row in rows[1:]] == pytest.approx([change.gain for change in ranked.improvements])


def test_parent_sets_in_csv_are_lists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "a.dagmass")
    learn({'a, "b"': [0, 1, 1, 0], "größe": [0, 1, 0, 0], "c": [1, 1, 0, 0]}, k=25).save(path)
    sets = pd.read_csv(io.StringIO(answer(capsys, "parents", path, "c", "--csv")))["parents"]
    assert [tuple(json.loads(names)) for names in sets] == list(load(path).parent_sets("c")["parents"])
    assert {"[]", '["a, \\"b\\"", "größe"]'} <= set(sets)
    assert "none" in answer(capsys, "parents", path, "c")


def test_rank_prints_a_network_that_it_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "a.dagmass")
    learn({"a:b": [0, 1, 1, 0], "blood group": [0, 1, 0, 0]}, k=2).save(path)
    found = strict_json(answer(capsys, "rank", path, '"blood group" -> "a:b"', "--json"))
    assert found["network"] == "[a.b|blood group][blood group]"
    assert strict_json(answer(capsys, "rank", path, found["network"], "--json")) == found


def test_info(iris: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = answer(capsys, "info", iris)
    for said in (
        "20 of 5 variables, from iris, 150 rows", "k 20: as many as were asked for", "BDeu, equivalent sample size 1\n",
        f"{load(iris).coverage:.6g} of the posterior",
        "log evidence -450.491162", "the table is in the file", "total 0.", "format 1",
    ):  # fmt: skip
        assert said in text
    about = strict_json(answer(capsys, "info", iris, "--json"))
    assert (about["num_networks"], about["has_data"], about["exact"]["over"]) == (20, True, "networks")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["sample", "iris", "-n", "50", "--max-parents", "2"],
            ["50 of 5 variables", "independent draws", "at most 2 parents"],
        ),
        (["learn", "iris", "--mass", "0.5", "--ess", "2"], ["they hold the share of the posterior", "equivalent sample size 2"]),
        (["learn", "iris", "--bayes-factor", "9", "--strict"], ["all within the Bayes factor", "without those that have a better-scoring"]),
        (["learn", "iris", "--bayes-factor", "9", "--max-networks", "2"], ["k 2: the search ended at its largest number of networks"]),
        (["learn", "iris", "-k", "2", "--no-data"], ["not in the file"]),
        (["learn", "asia", "-k", "2", "--evidence", "no"], ["Coverage  not known"]),
        (["learn", "SCORES", "-k", "10"], ["from local scores", "k 10: all that exist", "imported", "the local scores are in the file"]),
    ],
)
def test_info_of_every_kind_of_run(arguments: list[str], said: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores, path = tmp_path / "two.jkl", str(tmp_path / "a.dagmass")
    scores.write_text("2\na 1\n-1 0\nb 2\n-2 0\n-1.5 1 a\n")
    answer(capsys, *(str(scores) if argument == "SCORES" else argument for argument in arguments), "-o", path)
    text = " ".join(answer(capsys, "info", path).split())
    for words in said:
        assert " ".join(words.split()) in text


@pytest.mark.parametrize("options", [["--classes"], []])
def test_classes_tell_compelled_and_reversible_edges(options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "a.dagmass")
    answer(capsys, "learn", "iris", "-k", "5", "-o", path, *options)
    posterior = load(path)
    rows = json.loads(answer(capsys, "classes", path, "--by", "mass", "--json"))
    for row in rows:
        found = posterior.class_of_rank(row["rank" if options else "best_rank"])
        assert row["directed"] == [list(edge) for edge in found.directed]
        assert row["undirected"] == [list(link) for link in found.undirected]
    text, table = answer(capsys, "classes", path), answer(capsys, "classes", path, "--csv")
    assert {"directed", "undirected", "difference"} <= set(text.splitlines()[0].split())
    assert "class → petal_width, petal_length → class" in table
    assert "petal_length – class, petal_width – class" in table
    assert max(map(len, answer(capsys, "classes", path).splitlines())) < 400


TABLES: list[tuple[list[str], Callable[[Posterior], pd.DataFrame]]] = [
    (["networks"], lambda posterior: posterior.networks()),
    (["edges"], lambda posterior: posterior.edges()),
    (["paths"], lambda posterior: posterior.paths()),
    (["blanket", "class"], lambda posterior: posterior.blanket("class")),
    (["parents", "class"], lambda posterior: posterior.parent_sets("class")),
]


@pytest.mark.parametrize(("command", "table"), TABLES)
def test_tables_are_those_of_the_library(
    command: list[str], table: Callable[[Posterior], pd.DataFrame], iris: str, capsys: pytest.CaptureFixture[str]
) -> None:
    verb, *rest = command
    expected = table(load(iris))
    rows = strict_json(answer(capsys, verb, iris, *rest, "--json"))
    assert list(rows[0]) == list(expected.columns)
    assert rows == json.loads(json.dumps(expected.to_dict(orient="records")))
    back = pd.read_csv(io.StringIO(answer(capsys, verb, iris, *rest, "--csv")))
    assert list(back.columns) == list(expected.columns)
    for name in expected.select_dtypes("number"):
        assert back[name].to_numpy() == pytest.approx(expected[name].to_numpy())
    text = answer(capsys, verb, iris, *rest).splitlines()
    assert set(text[0].split()) == set(expected.columns) - {"network"}
    assert len(text) == min(len(expected), 25) + 1


def test_long_tables_are_cut_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "a.dagmass")
    learn("iris", k=60).save(path)
    assert answer(capsys, "networks", path).splitlines()[-1] == "... 35 further rows; --csv or --json prints all 60."
    assert len(answer(capsys, "networks", path, "--csv").splitlines()) == 61


def test_likely_edges_come_first_for_people(iris: str, capsys: pytest.CaptureFixture[str]) -> None:
    averages = [float(line.split()[2]) for line in answer(capsys, "edges", iris).splitlines()[1:]]
    assert averages == sorted(averages, reverse=True)


def test_query(iris: str, capsys: pytest.CaptureFixture[str]) -> None:
    expressions = ["edge(class, petal_width)", "path(class, petal_width) and not edge(class, petal_width)"]
    found = strict_json(answer(capsys, "query", iris, *expressions, "--json"))
    assert [list(row) for row in found] == [["expression", "average", "probability", "low", "high", "method"]] * 2
    assert [row["expression"] for row in found] == expressions
    for row in found:
        expected = load(iris).probability(row["expression"])
        assert (row["average"], row["low"], row["high"], row["method"]) == (
            expected.average, expected.low, expected.high, expected.method,
        )  # fmt: skip
        assert row["probability"] == (expected.value if row["method"] == "exact" else None)
    assert [row["method"] for row in found] == ["exact", "bounds"]
    text = answer(capsys, "query", iris, *expressions).splitlines()
    assert text[::2] == expressions
    assert text[1].endswith("among these 20 networks)")
    lines = answer(capsys, "query", iris, *expressions, "--csv").splitlines()
    assert lines[0] == "expression,average,probability,low,high,method"
    assert len(lines) == 3


def test_query_with_draws(iris: str, capsys: pytest.CaptureFixture[str]) -> None:
    expression = "path(class, petal_width) and not edge(class, petal_width)"
    (found,) = strict_json(answer(capsys, "query", iris, expression, "--draws", "200", "--seed", "3", "--json"))
    expected = load(iris).probability(expression, draws=200, seed=3)
    assert (found["method"], found["probability"]) == ("estimate", expected.value)
    assert found["low"] <= found["probability"] <= found["high"]


def test_compare(iris: str, capsys: pytest.CaptureFixture[str]) -> None:
    expected = load(iris).compare(1, 9)
    rows = strict_json(answer(capsys, "compare", iris, "1", "9", "--json"))
    for change, edges in (("added", expected.added), ("removed", expected.removed), ("reversed", expected.reversed)):
        assert [(row["from"], row["to"]) for row in rows if row["change"] == change] == list(edges)
    assert answer(capsys, "compare", iris, "1", "9") == f"From network 1 to network 9: {expected}\n"
    assert strict_json(answer(capsys, "compare", iris, "2", "2", "--json")) == []


def test_consensus(iris: str, capsys: pytest.CaptureFixture[str]) -> None:
    expected = load(iris).consensus(0.3)
    rows = strict_json(answer(capsys, "consensus", iris, "--threshold", "0.3", "--json"))
    for kind, edges in (("edge", expected.edges), ("skipped", expected.skipped), ("link", expected.links)):
        listed = [(row["from"], row["to"], row["average"], row["directed"]) for row in rows if row["kind"] == kind]
        assert listed == [(edge.a, edge.b, edge.average, edge.is_directed) for edge in edges]
    assert answer(capsys, "consensus", iris, "--threshold", "0.3") == f"{expected!r}\n"
    assert answer(capsys, "consensus", iris, "--csv").startswith("kind,from,to,average,directed\n")
    assert "the average over the networks of RUN" in " ".join(answer(capsys, "consensus", "--help").split())


def test_rank(iris: str, capsys: pytest.CaptureFixture[str]) -> None:
    third = str(load(iris)[3])
    found = strict_json(answer(capsys, "rank", iris, third, "--json"))
    expected = load(iris).rank(third)
    assert list(found) == ["network", "log_score", "loss", "rank", "improvements", "edges"]
    assert (found["network"], found["log_score"], found["loss"], found["rank"]) == (third, expected.log_score, expected.loss, 3)
    assert answer(capsys, "rank", iris, third) == f"{expected!r}\n"


def test_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, longer = str(tmp_path / "a.dagmass"), str(tmp_path / "b.dagmass")
    learn("iris", k=5).save(path)
    assert f"Written   {longer}" in answer(capsys, "more", path, "-k", "9", "-o", longer)
    assert (len(load(path)), load(longer)) == (5, learn("iris", k=9))
    assert answer(capsys, "more", path, "-k", "7", "--csv") == answer(capsys, "networks", path, "--csv")
    found = strict_json(answer(capsys, "more", path, "-k", "9", "--json"))
    assert (found["k"], found["num_networks"]) == (9, 9)
    assert load(path) == load(longer)


def test_what_cannot_be_saved_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "a.dagmass")
    learn("iris", k=5).save(path)
    monkeypatch.setattr("os.fsync", no_space)
    assert run(["more", path, "-k", "9", "--json"]) == 1
    captured = capsys.readouterr()
    assert strict_json(captured.out)["num_networks"] == 9
    assert "No space left" in captured.err
    assert run(["more", path, "-k", "9"]) == 1
    assert "Written" not in capsys.readouterr().out


def test_export(iris: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "x.bif")
    assert answer(capsys, "export", iris, "-o", path, "--rank", "4") == f"Written   {path}\n"
    assert load(iris).rank(path).rank == 4
    written = answer(capsys, "export", iris, "-o", str(tmp_path / "y.csv")).split()
    assert written == ["Written", str(tmp_path / "y.networks.csv"), "Written", str(tmp_path / "y.edges.csv")]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["blanket", "RUN", "clas"], "There is no variable 'clas'. Did you mean 'class'?"),
        (["parents", "RUN", "clas"], "There is no variable 'clas'"),
        (["query", "RUN", "edge(class, width)"], "There is no variable 'width'"),
        (["query", "RUN", "edge(class petal_width)"], "',' was expected here.\n  edge(class petal_width)\n             ^"),
        (["query", "RUN", "edge(class, petal_width)", "--draws", "-1"], "draws must be at least 1"),
        (["query", "RUN"], "Missing argument"),
        (["compare", "RUN", "1", "21"], "Ranks run from 1 to 20, got 21"),
        (["compare", "RUN", "0", "1"], "Ranks run from 1 to 20, got 0"),
        (["consensus", "RUN", "--threshold", "2"], "The threshold must lie above 0"),
        (["rank", "RUN", "class -> petal_width -> class"], "must have no directed cycle"),
        (["rank", "RUN", "class -> width"], "a variable 'width' that the run does not have"),
        (["rank", "RUN", "class"], "A network is given as"),
        (["more", "RUN", "-k", "20"], "holds 20 networks already"),
        (["export", "RUN", "-o", "x.pdf"], "must say what to write"),
        (["export", "RUN", "-o", "x.dot", "--rank", "21"], "Ranks run from 1 to 20"),
        (["edges", "RUN", "--json", "--csv"], "exclude each other"),
        *(([verb, "missing.dagmass", *rest], "There is no file 'missing.dagmass'") for verb, *rest in (
            ["networks"], ["edges"], ["paths"], ["blanket", "a"], ["parents", "a"], ["query", "edge(a, b)"], ["compare", "1", "2"],
            ["consensus"], ["rank", "a -> b"], ["more", "-k", "5"], ["export", "-o", "x.dot"], ["info"],
        )),
    ],
)  # fmt: skip
def test_bad_questions(command: list[str], message: str, iris: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([iris if argument == "RUN" else argument for argument in command]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("verb", ["networks", "info"])
def test_files_of_another_kind(verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n")
    assert run([verb, str(path)]) == 2
    assert "is not a .dagmass file. 'dagmass learn DATA -o RUN.dagmass' writes one." in capsys.readouterr().err


def test_changed_names_are_said_on_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["learn", "zoo", "-k", "1", "--evidence", "no", "-o", str(tmp_path / "x.bif")]) == 0
    assert "'type' is written as 'type_'" in capsys.readouterr().err
