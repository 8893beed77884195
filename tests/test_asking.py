"""The commands that ask a saved run: what they print, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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


@pytest.mark.parametrize(("output", "message"), [("x.txt", "saved to a .dagmass file"), ("nowhere/x.dagmass", "There is no folder")])
def test_more_checks_the_target_before_it_searches(
    output: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.dagmass"
    learn("iris", k=2).save(path)
    monkeypatch.setattr(BestNetworks, "take", lambda *_: pytest.fail("the search began"))
    assert run(["more", str(path), "-k", "5", "-o", str(tmp_path / output)]) == 2
    assert message in capsys.readouterr().err


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
    assert {line.split(",")[0] for line in best[1:]} == {"edge"}
    ranked = load(iris).rank("class -> petal_width")
    rows = [line.split(",") for line in answer(capsys, "rank", iris, "class -> petal_width", "--csv").splitlines()[1:]]
    assert rows[0][:3] == ["edge", "class", "petal_width"]
    assert float(rows[0][3]) == pytest.approx(ranked.edges[0][2])
    assert [(row[0], row[1], row[2]) for row in rows[1:]] == [(c.kind, c.parent, c.child) for c in ranked.improvements]
    assert [float(row[3]) for row in rows[1:]] == pytest.approx([change.gain for change in ranked.improvements])


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
