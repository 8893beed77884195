"""What the stages of a run cost: models that are fitted to measurements, calibrated by timing small parts of the real work."""

from __future__ import annotations

import math
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from dagmass import _core
from dagmass.exact.counting import num_networks
from dagmass.exact.sums import sums_bytes
from dagmass.graphs.varset import varset_of
from dagmass.job import Job, in_units, resident_memory
from dagmass.scores.constraints import Constraints
from dagmass.scores.local_scores import LocalScores, parent_bounds, require_score
from dagmass.scores.room import LARGEST_WITH_TWO_TABLES, LEAST_BYTES, LIST_BYTES, fits
from dagmass.scores.scoring import Scoring
from dagmass.table.table import Table

PROBE_SECONDS = 0.15  # spent on timing parts of the real work
SPREAD = 2.0  # times depend on what else the machine does
WIDEST = 5.0  # upper end of a range of time over its lower one
LIST_PASSES = (0.3, 1.6)  # over all blocks of all variables, where the data prune most of them and where they prune none
TABLE_PASSES = 0.9
FILE_PASSES = 1.5  # reading and checking blocks
SECONDS_A_NETWORK = 3e-6
SECONDS_A_CLASS = 1e-5
SECONDS_A_TERM = 8e-11  # of sums over networks
SECONDS_A_SUBSET = 8e-9
LOW_VARIABLES = 8  # of one block of the dense sums
ANNOUNCED_FROM = 22  # variables; fewer take a second or so
START_SECONDS = 0.05  # imports that come late
BYTES_A_NETWORK = 24  # and variable, with what the search keeps beside it; depends on the data
BYTES_OF_LISTS = 40 << 20  # lists of parent sets, small buffers, libraries that come late


@dataclass(frozen=True)
class Work:
    """What is to be done."""

    data: Table | LocalScores
    scoring: Scoring
    k: int
    has_sums: bool
    of_classes: bool
    job: Job

    @property
    def n(self) -> int:
        """Number of variables."""
        return self.data.num_variables

    @property
    def num_wanted(self) -> int:
        """How many networks there will be at most."""
        return min(self.k, num_networks(self.n))

    @property
    def is_on_disk(self) -> bool:
        """Whether tables are in files alone."""
        return not fits(self.n, self.job) and self.job.uses_disk

    @property
    def num_tables(self) -> int:
        """How many tables over all subsets there are, one after the other or together."""
        return 2 if isinstance(self.data, Table) else 1


def memory(work: Work) -> int:
    """Return the bytes at the peak: sums come before the search, each with the scores beside it."""
    networks = work.num_wanted * BYTES_A_NETWORK * (work.n + 1)
    if work.is_on_disk:
        return max(LEAST_BYTES + work.n * LIST_BYTES, work.job.memory // 2) + networks
    table = 8 << work.n
    together = work.num_tables if work.n <= LARGEST_WITH_TWO_TABLES and 2 * table <= work.job.memory else 1
    sums = (work.num_tables - 1) * table + sums_bytes(work.n) if work.has_sums else 0
    return max(together * table, sums) + BYTES_OF_LISTS + networks


def disk(work: Work) -> int:
    """Return the bytes of files besides the result."""
    keeps_files = work.is_on_disk or work.job.checkpoint is not None
    return work.num_tables * _core.ScoreFile.num_bytes(work.n) if keeps_files and work.n >= _core.BLOCK_BITS else 0


def disk_free(work: Work) -> int:
    """Return the bytes that are free where these files would be."""
    folder = Path(work.job.checkpoint or tempfile.gettempdir()).absolute()
    return shutil.disk_usage(next(place for place in (folder, *folder.parents) if place.exists())).free


def announce(work: Work) -> None:
    """Say what long work will take, to whom wants to know."""
    if work.job.announce is None or work.n < ANNOUNCED_FROM:
        return
    low, high = seconds(work, 0.0)
    files = f" and {in_units(disk(work))} of disk" if disk(work) else ""
    work.job.announce(f"Expected: {in_time(low)} to {in_time(high)}, {in_units(resident_memory() + memory(work))} of memory{files}.")


def in_time(seconds: float) -> str:
    """Write a time as people read it."""
    if seconds < 90:
        return f"{seconds:.2g} s"
    return f"{seconds / 60:.2g} min" if seconds < 5400 else f"{seconds / 3600:.2g} h"


def seconds(work: Work, seconds_read: float) -> tuple[float, float]:
    """Return a range of time."""
    block = _pass_seconds(work)
    known = seconds_read + START_SECONDS + _score_seconds(work) + block * TABLE_PASSES
    known += work.num_wanted * (SECONDS_A_CLASS if work.of_classes else SECONDS_A_NETWORK)
    if work.has_sums:
        known += _sums_seconds(work.n)
    if work.is_on_disk:
        known += block * FILE_PASSES
    share = _listed_share(work)
    low, high = (SPREAD**sign * (known + share * passes * block) for sign, passes in zip((-1, 1), LIST_PASSES, strict=True))
    return max(low, high / WIDEST), high


def _score_seconds(work: Work) -> float:
    table, score = work.data, require_score(work.scoring.score)
    if isinstance(table, LocalScores):
        return 0.0
    codes, weights = table.merged
    max_size = max(parent_bounds(table.variables, work.scoring.max_parents)) + 1
    families = (work.scoring.constraints or Constraints()).families(table.variables)
    bits = score.fraction_bits(table)
    alone = _core.estimate_set_function_seconds(codes, weights, table.num_levels, score.ess, bits, max_size, families, PROBE_SECONDS)
    return alone / _speed_up(work.job)


def _pass_seconds(work: Work) -> float:
    """Return the seconds of a pass over all blocks of all variables."""
    num_blocks = 2.0 ** (work.n - _core.BLOCK_BITS) * work.n
    return num_blocks * _core.block_seconds() / _speed_up(work.job)


def _listed_share(work: Work) -> float:
    """Return the share of the blocks that hold sets which may be parents."""
    table, n = work.data, work.n
    if isinstance(table, LocalScores) or n <= _core.BLOCK_BITS:
        return 1.0
    bounds = parent_bounds(table.variables, work.scoring.max_parents)
    candidates = (work.scoring.constraints or Constraints()).varsets(table.variables)
    visited = sum(_num_blocks(allowed, v, bound) for v, (allowed, bound) in enumerate(zip(candidates, bounds, strict=True)))
    return visited / (n << (n - 1 - _core.BLOCK_BITS))


def _num_blocks(candidates: int, v: int, bound: int) -> int:
    """Return how many blocks of 2^12 parent sets hold only candidates, and not too many, among the variables that tell blocks apart."""
    positions = [u - (u > v) for u in range(candidates.bit_length()) if candidates >> u & 1]
    high = varset_of(position for position in positions if position >= _core.BLOCK_BITS).bit_count()
    return sum(math.comb(high, size) for size in range(min(bound, high) + 1))


def _sums_seconds(n: int) -> float:
    """Both passes of the dense sums, for every way to turn the variables; the sparse walk is chosen only where it costs less."""
    return 3.0**n * SECONDS_A_TERM * (2 + n / max(n - LOW_VARIABLES, 1)) / 2 + 2.0**n * n * SECONDS_A_SUBSET


def _speed_up(job: Job) -> float:
    return 1 + 0.7 * (job.num_threads - 1)
