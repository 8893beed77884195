"""When enough networks have been found."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dagmass.errors import InputError, TooLargeError
from dagmass.scores.fixed_point import to_nats
from dagmass.scores.local_scores import LocalScores
from dagmass.search.best_first import Batch, BestFirst
from dagmass.search.best_networks import BestNetworks

FIRST_CHUNK = 64
DEFAULT_MAX_NETWORKS = 1_000_000


@dataclass(frozen=True)
class StopRule:
    """How many networks are enough: exactly one of `k`, `mass` and `bayes_factor`, within limits.

    Parameters
    ----------
    k : int, optional
        So many networks.
    mass : float, optional
        Networks until they hold this share of the posterior, and those that tie with the last one.
    bayes_factor : float, optional
        All networks at least 1 / bayes_factor times as probable as the best (Madigan and Raftery 1994).
    strict : bool
        With `bayes_factor`: leave out networks with a better-scoring subgraph (some family has a subset that scores at least as well).
    max_networks, max_seconds
        Limits at which the search ends before its aim; the memory of the `Job` is another one for `mass` and `bayes_factor`.
    """

    k: int | None = None
    mass: float | None = None
    bayes_factor: float | None = None
    strict: bool = False
    max_networks: int = DEFAULT_MAX_NETWORKS
    max_seconds: float = math.inf

    def __post_init__(self) -> None:
        if sum(aim is not None for aim in (self.k, self.mass, self.bayes_factor)) != 1:
            raise InputError("Say once when to stop: k, mass or bayes_factor.")
        self._check_types()
        if self.mass is not None and not 0 < self.mass < 1:
            raise InputError(f"mass must lie between 0 and 1, both left out, got {self.mass}.")
        if self.bayes_factor is not None and not 1 <= self.bayes_factor < math.inf:
            raise InputError(f"bayes_factor must be at least 1, got {self.bayes_factor}.")
        if self.strict and self.bayes_factor is None:
            raise InputError("strict belongs to bayes_factor.")
        if self.max_networks < 1 or not self.max_seconds > 0:
            raise InputError("max_networks and max_seconds must be above 0.")

    def _check_types(self) -> None:
        for name in ("mass", "bayes_factor", "max_seconds"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, int | float | np.integer | np.floating):
                raise InputError(f"{name} must be a number, got {value!r}.")
        for name in ("k", "max_networks"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, int | np.integer):
                raise InputError(f"{name} must be a whole number, got {value!r}.")

    @property
    def aim(self) -> str:
        """What is to be reached."""
        return "k" if self.k is not None else "mass" if self.mass is not None else "bayes_factor"


@dataclass(frozen=True)
class Found:
    """What a search gave, and why it ended: "k", "mass", "bayes_factor", "all", "max_networks", "max_memory" or "max_seconds"."""

    batch: Batch
    stopped_by: str


def take_until(best: BestFirst[Any], rule: StopRule, log_evidence: float | None) -> Found:
    """Take networks or classes of a stream until a rule is met."""
    if rule.mass is not None and log_evidence is None:
        raise InputError("mass needs the evidence over all networks (evidence=True, --evidence yes).")
    if rule.strict and not isinstance(best, BestNetworks):
        raise InputError("strict compares networks with their subgraphs; it is not for classes.")
    if rule.k is not None and rule.max_seconds == math.inf:
        batch = best.take(rule.k)
        return Found(batch, "k" if len(batch.scores) == rule.k else "all")
    found = _take_within_limits(best, rule, log_evidence)
    return Found(without_better_subgraph(found.batch, best.scores), found.stopped_by) if rule.strict else found


def _take_within_limits(best: BestFirst[Any], rule: StopRule, log_evidence: float | None) -> Found:
    """Take ever larger parts; what is over when the aim is met is left out again."""
    batch, chunk, deadline = best.take(1), FIRST_CHUNK, time.monotonic() + rule.max_seconds
    largest = rule.k or rule.max_networks
    while True:
        count = _num_enough(best, batch, rule, log_evidence)
        if count is not None:
            return Found(Batch(batch.scores[:count], batch.parents[:count]), rule.aim)
        if len(batch.scores) >= largest:
            return Found(batch, "max_networks")
        if time.monotonic() > deadline:
            return Found(batch, "max_seconds")
        try:
            with _until(deadline, best):
                more = best.take(min(chunk, largest - len(batch.scores)))
        except TooLargeError:
            return Found(batch, "max_memory")
        except _TimeIsUpError:
            return Found(batch, "max_seconds")
        if not len(more.scores):
            return Found(batch, "all")
        batch = Batch(np.concatenate([batch.scores, more.scores]), np.concatenate([batch.parents, more.parents]))
        chunk *= 2


class _TimeIsUpError(Exception):
    """What ends a search that is under way; nothing of it counts as taken."""


@contextmanager
def _until(deadline: float, best: BestFirst[Any]) -> Iterator[None]:
    """End what a stream does when the time is up."""
    job = best.job

    def report(stage: str, done: int, total: int) -> None:
        if time.monotonic() > deadline:
            raise _TimeIsUpError
        if job.progress is not None:
            job.progress(stage, done, total)

    best.job = job if deadline == math.inf else replace(job, progress=report)
    try:
        yield
    finally:
        best.job = job


def _num_enough(best: BestFirst[Any], batch: Batch, rule: StopRule, log_evidence: float | None) -> int | None:
    """Return how many of these are enough, or None if further ones are needed to tell. Ties stay together, except for k."""
    if rule.k is not None:
        return rule.k if len(batch.scores) >= rule.k else None
    if rule.bayes_factor is not None:
        nats = to_nats(batch.scores, best.scores.fraction_bits)
        outside = nats[0] - nats > math.log(rule.bayes_factor)
        return int(np.argmax(outside)) if outside.any() else None
    assert log_evidence is not None
    reached = np.flatnonzero(np.cumsum(np.exp(best.log_masses(batch) - log_evidence)) >= rule.mass)
    if not len(reached):
        return None
    beyond = np.flatnonzero(batch.scores < batch.scores[reached[0]])
    return int(beyond[0]) if len(beyond) else None


def without_better_subgraph(batch: Batch, scores: LocalScores) -> Batch:
    """Leave out networks of which some family has a strict subset that scores at least as well."""
    largest = float(to_nats(batch.scores[0] - batch.scores[-1], scores.fraction_bits))
    lists = scores.gap_lists(largest)
    keep = np.ones(len(batch.scores), dtype=bool)
    for v in range(scores.num_variables):
        rows = slice(int(lists.offsets[v]), int(lists.offsets[v + 1]))
        dominated = lists.parents[rows][lists.gaps[rows] >= 0]
        keep &= ~np.isin(batch.parents[:, v], dominated)
    return Batch(batch.scores[keep], batch.parents[keep])
