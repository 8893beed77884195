"""The set function of a table: counted whole, or in parts that are kept in files as they are finished."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagmass import _core
from dagmass.job import Job
from dagmass.scores.bdeu import BDeu, Part, WantedSets
from dagmass.store import Store
from dagmass.table.table import Table

PART_BITS = 4  # a checkpoint is written sixteen times
NAME = "scores"


@dataclass(frozen=True)
class Counting:
    """Everything that f depends on, where finished parts are kept, and who does the work."""

    score: BDeu
    table: Table
    wanted: WantedSets
    fraction_bits: int
    store: Store | None
    job: Job

    def in_memory(self) -> NDArray[np.int64]:
        """Return f, by varset; what a checkpoint holds of it is not counted again."""
        n = self.table.num_variables
        if self.store is None or n < _core.BLOCK_BITS:
            return self.score.set_function(self.table, self.wanted, self.fraction_bits, self.job)
        values = np.zeros(1 << n, dtype=np.int64)
        num_fixed = min(PART_BITS, n - _core.BLOCK_BITS)
        file = self.store.table(NAME, n)
        for fixed, part in enumerate(values.reshape(1 << num_fixed, -1)):
            self._finish(file, Part(num_fixed, fixed, part))
        return values

    def in_file(self) -> _core.ScoreFile:
        """Count f into a file, part by part."""
        assert self.store is not None
        n, num_fixed = self.table.num_variables, self._num_fixed_in_file()
        file = self.store.table(NAME, n)
        part = np.zeros(1 << (n - num_fixed), dtype=np.int64)
        for fixed in range(1 << num_fixed):
            self._finish(file, Part(num_fixed, fixed, part))
        return file

    def of_set(self, varset: int) -> int:
        """Return f of a single set."""
        return self.score.of_set(self.table, varset, self.fraction_bits)

    def _finish(self, file: _core.ScoreFile, part: Part) -> None:
        """Fill one part of f: from the file where it is complete there, otherwise into the file too."""
        first = part.fixed * len(part.values)
        if file.try_read(first, part.values):
            return
        part.values[:] = 0
        self.score.count(self.table, self.wanted, part, self.fraction_bits, self.job)
        file.write(first, part.values)

    def _num_fixed_in_file(self) -> int:
        """Return how many of the last variables a part fixes, so that it takes at most a quarter of the memory that is free now."""
        n, memory = self.table.num_variables, self.job.memory
        num_fixed = min(PART_BITS, n - _core.BLOCK_BITS)
        while num_fixed < n - _core.BLOCK_BITS and 8 << (n - num_fixed) > memory // 4:
            num_fixed += 1
        return num_fixed
