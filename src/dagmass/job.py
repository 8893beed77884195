"""How long work reports, spreads over threads, is kept within memory and goes on after a stop."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from dagmass.errors import InputError, TooLargeError

MAX_THREADS = 1024
LATE_BYTES = 48 << 20  # of a limit on the process: libraries that are loaded late, small buffers

Progress = Callable[[str, int, int], None]
"""Takes the name of a stage, what is done and what there is to do."""

Report = Callable[[int, int], None] | None
"""The same for one stage."""


@dataclass(frozen=True)
class Job:
    """The last argument of everything that may take long; results never depend on it.

    Parameters
    ----------
    threads : int, optional
        Number of threads; all cores by default.
    max_memory : int, optional
        Bytes that this process may hold in all; by default what the machine has free. Tables that do not fit are kept in temporary files.
    progress : callable, optional
        Called as ``progress(stage, done, total)`` some times a second.
    announce : callable, optional
        Called with a line of text before long work begins: what it is expected to take.
    checkpoint : path, optional
        A folder for what is finished of scores and tables. The same work with the same folder goes on where it was stopped.
    """

    threads: int | None = None
    max_memory: int | None = None
    progress: Progress | None = None
    announce: Callable[[str], None] | None = None
    checkpoint: str | Path | None = None
    operations: dict[str, int] = field(default_factory=dict, compare=False, repr=False)  # of every stage so far: what took the time

    def __post_init__(self) -> None:
        if self.max_memory is not None and (not isinstance(self.max_memory, int | np.integer) or self.max_memory < 1):
            raise InputError(f"max_memory must be a number of bytes, got {self.max_memory!r}.")
        if self.threads is not None and (not isinstance(self.threads, int | np.integer) or not 1 <= self.threads <= MAX_THREADS):
            raise InputError(f"threads must be at least 1 and at most {MAX_THREADS}, a whole number, got {self.threads!r}.")
        if self.checkpoint is not None and not str(self.checkpoint):
            raise InputError("checkpoint must be the path of a folder, got an empty one.")

    @property
    def num_threads(self) -> int:
        """The number of threads to use."""
        return int(self.threads or available_cores())

    def stage(self, name: str) -> Report:
        """Return what a kernel calls with (done, total) while it works on this stage."""
        progress = self.progress
        if progress is None:
            return None
        return lambda done, total: progress(name, done, total)

    def count(self, stage: str, operations: int) -> None:
        """Add to the operations of a stage."""
        self.operations[stage] = self.operations.get(stage, 0) + operations

    @property
    def memory(self) -> int:
        """The bytes that may be used from now on."""
        return available_memory() if self.max_memory is None else max(0, int(self.max_memory) - resident_memory() - LATE_BYTES)

    @property
    def uses_disk(self) -> bool:
        """Whether tables that do not fit into memory are kept in files."""
        return self.max_memory is not None or self.checkpoint is not None

    def require(self, num_bytes: int, what: str, way_out: str) -> None:
        """Raise TooLargeError unless `num_bytes` are free; `what` takes them, `way_out` avoids it."""
        free = self.memory
        if num_bytes > free:
            raise TooLargeError(f"{what} {in_units(num_bytes)}; {in_units(free)} are free. {way_out}")


def available_cores() -> int:
    """Count the cores this process may run on."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def resident_memory() -> int:
    """Return the bytes this process holds now, zero where the system does not tell."""
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS:"))
    except (OSError, StopIteration):
        return 0


def available_memory() -> int:
    """Return the bytes that can be allocated without swapping, as far as the system tells."""
    limits = [free for free in (_free_of_machine(), _free_of_control_group()) if free is not None]
    return min(limits) if limits else 4 << 30


def _free_of_machine() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):
        return None


def _free_of_control_group() -> int | None:
    group = Path("/sys/fs/cgroup")
    try:
        limit = (group / "memory.max").read_text().strip()
        return None if limit == "max" else int(limit) - int((group / "memory.current").read_text())
    except (OSError, ValueError):
        return None


def in_units(num_bytes: float) -> str:
    """Write a number of bytes as people read it.

    >>> in_units(3 << 30)
    '3.0 GiB'
    """
    for unit in ("B", "KiB", "MiB"):
        if num_bytes < 1024:
            return f"{num_bytes:.0f} {unit}"
        num_bytes /= 1024
    return f"{num_bytes:.1f} GiB"
