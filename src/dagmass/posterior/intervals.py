"""Exact intervals for a probability from draws (Clopper and Pearson 1934), without more than the standard library."""

from __future__ import annotations

import math
from collections.abc import Callable

BISECTIONS = 60


def clopper_pearson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval that holds the true probability with at least the given confidence.

    >>> [round(end, 4) for end in clopper_pearson(3, 10)]
    [0.0667, 0.6525]
    """
    tail = (1 - confidence) / 2
    low = 0.0 if successes == 0 else _solve(lambda p: tail_probability(successes, trials, p), tail)
    high = 1.0 if successes == trials else 1.0 - _solve(lambda p: tail_probability(trials - successes, trials, p), tail)
    return low, high


def tail_probability(successes: int, trials: int, p: float) -> float:
    """Return P(at least so many successes): the regularised incomplete beta function I_p(successes, trials - successes + 1)."""
    a, b = float(successes), float(trials - successes + 1)
    if p <= 0 or p >= 1:
        return float(p >= 1)
    if p > (a + 1) / (a + b + 2):
        return 1.0 - _beta_fraction(1 - p, b, a)
    return _beta_fraction(p, a, b)


def _beta_fraction(x: float, a: float, b: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function by Lentz's method."""
    tiny = 1e-300
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 10_000):
        for numerator in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1.0 + numerator * d
            c = 1.0 + numerator / c
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = c if abs(c) > tiny else tiny
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return front * value


def _solve(rising: Callable[[float], float], target: float) -> float:
    """Return where a rising function on [0, 1] reaches the target."""
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if rising(middle) < target:
            low = middle
        else:
            high = middle
    return (low + high) / 2
