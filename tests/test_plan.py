"""What a run will cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from dagmass import Constraints, Job, LocalScores, Table, learn, plan


def test_plan_of_a_table_and_of_scores() -> None:
    planned = plan("iris", k=10)
    assert planned.num_rows == 150
    assert 0 < planned.seconds_low < planned.seconds_high <= 5 * planned.seconds_low
    assert planned.memory < 1 << 30
    assert "10 best networks" in repr(planned)
    scores = LocalScores.from_dict({"a": {(): 0.0}, "b": {(): 0.0}})
    assert plan(scores).num_rows is None


def test_what_does_not_fit_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table.from_frame({f"v{v}": [0, 1, v % 2, 1] for v in range(24)})
    assert "ask for fewer" in repr(plan("zoo", k=10**9))
    monkeypatch.setattr("dagmass.job.available_memory", lambda: 64 << 20)
    planned = plan(table)
    assert not planned.fits
    assert "At most 23 variables would" in repr(planned)
    assert plan("iris", k=10**9).fits


def test_long_work_is_announced() -> None:
    said: list[str] = []
    small = Table.from_frame({f"v{v}": [0, 1, v % 2, 1] for v in range(8)})
    learn(small, k=1, job=Job(announce=said.append))
    assert said == []
    wide = Table.from_frame({f"v{v}": [0, 1, v % 2, 1] for v in range(22)})
    learn(wide, k=1, max_parents=1, evidence=False, job=Job(announce=said.append))
    assert len(said) == 1
    assert "of memory" in said[0]


def test_files_are_planned(tmp_path: Path) -> None:
    assert plan("zoo").disk == 0
    planned = plan("zoo", job=Job(checkpoint=tmp_path / "new"))
    assert planned.disk == 2 * (8 << 17) + 2 * 8 * (1 << 5)
    assert planned.disk_free > 0
    assert "of files" in repr(planned)
    assert not (tmp_path / "new").exists()


def test_restrictions_and_classes_are_planned() -> None:
    few = Constraints({name: ["hair"] for name in ("milk", "eggs", "toothed", "backbone", "tail", "fins")})
    assert plan("zoo", constraints=few, evidence=False).memory == pytest.approx(plan("zoo", evidence=False).memory, rel=0.1)
    assert "5 best classes" in repr(plan("zoo", k=5, classes=True))
