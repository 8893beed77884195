"""Random tables: a network with at most 3 parents a node, 2 or 3 levels a variable, Dirichlet(1) parameters."""

from __future__ import annotations

import numpy as np

from dagmass import Table


def random_table(num_variables: int, num_rows: int, seed: int = 1) -> Table:
    """Draw a network in the order of a random permutation, then rows from it."""
    generator = np.random.default_rng(seed)
    levels = generator.integers(2, 4, size=num_variables)
    order = generator.permutation(num_variables)
    columns = np.zeros((num_variables, num_rows), dtype=np.int64)
    for position, v in enumerate(order):
        count = generator.integers(0, min(3, position) + 1)
        parents = generator.choice(order[:position], size=count, replace=False)
        state = np.zeros(num_rows, dtype=np.int64)
        for parent in parents:
            state = state * levels[parent] + columns[parent]
        num_states = int(np.prod(levels[parents])) if count else 1
        tables = generator.dirichlet(np.ones(levels[v]), size=num_states)
        columns[v] = (generator.random(num_rows)[:, None] > np.cumsum(tables[state], axis=1)).sum(axis=1).clip(0, levels[v] - 1)
    return Table.from_frame({f"V{v + 1}": columns[v] for v in range(num_variables)})
