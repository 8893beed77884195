"""Numbers with their errors: what is printed is as good as it says."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context


def rounded_up(error: float) -> str:
    """Write a bound with two digits, rounded up so that it stays one.

    >>> rounded_up(1.01e-9)
    '1.1e-09'
    """
    return f"{float(Context(prec=2, rounding=ROUND_CEILING).create_decimal_from_float(error)):.2g}"


def with_error(value: float, error: float) -> str:
    """Write a number with the digits that its error leaves; the error written covers the rounding to these digits.

    >>> with_error(-450.4911617754321, 2.1e-6)
    '-450.4911618 ± 2.2e-06'
    """
    digits = max(1 - math.floor(math.log10(error)), 0)
    return f"{value:.{digits}f} ± {rounded_up(error + 10.0**-digits / 2)}"
