"""How many networks there are: what turns log evidence into ln P(D) under the uniform prior."""

from __future__ import annotations

import math
from math import comb


def num_networks(n: int, max_parents: int | None = None) -> int:
    """Count the directed acyclic graphs on n variables, with a bounded number of parents if asked for: Robinson's recursion.

    >>> [num_networks(n) for n in range(1, 6)], num_networks(3, 1)
    ([1, 3, 25, 543, 29281], 16)
    """
    most = n if max_parents is None else max_parents
    counts = [1]
    for m in range(1, n + 1):
        parent_sets = [sum(comb(m - s, j) for j in range(min(most, m - s) + 1)) for s in range(m + 1)]
        counts.append(sum((-1) ** (s + 1) * comb(m, s) * parent_sets[s] ** s * counts[m - s] for s in range(1, m + 1)))
    return counts[n]


def log_num_networks(n: int, max_parents: int | None = None) -> float:
    """Return the natural log of `num_networks`."""
    return math.log(num_networks(n, max_parents))
