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
        if not isinstance(self.ess, int | float) or not MIN_ESS <= self.ess <= MAX_ESS:
            raise InputError(
                f"The equivalent sample size (ess) must be a positive number, got {self.ess} (from {MIN_ESS:g} to {MAX_ESS:g})."
            )

    def fraction_bits(self, table: Table) -> int:
        """Return how fine the unit of the scores can be, so that the sum over all variables cannot overflow."""
        smallest_cell = math.log(self.ess) - float(np.log(table.num_levels).sum())
        largest_term = max(abs(smallest_cell), abs(math.log(self.ess + table.num_rows)), abs(math.log(self.ess)))
        return fraction_bits_for(2 * table.num_variables * table.num_rows * largest_term)

    def set_function(self, table: Table, max_size: int, fraction_bits: int, job: Job) -> NDArray[np.int64]:
        """Return f(S) for every set of at most `max_size` variables, by varset."""
        codes, weights = table.merged
        return _core.bdeu_set_function(
            codes, weights, table.num_levels, self.ess, fraction_bits, max_size, job.num_threads, job.stage("scores")
        )
