"""GOBNILP's format, there and back."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from strategies import local_score_tables

from dagmass import DagmassWarning, InputError, LocalScores, Table, best_networks, local_scores, read_jkl, write_jkl
from dagmass.exchange.jkl import looks_pruned, safe_names


@given(local_score_tables(max_variables=4))
@settings(max_examples=30)
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, scores: LocalScores) -> None:
    path = tmp_path_factory.mktemp("jkl") / "scores.jkl"
    write_jkl(scores, path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DagmassWarning)
        back = read_jkl(path)
    assert back.variables == scores.variables
    for (v, parents, units), (_, parents_back, units_back) in zip(scores.families(), back.families(), strict=True):
        assert parents.tolist() == parents_back.tolist(), v
        nats = units * 2.0**-scores.fraction_bits
        assert units_back * 2.0**-back.fraction_bits == pytest.approx(nats, abs=2e-11)


def test_networks_of_a_file(tmp_path: Path) -> None:
    table = Table.from_frame({"a": [0, 1, 0, 1, 1], "b": [0, 1, 0, 1, 0], "blood group": [0, 1, 1, 1, 0]})
    notes = write_jkl(local_scores(table), tmp_path / "a.jkl")
    assert notes == ("'blood group' is written as 'blood_group': names in .jkl files have no blanks.",)
    back = read_jkl(tmp_path / "a.jkl")
    assert back.variables == ("a", "b", "blood_group")
    assert len(list(best_networks(back))) == 25


def test_names_stay_different() -> None:
    assert safe_names(("a b", "a_b", "a  b")) == ("a_b_", "a_b", "a_b__")


def test_pruned_files_are_noticed(tmp_path: Path) -> None:
    pruned = [{0: -1.0, 0b110: -0.5}, {0: -1.0}, {0: -1.0}]
    assert looks_pruned(pruned)
    assert not looks_pruned([{0: -1.0, 0b010: -0.8, 0b100: -0.7, 0b110: -0.5}, {0: -1.0}, {0: -1.0}])
    assert not looks_pruned([{0: -1.0, 0b110: -1.5}, {0: -1.0}, {0: -1.0}])
    path = tmp_path / "pruned.jkl"
    path.write_text("3\na 2\n-1.0 0\n-0.5 2 b c\nb 1\n-1.0 0\nc 1\n-1.0 0\n")
    with pytest.warns(DagmassWarning, match="pruned for the single best network"):
        read_jkl(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("x\n", "'x' where the number of variables was expected"),
        ("2\na 1\nNaN 0\nb 1\n0 0\n", "NaN"),
        ("2\na 1\n-1_5 0\nb 1\n0 0\n", "'-1_5' where a score"),
        ("3\na 1\n-1 2 b b\nb 1\n0 0\nc 1\n0 0\n", "lists a parent of 'a' twice"),
        ("2\na 1\n-1e20 0\nb 1\n0 0\n", "Scores must lie between"),
        ("2\na 1\nzero 0\nb 1\n0 0\n", "'zero' where a score of 'a' was expected"),
        ("2\na 1\n-1 1 c\nb 1\n0 0\n", "parent 'c' of 'a'"),
        ("2\na 1\n-1 1 a\nb 1\n0 0\n", "own parent"),
        ("2\na 1\n-1 0\na 1\n0 0\n", "variable 'a' twice"),
        ("2\na 2\n-1 0\n-2 0\nb 1\n0 0\n", "twice"),
        ("2\na 1\n-1 0\nb 2\n0 0\n", "ends where a score of 'b' was expected"),
        ("2\na 1\n-1 0\nb 1\n0 0\n7\n", "goes on after"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "bad.jkl"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_jkl(path)
