"""What a run will cost, before it starts."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from dagmass import _core
from dagmass.exact.counting import num_networks
from dagmass.exact.sums import sums_bytes, wants_sums
from dagmass.job import Job, in_units, resident_memory
from dagmass.posterior.posterior import check_count
from dagmass.run.source import notes_on, resolve
from dagmass.scores.bdeu import BDeu
from dagmass.scores.constraints import Constraints
from dagmass.scores.local_scores import (
    LocalScores,
    MaxParents,
    parent_bounds,
    require_score,
)
from dagmass.scores.room import LARGEST_WITH_TWO_TABLES, largest_countable, require_countable
from dagmass.scores.scoring import Scoring
from dagmass.table.table import Table

PROBE_SECONDS = 0.15  # spent on timing parts of the real work
SPREAD = 2.2  # the range of time is the estimate divided and multiplied by this
BLOCK_BITS = 12
PASSES_OF_LISTS = 1.7  # the list of parent sets and the table of best networks, in passes over all blocks of all variables
SECONDS_A_NETWORK = 3e-6
SECONDS_A_TERM = 2.5e-10  # of sums over networks
SECONDS_A_SUBSET = 3e-8
LOW_VARIABLES = 8  # of one block of the dense sums
START_SECONDS = 0.05  # imports that come late
BYTES_A_NETWORK = 24  # and variable, with what the search keeps beside it; depends on the data
BYTES_OF_LISTS = 40 << 20  # lists of parent sets, small buffers, libraries that come late


@dataclass(frozen=True)
class Plan:
    """Expected cost of a run: memory within a factor of two, time within a range."""

    num_rows: int | None
    num_variables: int
    k: int
    memory: int  # bytes of the whole process at its peak
    memory_free: int  # bytes
    seconds_low: float
    seconds_high: float
    largest_num_variables: int  # that fit into the memory that is free
    notes: tuple[str, ...] = ()  # on how the table was read

    @property
    def fits(self) -> bool:
        """Whether the memory suffices."""
        return self.memory <= self.memory_free

    def _way_out(self) -> str:
        if self.num_variables > self.largest_num_variables:
            return f"At most {self.largest_num_variables} variables would; drop some."
        return f"The tables would, but not {self.k} networks; ask for fewer."

    def __repr__(self) -> str:
        rows = f"{self.num_rows} rows, " if self.num_rows is not None else ""
        verdict = "" if self.fits else f"\nIt does not fit. {self._way_out()}"
        return (
            f"{rows}{self.num_variables} variables, the {self.k} best networks\n"
            f"memory  {in_units(self.memory)} at the peak ({in_units(self.memory_free)} are free)\n"
            f"time    {_seconds(self.seconds_low)} to {_seconds(self.seconds_high)}{verdict}"
        )


def plan(
    source: Any,
    *,
    k: int = 100,
    score: BDeu | None = None,
    max_parents: MaxParents = None,
    constraints: Constraints | None = None,
    evidence: bool | None = None,
    job: Job | None = None,
    **options: Any,
) -> Plan:
    """Say what `learn` with the same arguments will cost.

    The table is read, and a small part of the counting is timed (0.15 s or so); nothing else is computed.

    Examples
    --------
    >>> plan("zoo").fits
    True
    """
    k = check_count("k", k)
    job = job or Job()
    start = time.perf_counter()
    data = resolve(source, **options)
    read_seconds = time.perf_counter() - start
    n = data.num_variables
    require_countable(n)
    scoring = Scoring(score, max_parents, constraints)
    seconds = read_seconds + START_SECONDS + _score_seconds(data, scoring, job) + _search_seconds(n, min(k, num_networks(n)), job)
    has_sums = wants_sums(n, evidence, job)
    if has_sums:
        seconds += _sums_seconds(n)
    free = job.memory
    return Plan(
        num_rows=data.num_rows if isinstance(data, Table) else None,
        num_variables=n,
        k=k,
        memory=resident_memory() + _memory(data, k, has_sums),
        memory_free=free + resident_memory(),
        seconds_low=seconds / SPREAD,
        seconds_high=seconds * SPREAD,
        largest_num_variables=largest_countable(job),
        notes=notes_on(data),
    )


def _memory(data: Table | LocalScores, k: int, has_sums: bool) -> int:
    """Return the larger of two peaks: sums come before the search, each with the scores beside it."""
    n = data.num_variables
    scores = 8 << n if isinstance(data, Table) else 0
    search = (scores if n <= LARGEST_WITH_TWO_TABLES else 0) + (8 << n)
    sums = scores + sums_bytes(n) if has_sums else 0
    return max(search, sums) + BYTES_OF_LISTS + min(k, num_networks(n)) * BYTES_A_NETWORK * (n + 1)


def _score_seconds(data: Table | LocalScores, scoring: Scoring, job: Job) -> float:
    if isinstance(data, LocalScores):
        return 0.0
    score = require_score(scoring.score)
    codes, weights = data.merged
    max_size = max(parent_bounds(data.variables, scoring.max_parents)) + 1
    families = (scoring.constraints or Constraints()).families(data.variables)
    bits = score.fraction_bits(data)
    alone = _core.estimate_set_function_seconds(codes, weights, data.num_levels, score.ess, bits, max_size, families, PROBE_SECONDS)
    return alone / _speed_up(job)


def _sums_seconds(n: int) -> float:
    """Both passes of the dense sums, for every way to turn the variables; the sparse walk is chosen only where it costs less."""
    return 3.0**n * SECONDS_A_TERM * (2 + n / max(n - LOW_VARIABLES, 1)) / 2 + 2.0**n * n * SECONDS_A_SUBSET


def _search_seconds(n: int, k: int, job: Job) -> float:
    num_blocks = max(1.0, 2.0 ** (n - BLOCK_BITS)) * n
    block = _core.block_seconds() * min(1.0, 2.0 ** (n - BLOCK_BITS))
    return num_blocks * block * PASSES_OF_LISTS / _speed_up(job) + k * SECONDS_A_NETWORK + 0.002


def _speed_up(job: Job) -> float:
    return 1 + 0.7 * (job.num_threads - 1)


def _seconds(value: float) -> str:
    if value < 90:
        return f"{value:.2g} s"
    return f"{value / 60:.2g} min" if value < 5400 else f"{value / 3600:.2g} h"
