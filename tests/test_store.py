"""Tables in files, checkpoints and limits on memory change nothing but where the work is done."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from random_tables import random_table

from dagmass import (
    DagmassError,
    InputError,
    Job,
    LocalScores,
    Posterior,
    Table,
    TooLargeError,
    _core,
    best_networks,
    learn,
    local_scores,
)
from dagmass.cli.main import run
from dagmass.job import LATE_BYTES, resident_memory
from dagmass.scores.bdeu import BDeu, Part, WantedSets
from dagmass.scores.counting import Counting
from dagmass.store import Store

RUN = "import sys; from dagmass_command import main; sys.argv[0] = 'dagmass'; main()"
NO_ROOM = """
import dagmass.scores.local_scores, dagmass.scores.room, dagmass.search.best_first
for module in (dagmass.scores.local_scores, dagmass.scores.room, dagmass.search.best_first):
    module.fits = lambda *_: False
"""
ALL = np.zeros(0, dtype=np.uint64)


@pytest.fixture(scope="module")
def table() -> Table:
    return random_table(16, 400)


@pytest.fixture(scope="module")
def plain(table: Table) -> Posterior:
    return learn(table, k=50, evidence=False)


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    """The table of a run that takes a second or so."""
    return write_csv(tmp_path / "wide.csv", random_table(20, 3000))


def write_csv(path: Path, table: Table) -> Path:
    path.write_text("\n".join([",".join(table.variables), *(",".join(map(str, row)) for row in table.codes.T.tolist())]))
    return path


@pytest.fixture
def no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every table over all subsets too large for memory."""
    monkeypatch.setattr("dagmass.scores.room.fits", lambda *_: False)
    for module in ("dagmass.scores.local_scores", "dagmass.search.best_first"):
        monkeypatch.setattr(f"{module}.fits", lambda *_: False)


def content(path: Path) -> dict[str, bytes]:
    """What a run file holds, the seconds left out."""
    with ZipFile(path) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    about = json.loads(held["run.json"])
    about["info"]["seconds"] = None
    return {**held, "run.json": json.dumps(about).encode()}


def start(*arguments: str, code: str = RUN) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finish(process: subprocess.Popen[bytes]) -> int:
    process.communicate()
    return process.returncode


@pytest.mark.parametrize("num_fixed", [1, 3, 4])
def test_parts_of_the_set_function_are_its_parts(table: Table, num_fixed: int) -> None:
    score, bits = BDeu(), 40
    wanted = WantedSets(16, ALL)
    whole = score.set_function(table, wanted, bits, Job()).reshape(1 << num_fixed, -1)
    for fixed in range(1 << num_fixed):
        part = Part(num_fixed, fixed, np.zeros(whole.shape[1], dtype=np.int64))
        assert np.array_equal(score.count(table, wanted, part, bits, Job(threads=2)), whole[fixed])


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_checkpoints_change_nothing(table: Table, plain: Posterior, tmp_path: Path, threads: int) -> None:
    folder = tmp_path / "kept"
    assert learn(table, k=50, evidence=False, job=Job(threads, checkpoint=folder)) == plain
    again = learn(table, k=200, evidence=False, job=Job(threads, checkpoint=folder))
    assert again == learn(table, k=200, evidence=False)
    assert learn(table, k=20, classes=True, job=Job(checkpoint=folder)) == learn(table, k=20, classes=True)


@pytest.mark.usefixtures("no_room")
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_tables_in_files_change_nothing(table: Table, plain: Posterior, tmp_path: Path, threads: int) -> None:
    limit = 1 << 40
    assert learn(table, k=50, evidence=False, job=Job(threads, max_memory=limit)) == plain
    assert learn(table, k=50, evidence=False, job=Job(threads, checkpoint=tmp_path / "kept")) == plain


def test_bounded_parents_in_files_equal_those_in_memory(table: Table, request: pytest.FixtureRequest) -> None:
    expected = learn(table, k=50, max_parents=2, evidence=False)
    request.getfixturevalue("no_room")
    assert learn(table, k=50, max_parents=2, evidence=False, job=Job(max_memory=1 << 40)) == expected


def test_longer_lists_begin_where_the_search_stood(table: Table, tmp_path: Path) -> None:
    """A checkpoint holds lists without the scores; these are read again when longer lists are wanted."""
    folder = tmp_path / "kept"
    learn(table, k=5, evidence=False, job=Job(checkpoint=folder))
    resumed = learn(table, k=5, evidence=False, job=Job(checkpoint=folder)).more(20_000)
    assert resumed == learn(table, k=20_005, evidence=False)


def test_imported_scores_have_checkpoints(tmp_path: Path) -> None:
    names = [f"v{v}" for v in range(13)]
    scores = LocalScores.from_dict(
        {name: {(): 0.0, **{(other,): 0.25 * v - 1 for v, other in enumerate(names) if other != name}} for name in names}
    )
    assert learn(scores, k=30, evidence=False, job=Job(checkpoint=tmp_path / "kept")) == learn(scores, k=30, evidence=False)
    assert (tmp_path / "kept" / "best networks.table").exists()


@pytest.mark.parametrize("name", ["scores.table", "best networks.table", "parent sets.stage"])
@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "gone"])
def test_damaged_files_are_not_believed(table: Table, plain: Posterior, tmp_path: Path, name: str, damage: str) -> None:
    folder = tmp_path / "kept"
    learn(table, k=50, evidence=False, job=Job(checkpoint=folder))
    path = folder / name
    held = bytearray(path.read_bytes())
    places = random.Random(7).sample(range(len(held)), 20)
    for place in places:
        held[place] ^= 64
    match damage:
        case "flip":
            path.write_bytes(held)
        case "cut":
            path.write_bytes(path.read_bytes()[:-1000])
        case "empty":
            path.write_bytes(b"")
        case "gone":
            path.unlink()
    if name != "parent sets.stage":
        (folder / "parent sets.stage").unlink()  # so that the scores are read too
    assert learn(table, k=50, evidence=False, job=Job(checkpoint=folder)) == plain


def test_a_table_that_breaks_while_it_is_used_is_said(tmp_path: Path) -> None:
    file = _core.ScoreFile(str(tmp_path / "x"), 13, 5)
    values = np.arange(1 << 13, dtype=np.int64)
    file.write(0, values)
    families = _core.Families.of_score_file(13, file, np.zeros(0, dtype=np.int64), ALL, ALL, 40)
    families.gap_lists(0, 1, None)
    (tmp_path / "x").write_bytes(b"\1" * (tmp_path / "x").stat().st_size)
    with pytest.raises(DagmassError, match="damaged"):
        families.gap_lists(0, 1, None)


def test_tables_of_other_work_are_not_believed(tmp_path: Path) -> None:
    values, found = np.arange(1 << 12, dtype=np.int64), np.zeros(1 << 12, dtype=np.int64)
    _core.ScoreFile(str(tmp_path / "x"), 12, 5).write(0, values)
    assert _core.ScoreFile(str(tmp_path / "x"), 12, 5).try_read(0, found)
    assert np.array_equal(found, values)
    assert not _core.ScoreFile(str(tmp_path / "x"), 12, 6).try_read(0, found)


@pytest.mark.parametrize("options", [{"max_parents": 2}, {"score": BDeu(2.0)}])
def test_a_checkpoint_of_other_work_is_refused(table: Table, tmp_path: Path, options: dict[str, Any]) -> None:
    job = Job(checkpoint=tmp_path / "kept")
    learn(table, k=1, evidence=False, job=job)
    with pytest.raises(InputError, match="checkpoint of other work"):
        learn(table, k=1, evidence=False, job=job, **options)
    with pytest.raises(InputError, match="checkpoint of other work"):
        learn("zoo", k=1, job=job)


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(InputError, match="neither empty nor a checkpoint"):
        learn("zoo", job=Job(checkpoint=tmp_path))
    with pytest.raises(InputError, match="cannot be used as a folder"):
        learn("zoo", job=Job(checkpoint=tmp_path / "letter.txt"))
    assert run(["learn", "zoo", "--checkpoint", str(tmp_path)]) == 2


def test_two_processes_do_not_share_a_checkpoint(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    first, second = learn("iris", k=1, job=Job(checkpoint=folder)), learn("iris", k=2, job=Job(checkpoint=folder))
    del first  # the lock is held by whoever is left
    refused = start("learn", "iris", "--checkpoint", str(folder))
    _, message = refused.communicate()
    assert refused.returncode == 2
    assert b"Another process works with the checkpoint" in message
    del second
    assert finish(start("learn", "iris", "--checkpoint", str(folder))) == 0


@pytest.mark.parametrize("in_memory", [True, False])
def test_a_run_killed_at_ten_moments_gives_the_same_file(csv: Path, tmp_path: Path, in_memory: bool) -> None:
    arguments = ["learn", str(csv), "-k", "100", "--evidence", "no", "--threads", "1", "-q"]
    whole = tmp_path / "whole.dagmass"
    began = time.monotonic()
    assert finish(start(*arguments, "-o", str(whole))) == 0
    seconds = time.monotonic() - began
    resumed = [*arguments, "--checkpoint", str(tmp_path / "kept"), "-o", str(tmp_path / "resumed.dagmass")]
    code = RUN if in_memory else NO_ROOM + RUN
    moments = random.Random(11)
    for _ in range(10):
        process = start(*resumed, code=code)
        try:
            process.wait(moments.uniform(0.3, 0.9) * seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        finish(process)
    assert finish(start(*resumed, code=code)) == 0
    assert content(tmp_path / "resumed.dagmass") == content(whole)


def resident_of_command() -> int:
    """Bytes that the command holds before it computes."""
    code = "import dagmass.cli.learning, dagmass.run.learn, pandas; from dagmass.job import resident_memory; print(resident_memory())"
    return int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def holds_a_part(path: Path, num_variables: int) -> bool:
    """Whether the first part is complete: its last block has a checksum, which stands behind all blocks."""
    last_block = (1 << num_variables >> 16) - 1
    if not path.exists():
        return False
    with path.open("rb") as file:
        file.seek((8 << num_variables) + 8 * last_block)
        return file.read(8) not in (b"", bytes(8))


def test_interrupts_keep_what_is_finished(tmp_path: Path) -> None:
    csv, folder = write_csv(tmp_path / "wide.csv", random_table(21, 4000)), tmp_path / "kept"
    process = start("learn", str(csv), "--evidence", "no", "--checkpoint", str(folder), "--threads", "1")
    while process.poll() is None and not holds_a_part(folder / "scores.table", 21):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, message = process.communicate()
    assert process.returncode == 130
    assert b"the same command goes on from there" in message
    whole, rest = (Job(threads=1, checkpoint=place) for place in (tmp_path / "other", folder))
    assert learn(csv, evidence=False, job=rest) == learn(csv, evidence=False, job=whole)
    assert rest.operations["scores"] < whole.operations["scores"]


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_a_limit_on_memory_is_kept(tmp_path: Path) -> None:
    """Each of the two tables of 25 variables takes 256 MiB; the limit leaves room for less than one of them."""
    limit = resident_of_command() + LATE_BYTES + (180 << 20)
    path = write_csv(tmp_path / "wide.csv", random_table(25, 60))
    code = (
        "import sys; from dagmass.cli.main import run; status = run(sys.argv[1:]);"
        "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1]); sys.exit(status)"
    )
    limits = ["--max-parents", "3", "--max-memory", str(limit)]
    arguments = ["learn", str(path), "-k", "10", *limits, "-q", "-o", str(tmp_path / "limited.dagmass")]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    assert int(done.stdout.splitlines()[-1]) * 1024 < limit
    learn(path, k=10, max_parents=3).save(tmp_path / "whole.dagmass")
    assert content(tmp_path / "limited.dagmass") == content(tmp_path / "whole.dagmass")


@pytest.mark.parametrize("first", [1 << 30, 1 << 20])
def test_parts_stay_as_they_are_when_memory_changes(table: Table, monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    expected = local_scores(table).storage
    store = Store.temporary()
    left = iter([first, *[1 << 16] * 100])
    monkeypatch.setattr(Job, "memory", property(lambda _: next(left)))
    counting = Counting(BDeu(), table, WantedSets(16, ALL), 40, store, Job())
    values = np.zeros(1 << 16, dtype=np.int64)
    assert counting.in_file().try_read(0, values)
    assert np.array_equal(values, expected.arrays[0])


def test_a_stream_goes_on_after_its_lists_could_not_be_made(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dagmass.search.best_first.LARGEST_WITH_TWO_TABLES", 15)
    best = best_networks(local_scores(table))
    first = best.take(10)
    with monkeypatch.context() as patch:
        patch.setattr(type(best), "_open", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            best.take(20_000)
    rest = best.take(20_000)
    whole = best_networks(local_scores(table)).take(20_010)
    assert np.array_equal(np.concatenate([first.parents, rest.parents]), whole.parents)


@pytest.mark.usefixtures("no_room")
def test_limits_that_are_too_low_are_refused(table: Table) -> None:
    with pytest.raises(TooLargeError, match="Raise the limit"):
        learn(table, job=Job(max_memory=resident_memory() + LATE_BYTES + (1 << 20)))
    assert run(["learn", "zoo", "--max-memory", "none"]) == 2


@pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="mounting a small file system needs root")
def test_a_full_disk_is_said_and_nothing_is_lost(table: Table, plain: Posterior, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=700k", "tmpfs", str(small)], check=False, capture_output=True).returncode:
        pytest.skip("a small file system cannot be mounted here")
    try:
        job = Job(checkpoint=small / "kept")
        with pytest.raises(TooLargeError, match=r"takes 512 KiB of disk; \d+ KiB are free"):
            learn(table, k=50, evidence=False, job=job)  # the second table does not fit
        subprocess.run(["mount", "-o", "remount,size=4m", str(small)], check=True)
        assert learn(table, k=50, evidence=False, job=job) == plain
    finally:
        subprocess.run(["umount", "--lazy", str(small)], check=True)


def test_what_would_be_refused_in_the_end_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dagmass.run.learn.scores_of", lambda *_: pytest.fail("work was done"))
    with pytest.raises(InputError, match="mass needs the evidence"):
        learn("zoo", mass=0.9, evidence=False)
    with pytest.raises(TooLargeError, match="networks need at least"):
        learn("zoo", k=10**6, job=Job(max_memory=resident_memory() + LATE_BYTES + (100 << 20)))
    with pytest.raises(InputError, match="empty"):
        learn("zoo", job=Job(checkpoint=""))
