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

    @property
    def _num_variables(self) -> int:
        return self.table.num_variables

    def in_memory(self) -> NDArray[np.int64]:
        """Return f, by varset; what a checkpoint holds of it is not counted again."""
        if self.store is None or self._num_variables < _core.BLOCK_BITS:
            return self.score.set_function(self.table, self.wanted, self.fraction_bits, self.job)
        values = np.zeros(1 << self._num_variables, dtype=np.int64)
        parts = values.reshape(1 << self._num_part_bits(), -1)
        file = self.store.table(NAME, self._num_variables)
        for fixed, part in enumerate(parts):
            self._finish(file, fixed, part)
        return values

    def in_file(self) -> _core.ScoreFile:
        """Count f into a file, part by part."""
        assert self.store is not None
        file = self.store.table(NAME, self._num_variables)
        part = np.zeros(1 << (self._num_variables - self._num_part_bits()), dtype=np.int64)
        for fixed in range(1 << self._num_part_bits()):
            self._finish(file, fixed, part)
        return file

    def of_set(self, varset: int) -> int:
        """Return f of a single set."""
        return self.score.of_set(self.table, varset, self.fraction_bits)

    def _finish(self, file: _core.ScoreFile, fixed: int, part: NDArray[np.int64]) -> None:
        """Fill one part of f: from the file where it is complete there, otherwise into the file too."""
        first = fixed * len(part)
        if file.try_read(first, part):
            return
        part[:] = 0
        self.score.count(self.table, self.wanted, Part(self._num_part_bits(), fixed, part), self.fraction_bits, self.job)
        file.write(first, part)

    def _num_part_bits(self) -> int:
        """Return how many of the last variables a part fixes: of a table that memory does not hold, parts are a quarter of the memory."""
        largest = self._num_variables - _core.BLOCK_BITS
        bits = min(PART_BITS, largest)
        while bits < largest and 8 << (self._num_variables - bits) > self.job.memory // 4:
            bits += 1
        return bits
