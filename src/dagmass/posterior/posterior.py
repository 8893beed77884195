"""The best networks of a data set as one weighted mixture."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dagmass.errors import InputError
from dagmass.graphs.network import Network
from dagmass.posterior import tables
from dagmass.scores.fixed_point import to_nats
from dagmass.search.best_networks import BestNetworks

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Ties:
    """How the last network relates to what was left out."""

    kept: int  # how many of the networks at hand score exactly as much as the last one
    more: bool  # whether further ones do


@dataclass(frozen=True)
class RunInfo:
    """Where a posterior comes from, for summaries and files."""

    data: dict[str, Any] = field(default_factory=dict)
    score: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Posterior:
    """The k best networks and their weights. Make one with `dagmass.learn` or `Posterior.of_best`."""

    variables: tuple[str, ...]
    parents: NDArray[np.uint64]  # (network, variable): parent varsets, best network first
    scores: NDArray[np.int64]  # in units of 2^-fraction_bits nat
    fraction_bits: int
    ties: Ties
    k: int  # how many networks were asked for
    info: RunInfo = RunInfo()
    best: BestNetworks | None = None  # where further networks come from

    @classmethod
    def of_best(cls, best: BestNetworks, k: int = 100, info: RunInfo | None = None) -> Posterior:
        """Take the k best networks of a stream that was not read before.

        Examples
        --------
        >>> import dagmass as dm
        >>> scores = dm.LocalScores.from_dict({"a": {(): -1.0}, "b": {(): -2.0, ("a",): -1.5}})
        >>> Posterior.of_best(dm.best_networks(scores), k=2).weights.round(4)
        array([0.6225, 0.3775])
        """
        check_count("k", k)
        if best.num_taken:
            raise InputError(f"{best.num_taken} networks were taken from this stream already; begin with a new one (best_networks).")
        batch = best.take(k)
        return cls(
            variables=best.scores.variables,
            parents=batch.parents,
            scores=batch.scores,
            fraction_bits=best.scores.fraction_bits,
            ties=Ties(int(np.count_nonzero(batch.scores == batch.scores[-1])), best.next_ties()),
            k=k,
            info=info or RunInfo(),
            best=best,
        )

    def more(self, extra: int) -> Posterior:
        """Return a posterior with `extra` further networks; the search goes on where it stopped."""
        check_count("extra", extra)
        if self.best is None:
            raise InputError("This posterior does not know its scores, so it cannot be continued. Run learn with a larger k.")
        best = self.best
        if best.num_taken != len(self):  # another posterior went on with this stream
            best = BestNetworks(best.scores, best.job)
            best.take(len(self))
        batch = best.take(extra)
        scores = np.concatenate([self.scores, batch.scores])
        return replace(
            self,
            parents=np.concatenate([self.parents, batch.parents]),
            scores=scores,
            ties=Ties(int(np.count_nonzero(scores == scores[-1])), best.next_ties()),
            k=self.k + extra,
            best=best,
        )

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, rank: int) -> Network:
        """Return the network of a rank, counted from 1."""
        if not 1 <= rank <= len(self):
            raise InputError(f"Ranks run from 1 to {len(self)}, got {rank}.")
        return Network(self.variables, tuple(map(int, self.parents[rank - 1])), float(self.log_scores[rank - 1]))

    @cached_property
    def log_scores(self) -> NDArray[np.float64]:
        """Ln P(data, network) of every network, the structure prior not normalised."""
        return to_nats(self.scores, self.fraction_bits)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Share of every network among the networks at hand: Tian, He and Ram (2010), eq. 7."""
        shares = np.exp(to_nats(self.scores - self.scores[0], self.fraction_bits))
        return np.asarray(shares / shares.sum())

    @property
    def log_lambda(self) -> float:
        """Ln of lambda = P(best) / P(k-th best): eq. 19."""
        return float(to_nats(self.scores[0] - self.scores[-1], self.fraction_bits))

    @property
    def lambda_(self) -> float | None:
        """P(best) / P(k-th best), or None where that overflows."""
        return math.exp(self.log_lambda) if self.log_lambda < math.log(np.finfo(np.float64).max) else None

    @cached_property
    def edge_averages(self) -> NDArray[np.float64]:
        """Weight of the networks with the edge a → b, at [a, b]: eq. 9."""
        return tables.edge_averages(self.parents, self.weights)

    def networks(self) -> pd.DataFrame:
        """Return one row a network: rank, log score, weight, structure as a bnlearn model string."""
        return tables.networks(self)

    def edges(self) -> pd.DataFrame:
        """Return one row an ordered pair: the average of the edge over the networks at hand, and of a link in either direction."""
        return tables.edges(self)

    def links(self) -> pd.DataFrame:
        """Return one row a pair: how much of the weight has a link, and each of its directions."""
        return tables.links(self)

    def __repr__(self) -> str:
        from dagmass.show.summary import summary

        return summary(self)


def check_count(name: str, value: int) -> None:
    """Refuse counts below one."""
    if value < 1:
        raise InputError(f"{name} must be at least 1, got {value}.")
