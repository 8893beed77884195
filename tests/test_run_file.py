"""The .dagmass file: there and back, and never half of one."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import local_score_tables

import dagmass as dm
from dagmass import DagmassError, InputError, LocalScores, Posterior, learn, load
from dagmass.run import run_file


def test_round_trip(tmp_path: Path) -> None:
    posterior = learn("asia", k=50, max_parents=3)
    posterior.save(tmp_path / "a.dagmass")
    back = load(tmp_path / "a.dagmass")
    assert back == posterior
    assert hash(back) == hash(posterior)
    assert back.info == posterior.info
    assert back.weights.tolist() == posterior.weights.tolist()
    assert back.origin.table == posterior.origin.table
    assert back.origin.scores() == posterior.origin.scores()
    assert repr(back) == repr(posterior)
    assert back.more(25) == posterior.more(25)
    assert back.rank(back[7]).rank == 7


@given(local_score_tables(max_variables=4))
@settings(max_examples=20)
def test_runs_of_imported_scores(tmp_path_factory: pytest.TempPathFactory, scores: LocalScores) -> None:
    path = tmp_path_factory.mktemp("runs") / "a.dagmass"
    try:
        posterior = Posterior.of_best(dm.best_networks(scores), 10)
    except InputError:
        return
    posterior.save(path)
    assert load(path) == posterior
    assert run_file.describe(path)["has_data"]
    assert load(path).more(5) == posterior.more(5)


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    posterior = learn("iris", k=5)
    posterior.save(tmp_path / "a.dagmass")
    posterior.save(tmp_path / "b.dagmass")
    assert (tmp_path / "a.dagmass").read_bytes() == (tmp_path / "b.dagmass").read_bytes()


def test_without_data_later_questions_are_refused(tmp_path: Path) -> None:
    posterior = learn("iris", k=5)
    posterior.save(tmp_path / "a.dagmass", data=False)
    back = load(tmp_path / "a.dagmass")
    assert back == posterior
    assert float(back.probability("edge(class, petal_width)")) == float(posterior.probability("edge(class, petal_width)"))
    for ask in (lambda: back.more(1), lambda: back.rank(back[1]), lambda: back.export(tmp_path / "x.bif")):
        with pytest.raises(InputError, match="saved without its data"):
            ask()


def test_a_strict_run_stays_strict(tmp_path: Path) -> None:
    path = tmp_path / "a.dagmass"
    strict = learn("iris", bayes_factor=20, strict=True)
    strict.save(path)
    with pytest.raises(InputError, match="A strict run is not continued"):
        load(path).more(1)


def without(about: dict[str, object], key: str) -> dict[str, object]:
    return {name: value for name, value in about.items() if name != key}


def test_damage_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.dagmass"
    learn("zoo", k=300).save(path)
    whole = path.read_bytes()
    damaged = [whole[:length] for length in range(0, len(whole), 1024)]
    for place in range(0, len(whole), 97):
        damaged.append(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
    damaged += [whole + b"x", b"PK", b"", b"hello"]
    for content in damaged:
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"damaged|not a \.dagmass file"):
            load(path)


def test_newer_formats_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(run_file, "FORMAT", 2)
        learn("iris", k=5).save(tmp_path / "a.dagmass")
    with pytest.raises(InputError, match=r"format 2.*reads up to 1.*Update dagmass"):
        load(tmp_path / "a.dagmass")


@pytest.mark.parametrize("unknown", ["2.0", 1.5, None, [2]])
def test_formats_that_are_no_numbers_are_refused(unknown: object, tmp_path: Path) -> None:
    path = tmp_path / "a.dagmass"
    learn("iris", k=5).save(path)
    resealed(path, {"run.json": json.dumps({"format": unknown}).encode()})
    for read in (load, run_file.describe):
        with pytest.raises(InputError, match=r"newer or unknown format .*; this version reads up to 1\. Update dagmass"):
            read(path)


def resealed(path: Path, changed: dict[str, bytes | None]) -> None:
    """Write a file again with some members replaced or, for None, left out, and with a checksum that agrees."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(buffer, "w") as new:
        new.comment = b" " * run_file.SEAL_LENGTH
        for name in old.namelist():
            content = changed.get(name, old.read(name))
            if content is not None:
                new.writestr(name, content)
    path.write_bytes(run_file._sealed(buffer.getvalue()))


@pytest.mark.parametrize("member", ["run.json", "parents.npy", "scores.npy", "exact_edges.npy", "table_weights.npy"])
def test_missing_members_are_said(member: str, tmp_path: Path) -> None:
    path = tmp_path / "a.dagmass"
    for content in (None, b"", b"[]", b"{}"):
        learn("iris", k=5).save(path)
        resealed(path, {member: content})
        with pytest.raises(InputError, match=r"is not a complete \.dagmass file"):
            load(path)


def test_missing_keys_are_said(tmp_path: Path) -> None:
    path = tmp_path / "a.dagmass"
    learn("iris", k=5).save(path)
    about = run_file.describe(path)
    for broken in (
        *(without(about, key) for key in about),
        *({**about, "info": without(about["info"], key)} for key in about["info"]),
    ):
        resealed(path, {"run.json": json.dumps(broken).encode()})
        for read in (load, run_file.describe):
            with pytest.raises(InputError, match=r"is not a complete \.dagmass file"):
                read(path)


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.dagmass"
    learn("iris", k=5).save(path)
    before = path.read_bytes()

    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", no_space)
    with pytest.raises(DagmassError, match="No space left"):
        learn("iris", k=6).save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "a.dagmass", tmp_path / "link.dagmass"
    learn("iris", k=5).save(target)
    link.symlink_to(target)
    load(link).more(3).save(link)
    assert link.is_symlink()
    assert len(load(target)) == 8


def test_the_mode_of_a_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.dagmass"
    posterior = learn("iris", k=5)
    posterior.save(path)
    for mode in (0o600, 0o664):
        path.chmod(mode)
        posterior.save(path)
        assert path.stat().st_mode & 0o777 == mode


def test_killed_while_writing_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "a.dagmass"
    learn("iris", k=5).save(path)
    code = (
        "import sys, dagmass as dm\nposterior = dm.learn('zoo', k=20000)\nprint('ready', flush=True)\n"
        "while True:\n    posterior.save(sys.argv[1])\n"
    )
    for delay in (0.05, 0.12, 0.31):
        process = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        assert len(load(path)) in (5, 20000)


def test_what_a_file_says_of_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.dagmass"
    learn("iris", k=5).save(path)
    about = run_file.describe(path)
    assert (about["format"], about["num_networks"], about["has_data"]) == (1, 5, True)
    with zipfile.ZipFile(path) as archive:
        assert json.loads(archive.read("run.json")) == about
        assert sorted(archive.namelist()) == [
            "exact_edges.npy", "exact_paths.npy", "parents.npy", "run.json", "scores.npy", "table_codes.npy", "table_weights.npy",
        ]  # fmt: skip


def test_the_format_is_described(tmp_path: Path) -> None:
    described = (Path(__file__).parent.parent / "docs" / "format.md").read_text()
    learn("iris", k=5).save(tmp_path / "a.dagmass")
    scores = LocalScores.from_dict({"a": {(): -1.0}, "b": {(): -2.0, ("a",): -1.5}})
    learn(scores, k=5).save(tmp_path / "b.dagmass")
    for name in ("a", "b"):
        with zipfile.ZipFile(tmp_path / f"{name}.dagmass") as archive:
            about = json.loads(archive.read("run.json"))
            inner = [key for part in ("ties", "exact", "info") for key in about[part] or ()]
            for word in (*archive.namelist(), *about, *inner, *about["info"]["data"], *about["info"]["score"]):
                assert f"`{word}`" in described, word


def test_other_files_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("x", "y")
    with pytest.raises(InputError, match="damaged or not"):
        load(tmp_path / "other.zip")
    with pytest.raises(InputError, match="There is no file"):
        load(tmp_path / "none.dagmass")
    with pytest.raises(InputError, match=r"saved to a \.dagmass file"):
        learn("iris", k=1).save(tmp_path / "x.zip")


def test_strange_names_and_levels_survive(tmp_path: Path) -> None:
    frame = {'say "x"': ["<1", "≥ 1", "<1", "≥ 1"], "größe": [1, 2, 2, 1], "a\nb": [True, False, True, True]}
    posterior = learn(frame, k=25)
    posterior.save(tmp_path / "a.dagmass")
    back = load(tmp_path / "a.dagmass")
    assert back.variables == posterior.variables
    assert back.origin.table == posterior.origin.table
    assert np.array_equal(back.parents, posterior.parents)
