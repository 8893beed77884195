"""Scores are integers in units of 2^-bits nat; they become floating point only where a person or another program reads them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagmass import _core
from dagmass.errors import InputError

IMPOSSIBLE = _core.IMPOSSIBLE
MAX_FRACTION_BITS = 40
RANGE_BITS = 59  # sums of scores stay below 2^59 units, so that the kernels can add two of them and an `IMPOSSIBLE`


def fraction_bits_for(largest_sum: float) -> int:
    """Return how fine the unit can be when no sum of scores exceeds `largest_sum` nats in absolute value.

    >>> fraction_bits_for(1000.0)
    40
    """
    if not math.isfinite(largest_sum):
        raise InputError("Scores must be finite, or minus infinity where a family is forbidden.")
    return min(MAX_FRACTION_BITS, RANGE_BITS - math.frexp(max(largest_sum, 1.0))[1])


def to_fixed(nats: NDArray[np.float64], fraction_bits: int) -> NDArray[np.int64]:
    """Round natural logs to units; minus infinity becomes `IMPOSSIBLE`."""
    possible = np.isfinite(nats)
    scaled = np.ldexp(np.where(possible, nats, 0.0), fraction_bits)
    return np.where(possible, np.rint(scaled), IMPOSSIBLE).astype(np.int64)


def to_nats(scores: Any, fraction_bits: int) -> NDArray[np.float64]:
    """Turn units into natural logs."""
    scores = np.asarray(scores, dtype=np.int64)
    return np.where(scores == IMPOSSIBLE, -np.inf, np.ldexp(scores.astype(np.float64), -fraction_bits))
