"""The tables of a posterior as pandas frames."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dagmass import _core
from dagmass.graphs.network import Network

if TYPE_CHECKING:
    import pandas as pd

    from dagmass.posterior.posterior import Posterior


def edge_averages(parents: NDArray[np.uint64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight of the networks with the edge a → b, at [a, b]."""
    return np.minimum(_core.edge_averages(parents, weights), 1.0)  # weights add up to one but for rounding


def networks(posterior: Posterior) -> pd.DataFrame:
    """Return one row a network."""
    import pandas as pd

    return pd.DataFrame(
        {
            "rank": np.arange(1, len(posterior) + 1),
            "log_score": posterior.log_scores,
            "weight": posterior.weights,
            "network": [str(Network(posterior.variables, tuple(map(int, parents)))) for parents in posterior.parents],
        }
    )


def edges(posterior: Posterior) -> pd.DataFrame:
    """Return one row an ordered pair of variables."""
    import pandas as pd

    averages = posterior.edge_averages
    pairs = [(a, b) for a in range(len(posterior.variables)) for b in range(len(posterior.variables)) if a != b]
    return pd.DataFrame(
        {
            "from": [posterior.variables[a] for a, _ in pairs],
            "to": [posterior.variables[b] for _, b in pairs],
            "average": [averages[a, b] for a, b in pairs],
            "link": [min(averages[a, b] + averages[b, a], 1.0) for a, b in pairs],
        }
    )


def links(posterior: Posterior) -> pd.DataFrame:
    """Return one row a pair of variables, likely links first."""
    import pandas as pd

    averages = posterior.edge_averages
    pairs = list(combinations(range(len(posterior.variables)), 2))
    frame = pd.DataFrame(
        {
            "a": [posterior.variables[a] for a, _ in pairs],
            "b": [posterior.variables[b] for _, b in pairs],
            "link": [min(averages[a, b] + averages[b, a], 1.0) for a, b in pairs],
            "a → b": [averages[a, b] for a, b in pairs],
            "a ← b": [averages[b, a] for a, b in pairs],
        }
    )
    return frame.sort_values("link", ascending=False, kind="stable", ignore_index=True)
