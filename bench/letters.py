"""A stand-in of the size of UCI's Letter data: 17 variables, 20000 rows, one of 26 levels and 16 of two."""

from __future__ import annotations

import numpy as np

from dagmass import Table


def letter_like(seed: int = 17) -> Table:
    """Draw 26 classes with noisy binary attributes that depend on each other."""
    generator = np.random.default_rng(seed)
    letter = generator.integers(0, 26, size=20000)
    columns = {"letter": letter}
    previous = letter % 2
    for attribute in range(16):
        chance = generator.dirichlet([0.6, 0.6], size=(26, 2))[..., 1]
        previous = (generator.random(20000) < chance[letter, previous]).astype(np.int64)
        columns[f"a{attribute}"] = previous
    return Table.from_frame(columns)
