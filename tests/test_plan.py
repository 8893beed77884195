"""What a run will cost."""

from __future__ import annotations

import pytest

from dagmass import LocalScores, Table, plan


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
