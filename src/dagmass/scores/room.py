"""What fits into memory: tables over all subsets of the variables are what takes it."""

from __future__ import annotations

from dagmass import _core
from dagmass.errors import TooLargeError
from dagmass.job import Job, in_units

LARGEST_WITH_TWO_TABLES = 25  # variables; with more, the scores make room for the table of best networks
LEAST_BYTES = 64 << 20  # that a run needs beside tables in files, and
LIST_BYTES = 3 << 20  # for the lists of each variable


def fits(n: int, job: Job) -> bool:
    """Tell whether a table over all subsets fits into memory."""
    return 8 << n <= job.memory


def largest_countable(job: Job) -> int:
    """Return the largest number of variables that need no tables in files."""
    return max((n for n in range(1, _core.MAX_COUNTED_VARIABLES + 1) if fits(n, job)), default=1)


def require_table(what: str, n: int, job: Job) -> None:
    """Refuse a table over all subsets that neither memory holds nor a file may hold."""
    if not fits(n, job) and not job.uses_disk:
        way_out = f"At most {largest_countable(job)} variables fit. Drop some (drop=, --drop), or keep tables in files (--max-memory)."
        job.require(8 << n, f"{n} variables need a table of {what} of", way_out)


def require_room_beside_files(n: int, job: Job) -> None:
    """Refuse a limit on memory that tables in files do not make up for."""
    if not fits(n, job):
        needed = LEAST_BYTES + n * LIST_BYTES
        job.require(needed, f"Even with tables in files, {n} variables need", "Raise the limit (max_memory=, --max-memory).")


def require_countable(n: int) -> None:
    """Refuse more variables than a varset of the kernels holds."""
    if n > _core.MAX_COUNTED_VARIABLES:
        raise TooLargeError(
            f"{n} variables are too many: {_core.MAX_COUNTED_VARIABLES} can be handled at all, and {largest_countable(Job())} fit into the "
            f"{in_units(Job().memory)} of memory that are free. Drop some (drop=, --drop)."
        )
