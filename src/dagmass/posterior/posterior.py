"""The best networks of a data set as one weighted mixture."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from dagmass.checks import MAX_COUNT
from dagmass.errors import InputError
from dagmass.exact.sums import Exact
from dagmass.graphs.equivalence import EquivalenceClass
from dagmass.graphs.network import Network
from dagmass.posterior import class_tables, tables
from dagmass.posterior.best_with import BestWith, best_with
from dagmass.posterior.bounds import coverage_range
from dagmass.posterior.class_masses import ClassMasses, ClassPrior, MemberTable, member_table
from dagmass.posterior.compare import ClassComparison, Comparison, compare_classes, compare_networks
from dagmass.posterior.consensus import Consensus, consensus
from dagmass.posterior.features import Feature, Networks
from dagmass.posterior.origin import Origin
from dagmass.posterior.own_network import NetworkRank, rank_network
from dagmass.posterior.probability import Probability, probability, read_feature
from dagmass.posterior.stopping import StopRule, take_until
from dagmass.scores.fixed_point import to_nats
from dagmass.search.best_classes import BestClasses
from dagmass.search.best_first import Batch, BestFirst
from dagmass.search.best_networks import BestNetworks

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd


@dataclass(frozen=True)
class Ties:
    """How the last network relates to what was left out."""

    kept: int  # how many of the networks at hand score exactly as much as the last one
    more: bool  # whether further ones do


@dataclass(frozen=True)
class RunInfo:
    """What a run was made of, for summaries and files: plain values."""

    data: dict[str, Any] = field(default_factory=dict)
    score: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)

    def searched_on(self, seconds: float) -> RunInfo:
        """Return the same with further seconds spent on the search."""
        longer = {stage: self.seconds.get(stage, 0.0) + seconds for stage in ("search", "total")}
        return replace(self, seconds={**self.seconds, **longer})


@dataclass(frozen=True, eq=False)
class Posterior:
    """The k best networks and their weights. Make one with `dagmass.learn` or `Posterior.of_best`.

    Two posteriors are equal when their variables, networks and scores are.
    """

    variables: tuple[str, ...]
    parents: NDArray[np.uint64]  # (network, variable): parent varsets, best network first
    scores: NDArray[np.int64]  # in units of 2^-fraction_bits nat
    fraction_bits: int
    ties: Ties
    k: int  # how many networks were asked for
    stopped_by: str = "k"  # what ended the search: k, mass, bayes_factor, all, max_networks or max_seconds
    info: RunInfo = RunInfo()
    origin: Origin = field(default_factory=Origin)
    exact: Exact | None = None  # sums over all networks, where they were computed
    classes_masses: ClassMasses | None = None  # where `parents` are not networks but one representative for each of some classes
    is_drawn: bool = False  # independent draws from the posterior, each with the same weight, in place of the best networks
    is_strict: bool = False  # networks with a better-scoring subgraph are left out, so these are not the first ones of the stream

    @classmethod
    def of_best(
        cls,
        best: BestNetworks | BestClasses,
        k: int | None = None,
        *,
        rule: StopRule | None = None,
        class_prior: ClassPrior = "networks",
        exact: Exact | None = None,
        info: RunInfo | None = None,
        origin: Origin | None = None,
    ) -> Posterior:
        """Take the best networks or classes of a stream that was not read before: k of them, 100 by default, or until a rule is met.

        A class weighs as much as its members together, or, with ``class_prior="classes"``, as much as one of them; sums over all
        networks, which count every network, do not apply then and are left out.

        Examples
        --------
        >>> import dagmass as dm
        >>> scores = dm.LocalScores.from_dict({"a": {(): -1.0}, "b": {(): -2.0, ("a",): -1.5}})
        >>> Posterior.of_best(dm.best_networks(scores), k=2).weights.round(4)
        array([0.6225, 0.3775])
        """
        if rule is None:
            rule = StopRule(k=check_count("k", 100 if k is None else k))
        if best.num_taken:
            raise InputError(f"{best.num_taken} networks were taken from this stream already; begin with a new one (best_networks).")
        if isinstance(best, BestClasses) and class_prior == "classes":
            if rule.mass is not None:
                raise InputError("mass is a share of the posterior that counts every network; it does not go with class_prior='classes'.")
            exact = None
        found = take_until(best, rule, exact.log_evidence if exact else None)
        batch = found.batch
        origin = origin or Origin(job=best.job)
        origin.known_scores, origin.stream = best.scores, best
        return cls(
            variables=best.scores.variables,
            parents=batch.parents,
            scores=batch.scores,
            fraction_bits=best.scores.fraction_bits,
            ties=_ties(batch.scores, best)
            if found.stopped_by in ("k", "all")
            else Ties(int(np.count_nonzero(batch.scores == batch.scores[-1])), more=False),
            k=rule.k or len(batch.scores),
            stopped_by=found.stopped_by,
            info=info or RunInfo(),
            origin=origin,
            exact=exact,
            classes_masses=_class_masses(best, batch, class_prior),
            is_strict=rule.strict,
        )

    def more(self, extra: int) -> Posterior:
        """Return a posterior with `extra` further networks or classes; the search goes on where it stopped."""
        extra = check_count("extra", extra)
        if self.is_drawn:
            raise InputError("Draws are not continued; draw more of them at once (sample, dagmass sample -n).")
        if self.is_strict:
            raise InputError("A strict run is not continued; learn again with a larger bayes_factor (--bayes-factor).")
        start = time.perf_counter()
        best = self.origin.stream_after(len(self), of_classes=self.classes_masses is not None)
        new = best.take(extra)
        batch = Batch(np.concatenate([self.scores, new.scores]), np.concatenate([self.parents, new.parents]))
        return replace(
            self,
            parents=batch.parents,
            scores=batch.scores,
            ties=_ties(batch.scores, best),
            k=len(self) + extra,
            stopped_by="k" if len(new.scores) == extra else "all",
            info=self.info.searched_on(time.perf_counter() - start),
            classes_masses=_class_masses(best, batch, self.classes_masses.prior) if self.classes_masses else None,
        )

    def __len__(self) -> int:
        return len(self.scores)

    def __iter__(self) -> Iterator[Network]:
        return (self[rank] for rank in range(1, len(self) + 1))

    def __getitem__(self, rank: int) -> Network:
        """Return the network of a rank, counted from 1; of a class, the member that stands for it."""
        if not isinstance(rank, int | np.integer) or not 1 <= rank <= len(self):
            raise InputError(f"Ranks run from 1 to {len(self)}, got {rank!r}.")
        return Network(self.variables, tuple(self.parents[rank - 1].tolist()), float(self.log_scores[rank - 1]))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Posterior)
            and (self.variables, self.fraction_bits, self.ties) == (other.variables, other.fraction_bits, other.ties)
            and np.array_equal(self.parents, other.parents)
            and np.array_equal(self.scores, other.scores)
        )

    def __hash__(self) -> int:
        return hash((self.variables, self.parents.tobytes(), self.scores.tobytes()))

    @cached_property
    def log_scores(self) -> NDArray[np.float64]:
        """Ln P(data, network) of every network, the structure prior not normalised."""
        return to_nats(self.scores, self.fraction_bits)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Share of every network among the networks at hand: Tian, He and Ram (2010), eq. 7."""
        if self.is_drawn:
            return np.full(len(self), 1 / len(self))
        if self.classes_masses and self.classes_masses.prior == "networks":
            shares = np.exp(self.log_masses - self.log_masses.max())
        else:
            shares = np.exp(to_nats(self.scores - self.scores[0], self.fraction_bits))
        return np.asarray(shares / shares.sum())

    @property
    def what(self) -> str:
        """What the posterior holds: networks or classes."""
        return "classes" if self.classes_masses else "networks"

    @property
    def log_masses(self) -> NDArray[np.float64]:
        """Ln of what each network, or all members of each class, weigh in the sum over all networks."""
        return self.classes_masses.log_masses if self.classes_masses else self.log_scores

    @cached_property
    def member_table(self) -> MemberTable:
        """Networks that stand for the classes at hand."""
        return member_table(self)

    @property
    def at_hand(self) -> Networks:
        """The networks at hand, or the representatives of classes, with their scores: what features are evaluated on."""
        return Networks(self.variables, self.parents, self.log_scores)

    @property
    def weighted_networks(self) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
        """Parents and weights of the networks at hand, or of members that stand for the classes at hand."""
        return (self.member_table.parents, self.member_table.weights) if self.classes_masses else (self.parents, self.weights)

    def exact_sums(self, feature: Feature) -> Exact:
        """Return sums over all networks that can answer for a feature; those from a file are computed again if they must be."""
        assert self.exact is not None
        needs_families = "parents(" in str(feature)
        if self.exact.knows_families or not needs_families or not self.origin.can_score:
            return self.exact
        return self.origin.exact()

    @cached_property
    def coverage_range(self) -> tuple[float, float]:
        """The least and the largest share of the posterior that the networks at hand can hold; (0, 1) without the evidence."""
        return coverage_range(self.log_masses, self.exact) if self.exact and self.coverage is not None else (0.0, 1.0)

    @cached_property
    def coverage(self) -> float | None:
        """Share of the posterior that the networks at hand hold (the paper's Delta, eq. 15); None without the evidence."""
        if self.exact is None or self.is_drawn or (self.classes_masses and self.classes_masses.prior == "classes"):
            return None
        return min(math.fsum(np.exp(self.log_masses - self.exact.log_evidence)), 1.0)

    @property
    def posterior_probabilities(self) -> NDArray[np.float64] | None:
        """P(network | data) of every network, or of every class; None without the evidence."""
        if self.exact is None or (self.coverage is None and not self.is_drawn):
            return None
        return np.minimum(np.exp(self.log_masses - self.exact.log_evidence), 1.0)

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
        return tables.edge_averages(self)

    def probability(self, feature: object, *, draws: int = 0, seed: int = 0) -> Probability:
        """Return how probable a feature is, with bounds: exactly where the sums over all networks know it.

        Parameters
        ----------
        feature : Feature, str or callable
            What `edge`, `path`, `parents` and the like return, an expression such as ``"path(milk, type) and not edge(milk, type)"``, or
            a function that takes a `Network` and returns true or false.
        draws : int
            Where only bounds are known: complete them by so many independent draws outside the networks at hand.
        seed : int
            The same seed gives the same draws.
        """
        if draws:
            from dagmass.posterior.draws import complete_with_draws

            return complete_with_draws(self, feature, check_count("draws", draws), seed)
        return probability(self, feature)

    def best_with(self, feature: object) -> BestWith:
        """Return the best network that has a feature, and how far it lies below the best of all.

        Parameters
        ----------
        feature : Feature or str
            An edge, a missing link (``"not link(a, b)"``), a family (``"parents(a) = {b, c}"``) or whatever else says which edges are there
            or absent: found among all networks. Any other feature is looked for among the networks at hand.
        """
        return best_with(self, read_feature(self, feature))

    def networks(self) -> pd.DataFrame:
        """Return one row a network: rank, log score, weight, cumulative weight, model string, difference to the best in words.

        Model strings are written as R's bnlearn and `rank` read them: brackets, bars and colons in names become dots.
        """
        return tables.networks(self)

    def edges(self) -> pd.DataFrame:
        """Return one row an ordered pair: the average of the edge over the networks at hand, and of a link in either direction.

        Up to 20 variables also how far the best network with the edge lies below the best of all (`loss`, in nats).
        """
        return tables.edges(self)

    def links(self) -> pd.DataFrame:
        """Return one row a pair: how much of the weight has a link, and each of its directions."""
        return tables.links(self)

    def paths(self) -> pd.DataFrame:
        """Return one row an ordered pair: how much of the weight has a directed path."""
        return tables.paths(self)

    def blanket(self, variable: str) -> pd.DataFrame:
        """Return one row another variable: its share in the Markov blanket, and as parent, child or spouse."""
        return tables.blanket(self, variable)

    def parent_sets(self, variable: str) -> pd.DataFrame:
        """Return one row a parent set of a variable, with its share."""
        return tables.parent_sets(self, variable)

    def classes(self, by: Literal["score", "mass"] = "score") -> pd.DataFrame:
        """Return one row a class of equivalent networks: those at hand, or those that the networks at hand fall into."""
        return class_tables.classes(self, by)

    def class_of_rank(self, rank: int) -> EquivalenceClass:
        """Return the class of a rank, or the class of the network of that rank; its size counts members that are forbidden too."""
        network = self[rank]
        return EquivalenceClass(self.variables, network.parents, network.log_score) if self.classes_masses else EquivalenceClass.of(network)

    def compare(self, first: int, second: int) -> Comparison | ClassComparison:
        """Return what turns the network or class of one rank into that of another."""
        if self.classes_masses:
            return compare_classes(self.class_of_rank(first), self.class_of_rank(second))
        return compare_networks(self[first], self[second])

    def consensus(self, threshold: float = 0.5) -> Consensus:
        """Return the edges with an average from `threshold` on, without a cycle.

        It goes by the average over the networks at hand, not by the exact probability of edges, which `edges()` tells where it is known.
        """
        return consensus(self, threshold)

    def rank(self, network: object) -> NetworkRank:
        """Score a network of one's own: a `Network`, edges, a dict of parents, a model string, a networkx graph or a BIF file."""
        from dagmass.exchange.read_network import network_of

        return rank_network(self, network_of(network, self.variables))

    def to_networkx(self, rank: int = 1) -> nx.DiGraph[str]:
        """Return the network of a rank as a networkx graph.

        Edges carry their `average` over the networks at hand and their `probability`: the exact one where it is known, else the average.
        """
        from dagmass.exchange.networkx_graphs import to_networkx

        return to_networkx(self, rank)

    def save(self, path: str | Path, *, data: bool = True) -> None:
        """Write everything to one .dagmass file; without `data`, later questions that need the table are refused."""
        from dagmass.run.run_file import save

        save(self, path, data=data)

    def export(self, path: str | Path, rank: int = 1) -> list[Path]:
        """Write for other programs; the ending says what: .csv, .dot, .graphml, .bif or .txt (bnlearn model strings)."""
        from dagmass.exchange.export import export

        return export(self, path, rank)

    def __repr__(self) -> str:
        from dagmass.show.summary import summary

        return summary(self)


def check_count(name: str, value: int) -> int:
    """Return a count as an int of Python's; refuse what is not a whole number from one on."""
    if not isinstance(value, int | np.integer):
        raise InputError(f"{name} must be a whole number, got {value!r}.")
    if value < 1:
        raise InputError(f"{name} must be at least 1, got {value}.")
    if value > MAX_COUNT:
        raise InputError(f"{name} must be at most {MAX_COUNT}, got {value}.")
    return int(value)


def _class_masses(best: BestFirst[Any], batch: Batch, prior: ClassPrior) -> ClassMasses | None:
    if not isinstance(best, BestClasses):
        return None
    return ClassMasses(tuple(best.sizes(batch)), best.log_masses(batch), prior, best.why_grouped)


def _ties(scores: NDArray[np.int64], best: BestFirst[Any]) -> Ties:
    return Ties(int(np.count_nonzero(scores == scores[-1])), best.next_ties())
