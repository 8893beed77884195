"""Classes of equivalent networks: sizes, graphs and members against the list of all networks."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import islice, pairwise

import networkx as nx
import numpy as np
import oracle
import pytest

from dagmass import EquivalenceClass, InputError, Network, TooLargeError, _core
from dagmass.graphs import class_members
from dagmass.graphs.equivalence import class_sizes, representatives
from dagmass.graphs.network import topological_order


def rows(dags: list[oracle.Dag]) -> np.ndarray:
    return np.array(dags, dtype=np.uint64)


@pytest.mark.parametrize(("n", "num_classes"), [(2, 2), (3, 11), (4, 185), (5, 8782)])
def test_every_class_of_small_networks(n: int, num_classes: int) -> None:
    classes = oracle.all_classes(n)
    assert len(classes) == num_classes
    for members in classes.values():
        assert {tuple(row) for row in representatives(rows(members)).tolist()} == {oracle.representative(members)}
        assert class_sizes(rows(members[-1:])) == [len(members)]
        compelled, reversible = _core.cpdags(rows(members[-1:]))
        for v in range(n):
            always = math.prod([1]) and int(np.bitwise_and.reduce([dag[v] for dag in members]))
            sometimes = int(np.bitwise_or.reduce([dag[v] for dag in members]))
            both_ways = [u for u in range(n) if sometimes >> u & 1 and not always >> u & 1]
            assert int(compelled[0][v]) == always
            assert int(reversible[0][v]) == sum(1 << u for u in both_ways)
        assert sorted(map(tuple, _core.first_members(rows(members[:1]), 10**9).tolist())) == sorted(members)


def test_edges_are_counted_without_listing() -> None:
    for members in oracle.all_classes(5).values():
        shares = _core.class_edge_averages(rows(members[:1]), np.ones(1))
        counted = [[sum(dag[b] >> a & 1 for dag in members) / len(members) for b in range(5)] for a in range(5)]
        assert np.abs(shares - np.array(counted)).max() < 1e-12


def complete(n: int, *, without: tuple[int, int] | None = None) -> tuple[int, ...]:
    parents = [(1 << v) - 1 for v in range(n)]
    if without:
        parents[without[1]] &= ~(1 << without[0])
    return tuple(parents)


def random_chordal(n: int, edges_a_variable: float, seed: int) -> tuple[int, ...]:
    """A directed chordal graph without v-structures: every variable joins part of a clique."""
    generator = random.Random(seed)
    parents, cliques = [0], [1]
    for v in range(1, n):
        members = [u for u in range(n) if generator.choice(cliques) >> u & 1] or [0]
        clique = generator.choice(cliques)
        members = [u for u in range(n) if clique >> u & 1]
        count = min(len(members), max(1, round(generator.gauss(edges_a_variable, 2))))
        parents.append(sum(1 << u for u in generator.sample(members, count)))
        cliques.append(parents[-1] | 1 << v)
    return tuple(parents)


def plain_size(graph: nx.Graph) -> int:
    """Count orientations by their only source, one root after the other (He, Jia and Yu 2015): slow and obvious."""
    if graph.number_of_nodes() == 1:
        return 1
    total = 0
    for root in graph:
        distance = nx.single_source_shortest_path_length(graph, root)
        total += math.prod(plain_size(graph.subgraph(part)) for part in _undirected_parts(graph, distance))
    return total


def _undirected_parts(graph: nx.Graph, distance: dict[int, int]) -> list[set[int]]:
    """Direct away from the root, then v -> w wherever some u -> v has no link to w."""
    into = {v: {u for u in graph[v] if distance[u] < distance[v]} for v in graph}
    open_links = {frozenset(edge) for edge in graph.edges if distance[edge[0]] == distance[edge[1]]}
    while True:
        forced = [(v, w) for link in open_links for v, w in (tuple(link), tuple(link)[::-1]) if into[v] - set(graph[w])]
        if not forced:
            break
        for v, w in forced:
            into[w].add(v)
            open_links.discard(frozenset((v, w)))
    rest = nx.Graph()
    rest.add_nodes_from(graph)
    rest.add_edges_from(tuple(link) for link in open_links)
    return list(nx.connected_components(rest))


@pytest.mark.parametrize("seed", range(12))
def test_sizes_of_random_chordal_graphs(seed: int) -> None:
    parents = random_chordal(9, 1 + seed % 4, seed)
    graph = nx.Graph()
    graph.add_nodes_from(range(9))
    graph.add_edges_from((u, v) for v, varset in enumerate(parents) for u in range(9) if varset >> u & 1)
    expected = math.prod(plain_size(graph.subgraph(part)) for part in nx.connected_components(graph))
    assert class_sizes(rows([parents])) == [expected]


def test_sizes_of_dense_graphs() -> None:
    assert class_sizes(rows([complete(30)])) == [math.factorial(30)]
    assert class_sizes(rows([complete(20, without=(3, 19))])) == [2 * math.factorial(19) - math.factorial(18)]


@pytest.mark.parametrize("edges_a_variable", [2, 5, 9, 14])
def test_large_classes_are_consistent(edges_a_variable: int) -> None:
    """With thirty variables nothing can be listed: random members are members, and shares of directions add up."""
    parents = random_chordal(30, edges_a_variable, edges_a_variable)
    row = rows([parents])
    assert class_sizes(row)[0] > 1
    shares = _core.class_edge_averages(row, np.ones(1))
    linked = np.array([[bool(parents[a] >> b & 1 or parents[b] >> a & 1) for b in range(30)] for a in range(30)])
    assert np.abs((shares + shares.T)[linked] - 1).max() < 1e-9
    drawn = _core.random_members(row, 400, 1)
    key = oracle.skeleton_and_v_structures(parents)
    assert all(oracle.skeleton_and_v_structures(tuple(member)) == key for member in drawn[:20].tolist())
    assert all(topological_order(member) is not None for member in drawn[:20].tolist())
    seen = np.array([[(drawn[:, b] >> np.uint64(a) & np.uint64(1)).mean() for b in range(30)] for a in range(30)])
    assert np.abs(seen - shares).max() < 5 * 0.5 / math.sqrt(400)


@pytest.mark.parametrize("parents", [(0, 1, 2, 4, 8), (0, 1, 3, 6, 2), (0, 1, 3, 7, 15), (0, 1, 1, 1, 2)])
def test_random_members_are_uniform(parents: oracle.Dag) -> None:
    members = oracle.all_classes(5)[oracle.skeleton_and_v_structures(parents)]
    num_draws = 200 * len(members)
    counts = Counter(map(tuple, _core.random_members(rows([parents]), num_draws, 7).tolist()))
    assert set(counts) == set(members)
    chi_square = sum((counts[member] - 200) ** 2 / 200 for member in members)
    freedom = len(members) - 1
    assert chi_square < freedom + 5 * math.sqrt(2 * freedom)


@pytest.mark.parametrize("seed", range(6))
def test_members_come_in_chunks(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With small chunks, classes fall into parts: all members still come, each once."""
    parents = random_chordal(7, 1 + seed % 4, seed)
    expected = {tuple(row) for row in _core.first_members(rows([parents]), 10**9).tolist()}
    for chunk in (1, 7, 60):
        monkeypatch.setattr(class_members, "CHUNK", chunk)
        found = [tuple(row) for part in class_members.member_chunks(rows([parents])[0]) for row in part.tolist()]
        assert len(found) == len(expected) == class_sizes(rows([parents]))[0]
        assert set(found) == expected


def test_members_of_the_largest_class() -> None:
    names = tuple(f"v{v}" for v in range(30))
    found = EquivalenceClass.of(Network(names, complete(30)))
    assert found.size == math.factorial(30)
    assert len(set(islice(found.members(), 6000))) == 6000
    assert found.first_members(3) == list(islice(found.members(), 3))
    for ask in (lambda: found.sample(-1), lambda: found.sample(2.5), lambda: found.sample(2, seed=-1), lambda: found.first_members("3")):  # type: ignore[arg-type]
        with pytest.raises(InputError, match="must be a whole number from 0"):
            ask()
    with pytest.raises(TooLargeError, match="Ask for fewer"):
        found.sample(10**12)


def test_a_class_tells_about_itself() -> None:
    network = Network.from_parents({"a": [], "b": ["a"], "c": ["b"], "d": ["c", "e"], "e": []})
    found = EquivalenceClass.of(network)
    assert found.size == 3
    assert found.directed == [("c", "d"), ("e", "d")]
    assert found.undirected == [("a", "b"), ("b", "c")]
    assert network in list(found.members())
    assert len(found.first_members(2)) == 2
    assert {EquivalenceClass.of(member) for member in found.sample(20, seed=3)} == {found}
    assert found.sample(5, seed=1) == found.sample(5, seed=1)
    for first, second in pairwise(found.members()):
        assert first != second
