"""What a run will cost, before it starts."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from dagmass.exact.sums import wants_sums
from dagmass.job import Job, in_units, resident_memory
from dagmass.posterior.posterior import check_count
from dagmass.run import costs
from dagmass.run.source import notes_on, resolve
from dagmass.scores.bdeu import BDeu
from dagmass.scores.constraints import Constraints
from dagmass.scores.local_scores import MaxParents
from dagmass.scores.room import largest_countable, require_countable
from dagmass.scores.scoring import Scoring
from dagmass.table.table import Table

DOUBTFUL_SUMS = 18  # variables from which sums take long enough that their precision matters
DOUBT = (
    "Sums over all networks are planned in double precision; "
    "many columns that depend on one, and hardly on each other, need more, and 5 to 9 times longer.",
)


@dataclass(frozen=True)
class Plan:
    """Expected cost of a run: memory within a factor of two, time within a range."""

    num_rows: int | None
    num_variables: int
    k: int
    memory: int  # bytes of the whole process at its peak
    memory_free: int  # bytes
    disk: int  # bytes of files beside the result: a checkpoint, or tables that a limit on memory leaves no room for
    disk_free: int  # bytes where these files would be
    seconds_low: float
    seconds_high: float
    largest_num_variables: int  # that fit into the memory that is free
    notes: tuple[str, ...] = ()  # on how the table was read, and what may be otherwise
    what: str = "networks"

    @property
    def fits(self) -> bool:
        """Whether memory and disk suffice."""
        return self.memory <= self.memory_free and self.disk <= self.disk_free

    def _way_out(self) -> str:
        if self.memory <= self.memory_free:
            return "Name a folder with more room (--checkpoint DIR, or TMPDIR in the environment)."
        if self.num_variables > self.largest_num_variables:
            return f"At most {self.largest_num_variables} variables would; drop some."
        return f"The tables would, but not {self.k} networks; ask for fewer."

    def __repr__(self) -> str:
        rows = f"{self.num_rows} rows, " if self.num_rows is not None else ""
        verdict = "" if self.fits else f"\nIt does not fit. {self._way_out()}"
        disk = f"disk    {in_units(self.disk)} of files ({in_units(self.disk_free)} are free)\n" if self.disk else ""
        return (
            f"{rows}{self.num_variables} variables, the {self.k} best {self.what}\n"
            f"memory  {in_units(self.memory)} at the peak ({in_units(self.memory_free)} are free)\n{disk}"
            f"time    {costs.in_time(self.seconds_low)} to {costs.in_time(self.seconds_high)}{verdict}"
        )


def plan(
    source: Any,
    *,
    k: int = 100,
    classes: bool = False,
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
    k, job = check_count("k", k), job or Job()
    start = time.perf_counter()
    data = resolve(source, **options)
    seconds_read = time.perf_counter() - start
    n = data.num_variables
    require_countable(n)
    has_sums = wants_sums(n, evidence, job)
    work = costs.Work(data, Scoring(score, max_parents, constraints), k, has_sums, classes, job)
    low, high = costs.seconds(work, seconds_read)
    resident = resident_memory()
    return Plan(
        num_rows=data.num_rows if isinstance(data, Table) else None,
        num_variables=n,
        k=k,
        memory=resident + costs.memory(work),
        memory_free=job.memory + resident,
        disk=costs.disk(work),
        disk_free=costs.disk_free(work),
        seconds_low=low,
        seconds_high=high,
        largest_num_variables=largest_countable(job),
        notes=(*notes_on(data), *(DOUBT if has_sums and n >= DOUBTFUL_SUMS else ())),
        what="classes" if classes else "networks",
    )
