"""One call from data to the k best networks."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from dagmass.errors import InputError, NotCertifiedError
from dagmass.exact.counting import num_networks
from dagmass.exact.sums import Exact, exact, wants_sums
from dagmass.job import Job
from dagmass.posterior.class_masses import ClassPrior
from dagmass.posterior.draws import sample
from dagmass.posterior.origin import Origin
from dagmass.posterior.posterior import Posterior, RunInfo, check_count
from dagmass.posterior.stopping import DEFAULT_MAX_NETWORKS, StopRule
from dagmass.run.costs import Work, announce
from dagmass.run.source import resolve
from dagmass.scores.bdeu import BDeu
from dagmass.scores.constraints import Constraints
from dagmass.scores.local_scores import LocalScores, MaxParents
from dagmass.scores.scoring import Scoring
from dagmass.search.best_classes import best_classes
from dagmass.search.best_networks import best_networks
from dagmass.store import Store
from dagmass.table.names import ColumnLevels, ColumnNames
from dagmass.table.table import Table

LEAST_BYTES_A_NETWORK = 12  # and variable: once as it is found, once as it is handed over


def learn(
    source: Any,
    *,
    k: int | None = None,
    classes: bool = False,
    class_prior: ClassPrior = "networks",
    mass: float | None = None,
    bayes_factor: float | None = None,
    strict: bool = False,
    max_networks: int = DEFAULT_MAX_NETWORKS,
    max_seconds: float = math.inf,
    evidence: bool | None = None,
    score: BDeu | None = None,
    max_parents: MaxParents = None,
    constraints: Constraints | None = None,
    columns: ColumnNames = None,
    drop: ColumnNames = (),
    discrete: ColumnNames = (),
    levels: ColumnLevels = None,
    counts: str | int | None = None,
    job: Job | None = None,
) -> Posterior:
    """Find the k best networks of a data set.

    Parameters
    ----------
    source : frame, array, dict, path, str, Table or LocalScores
        The data: a pandas, Polars or PyArrow frame, a numpy array, a dict of columns, the path of a CSV, TSV, Parquet, Arrow or .jkl
        file, the name of a packaged data set, or what `Table.read` or `local_scores` returned.
    k : int, optional
        How many networks (or classes), 100 by default.
    classes : bool
        Find classes of equivalent networks in place of networks.
    class_prior : {"networks", "classes"}
        Whether the weights of classes count every network, or every class once.
    mass, bayes_factor, strict, max_networks, max_seconds
        Other ways to say how many: see `StopRule`.
    evidence : bool, optional
        Also sum over all networks: the share of the posterior that the networks hold, and exact probabilities of edges, paths and parent
        sets. By default up to 20 variables, and only where the sums are as precise as they promise.
    score : BDeu, optional
        The score; BDeu with equivalent sample size 1 by default.
    max_parents : int or dict, optional
        The largest number of parents.
    constraints : Constraints, optional
        Candidate parents of single variables, absent edges.
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
    if k is not None or (mass is None and bayes_factor is None):
        k = check_count("k", 100 if k is None else k)
    rule = StopRule(k, mass, bayes_factor, strict, max_networks, max_seconds)
    job = job or Job()
    clock = Clock()
    source_name = source if isinstance(source, str) else str(source) if isinstance(source, Path) else None
    data = resolve(source, columns=columns, drop=drop, discrete=discrete, levels=levels, counts=counts)
    scoring = Scoring(score, max_parents, constraints)
    has_sums = wants_sums(data.num_variables, evidence, job)
    _refuse_what_cannot_be(rule, data, job, has_sums=has_sums)
    announce(Work(data, scoring, rule.k or 1, has_sums, classes, job))
    clock.lap("read")
    scores = scores_of(data, scoring, job)
    clock.lap("scores")
    origin = Origin(data if isinstance(data, Table) else None, scoring, job)
    sums, notes = _sums(scores, evidence, job, is_required=bool(evidence) or mass is not None)
    clock.lap("sums")
    info = _describe(data, source_name, scoring, notes)
    best = best_classes(scores, job) if classes else best_networks(scores, job)
    posterior = Posterior.of_best(best, rule=rule, class_prior=class_prior, exact=sums, info=info, origin=origin)
    clock.lap("search")
    posterior.info.seconds.update(clock.seconds())
    return posterior


def _refuse_what_cannot_be(rule: StopRule, data: Table | LocalScores, job: Job, *, has_sums: bool) -> None:
    """Refuse before any work is done what would end in a refusal."""
    n = data.num_variables
    if rule.mass is not None and not has_sums:
        raise InputError(
            f"mass needs the evidence over all networks, which is left out for {n} variables unless it is asked for "
            "(evidence=True, --evidence yes)."
        )
    if rule.k is not None and job.max_memory is not None:
        count = min(rule.k, num_networks(n))
        job.require(count * (n + 1) * LEAST_BYTES_A_NETWORK, f"{count} networks need at least", "Raise the limit, or ask for fewer (-k).")


def draw(
    source: Any,
    *,
    num: int = 1000,
    seed: int = 0,
    score: BDeu | None = None,
    max_parents: MaxParents = None,
    constraints: Constraints | None = None,
    job: Job | None = None,
    **reading: Any,
) -> Posterior:
    """Draw networks independently from the exact posterior of a data set; the arguments are those of `learn` and `sample`."""
    job = job or Job()
    clock = Clock()
    data = resolve(source, **reading)
    clock.lap("read")
    scoring = Scoring(score, max_parents, constraints)
    scores = scores_of(data, scoring, job)
    clock.lap("scores")
    posterior = sample(scores, num, seed, job)
    clock.lap("draws")
    info = _describe(data, source if isinstance(source, str) else None, scoring)
    info.seconds.update(clock.seconds())
    table = data if isinstance(data, Table) else None
    return replace(posterior, info=info, origin=Origin(table, scoring, job, known_scores=scores))


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


def scores_of(data: Table | LocalScores, scoring: Scoring, job: Job) -> LocalScores:
    """Return the local scores of a table, or the ones given."""
    if isinstance(data, Table):
        return scoring.of(data, job)
    if scoring.is_given:
        raise InputError("The scores are given already; score (--ess), max_parents and constraints belong to tables.")
    return data if job.checkpoint is None else replace(data, store=Store.checkpoint(job.checkpoint, {"scores": data.fingerprint}))


def _sums(scores: LocalScores, evidence: bool | None, job: Job, *, is_required: bool) -> tuple[Exact | None, tuple[str, ...]]:
    """Return the sums over all networks where they are wanted; and, where a run has to do without them, a note that says why."""
    if not wants_sums(scores.num_variables, evidence, job):
        return None, ()
    try:
        return exact(scores, job=job), ()
    except NotCertifiedError as error:
        if is_required:
            raise
        return None, (f"Sums over all networks were left out: {error}",)


def _describe(data: Table | LocalScores, name: str | None, scoring: Scoring, notes: tuple[str, ...] = ()) -> RunInfo:
    if isinstance(data, LocalScores):
        return RunInfo(data={"scores_file": name}, score={"name": "imported", "ess": None}, notes=notes)
    return RunInfo(
        data={
            "name": name,
            "num_rows": data.num_rows,
            "variables": list(data.variables),
            "num_levels": {variable: len(levels) for variable, levels in zip(data.variables, data.levels, strict=True)},
            "set_aside": list(data.set_aside),
        },
        score=scoring.as_dict(),
        notes=(*data.notes, *notes),
    )
