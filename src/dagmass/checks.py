"""Checks of what users give, shared by all doors."""

from __future__ import annotations

import numpy as np

from dagmass.errors import InputError

MAX_COUNT = 10**12
MAX_SEED = 2**63 - 1


def whole_number(name: str, value: int, least: int, most: int) -> int:
    """Return a number as an int of Python's; refuse what is not a whole number within the range.

    >>> whole_number("seed", 7, 0, 10)
    7
    """
    if not isinstance(value, int | np.integer) or not least <= value <= most:
        raise InputError(f"{name} must be a whole number from {least} to {most}, got {value!r}.")
    return int(value)
