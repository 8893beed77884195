"""The command line: what it prints, how it ends."""

from __future__ import annotations

import json
import math
import os
import shlex
import signal
import subprocess
import sys
import textwrap
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import rich.progress

from dagmass import BDeu, TooLargeError, learn, load
from dagmass.cli.main import run
from dagmass.cli.progress import reporting

KEYS = [
    "version", "data", "score", "k", "num_networks", "log_lambda", "lambda", "log_evidence", "log_evidence_error", "coverage", "stopped_by",
    "ties", "networks", "edges", "seconds", "operations",
]  # fmt: skip


def test_learn_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["learn", "zoo", "-k", "20", "--json", "--evidence", "no"]) == 0
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert captured.err == ""
    assert list(found) == KEYS
    assert found["data"]["num_rows"] == 101
    assert found["data"]["num_levels"]["legs"] == 6
    assert found["score"] == {"name": "BDeu", "ess": 1.0}
    assert (found["k"], found["num_networks"], len(found["networks"]), len(found["edges"])) == (20, 20, 20, 17 * 16)
    assert found["networks"][0]["rank"] == 1
    assert list(found["networks"][0]) == ["rank", "log_score", "weight", "posterior", "parents"]
    assert len(found["networks"][0]["parents"]) == 17
    assert sum(network["weight"] for network in found["networks"]) == pytest.approx(1)
    assert list(found["edges"][0]) == ["from", "to", "average", "probability", "low", "high"]
    assert (found["edges"][0]["low"], found["edges"][0]["high"]) == (0, 1)
    assert list(found["ties"]) == ["kept", "more"]
    assert found["stopped_by"] == "k"
    assert list(found["seconds"]) == ["read", "scores", "search", "total"]
    assert found["coverage"] is found["log_evidence"] is found["log_evidence_error"] is None
    assert {edge["probability"] for edge in found["edges"]} == {network["posterior"] for network in found["networks"]} == {None}


def test_learn_json_with_the_evidence(capsys: pytest.CaptureFixture[str]) -> None:
    """Three networks and all 29281: coverage, posterior and the exact probability of every edge."""
    assert run(["learn", "iris", "-k", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == KEYS
    assert found["log_evidence"] == pytest.approx(-450.491161775, abs=1e-9)
    assert 0 < found["log_evidence_error"] < 1e-9
    assert found["coverage"] == pytest.approx(sum(network["posterior"] for network in found["networks"]))
    best = found["networks"][0]
    assert best["posterior"] == pytest.approx(math.exp(best["log_score"] - found["log_evidence"]))
    everything = learn("iris", k=29281).edge_averages
    for edge in found["edges"]:
        a, b = (found["data"]["variables"].index(edge[end]) for end in ("from", "to"))
        assert edge["low"] <= everything[a, b] <= edge["high"]
        assert edge["probability"] == pytest.approx(everything[a, b], abs=1e-9)


def test_learn_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["learn", "asia", "--evidence", "no"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "among these 100" in out
    assert "certain" not in out
    assert "not known yet" in out


def test_learn_text_warns_of_a_small_share(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["learn", "zoo", "-k", "10"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "these networks hold 1.24354e-09 of the posterior" in out
    assert "that is little" in out
    assert "over all networks, exactly" in out


def test_what_ended_the_search_is_said_without_the_evidence(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["learn", "zoo", "--bayes-factor", "1e6", "--max-networks", "10", "--evidence", "no"]
    assert run(command) == 0
    assert "not known; the search ended at its largest number of networks" in capsys.readouterr().out
    assert run([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["stopped_by"] == "max_networks"


def test_sums_over_orders_as_json_and_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["exact", "iris", "--over", "orders", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(path["from"], path["to"]) for path in found["paths"]] == [(edge["from"], edge["to"]) for edge in found["edges"]]
    assert {path["probability"] for path in found["paths"]} == {None}
    assert run(["exact", "iris", "--json"]) == 0
    known = json.loads(capsys.readouterr().out)
    assert run(["exact", "iris"]) == 0
    value, error = capsys.readouterr().out.partition("log evidence ")[2].partition(";")[0].split(" ± ")
    assert abs(Fraction(value) - Fraction(known["log_evidence"])) + Fraction(known["log_evidence_error"]) <= Fraction(error)
    assert float(error) < 2 * known["log_evidence_error"]


def test_sums_that_are_left_out_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wide.jkl"
    path.write_text("2\na 1\n-1e8 0\nb 2\n-1e8 0\n-1e7 1 a\n")
    assert run(["learn", str(path), "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["coverage"] is None
    assert "Sums over all networks were left out" in captured.err
    assert run(["learn", str(path)]) == 0
    assert "Sums over all networks were left out" in capsys.readouterr().out
    assert run(["learn", str(path), "--evidence", "yes"]) == 2
    assert run(["learn", str(path), "--mass", "0.5"]) == 2


def test_next_steps_are_possible(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["learn", "iris", "-k", "3"]) == 0
    assert "more networks: -k 30" in capsys.readouterr().out
    assert run(["learn", "iris", "--bayes-factor", "3", "--strict"]) == 0
    assert "more networks" not in capsys.readouterr().out


def test_a_run_without_its_data_is_not_continued(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = str(tmp_path / "x.dagmass")
    assert run(["learn", "iris", "-k", "3", "-o", output]) == 0
    assert f"dagmass more {output} -k 30" in capsys.readouterr().out
    assert run(["learn", "iris", "-k", "3", "-o", output, "--no-data"]) == 0
    assert "dagmass more" not in capsys.readouterr().out


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_what_cannot_be_written_is_printed(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", no_space)
    assert run(["learn", "iris", "-k", "3", "-o", str(tmp_path / "x.dagmass"), *options]) == 1
    captured = capsys.readouterr()
    assert "No space left" in captured.err
    assert "Written" not in captured.out
    assert json.loads(captured.out)["k"] == 3 if options else "Coverage" in captured.out


def test_a_closed_pipe_keeps_no_run_from_being_written(tmp_path: Path) -> None:
    process = dagmass("learn", "iris", "-k", "900", "--json", "-o", str(tmp_path / "x.dagmass"))
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (0, "")
    assert len(load(tmp_path / "x.dagmass")) == 900


@pytest.mark.parametrize(
    ("folder", "arguments"),
    [
        ("x.dagmass", ["learn", "zoo", "-o", "x.dagmass"]),
        ("x.networks.csv", ["learn", "zoo", "-o", "x.csv"]),
        ("x.edges.csv", ["sample", "zoo", "-o", "x.csv"]),
        ("x.classes.csv", ["learn", "zoo", "--classes", "-o", "x.csv"]),
        ("x.jkl", ["scores", "zoo", "-o", "x.jkl"]),
    ],
)
def test_folders_in_place_of_files_are_refused_first(
    folder: str, arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(BDeu, "set_function", lambda *_: pytest.fail("the work began"))
    assert run(arguments) == 2
    assert f"{folder!r} is a folder" in capsys.readouterr().err


def test_scores_then_learn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "asia.jkl")
    assert run(["scores", "asia", "-o", path, "--max-parents", "2"]) == 0
    capsys.readouterr()
    assert run(["learn", path, "-k", "5", "--json"]) == 0
    from_file = json.loads(capsys.readouterr().out)
    assert run(["learn", "asia", "-k", "5", "--json", "--max-parents", "2"]) == 0
    from_table = json.loads(capsys.readouterr().out)
    assert from_file["data"] == {"scores_file": path}
    assert from_file["score"]["name"] == "imported"
    scores = [[network["log_score"] for network in found["networks"]] for found in (from_file, from_table)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-9)


def test_outputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("x.csv", "x.dot", "x.txt", "x.DAGMASS"):
        assert run(["learn", "iris", "-k", "3", "-o", str(tmp_path / name)]) == 0
    assert f"dagmass edges {tmp_path / 'x.DAGMASS'}" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.DAGMASS", "x.dot", "x.edges.csv", "x.networks.csv", "x.txt"]
    assert len(load(tmp_path / "x.DAGMASS")) == 3
    assert (
        (tmp_path / "x.networks.csv")
        .read_text()
        .startswith("rank,log_score,weight,cumulative_weight,posterior,coverage,class,network,difference\n1,-452.2142")
    )
    assert (tmp_path / "x.dot").read_text().startswith("digraph")
    weights = [float(line.split("\t")[0]) for line in (tmp_path / "x.txt").read_text().splitlines()]
    assert sum(weights) == pytest.approx(1)


def test_next_steps_keep_the_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["learn", "iris", "-k", "3", "--drop", "petal_width", "--ess", "2"]) == 0
    assert "keep the run and ask it: the same command with -o NAME.dagmass" in capsys.readouterr().out
    output = str(tmp_path / "my run.dagmass")
    assert run(["learn", "iris", "-k", "3", "-o", output]) == 0
    step = capsys.readouterr().out.rpartition("Next")[2].split(" · ")[0]
    assert shlex.split(step) == ["dagmass", "edges", output]


def test_levels_that_do_not_occur(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = table_of(tmp_path, 'size,n,place\nlow,1,"a, b"\nhigh,2,c\n')
    levels = ["--levels", "size=low,medium,high", "--levels", 'place="a, b", c', "--levels", "n=1,2,3,4"]
    assert run(["learn", path, "-k", "1", "--json", *levels]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["num_levels"] == {"size": 3, "n": 4, "place": 2}
    assert run(["learn", path, "--levels", "size"]) == 2
    assert "a column and a list are needed, such as size=low,medium,high" in capsys.readouterr().err


def test_plan_and_datasets(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "zoo", "--json"]) == 0
    planned = json.loads(capsys.readouterr().out)
    assert planned["seconds_high"] <= 5 * planned["seconds_low"]
    assert planned["fits"]
    assert run(["plan", "zoo", "-k", "1000000000000"]) == 3
    assert "It does not fit" in capsys.readouterr().out
    assert run(["datasets"]) == 0
    assert "CC BY 4.0" in capsys.readouterr().out


def test_a_plan_that_does_not_fit_ends_with_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "zoo", "-k", "1000000000"]) == 3
    assert "It does not fit" in capsys.readouterr().out


def table_of(tmp_path: Path, content: str) -> str:
    path = tmp_path / "data.csv"
    path.write_text(content)
    return str(path)


NOTED = "a,b,größe,d\n1,x,1,5\n2,y,2,5\n3,x,1,5\nmany,y,2,5\n".encode("latin-1")
NOTES = ["is not UTF-8", "'a' holds numbers and words ('many')", "single level were set aside: d."]


@pytest.mark.parametrize(
    "command",
    [
        ["learn", "DATA", "--json"],
        ["plan", "DATA"],
        ["plan", "DATA", "--json"],
        ["exact", "DATA"],
        ["exact", "DATA", "--json"],
        ["scores", "DATA", "-o", "OUT"],
    ],
)
def test_notes_are_told(tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.csv").write_bytes(NOTED)
    places = {"DATA": str(tmp_path / "a.csv"), "OUT": str(tmp_path / "a.jkl")}
    arguments = [places.get(word, word) for word in command]
    assert run(arguments) == 0
    told = capsys.readouterr().err.splitlines()
    assert len(told) == len(NOTES)
    assert all(note in line for note, line in zip(NOTES, told, strict=True))
    assert run([*arguments, "--quiet"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("command", ["learn", "sample"])
def test_a_summary_tells_notes_itself(tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.csv").write_bytes(NOTED)
    assert run([command, str(tmp_path / "a.csv")]) == 0
    captured = capsys.readouterr()
    assert "'a' holds numbers and words" in captured.out
    assert captured.err == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["learn", "zoo", "-k", "0"], "k must be at least 1, got 0"),
        (["learn", "zoo", "-k", "9" * 30], "k must be at most"),
        (["learn", "zoo", "--threads", "9" * 30], "at most 1024"),
        (["learn", "zoo", "-o", ""], "must say what to write"),
        (["learn", "x" * 5000], "neither a file nor"),
        (["learn", "x" * 5000 + ".csv"], "cannot be read"),
        (["learn", "zoo", "--columns", "hair", "--columns", "hair"], "'hair' is given more than once"),
        (["learn", "zoo", "-k", "many"], "not a valid integer"),
        (["learn", "zoo", "--ess", "0"], "must be a positive number, got 0"),
        (["learn", "zoo", "--max-parents", "-1"], "max_parents must be at least 0"),
        (["learn", "zoo", "--threads", "0"], "threads must be at least 1"),
        (["learn", "no.csv"], "There is no file 'no.csv'"),
        (["learn", "zoo", "--drop", "eggz"], "Did you mean 'eggs'"),
        (["learn", "zoo", "-o", "x.pdf"], "must say what to write"),
        (["learn", "zoo", "-o", "/nowhere/x.csv"], "no folder"),
        (["learn"], "Missing argument"),
        (["scores", "zoo", "-o", "x.csv"], ".jkl"),
        (["scores", "no.csv", "-o", "/nowhere/x.jkl"], "no folder"),
        (["learnt"], "No such command"),
    ],
)
def test_bad_usage(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""
    assert "Traceback" not in captured.err


def test_bad_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["learn", table_of(tmp_path, "a,b\n1,?\n2,1\n")]) == 2
    assert "by column: b 1" in capsys.readouterr().err


def test_too_large(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ",".join(f"v{v}" for v in range(40))
    rows = "\n".join(",".join(str((row >> v % 5) & 1) for v in range(40)) for row in range(32))
    assert run(["learn", table_of(tmp_path, f"{names}\n{rows}\n")]) == 3
    assert "can be handled at all" in capsys.readouterr().err


def test_too_many_networks_end_before_the_memory_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dagmass.job.available_memory", lambda: 20 << 20)
    with pytest.raises(TooLargeError, match=r"100000 networks need more than the 20 MiB"):
        learn("zoo", k=100_000, evidence=False)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_said() -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-c", "from dagmass_command import main; main()", "learn", "iris", "--json"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "dagmass: The output cannot be written: No space left on device.\n")


def dagmass(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from dagmass_command import main; main()", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_interrupt_during_imports() -> None:
    """numpy is the first thing that takes long; here it takes for ever."""
    code = """
        import sys, time
        class Slow:
            def find_spec(self, name, *_):
                if name == "numpy":
                    print("importing", flush=True)
                    time.sleep(60)
        sys.meta_path.insert(0, Slow())
        from dagmass_command import main
        main()
    """
    command = [sys.executable, "-c", textwrap.dedent(code), "datasets"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "importing\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, "", "dagmass: Interrupted.\n")


@pytest.mark.parametrize("delay", [1.5, 3.0])
def test_interrupt_ends_within_a_second(tmp_path: Path, delay: float) -> None:
    generator = np.random.default_rng(1)
    rows = "\n".join(",".join(map(str, row)) for row in generator.integers(0, 3, size=(3000, 24)))
    path = table_of(tmp_path, ",".join(f"v{v}" for v in range(24)) + "\n" + rows + "\n")
    process = dagmass("learn", path, "-k", "100000")
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err.strip() == "dagmass: Interrupted."
    assert time.monotonic() - start < 5  # about a second; the rest is for busy machines


@pytest.mark.parametrize("arguments", [["learn", "iris", "-k", "900", "--json"], ["datasets"], ["--help"]])
@pytest.mark.parametrize("num_read", [0, 10])
def test_a_closed_pipe_is_no_error(arguments: list[str], num_read: int) -> None:
    process = dagmass(*arguments)
    assert process.stdout is not None
    process.stdout.read(num_read)
    process.stdout.close()
    assert process.wait(timeout=20) == 0
    assert process.stderr is not None
    assert process.stderr.read() == ""
    process.stderr.close()


def test_signs_that_an_encoding_lacks_are_escaped(tmp_path: Path) -> None:
    path = table_of(tmp_path, "größe,→\n1,0\n0,1\n1,1\n")
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-c", "from dagmass.cli.main import main; main()"]
    done = subprocess.run([*command, "learn", path, "--json"], capture_output=True, env=environment, check=True)
    assert json.loads(done.stdout.decode("latin-1"))["data"]["variables"] == ["größe", "→"]
    done = subprocess.run([*command, "learn", path, "--drop", "→→"], capture_output=True, env=environment, check=False)
    assert (done.returncode, b"Traceback" in done.stderr) == (2, False)


def test_progress_is_silent_without_a_terminal() -> None:
    process = dagmass("learn", "zoo", "-k", "1000")
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")


def test_a_new_stage_completes_those_before_it() -> None:
    bars = rich.progress.Progress(disable=True)
    report = reporting(bars)
    for stage, done in (("scores", 1), ("scores", 7), ("networks", 0), ("networks", 3)):
        report(stage, done, 10)
    assert [(bar.description, bar.percentage) for bar in bars.tasks] == [("scores", 100), ("networks", 30)]


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
def test_progress_on_a_terminal_respects_no_color() -> None:
    import pty

    parent, child = pty.openpty()
    command = [sys.executable, "-c", "from dagmass_command import main; main()", "learn", "zoo", "-k", "50000"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=child, env={**os.environ, "NO_COLOR": "1", "TERM": "xterm"})
    os.close(child)
    written = b""
    while True:
        try:
            part = os.read(parent, 4096)
        except OSError:
            break
        if not part:
            break
        written += part
    assert process.wait(timeout=30) == 0
    assert b"networks" in written
    assert b"\x1b[3" not in written  # no colours
    os.close(parent)
