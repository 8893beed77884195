"""Slow, obvious versions of everything. They are what the fast ones are compared with, and they stay."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product

import mpmath
import numpy as np

from dagmass import LocalScores, Table
from dagmass.graphs.network import topological_order
from dagmass.scores.fixed_point import IMPOSSIBLE

Dag = tuple[int, ...]


@cache
def all_dags(n: int) -> tuple[Dag, ...]:
    """Every DAG on n nodes as a tuple of parent varsets: 1, 3, 25, 543, 29281 of them."""
    choices = [[p for p in range(1 << n) if not p >> v & 1] for v in range(n)]
    return tuple(parents for parents in product(*choices) if topological_order(parents) is not None)


def score(scores: LocalScores, dag: Sequence[int]) -> int:
    """The sum of local scores in units."""
    local = [scores.storage.score(v, parents) for v, parents in enumerate(dag)]
    return IMPOSSIBLE if IMPOSSIBLE in local else sum(local)


def networks_best_first(scores: LocalScores) -> list[tuple[int, Dag]]:
    """All possible networks with their scores, in canonical order."""
    scored = [(score(scores, dag), dag) for dag in all_dags(scores.num_variables)]
    return sorted(((s, dag) for s, dag in scored if s != IMPOSSIBLE), key=lambda pair: (-pair[0], pair[1]))


def bdeu(table: Table, v: int, parents: Sequence[int], ess: float) -> mpmath.mpf:
    """Textbook BDeu of one family (Heckerman, Geiger and Chickering 1995), in 50 digits."""
    with mpmath.workdps(50):
        joint: Counter[tuple[int, ...]] = Counter()
        for row, weight in zip(table.codes.T.tolist(), table.weights.tolist(), strict=True):
            joint[tuple(row[p] for p in parents), row[v]] += weight
        configurations: Counter[tuple[int, ...]] = Counter()
        for (configuration, _), count in joint.items():
            configurations[configuration] += count
        levels = table.num_levels.tolist()
        a_configuration = mpmath.mpf(ess) / int(np.prod([levels[p] for p in parents], dtype=object))
        a_cell = a_configuration / levels[v]
        sum_configurations = mpmath.fsum(
            mpmath.loggamma(a_configuration) - mpmath.loggamma(a_configuration + count) for count in configurations.values()
        )
        return sum_configurations + mpmath.fsum(mpmath.loggamma(a_cell + count) - mpmath.loggamma(a_cell) for count in joint.values())


def skeleton_and_v_structures(dag: Dag) -> tuple[frozenset[frozenset[int]], frozenset[tuple[int, int, int]]]:
    """What equivalent networks share (Verma and Pearl 1990)."""
    edges = {(p, v) for v, parents in enumerate(dag) for p in range(len(dag)) if parents >> p & 1}
    links = frozenset(frozenset(edge) for edge in edges)
    colliders = frozenset((a, v, b) for a, v in edges for b, w in edges if v == w and a < b and frozenset((a, b)) not in links)
    return links, colliders


@cache
def all_classes(n: int) -> dict[tuple[frozenset[frozenset[int]], frozenset[tuple[int, int, int]]], list[Dag]]:
    """Every class of equivalent networks on n nodes with its members: 1, 2, 11, 185, 8782 of them."""
    found: dict[tuple[frozenset[frozenset[int]], frozenset[tuple[int, int, int]]], list[Dag]] = {}
    for dag in all_dags(n):
        found.setdefault(skeleton_and_v_structures(dag), []).append(dag)
    return found


def representative(members: Sequence[Dag]) -> Dag:
    """The member that stands for a class: take off the highest variable that is a sink in some member, again and again."""
    left, parents = list(members), [0] * len(members[0])
    rest = set(range(len(parents)))
    while rest:
        sink = max(v for v in rest if any(all(not dag[w] >> v & 1 for w in rest) for dag in left))
        left = [dag for dag in left if all(not dag[w] >> sink & 1 for w in rest)]
        parents[sink] = left[0][sink]
        rest.remove(sink)
    return tuple(parents)


def classes_best_first(scores: LocalScores) -> list[tuple[int, Dag, list[int]]]:
    """All classes with an allowed member: best score, representative, scores of the allowed members; in canonical order."""
    found = []
    for members in all_classes(scores.num_variables).values():
        units = [units for units in (score(scores, dag) for dag in members) if units != IMPOSSIBLE]
        if units:
            found.append((max(units), representative(members), units))
    return sorted(found, key=lambda entry: (-entry[0], entry[1]))


@dataclass(frozen=True)
class Sums:
    """Everything about all networks (or orders), by listing them; shares are exact to rounding."""

    log_evidence: float
    shares: dict[Dag, float]

    def share(self, holds: Callable[[Dag], bool]) -> float:
        """The share of the networks with a feature."""
        return math.fsum(share for dag, share in self.shares.items() if holds(dag))


def sums(scores: LocalScores, over: str = "networks") -> Sums:
    """All possible networks with their posterior probabilities; over orders, a network counts once for each order it agrees with."""
    scored = networks_best_first(scores)
    top, unit = scored[0][0], 2.0**-scores.fraction_bits
    weights = {dag: math.exp((s - top) * unit) * (num_orders(dag) if over == "orders" else 1) for s, dag in scored}
    total = math.fsum(weights.values())
    return Sums(top * unit + math.log(total), {dag: weight / total for dag, weight in weights.items()})


@cache
def num_orders(dag: Dag) -> int:
    """In how many orders of the variables all parents come before their children."""
    return sum(all(not parents >> w & 1 for i, v in enumerate(order) for w, parents in [(w, dag[v]) for w in order[i:]])
               for order in permutations(range(len(dag))))  # fmt: skip


@cache
def descendants(dag: Dag, v: int) -> int:
    """The variables that a directed path from v leads to."""
    found, grows = 1 << v, True
    while grows:
        wider = found | sum(1 << w for w, parents in enumerate(dag) if parents & found and not found >> w & 1)
        found, grows = wider, wider != found
    return found & ~(1 << v)


def recursion(scores: LocalScores) -> tuple[mpmath.mpf, dict[tuple[int, int], mpmath.mpf]]:
    """Z(V) and q_v(U) = P(the non-descendants of v are U) by the recursions as they are written, in 60 digits."""
    n, unit = scores.num_variables, mpmath.mpf(2) ** -scores.fraction_bits
    full = (1 << n) - 1
    with mpmath.workdps(60):
        weight = {
            (v, p): mpmath.exp(scores.storage.score(v, p) * unit) if scores.storage.score(v, p) != IMPOSSIBLE else mpmath.mpf(0)
            for v in range(n)
            for p in subsets(full & ~(1 << v))
        }
        for bit in range(n):  # A_v(U): sums over subsets, one variable after the other
            for (v, p), value in list(weight.items()):
                if p >> bit & 1:
                    weight[v, p] = value + weight[v, p ^ 1 << bit]

        def term(inside: int, added: int) -> mpmath.mpf:
            product = mpmath.mpf(-1 if added.bit_count() % 2 == 0 else 1)
            for v in range(n):
                if added >> v & 1:
                    product *= weight[v, inside]
            return product

        forward = [mpmath.mpf(1)] + [mpmath.mpf(0)] * full
        for w in range(1, full + 1):
            forward[w] = mpmath.fsum(forward[w ^ s] * term(w ^ s, s) for s in subsets(w) if s)
        backward = [mpmath.mpf(0)] * full + [mpmath.mpf(1)]
        q: dict[tuple[int, int], mpmath.mpf] = {}
        for u in range(full - 1, -1, -1):
            terms = {s: term(u, s) * backward[u | s] for s in subsets(full ^ u) if s}
            backward[u] = mpmath.fsum(terms.values())
            for v in range(n):
                if not u >> v & 1:
                    q[v, u] = forward[u] / forward[full] * mpmath.fsum(value for s, value in terms.items() if s >> v & 1)
        return forward[full], q


def gap_lists(scores: LocalScores, v: int, slack: int) -> list[tuple[int, int, int]]:
    """(score, parents, gap) of the parent sets of v within the slack, best first."""
    n = scores.num_variables
    own = {p: scores.storage.score(v, p) for p in range(1 << n) if not p >> v & 1}
    found = []
    for parents, value in own.items():
        subset_best = max((own[s] for s in subsets(parents) if s != parents), default=IMPOSSIBLE)
        gap = IMPOSSIBLE if subset_best == IMPOSSIBLE else subset_best - value
        if value != IMPOSSIBLE and gap <= slack:
            found.append((value, parents, gap))
    return sorted(found, key=lambda entry: (-entry[0], entry[1]))


def subsets(varset: int) -> Iterator[int]:
    """Every subset of a varset, the set itself first."""
    subset = varset
    while True:
        yield subset
        if not subset:
            return
        subset = (subset - 1) & varset
