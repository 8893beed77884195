"""Exact posteriors over all networks, or over all orders of the variables."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from dagmass import _core
from dagmass.errors import InputError, NotCertifiedError, TooLargeError
from dagmass.exact.counting import log_num_networks
from dagmass.graphs.varset import index_of, names_of
from dagmass.job import Job, in_units
from dagmass.scores.fixed_point import RANGE_BITS
from dagmass.scores.local_scores import LocalScores

if TYPE_CHECKING:
    import pandas as pd

Over = Literal["networks", "orders"]
Way = Literal["auto", "dense", "sparse"]
Arithmetic = Literal["auto", "double", "double-double"]

WAYS = ("auto", "dense", "sparse", "orders")  # in the order of the kernels
PRECISIONS = ("auto", "double", "double-double")
PROMISE = 1e-9  # nats: largest error of the log evidence that is let through
BYTES_A_FAMILY = 22  # a sum over subsets, its exponent, a posterior
BYTES_A_SET = 72  # scores in another order, forward and backward sums of two doubles each, once more when turned, potentials
MAX_VARIABLES_BY_DEFAULT = 20  # for which a run computes the sums without being told to
LEAST_DENSE = 9  # variables that the dense sums need at least
LEAST_FRACTION_BITS = 33  # with a coarser unit the scores of a network may exceed the exponents of the sums


@dataclass(frozen=True, eq=False)
class Exact:
    """Sums over all networks (or orders): make one with `exact`.

    Every probability is within `probability_error` of its true value, given the local scores as the integers they are.
    """

    variables: tuple[str, ...]
    over: Over
    log_evidence: float  # ln of the sum of exp(log score), the prior not normalised
    log_evidence_error: float  # bound in nats, that of printing included
    log_prior_total: float  # the same sum over the prior alone
    probability_error: float  # absolute bound for every probability
    way: str  # dense or sparse sums, or orders
    arithmetic: str
    num_terms: int
    edge_probabilities: NDArray[np.float64]  # of a → b, at [a, b]
    path_probabilities: NDArray[np.float64] | None  # of a directed path from a to b, at [a, b]; not known over orders
    seconds: float
    scores: LocalScores | None = field(default=None, repr=False)
    # (variable, index): P(the non-descendants of v are U); over orders, its predecessors. None when read from a file.
    _q: NDArray[np.float64] | None = field(default=None, repr=False)

    def edges(self) -> pd.DataFrame:
        """Return one row an ordered pair: the probability of the edge."""
        return self._pairs(self.edge_probabilities)

    def paths(self) -> pd.DataFrame:
        """Return one row an ordered pair: the probability of a directed path."""
        if self.path_probabilities is None:
            raise InputError("Sums over orders do not know the probability of paths; sums over networks do (over='networks').")
        return self._pairs(self.path_probabilities)

    def links(self) -> pd.DataFrame:
        """Return one row a pair: the probability of a link and of either direction, likely links first."""
        import pandas as pd

        p = self.edge_probabilities
        rows = [
            (self.variables[a], self.variables[b], min(p[a, b] + p[b, a], 1.0), p[a, b], p[b, a])
            for a, b in combinations(range(len(self.variables)), 2)
        ]
        frame = pd.DataFrame(rows, columns=["a", "b", "link", "a → b", "a ← b"])
        return frame.sort_values("link", ascending=False, kind="stable", ignore_index=True)

    def parent_sets(self, variable: str, least: float = 1e-12) -> pd.DataFrame:
        """Return one row a parent set of a variable with at least some probability, likely ones first."""
        import pandas as pd

        v = index_of(variable, self.variables)
        found = self.family_probabilities(v)
        likely = np.flatnonzero(found >= least)
        likely = likely[np.argsort(-found[likely], kind="stable")]
        sets = [names_of(_insert_zero_bit(int(index), v), self.variables) for index in likely]
        return pd.DataFrame({"parents": sets, "probability": found[likely]})

    @property
    def knows_families(self) -> bool:
        """Whether parent sets can be asked for; sums read from a file have to be computed again for that."""
        return self._q is not None

    def family_probabilities(self, v: int) -> NDArray[np.float64]:
        """Return the probability of every parent set of a variable, numbered without a gap for v itself."""
        q = np.ascontiguousarray(self._q_of(v))
        assert self.scores is not None
        return np.minimum(_core.family_posteriors(self.scores.native, q, v, Job().num_threads), 1.0)

    def _q_of(self, v: int) -> NDArray[np.float64]:
        if self._q is None:
            raise InputError("These sums come from a file, which keeps edges and paths only. Compute them again: exact(scores).")
        return np.asarray(self._q[v])

    def parent_set_probability(self, v: int, parents: int) -> float:
        """Return the probability of one parent set, by varset."""
        return float(self.family_probabilities(v)[(parents & ((1 << v) - 1)) | (parents >> (v + 1) << v)])

    def non_descendants(self, variable: str, least: float = 1e-12) -> pd.DataFrame:
        """Return one row a set U: the probability that the non-descendants of a variable are exactly U (its predecessors, over orders)."""
        import pandas as pd

        v = index_of(variable, self.variables)
        q = self._q_of(v)
        likely = np.flatnonzero(q >= least)
        likely = likely[np.argsort(-q[likely], kind="stable")]
        sets = [names_of(_insert_zero_bit(int(index), v), self.variables) for index in likely]
        return pd.DataFrame({"non_descendants": sets, "probability": q[likely]})

    def _pairs(self, probabilities: NDArray[np.float64]) -> pd.DataFrame:
        import pandas as pd

        n = len(self.variables)
        rows = [(self.variables[a], self.variables[b], float(probabilities[a, b])) for a in range(n) for b in range(n) if a != b]
        return pd.DataFrame(rows, columns=["from", "to", "probability"])

    def __repr__(self) -> str:
        from dagmass.show.numbers import rounded_up, with_error

        prior = "uniform over networks"
        if self.over == "orders":
            prior = "uniform over orders: a network counts once for each order it agrees with"
        likely = self.links().query("link >= 0.5")
        lines = [
            f"Exact posterior over all {self.over} of {len(self.variables)} variables; prior {prior}",
            f"log evidence {with_error(self.log_evidence, self.log_evidence_error)}; probabilities ± {rounded_up(self.probability_error)}",
            f"{self.way} sums in {self.arithmetic}, {self.num_terms:.3g} terms, {self.seconds:.3f} s",
            "Links with a probability of at least one half:" if len(likely) else "No link has a probability of one half.",
            *(f"  {a} – {b}  {link:.4f}  (→ {forward:.4f}, ← {back:.4f})" for a, b, link, forward, back in likely.itertuples(index=False)),
        ]
        return "\n".join(lines)


def exact(
    scores: LocalScores,
    *,
    over: Over = "networks",
    job: Job | None = None,
    way: Way = "auto",
    arithmetic: Arithmetic = "auto",
) -> Exact:
    """Sum over every network: evidence, and the exact posterior probability of every edge, path and parent set.

    Parameters
    ----------
    scores : LocalScores
        Local scores.
    over : {"networks", "orders"}
        The uniform prior over networks, or over orders of the variables (Koivisto and Sood 2004), which favours networks that
        agree with many orders.
    job : Job, optional
        Threads, memory and progress.
    way : {"auto", "dense", "sparse"}
        How to sum over networks; chosen by the data unless said. Where the range of the scores is too wide for the dense way, and over
        orders, it has no effect: `Exact.way` says what was done.
    arithmetic : {"auto", "double", "double-double"}
        How to compute; double-double where double does not keep the promise, unless said.

    Examples
    --------
    >>> scores = LocalScores.from_dict({"a": {(): 0.0, ("b",): 0.0}, "b": {(): 0.0, ("a",): 0.0}})
    >>> round(exact(scores).log_evidence, 6)      # three networks, equally likely
    1.098612
    """
    n = scores.num_variables
    _check_choices(n, over, way, arithmetic)
    job = job or Job()
    start = time.perf_counter()
    require_memory(n, job)
    if scores.fraction_bits < LEAST_FRACTION_BITS:
        raise NotCertifiedError(
            f"The local scores add up to more than {2.0 ** (RANGE_BITS - LEAST_FRACTION_BITS):.2g} nats, "
            "which the sums over networks do not hold. Are they natural logs?"
        )
    chosen = WAYS.index("orders" if over == "orders" else way)
    found = _core.exact(scores.native, chosen, PRECISIONS.index(arithmetic), True, job.num_threads, job.stage("sums over networks"))
    log_evidence, error, probability_error, used_way, used_arithmetic, num_terms, edges, paths, q = found
    if log_evidence == -math.inf:
        raise InputError(
            "There is no network: the families that are allowed cannot be joined without a directed cycle. Allow more of them."
        )
    if arithmetic == "auto" and error > PROMISE:
        raise NotCertifiedError(
            f"The log evidence could be wrong by {error:.2g} nats, more than the {PROMISE:g} promised, even in double-double arithmetic."
        )
    return Exact(
        variables=scores.variables,
        over=over,
        log_evidence=log_evidence,
        log_evidence_error=error,
        log_prior_total=_log_prior_total(scores, over, job),
        probability_error=probability_error,
        way=WAYS[used_way],
        arithmetic=PRECISIONS[used_arithmetic],
        num_terms=num_terms,
        edge_probabilities=np.clip(edges.reshape(n, n), 0.0, 1.0),
        path_probabilities=np.clip(np.maximum(paths, edges).reshape(n, n), 0.0, 1.0) if over == "networks" else None,
        seconds=time.perf_counter() - start,
        scores=scores,
        _q=np.minimum(q.reshape(n, 1 << (n - 1)), 1.0),
    )


def _check_choices(n: int, over: Over, way: Way, arithmetic: Arithmetic) -> None:
    for name, chosen, choices in (("over", over, Over), ("way", way, Way), ("arithmetic", arithmetic, Arithmetic)):
        if chosen not in get_args(choices):
            raise InputError(f"{name} must be one of {', '.join(map(repr, get_args(choices)))}, got {chosen!r}.")
    if way == "dense" and over == "networks" and n < LEAST_DENSE:
        raise InputError(f"The dense way needs at least {LEAST_DENSE} variables, got {n}. Leave the choice to the data (way='auto').")


def sums_bytes(n: int, bytes_a_family: int = BYTES_A_FAMILY) -> int:
    """Return the bytes that `exact` needs for n variables."""
    return n * (1 << (n - 1)) * bytes_a_family + (1 << n) * BYTES_A_SET


def wants_sums(n: int, evidence: bool | None, job: Job) -> bool:
    """Say whether a run computes the sums: if it is told to, else where they take seconds and fit."""
    return evidence if evidence is not None else n <= MAX_VARIABLES_BY_DEFAULT and sums_bytes(n) <= job.memory


def require_memory(n: int, job: Job, bytes_a_family: int = BYTES_A_FAMILY) -> None:
    """Refuse sums that do not fit, naming the largest number of variables that does."""
    needed, free = sums_bytes(n, bytes_a_family), job.memory
    if needed > free:
        largest = max((m for m in range(2, n) if sums_bytes(m, bytes_a_family) <= free), default=1)
        raise TooLargeError(
            f"Sums over the networks of {n} variables need {in_units(needed)}; {in_units(free)} are free. "
            f"{largest} variables fit; drop some (drop=, --drop)."
        )


def _log_prior_total(scores: LocalScores, over: Over, job: Job) -> float:
    """Sum over the prior alone: every allowed network (or order and network) counts one."""
    n = scores.num_variables
    bound = scores.storage.uniform_bound()
    if over == "networks" and bound is not None:
        return log_num_networks(n, bound)
    flat = scores.with_zero_scores()
    way = WAYS.index("orders" if over == "orders" else "auto")
    return float(_core.exact(flat.native, way, 0, False, job.num_threads, None)[0])


def _insert_zero_bit(index: int, v: int) -> int:
    below = (1 << v) - 1
    return (index & below) | ((index & ~below) << 1)
