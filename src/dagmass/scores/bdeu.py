"""BDeu: the marginal likelihood of a network with a uniform Dirichlet prior (Heckerman, Geiger and Chickering 1995)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagmass import _core
from dagmass.errors import InputError
from dagmass.job import Job
from dagmass.scores.fixed_point import fraction_bits_for
from dagmass.table.table import Table

MAX_ENUMERABLE = 7  # variables; more have too many networks to reach the worst
MIN_ESS, MAX_ESS = 1e-100, 1e100  # what doubles hold once it is divided among all cells


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

    def set_function(self, table: Table, max_size: int, families: NDArray[np.uint64], fraction_bits: int, job: Job) -> NDArray[np.int64]:
        """Return f(S), by varset, for every set of at most `max_size` variables that is part of one of the `families` (of all if empty)."""
        codes, weights = table.merged
        return _core.bdeu_set_function(
            codes, weights, table.num_levels, self.ess, fraction_bits, max_size, families, job.num_threads, job.stage("scores")
        )

    def of_set(self, table: Table, varset: int, fraction_bits: int) -> int:
        """Return f of a single set."""
        codes, weights = table.merged
        return _core.bdeu_of_set(codes, weights, table.num_levels, self.ess, fraction_bits, varset)
