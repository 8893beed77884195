"""BDeu: the marginal likelihood of a network with a uniform Dirichlet prior (Heckerman, Geiger and Chickering 1995)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagmass import _core
from dagmass.errors import InputError
from dagmass.job import Job
from dagmass.scores.fixed_point import fraction_bits_for
from dagmass.table.table import Table

MAX_ENUMERABLE = 7  # variables; more have too many networks to reach the worst
MIN_ESS, MAX_ESS = 1e-100, 1e100  # what doubles hold once it is divided among all cells


class WantedSets(NamedTuple):
    """Which sets are counted: of at most so many variables, and subsets of one of some varsets (of any if there are none)."""

    max_size: int
    families: NDArray[np.uint64]


class Part(NamedTuple):
    """A part of a table over all subsets: bit i of `fixed` says whether the i-th of the last `num_fixed` variables is in the set."""

    num_fixed: int
    fixed: int
    values: NDArray[np.int64]  # by the varset of the other variables


@dataclass(frozen=True)
class BDeu:
    """The BDeu score.

    Parameters
    ----------
    ess : float
        Equivalent sample size: how many imaginary observations the prior is worth, spread evenly over all cells.
    """

    ess: float = 1.0
    name = "BDeu"
    is_score_equivalent = True

    def __post_init__(self) -> None:
        ess = self.ess.item() if isinstance(self.ess, np.number) else self.ess  # files hold plain values
        if not isinstance(ess, int | float) or not MIN_ESS <= ess <= MAX_ESS:
            raise InputError(f"The equivalent sample size (ess) must be a positive number, got {ess!r} (from {MIN_ESS:g} to {MAX_ESS:g}).")
        object.__setattr__(self, "ess", ess)

    def fraction_bits(self, table: Table) -> int:
        """Return how fine the unit of the scores can be, so that the sum over all variables cannot overflow."""
        smallest_cell = math.log(self.ess) - float(np.log(table.num_levels).sum())
        largest_term = max(abs(smallest_cell), abs(math.log(self.ess + table.num_rows)), abs(math.log(self.ess)))
        of_one_set = table.num_rows * largest_term
        if table.num_variables <= MAX_ENUMERABLE:  # even the worst network of all may be asked for
            return fraction_bits_for(2 * table.num_variables * of_one_set)
        return fraction_bits_for(max(of_one_set, 2 * self._empty_network(table)))

    def _empty_network(self, table: Table) -> float:
        """Return the size of the log score of the network without edges; better networks score closer to zero."""
        codes, weights = table.merged
        total = 0.0
        for column, levels in zip(codes, table.num_levels, strict=True):
            counts, a = np.bincount(column, weights=weights, minlength=levels), self.ess / int(levels)
            cells = math.fsum(math.lgamma(a + count) - math.lgamma(a) for count in counts)
            total += abs(math.lgamma(self.ess) - math.lgamma(self.ess + table.num_rows) + cells)
        return total

    def set_function(self, table: Table, wanted: WantedSets, fraction_bits: int, job: Job) -> NDArray[np.int64]:
        """Return f(S), by varset, for every set that is wanted."""
        return self.count(table, wanted, Part(0, 0, np.zeros(1 << table.num_variables, dtype=np.int64)), fraction_bits, job)

    def count(self, table: Table, wanted: WantedSets, part: Part, fraction_bits: int, job: Job) -> NDArray[np.int64]:
        """Write f(S) of every set that is wanted into a part of the table."""
        codes, weights = table.merged
        report = job.stage("scores")
        operations = _core.bdeu_set_function(
            codes,
            weights,
            table.num_levels,
            self.ess,
            fraction_bits,
            wanted.max_size,
            wanted.families,
            part.num_fixed,
            part.fixed,
            part.values,
            job.num_threads,
            report and (lambda done, total: report(done + part.fixed * total, total << part.num_fixed)),
        )
        job.count("scores", operations)
        return part.values

    def of_set(self, table: Table, varset: int, fraction_bits: int) -> int:
        """Return f of a single set."""
        codes, weights = table.merged
        return _core.bdeu_of_set(codes, weights, table.num_levels, self.ess, fraction_bits, varset)
