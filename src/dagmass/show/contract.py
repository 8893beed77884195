"""The JSON that `dagmass learn --json` prints. Its names are final."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dagmass.posterior.posterior import Posterior


def learn_json(posterior: Posterior) -> dict[str, Any]:
    """Return a posterior as plain values."""
    info = posterior.info
    data_names = ("scores_file",) if "scores_file" in info.data else ("num_rows", "variables", "num_levels", "set_aside")
    return {
        "version": version("dagmass"),
        "data": {name: info.data[name] for name in data_names},
        "score": {name: info.score[name] for name in ("name", "ess")},
        "k": posterior.k,
        "num_networks": len(posterior),
        "log_lambda": posterior.log_lambda,
        "lambda": posterior.lambda_,
        "log_evidence": None,
        "log_evidence_error": None,
        "coverage": None,
        "ties": {"kept": posterior.ties.kept, "more": posterior.ties.more},
        "networks": _networks(posterior),
        "edges": _edges(posterior),
        "seconds": info.seconds,
    }


def _networks(posterior: Posterior) -> list[dict[str, Any]]:
    return [
        {
            "rank": rank,
            "log_score": float(posterior.log_scores[rank - 1]),
            "weight": float(posterior.weights[rank - 1]),
            "posterior": None,
            "parents": posterior[rank].to_dict(),
        }
        for rank in range(1, len(posterior) + 1)
    ]


def _edges(posterior: Posterior) -> list[dict[str, Any]]:
    return [
        {"from": a, "to": b, "average": float(average), "probability": None, "low": 0.0, "high": 1.0}
        for a, b, average in posterior.edges()[["from", "to", "average"]].itertuples(index=False)
    ]
