"""What people see on standard error: notes, and on a terminal progress with the time left."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import click

from dagmass.job import Job


def show_notes(notes: Iterable[str], *, quiet: bool) -> None:
    """Print notes on what was read or written."""
    if not quiet:
        for note in notes:
            click.echo(note, err=True)


@contextmanager
def working(threads: int | None, *, quiet: bool) -> Iterator[Job]:
    """Yield the job that a command hands to the library."""
    if quiet or not sys.stderr.isatty():
        yield Job(threads)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TimeRemainingColumn(compact=True))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, int] = {}

        def report(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage)
            bars.update(bars.task_ids[tasks[stage]], completed=done, total=max(total, 1))

        yield Job(threads, progress=report)
