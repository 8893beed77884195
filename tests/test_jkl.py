"""GOBNILP's format, there and back."""

from __future__ import annotations

import warnings
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import coded_tables, local_score_tables

from dagmass import DagmassWarning, InputError, LocalScores, Table, best_networks, local_scores, read_jkl, write_jkl
from dagmass.exchange.jkl import looks_pruned, safe_names
from dagmass.scores.fixed_point import to_nats


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
    assert not looks_pruned([{}, {0: -1.0}, {0: -1.0}])
    assert looks_pruned([{0: -1.0, 0b010: -0.9, 0b100: -0.8, 0b110: -0.7, 0b1000: -0.6}, *[{0: -1.0}] * 3])
    path = tmp_path / "pruned.jkl"
    path.write_text("3\na 2\n-1.0 0\n-0.5 2 b c\nb 1\n-1.0 0\nc 1\n-1.0 0\n")
    with pytest.warns(DagmassWarning, match="pruned for the single best network"):
        read_jkl(path)


def pruned(table: Table, max_parents: int | None) -> list[dict[int, float]]:
    """The families that no subset of theirs beats."""
    listed = families_of(table, max_parents)
    return [
        {
            parents: score
            for parents, score in of_one.items()
            if all(of_one[s] < score for s in of_one if s & ~parents == 0 and s != parents)
        }
        for of_one in listed
    ]


def families_of(table: Table, max_parents: int | None) -> list[dict[int, float]]:
    scores = local_scores(table, max_parents=max_parents)
    return [
        dict(zip(parents.tolist(), to_nats(units, scores.fraction_bits).tolist(), strict=True)) for _, parents, units in scores.families()
    ]


@given(coded_tables(max_variables=5), st.sampled_from([1, 2, None]))
@settings(max_examples=60)
def test_exactly_pruned_files_are_noticed(table: Table, max_parents: int | None) -> None:
    """Unless pruning took away nothing, or every set with some parent: then the file could be one with fewer candidates."""
    every, kept = families_of(table, max_parents), pruned(table, max_parents)
    assert not looks_pruned(every)
    shrunk_to_candidates = all(len(listed) == len(subsets_of(listed)) for listed in kept)
    assert looks_pruned(kept) == (not shrunk_to_candidates)


def subsets_of(listed: dict[int, float]) -> set[int]:
    """All subsets of the parents that occur, up to the largest size that occurs."""
    parents = [v for v in range(5) if any(varset >> v & 1 for varset in listed)]
    largest = max(varset.bit_count() for varset in listed)
    return {sum(1 << v for v in chosen) for size in range(largest + 1) for chosen in combinations(parents, size)}


def test_files_that_are_no_utf_8_or_no_files(tmp_path: Path) -> None:
    path = tmp_path / "latin.jkl"
    path.write_bytes("2\ngröße 1\n-1 0\nb 2\n-1 0\n-2 1 größe\n".encode("latin-1"))
    with pytest.warns(DagmassWarning, match="read as Latin-1"):
        assert read_jkl(path).variables == ("größe", "b")
    (tmp_path / "folder.jkl").mkdir()
    with pytest.raises(InputError, match=r"folder.jkl' is a folder"):
        read_jkl(tmp_path / "folder.jkl")
    with pytest.raises(InputError, match="There is no file"):
        read_jkl(tmp_path / "none.jkl")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("²\n", "'²' where the number of variables was expected"),
        ("9" * 5000, "'9{40}' where the number of variables was expected"),
        ("9" * 18, "ends where the name of a variable was expected"),
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
