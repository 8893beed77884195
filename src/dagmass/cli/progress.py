"""What people see on standard error: notes, and on a terminal progress with the time left."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from dagmass.job import Job, Progress

if TYPE_CHECKING:
    import rich.progress


def show_notes(notes: Iterable[str], *, quiet: bool) -> None:
    """Print notes on what was read or written."""
    if not quiet:
        for note in notes:
            click.echo(note, err=True)


@contextmanager
def working(threads: int | None, *, quiet: bool, max_memory: int | None = None, checkpoint: str | None = None) -> Iterator[Job]:
    """Yield the job that a command hands to the library."""
    job = Job(threads, max_memory, checkpoint=checkpoint)
    try:
        if quiet or not sys.stderr.isatty():
            yield job
        else:
            with _bars() as bars:
                yield replace(job, progress=reporting(bars), announce=bars.console.print)
    except KeyboardInterrupt:
        if checkpoint is not None:
            click.echo(f"What is finished is in {checkpoint!r}; the same command goes on from there.", err=True)
        raise


def _bars() -> rich.progress.Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TimeRemainingColumn(compact=True))
    return Progress(*columns, console=Console(stderr=True), transient=True)


def reporting(bars: rich.progress.Progress) -> Progress:
    """Return what shows every stage as a bar of its own; those before it are complete when a stage begins."""
    tasks: dict[str, rich.progress.TaskID] = {}

    def report(stage: str, done: int, total: int) -> None:
        if stage not in tasks:
            for earlier in tasks.values():  # their last reports may have come before their end
                bars.update(earlier, completed=1, total=1)
            tasks[stage] = bars.add_task(stage)
        bars.update(tasks[stage], completed=done, total=max(total, 1))

    return report
