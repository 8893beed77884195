"""Other exact methods for the best network, and the score as textbooks write it: what the fast ones are checked against."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dagmass import BDeu, LocalScores, Table
from dagmass.graphs.varset import members, varset_of
from dagmass.posterior.own_network import single_changes
from dagmass.scores.fixed_point import IMPOSSIBLE


def best_by_all_tables(scores: LocalScores) -> int:
    """The recursion of Silander and Myllymaki (2006) over whole tables: best parents for all candidates, then best networks by size."""
    n = scores.num_variables
    values = scores.storage.arrays[0].astype(np.int64)
    best_parents = [_best_subsets(_family_scores(values, v, n), n - 1) for v in range(n)]
    best = np.full(1 << n, IMPOSSIBLE, dtype=np.int64)
    best[0] = 0
    sizes = np.bitwise_count(np.arange(1 << n, dtype=np.uint64))
    order = np.argsort(sizes, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(sizes, minlength=n + 1))])
    for size in range(1, n + 1):
        sets = order[ends[size] : ends[size + 1]]
        for v in range(n):
            holding = sets[sets >> v & 1 == 1]
            rest = holding & ~(1 << v)
            best[holding] = np.maximum(best[holding], best[rest] + best_parents[v][_drop_bit(rest, v)])
    return int(best[-1])


def _family_scores(values: NDArray[np.int64], v: int, n: int) -> NDArray[np.int64]:
    halves = values.reshape(1 << (n - 1 - v), 2, 1 << v)
    return (halves[:, 1, :] - halves[:, 0, :]).ravel()


def _best_subsets(scores: NDArray[np.int64], num_bits: int) -> NDArray[np.int64]:
    best = scores.copy()
    for bit in range(num_bits):
        halves = best.reshape(-1, 2, 1 << bit)
        np.maximum(halves[:, 1, :], halves[:, 0, :], out=halves[:, 1, :])
    return best


def _drop_bit(sets: NDArray[np.int64], v: int) -> NDArray[np.int64]:
    low = (1 << v) - 1
    return (sets & low) | (sets >> 1 & ~low)


def best_by_branching(table: Table, bound: int) -> int:
    """Branch and bound over whole graphs (after de Campos and Ji 2011): take the best parents of everybody, break a cycle in every way.

    Each branch forbids one edge of the cycle; the bound of a branch is the sum of the best parents that are left. Its scores are counted
    set by set, by definition.
    """
    n, score = table.num_variables, BDeu()
    bits = score.fraction_bits(table)
    of_set = cache(lambda varset: score.of_set(table, varset, bits))
    families = [
        sorted(
            ((of_set(p | 1 << v) - of_set(p), p) for size in range(bound + 1) for p in map(varset_of, combinations(_others(n, v), size))),
            reverse=True,
        )
        for v in range(n)
    ]
    return _branch(families)


def _branch(families: list[list[tuple[int, int]]]) -> int:
    from heapq import heappop, heappush

    n = len(families)
    start = (0,) * n
    heap = [(-sum(listed[0][0] for listed in families), start)]
    seen = {start}
    while heap:
        total, forbidden = heappop(heap)
        parents = [next(p for _, p in families[v] if not p & forbidden[v]) for v in range(n)]
        cycle = _cycle(parents)
        if cycle is None:
            return -total
        for parent, child in cycle:
            further = (*forbidden[:child], forbidden[child] | 1 << parent, *forbidden[child + 1 :])
            if further not in seen:
                seen.add(further)
                before = next(s for s, p in families[child] if not p & forbidden[child])
                after = next(s for s, p in families[child] if not p & further[child])
                heappush(heap, (total + before - after, further))
    raise AssertionError("the empty network is always left")


def _cycle(parents: list[int]) -> list[tuple[int, int]] | None:
    """Return the edges of a shortest directed cycle, or None."""
    best: list[tuple[int, int]] | None = None
    for root in range(len(parents)):
        came_from: dict[int, int] = {}
        front = [root]
        while front and root not in came_from:
            following = []
            for child in front:
                for parent in members(parents[child]):
                    if parent not in came_from:
                        came_from[parent] = child
                        following.append(parent)
            front = following
        if root in came_from:
            edges, at = [], root
            while not edges or at != root:
                edges.append((at, came_from[at]))
                at = came_from[at]
            if best is None or len(edges) < len(best):
                best = edges
    return best


def _others(n: int, v: int) -> list[int]:
    return [u for u in range(n) if u != v]


def textbook_score(table: Table, parents: list[int], ess: float = 1.0) -> float:
    """BDeu of a network, family by family (Heckerman, Geiger and Chickering 1995)."""
    return sum(_textbook_family(table, v, list(members(p)), ess) for v, p in enumerate(parents))


def _textbook_family(table: Table, v: int, parents: list[int], ess: float) -> float:
    (codes, weights), levels = table.merged, table.num_levels.tolist()
    joint: Counter[tuple[int, ...]] = Counter()
    states: Counter[tuple[int, ...]] = Counter()
    for row, weight in zip(codes[[*parents, v]].T.tolist(), weights.tolist(), strict=True):
        joint[tuple(row)] += weight
        states[tuple(row[:-1])] += weight
    a_state = ess / math.prod(levels[p] for p in parents)
    a_cell = a_state / levels[v]
    in_states = math.fsum(math.lgamma(a_state) - math.lgamma(a_state + count) for count in states.values())
    return in_states + math.fsum(math.lgamma(a_cell + count) - math.lgamma(a_cell) for count in joint.values())


def is_locally_optimal(scores: LocalScores, parents: tuple[int, ...]) -> bool:
    """Tell whether no addition, removal or reversal of one edge scores better."""

    def units(network: tuple[int, ...]) -> int:
        return sum(scores.storage.score(v, p) for v, p in enumerate(network))

    return all(units(changed) <= units(parents) for *_, changed in single_changes(parents))
