"""The JSON that `dagmass learn --json` prints. Its names are final."""

from __future__ import annotations

from importlib.metadata import version
from itertools import permutations
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dagmass.exact.sums import Exact
    from dagmass.posterior.posterior import Posterior


def learn_json(posterior: Posterior) -> dict[str, Any]:
    """Return a posterior as plain values."""
    info = posterior.info
    data_names = ("num_rows", "variables", "num_levels", "set_aside") if "num_rows" in info.data else ("scores_file",)
    return {
        "version": version("dagmass"),
        "data": {name: info.data.get(name) for name in data_names},
        "score": {name: info.score.get(name) for name in ("name", "ess")},
        "k": posterior.k,
        "num_networks": len(posterior),
        "log_lambda": posterior.log_lambda,
        "lambda": posterior.lambda_,
        "log_evidence": posterior.exact.log_evidence if posterior.exact else None,
        "log_evidence_error": posterior.exact.log_evidence_error if posterior.exact else None,
        "coverage": posterior.coverage,
        "stopped_by": posterior.stopped_by,
        "ties": {"kept": posterior.ties.kept, "more": posterior.ties.more},
        posterior.what: _classes(posterior) if posterior.classes_masses else _networks(posterior),
        "edges": _edges(posterior),
        "seconds": {stage: info.seconds.get(stage) for stage in ("read", "scores", "search", "total")},
        "operations": dict(posterior.origin.job.operations),
    }


def exact_json(exact: Exact, seconds: dict[str, float]) -> dict[str, Any]:
    """Return sums over all networks as plain values, for `dagmass exact --json`."""
    return {
        "version": version("dagmass"),
        "over": exact.over,
        "log_evidence": exact.log_evidence,
        "log_evidence_error": exact.log_evidence_error,
        "log_prior_total": exact.log_prior_total,
        "probability_error": exact.probability_error,
        "edges": exact.edges().to_dict(orient="records"),
        "paths": _paths(exact),
        "num_terms": exact.num_terms,
        "way": exact.way,
        "arithmetic": exact.arithmetic,
        "seconds": seconds,
    }


def _paths(exact: Exact) -> list[dict[str, Any]]:
    known = exact.path_probabilities
    return [
        {"from": exact.variables[a], "to": exact.variables[b], "probability": None if known is None else float(known[a, b])}
        for a, b in permutations(range(len(exact.variables)), 2)
    ]


def _networks(posterior: Posterior) -> list[dict[str, Any]]:
    probabilities = posterior.posterior_probabilities
    return [
        {
            "rank": rank,
            "log_score": float(posterior.log_scores[rank - 1]),
            "weight": float(posterior.weights[rank - 1]),
            "posterior": None if probabilities is None else float(probabilities[rank - 1]),
            "parents": posterior[rank].to_dict(),
        }
        for rank in range(1, len(posterior) + 1)
    ]


def _classes(posterior: Posterior) -> list[dict[str, Any]]:
    masses, probabilities = posterior.classes_masses, posterior.posterior_probabilities
    assert masses is not None
    found = [posterior.class_of_rank(rank) for rank in range(1, len(posterior) + 1)]
    return [
        {
            "rank": i + 1,
            "log_score": float(posterior.log_scores[i]),
            "size": masses.sizes[i],
            "weight": float(posterior.weights[i]),
            "posterior": None if probabilities is None else float(probabilities[i]),
            "directed": [list(edge) for edge in one.directed],
            "undirected": [list(link) for link in one.undirected],
        }
        for i, one in enumerate(found)
    ]


def _edges(posterior: Posterior) -> list[dict[str, Any]]:
    names = posterior.variables
    pairs = [(a, b) for a in range(len(names)) for b in range(len(names)) if a != b]
    return [{"from": names[a], "to": names[b], **_edge(posterior, a, b)} for a, b in pairs]


def _edge(posterior: Posterior, a: int, b: int) -> dict[str, float | None]:
    average = float(posterior.edge_averages[a, b])
    if posterior.exact is None:
        return {"average": average, "probability": None, "low": 0.0, "high": 1.0}
    value, error = float(posterior.exact.edge_probabilities[a, b]), posterior.exact.probability_error
    return {"average": average, "probability": value, "low": max(value - error, 0.0), "high": min(value + error, 1.0)}
