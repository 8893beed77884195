"""Measure one run in a process of its own: seconds of every stage, peak memory, operations. Prints JSON.

Usage: python bench/measure.py random:20:1000 -k 100 [--threads 1] [--classes] [--max-parents 2] ...
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from letters import letter_table
from random_tables import random_table

from dagmass import Constraints, Job, Table, best_classes, best_networks, local_scores
from dagmass.job import resident_memory
from dagmass.run.datasets import DATASETS
from dagmass.search.best_first import BestFirst

MEGABYTE = 1e6


def measure(data: str, *options: str) -> dict[str, Any]:
    """Run this file as a program of its own."""
    command = [sys.executable, str(Path(__file__)), data, *options]
    return dict(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))


def table_of(data: str) -> Table:
    """Return a packaged table, the letters, or a random table as random:VARIABLES:ROWS."""
    if data == "letter":
        return letter_table()
    kind, *sizes = data.split(":")
    return random_table(*map(int, sizes)) if kind == "random" else Table.read(DATASETS[kind].path)


def main() -> None:
    """Measure what the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("-k", type=int, default=100)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--classes", action="store_true")
    parser.add_argument("--max-parents", type=int)
    parser.add_argument("--num-candidates", type=int, help="of each variable: those before it in the table, and cyclically on")
    parser.add_argument("--max-memory", type=int)
    parser.add_argument("--checkpoint")
    options = parser.parse_args()
    table, job = table_of(options.data), Job(options.threads, options.max_memory, checkpoint=options.checkpoint)
    _warm_up()
    print(json.dumps(_run(table, options, job)))


def _run(table: Table, options: argparse.Namespace, job: Job) -> dict[str, Any]:
    seconds: dict[str, float] = {}
    table.merged  # noqa: B018  merging belongs to reading
    before = resident_memory()
    with _clock(seconds, "scores"):
        scores = local_scores(table, max_parents=options.max_parents, constraints=_constraints(table, options), job=job)
    with _clock(seconds, "tables"):
        best: BestFirst[Any] = best_classes(scores, job) if options.classes else best_networks(scores, job)
    with_tables = resident_memory()
    with _clock(seconds, "search"):
        batch = best.take(options.k)
    peak = peak_memory()
    return {
        "seconds": {**seconds, "total": sum(seconds.values())},
        "megabytes": (peak - before) / MEGABYTE,
        "megabytes_above_tables": (peak - with_tables) / MEGABYTE,
        "num_found": len(batch.scores),
        "operations": job.operations,
        "best_score": int(batch.scores[0]),
        "last_score": int(batch.scores[-1]),
        "checksum": int(np.bitwise_xor.reduce(batch.parents.ravel() * np.arange(1, batch.parents.size + 1, dtype=np.uint64))),
    }


def peak_memory() -> int:
    """Return the most bytes that this process held; what its parent held does not count."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


def _constraints(table: Table, options: argparse.Namespace) -> Constraints | None:
    if options.num_candidates is None:
        return None
    names = table.variables * 2
    return Constraints({name: names[v + 1 : v + 1 + options.num_candidates] for v, name in enumerate(table.variables)})


def _warm_up() -> None:
    """Load what is loaded late, so that it is not counted."""
    best_networks(local_scores(Table.read(DATASETS["iris"].path))).take(1)


@contextmanager
def _clock(seconds: dict[str, float], stage: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    seconds[stage] = time.perf_counter() - start


if __name__ == "__main__":
    main()
