"""Classes of equivalent networks as pandas frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dagmass.errors import InputError
from dagmass.graphs.equivalence import EquivalenceClass, class_sizes, representatives
from dagmass.posterior.compare import compare_classes

if TYPE_CHECKING:
    import pandas as pd

    from dagmass.posterior.posterior import Posterior


def class_numbers(posterior: Posterior) -> NDArray[np.int64]:
    """Return the class of each network at hand; classes are numbered from 1 as they first come."""
    return _group(posterior)[1] + 1


def classes(posterior: Posterior, by: str) -> pd.DataFrame:
    """Return one row a class: of a posterior of classes, or the classes that networks or draws fall into."""
    frame = _of_classes(posterior) if posterior.classes_masses else _of_networks(posterior)
    if by not in ("score", "mass"):
        raise InputError(f"Classes are sorted by 'score' or 'mass', got {by!r}.")
    mass = "log_mass" if "log_mass" in frame else "weight"
    ordered = frame.sort_values(mass, ascending=False, kind="stable", ignore_index=True) if by == "mass" else frame
    return _with_sums(ordered)


def _of_classes(posterior: Posterior) -> pd.DataFrame:
    import pandas as pd

    masses = posterior.classes_masses
    assert masses is not None
    found = [posterior.class_of_rank(rank) for rank in range(1, len(posterior) + 1)]
    probabilities = posterior.posterior_probabilities
    known = {} if probabilities is None else {"posterior": probabilities}
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(posterior) + 1),
            "log_score": posterior.log_scores,
            "size": np.array(masses.sizes, dtype=object),
            "log_mass": masses.log_masses,
            "weight": posterior.weights,
            **known,
            **_edges(found),
        }
    )


def _of_networks(posterior: Posterior) -> pd.DataFrame:
    import pandas as pd

    rows, which = _group(posterior)
    first = np.array([int(np.argmax(which == number)) for number in range(len(rows))])
    found = [
        EquivalenceClass(posterior.variables, tuple(map(int, row)), float(posterior.log_scores[i]))
        for row, i in zip(rows, first, strict=True)
    ]
    return pd.DataFrame(
        {
            "class": np.arange(1, len(rows) + 1),
            "best_rank": first + 1,
            "log_score": posterior.log_scores[first],
            "size": np.array(class_sizes(rows), dtype=object),
            "num_networks": np.bincount(which),
            "weight": np.bincount(which, weights=posterior.weights),
            **_edges(found),
        }
    )


def _with_sums(frame: pd.DataFrame) -> pd.DataFrame:
    """Add what the classes up to each one hold, in the order of the rows."""
    for name, total in (("weight", "cumulative_weight"), ("posterior", "coverage")):
        if name in frame:
            frame.insert(list(frame.columns).index(name) + 1, total, np.minimum(np.cumsum(frame[name].to_numpy()), 1.0))
    return frame


def _edges(found: list[EquivalenceClass]) -> dict[str, list[str]]:
    """Return the edges that all members have, the links that they do not direct alike, and what differs from the best class."""
    return {
        "directed": [", ".join(f"{a} → {b}" for a, b in one.directed) for one in found],
        "undirected": [", ".join(f"{a} – {b}" for a, b in one.undirected) for one in found],
        "difference": ["the best", *(str(compare_classes(found[0], one)) for one in found[1:])],
    }


def _group(posterior: Posterior) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the representatives of the classes in the order in which they first come, and the class of each network."""
    rows, first, which = np.unique(representatives(posterior.parents), axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    number = np.empty(len(rows), dtype=np.int64)
    number[order] = np.arange(len(rows))
    return rows[order], number[which.reshape(-1)]
