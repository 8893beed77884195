"""Where a posterior comes from: what later questions and further networks need."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from dagmass.errors import InputError
from dagmass.exact.sums import Exact, exact
from dagmass.job import Job
from dagmass.scores.local_scores import LocalScores
from dagmass.scores.scoring import Scoring
from dagmass.search.best_classes import BestClasses
from dagmass.search.best_networks import BestNetworks
from dagmass.search.edge_losses import LARGEST, edge_losses
from dagmass.table.table import Table


@dataclass(eq=False)
class Origin:
    """The table and the local scores of a posterior, as far as they are known. Scores are computed again when a question needs them."""

    table: Table | None = None
    scoring: Scoring = field(default_factory=Scoring)
    job: Job = field(default_factory=Job)
    known_scores: LocalScores | None = None
    stream: BestNetworks | BestClasses | None = None  # a search that may be continued
    known_sums: Exact | None = None
    known_edge_losses: NDArray[np.float64] | None = None

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "job": Job(), "stream": None, "known_sums": None}  # a search lives in this process only

    def scores(self) -> LocalScores:
        """Return the local scores."""
        if self.known_scores is None:
            table = self.require_table("needs local scores")
            self.known_scores = self.scoring.of(table, self.job)
        return self.known_scores

    @property
    def can_score(self) -> bool:
        """Whether local scores are known or can be computed again."""
        return self.known_scores is not None or self.table is not None

    def exact(self) -> Exact:
        """Return the sums over all networks, computed once."""
        if self.known_sums is None:
            self.known_sums = exact(self.scores(), job=self.job)
        return self.known_sums

    def edge_losses(self) -> NDArray[np.float64] | None:
        """Return how far the best network with each edge lies below the best of all; None where that is not known at once."""
        if self.known_edge_losses is None and self.can_score:
            scores = self.scores()
            if scores.num_variables <= LARGEST:
                self.known_edge_losses = edge_losses(scores, self.job)
        return self.known_edge_losses

    def require_table(self, why: str) -> Table:
        """Return the table, or say why the question cannot be answered."""
        if self.table is None:
            _refuse(f"This question {why}, and the run has no table: it was saved without its data or made from imported scores.")
        return self.table

    def stream_after(self, num_taken: int, *, of_classes: bool) -> BestNetworks | BestClasses:
        """Return a stream whose first `num_taken` networks or classes have been taken."""
        if self.stream is None or self.stream.num_taken != num_taken:
            self.stream = (BestClasses if of_classes else BestNetworks)(self.scores(), self.job)
            self.stream.take(num_taken)
        return self.stream


def _refuse(message: str) -> NoReturn:
    raise InputError(message)
