"""All members of a class of equivalent networks, some thousands at a time: a class of 30 variables can have 30! of them.

Kernels list small classes at once. A larger one falls into parts that are oriented independently of each other, and the orientations of
a part into those with each variable as the only source, which again leave independent parts (He, Jia and Yu 2015).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dagmass import _core
from dagmass.graphs.equivalence import class_sizes
from dagmass.graphs.varset import members

CHUNK = 10_000  # members that are listed at once

Varsets = list[int]  # by variable


def member_chunks(representative: NDArray[np.uint64]) -> Iterator[NDArray[np.uint64]]:
    """Yield all members of a class in parts of at most `CHUNK`, (network, variable); always in the same order."""
    compelled, reversible = _core.cpdags(representative.reshape(1, -1))
    everybody = (1 << len(representative)) - 1
    yield from _chunks(representative.tolist(), compelled[0].tolist(), _components(everybody, reversible[0].tolist()))


def _chunks(one: Varsets, decided: Varsets, parts: list[int]) -> Iterator[NDArray[np.uint64]]:
    """Yield the members with the edges that are decided; within the parts all links are open. `one` is a member of the class."""
    inside = _within(one, parts)
    size = class_sizes(inside)[0]
    if size <= CHUNK:
        yield _core.first_members(inside, size) | np.array(decided, dtype=np.uint64)
        return
    largest = max(parts, key=lambda part: class_sizes(_within(one, [part]))[0])
    rest = [part for part in parts if part != largest]
    neighbours = _neighbours(one, largest)
    for source in members(largest):
        into, left = _directed_from(source, largest, neighbours)
        yield from _chunks(one, [a | b for a, b in zip(decided, into, strict=True)], left + rest)


def _within(one: Varsets, parts: list[int]) -> NDArray[np.uint64]:
    """Return a network with the links within the parts alone: it has no v-structures, so its class is all their orientations."""
    return np.array([[sum(parents & part for part in parts if part >> v & 1) for v, parents in enumerate(one)]], dtype=np.uint64)


def _neighbours(one: Varsets, part: int) -> Varsets:
    neighbours = [parents & part if part >> v & 1 else 0 for v, parents in enumerate(one)]
    for v in members(part):
        for parent in members(one[v] & part):
            neighbours[parent] |= 1 << v
    return neighbours


def _directed_from(source: int, part: int, neighbours: Varsets) -> tuple[Varsets, list[int]]:
    """Direct what follows from a part having this only source: the new parents of every variable, and the parts that stay open."""
    into, links = [0] * len(neighbours), [0] * len(neighbours)
    layer, seen = 1 << source, 1 << source
    while layer:
        beyond = _union(neighbours, layer) & part & ~seen
        for v in members(beyond):
            into[v], links[v] = neighbours[v] & layer, neighbours[v] & beyond
        layer, seen = beyond, seen | beyond
    while forced := [(v, w) for v in members(part) for w in members(links[v]) if into[v] & ~neighbours[w]]:
        for v, w in forced:  # otherwise a parent of v, v and w would make a v-structure
            into[w] |= 1 << v
            links[v] &= ~(1 << w)
            links[w] &= ~(1 << v)
    return into, _components(part, links)


def _components(varset: int, links: Varsets) -> list[int]:
    """Return what links connect, as varsets; variables that are alone are left out."""
    found = []
    while varset:
        component, fresh = 0, varset & -varset
        while fresh:
            component |= fresh
            fresh = _union(links, fresh) & ~component
        varset &= ~component
        if component & (component - 1):
            found.append(component)
    return found


def _union(varsets: Varsets, variables: int) -> int:
    union = 0
    for v in members(variables):
        union |= varsets[v]
    return union
