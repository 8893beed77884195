"""How a table is scored: everything but the table itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dagmass.job import Job
from dagmass.scores.bdeu import BDeu
from dagmass.scores.constraints import Constraints
from dagmass.scores.local_scores import LocalScores, MaxParents, local_scores, plain_bounds, require_score
from dagmass.table.table import Table


@dataclass(frozen=True)
class Scoring:
    """A score, bounds on the number of parents, and what is known beforehand."""

    score: BDeu | None = None  # BDeu with equivalent sample size 1
    max_parents: MaxParents = None
    constraints: Constraints | None = None

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Scoring:
        """Take what `as_dict` returned."""
        constraints = values["constraints"]
        return cls(BDeu(values["ess"]), values["max_parents"], None if constraints is None else Constraints(**constraints))

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for files."""
        score = require_score(self.score)
        return {
            "name": score.name,
            "ess": score.ess,
            "max_parents": plain_bounds(self.max_parents),
            "constraints": None if self.constraints is None else self.constraints.as_dict(),
        }

    @property
    def is_given(self) -> bool:
        """Whether anything was chosen."""
        return self != Scoring()

    def of(self, table: Table, job: Job) -> LocalScores:
        """Return the local scores of a table."""
        return local_scores(table, self.score, max_parents=self.max_parents, constraints=self.constraints, job=job)
