"""Slow, obvious versions of everything. They are what the fast ones are compared with, and they stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product

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
