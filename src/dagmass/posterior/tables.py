"""The tables of a posterior as pandas frames."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from dagmass import _core
from dagmass.errors import InputError
from dagmass.graphs.network import Network
from dagmass.graphs.varset import index_of, names_of
from dagmass.posterior import class_masses
from dagmass.posterior.class_tables import class_numbers
from dagmass.posterior.compare import compare_parents

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from dagmass.posterior.posterior import Posterior


ROUNDING = 1e-12  # of a sum of weights


def edge_averages(posterior: Posterior) -> NDArray[np.float64]:
    """Return the weight of the networks with the edge a → b, at [a, b]."""
    if posterior.classes_masses:
        return _shares(class_masses.edge_averages(posterior))
    return _shares(_core.edge_averages(posterior.parents, posterior.weights))


def path_averages(posterior: Posterior) -> NDArray[np.float64]:
    """Return the weight of the networks with a directed path from a to b, at [a, b]."""
    return _shares(_core.path_averages(*posterior.weighted_networks))


def link_averages(posterior: Posterior) -> NDArray[np.float64]:
    """Return the weight of the networks with an edge between a and b in either direction, at [a, b]."""
    return _shares(posterior.edge_averages + posterior.edge_averages.T)


def networks(posterior: Posterior) -> pd.DataFrame:
    """Return one row a network."""
    import pandas as pd

    from dagmass.exchange.model_strings import bnlearn_names

    if posterior.classes_masses:
        raise InputError("This posterior holds classes: classes() lists them, and its items have members().")
    names = bnlearn_names(posterior.variables)
    rows = [tuple(parents) for parents in posterior.parents.tolist()]
    probabilities = posterior.posterior_probabilities
    known = {} if probabilities is None else {"posterior": probabilities, "coverage": np.minimum(np.cumsum(probabilities), 1.0)}
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(posterior) + 1),
            "log_score": posterior.log_scores,
            "weight": posterior.weights,
            "cumulative_weight": np.minimum(np.cumsum(posterior.weights), 1.0),
            **known,
            "class": class_numbers(posterior),
            "network": [str(Network(names, parents)) for parents in rows],
            "difference": ["the best", *(str(compare_parents(posterior.variables, rows[0], parents)) for parents in rows[1:])],
        }
    )


def edges(posterior: Posterior) -> pd.DataFrame:
    """Return one row an ordered pair of variables."""
    import pandas as pd

    averages, links = posterior.edge_averages, link_averages(posterior)
    pairs = _ordered_pairs(len(posterior.variables))
    return pd.DataFrame(
        {
            "from": [posterior.variables[a] for a, _ in pairs],
            "to": [posterior.variables[b] for _, b in pairs],
            "average": [averages[a, b] for a, b in pairs],
            "link": [links[a, b] for a, b in pairs],
            **_column("probability", pairs, posterior.exact.edge_probabilities if posterior.exact else None),
            **_column("loss", pairs, posterior.origin.edge_losses()),
        }
    )


def paths(posterior: Posterior) -> pd.DataFrame:
    """Return one row an ordered pair of variables."""
    import pandas as pd

    averages = path_averages(posterior)
    pairs = _ordered_pairs(len(posterior.variables))
    return pd.DataFrame(
        {
            "from": [posterior.variables[a] for a, _ in pairs],
            "to": [posterior.variables[b] for _, b in pairs],
            "average": [averages[a, b] for a, b in pairs],
            **_column("probability", pairs, posterior.exact.path_probabilities if posterior.exact else None),
        }
    )


def links(posterior: Posterior) -> pd.DataFrame:
    """Return one row a pair of variables, likely links first."""
    import pandas as pd

    averages, links = posterior.edge_averages, link_averages(posterior)
    pairs = list(combinations(range(len(posterior.variables)), 2))
    frame = pd.DataFrame(
        {
            "a": [posterior.variables[a] for a, _ in pairs],
            "b": [posterior.variables[b] for _, b in pairs],
            "link": [links[a, b] for a, b in pairs],
            "a → b": [averages[a, b] for a, b in pairs],
            "a ← b": [averages[b, a] for a, b in pairs],
        }
    )
    return frame.sort_values("link", ascending=False, kind="stable", ignore_index=True)


def blanket(posterior: Posterior, variable: str) -> pd.DataFrame:
    """Return one row another variable: how much of the weight has it in the Markov blanket, and as what."""
    import pandas as pd

    v = index_of(variable, posterior.variables)
    averages = _shares(_core.blanket_averages(*posterior.weighted_networks, v))
    frame = pd.DataFrame({"variable": posterior.variables, **dict(zip(("average", "parent", "child", "spouse"), averages, strict=True))})
    return frame.drop(index=v).sort_values("average", ascending=False, kind="stable", ignore_index=True)


def parent_sets(posterior: Posterior, variable: str) -> pd.DataFrame:
    """Return one row a parent set that occurs, likely ones first."""
    import pandas as pd

    parents, weights = posterior.weighted_networks
    sets, which = np.unique(parents[:, index_of(variable, posterior.variables)], return_inverse=True)
    averages = _shares(np.bincount(which, weights=weights))
    frame = pd.DataFrame({"parents": [names_of(int(varset), posterior.variables) for varset in sets], "average": averages})
    return frame.sort_values("average", ascending=False, kind="stable", ignore_index=True)


def _shares(sums: NDArray[Any]) -> NDArray[np.float64]:
    """Take sums of weights as shares: the weights add up to one but for rounding, so what all networks have is one."""
    return np.where(sums > 1 - ROUNDING, 1.0, sums)


def _column(name: str, pairs: list[tuple[int, int]], values: NDArray[np.float64] | None) -> dict[str, list[float]]:
    """Return one more column, where its values are known."""
    return {} if values is None else {name: [values[a, b] for a, b in pairs]}


def _ordered_pairs(n: int) -> list[tuple[int, int]]:
    return [(a, b) for a in range(n) for b in range(n) if a != b]
