"""One call from data to the k best networks."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dagmass.errors import InputError
from dagmass.job import Job
from dagmass.posterior.origin import Origin
from dagmass.posterior.posterior import Posterior, RunInfo, check_count
from dagmass.run.source import resolve
from dagmass.scores.bdeu import BDeu
from dagmass.scores.local_scores import LocalScores, MaxParents, local_scores
from dagmass.search.best_networks import best_networks
from dagmass.table.table import Table


def learn(
    source: Any,
    *,
    k: int = 100,
    score: BDeu | None = None,
    max_parents: MaxParents = None,
    columns: Iterable[str] | None = None,
    drop: Iterable[str] = (),
    discrete: Iterable[str] = (),
    levels: Mapping[str, Sequence[Any]] | None = None,
    counts: str | None = None,
    job: Job | None = None,
) -> Posterior:
    """Find the k best networks of a data set.

    Parameters
    ----------
    source : frame, array, dict, path, str, Table or LocalScores
        The data: a pandas, Polars or PyArrow frame, a numpy array, a dict of columns, the path of a CSV, TSV, Parquet, Arrow or .jkl
        file, the name of a packaged data set, or what `Table.read` or `local_scores` returned.
    k : int
        How many networks.
    score : BDeu, optional
        The score; BDeu with equivalent sample size 1 by default.
    max_parents : int or dict, optional
        The largest number of parents.
    columns, drop, discrete, levels, counts
        How to read the table: see `Table.from_frame`.
    job : Job, optional
        Threads, memory and progress.

    Examples
    --------
    >>> posterior = learn("iris", k=900)
    >>> round(float(posterior.log_scores[0]), 6), len(posterior)
    (-452.214297, 900)
    """
    check_count("k", k)
    job = job or Job()
    clock = Clock()
    source_name = source if isinstance(source, str) else str(source) if isinstance(source, Path) else None
    data = resolve(source, columns=columns, drop=drop, discrete=discrete, levels=levels, counts=counts)
    clock.lap("read")
    scores = scores_of(data, score, max_parents, job)
    clock.lap("scores")
    origin = Origin(data if isinstance(data, Table) else None, score, max_parents, job)
    posterior = Posterior.of_best(best_networks(scores, job), k, _describe(data, source_name, score, max_parents), origin)
    clock.lap("search")
    posterior.info.seconds.update(clock.seconds())
    return posterior


class Clock:
    """Times the stages of a run."""

    def __init__(self) -> None:
        self._start = self._last = time.perf_counter()
        self._laps: dict[str, float] = {}

    def lap(self, stage: str) -> None:
        """Book the time since the last lap on a stage."""
        now = time.perf_counter()
        self._laps[stage] = now - self._last
        self._last = now

    def seconds(self) -> dict[str, float]:
        """Return the seconds of every stage and of all."""
        return {**self._laps, "total": self._last - self._start}


def scores_of(data: Table | LocalScores, score: BDeu | None, max_parents: MaxParents, job: Job) -> LocalScores:
    """Return the local scores of a table, or the ones given."""
    if isinstance(data, Table):
        return local_scores(data, score, max_parents=max_parents, job=job)
    if score is not None or max_parents is not None:
        raise InputError("The scores are given already; score (--ess) and max_parents belong to tables.")
    return data


def _describe(data: Table | LocalScores, name: str | None, score: BDeu | None, max_parents: MaxParents) -> RunInfo:
    if isinstance(data, LocalScores):
        return RunInfo(data={"scores_file": name}, score={"name": "imported", "ess": None})
    score = score or BDeu()
    return RunInfo(
        data={
            "name": name,
            "num_rows": data.num_rows,
            "variables": list(data.variables),
            "num_levels": {variable: len(levels) for variable, levels in zip(data.variables, data.levels, strict=True)},
            "set_aside": list(data.set_aside),
        },
        score={"name": score.name, "ess": score.ess, "max_parents": max_parents},
        notes=data.notes,
    )
