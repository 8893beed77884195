"""Every built-in feature in plain Python on networkx graphs."""

from __future__ import annotations

from itertools import combinations

import networkx as nx

from dagmass.posterior.features import And, Edge, Feature, Link, Not, Or, Path, Separated, SetComparison, VStructure

Graph = nx.DiGraph


def graph_of(variables: tuple[str, ...], parents: tuple[int, ...]) -> Graph:
    """The network as a graph."""
    graph = Graph()
    graph.add_nodes_from(variables)
    graph.add_edges_from((variables[u], variables[v]) for v, varset in enumerate(parents) for u in range(len(parents)) if varset >> u & 1)
    return graph


def blanket(graph: Graph, v: str) -> set[str]:
    """Parents, children, and other parents of the children."""
    children = set(graph.successors(v))
    return (set(graph.predecessors(v)) | children | {p for child in children for p in graph.predecessors(child)}) - {v}


def holds(graph: Graph, feature: Feature) -> bool:
    """Whether a graph has a feature, by its definition."""
    match feature:
        case Edge(a, b):
            return graph.has_edge(a, b)
        case Link(a, b):
            return graph.has_edge(a, b) or graph.has_edge(b, a)
        case Path(a, b):
            return nx.has_path(graph, a, b)
        case VStructure(a, c, b):
            return graph.has_edge(a, c) and graph.has_edge(b, c) and not graph.has_edge(a, b) and not graph.has_edge(b, a)
        case Separated(left, right, given):
            return is_separated(graph, left, right, given)
        case SetComparison(which, variable, operator, names):
            found = set_of(graph, which, variable)
            return {"=": found == names, ">=": found >= names, "<=": found <= names}[operator]
        case And(features):
            return all(holds(graph, inner) for inner in features)
        case Or(features):
            return any(holds(graph, inner) for inner in features)
        case Not(inner):
            return not holds(graph, inner)
    raise AssertionError(feature)


def set_of(graph: Graph, which: str, v: str) -> set[str]:
    """The set that a variable has in the graph."""
    match which:
        case "parents":
            return set(graph.predecessors(v))
        case "children":
            return set(graph.successors(v))
        case "ancestors":
            return set(nx.ancestors(graph, v))
        case "descendants":
            return set(nx.descendants(graph, v))
    return blanket(graph, v)


def is_separated(graph: Graph, left: frozenset[str], right: frozenset[str], given: frozenset[str]) -> bool:
    """By the definition: no active path. Every simple path of the skeleton is tried."""
    skeleton = graph.to_undirected()
    return not any(is_active(graph, path, given) for a in left for b in right for path in nx.all_simple_paths(skeleton, a, b))


def is_active(graph: Graph, path: list[str], given: frozenset[str]) -> bool:
    """A collider needs itself or a descendant in `given`; every other node must stay outside."""
    for before, node, after in zip(path, path[1:], path[2:], strict=False):
        if graph.has_edge(before, node) and graph.has_edge(after, node):
            if not ({node} | nx.descendants(graph, node)) & given:
                return False
        elif node in given:
            return False
    return True


def every_simple_feature(names: tuple[str, ...]) -> list[Feature]:
    """All features of one and two variables, and some of more."""
    features: list[Feature] = []
    for a in names:
        for b in names:
            if a != b:
                features += [Edge(a, b), Link(a, b), Path(a, b)]
                rest = [name for name in names if name not in (a, b)]
                for size in range(len(rest) + 1):
                    features += [Separated(frozenset({a}), frozenset({b}), frozenset(given)) for given in combinations(rest, size)]
                features += [VStructure(a, c, b) for c in rest]
        others = [name for name in names if name != a]
        for size in range(len(others) + 1):
            for chosen in combinations(others, size):
                for which in ("parents", "children", "ancestors", "descendants", "blanket"):
                    features += [SetComparison(which, a, operator, frozenset(chosen)) for operator in ("=", ">=", "<=")]
    return features
