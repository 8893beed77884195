"""A column as it comes in: its distinct values and where they stand, before any rule is applied."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dagmass.errors import InputError

Kind = Literal["whole", "real", "text", "boolean", "category"]

MISSING_TEXTS = frozenset(("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "NaT", "NULL", "null", "?"))
MISSING_BESIDE_NUMBERS = frozenset((".", "-", "na", "None", "none", "#DIV/0!", "#VALUE!", "inf", "-inf", "Inf", "-Inf"))


@dataclass(frozen=True, eq=False)
class RawColumn:
    """Distinct values and the position of each row's value among them."""

    name: str
    kind: Kind
    values: tuple[Any, ...]  # distinct, in the order in which levels are shown; missing ones left out
    positions: NDArray[np.int64]  # one a row; -1 where missing
    notes: tuple[str, ...] = ()

    @property
    def num_missing(self) -> int:
        """Number of rows without a value."""
        return int(np.count_nonzero(self.positions < 0))

    def used(self) -> NDArray[np.bool_]:
        """Tell which values occur in some row."""
        occurs = np.zeros(len(self.values), dtype=bool)
        occurs[self.positions[self.positions >= 0]] = True
        return occurs


def from_texts(name: str, texts: Sequence[str] | NDArray[Any], *, decimal_comma: bool = False) -> RawColumn:
    """Read a column of text: whole numbers, other numbers or words, whichever all of its values are."""
    import pandas as pd

    positions, distinct = pd.factorize(np.asarray(texts, dtype=object))
    stripped = [str(text).strip() for text in distinct]
    numbers = [as_number(text.replace(",", ".") if decimal_comma else text) for text in stripped]
    words = [text for text, number in zip(stripped, numbers, strict=True) if number is None and text not in MISSING_TEXTS]
    num_numbers = sum(number is not None for number in numbers)
    if num_numbers and MISSING_BESIDE_NUMBERS.issuperset(words):
        return _arrange(name, numbers, positions)
    column = _arrange(name, [None if text in MISSING_TEXTS else text for text in stripped], positions)
    if num_numbers > len(words) > 0:
        some = ", ".join(map(repr, words[:3]))
        return replace(column, notes=(f"Column {name!r} holds numbers and words ({some}); all of them were taken for words.",))
    return column


def from_values(name: str, values: NDArray[Any]) -> RawColumn:
    """Read a column of numbers, booleans or other Python values; None and NaN are missing."""
    import pandas as pd

    try:
        positions, distinct = pd.factorize(values)
        plain = [value.item() if isinstance(value, np.generic) else value for value in distinct]
        hash(tuple(plain))
    except (TypeError, ValueError):
        raise InputError(
            f"Column {name!r} holds {type(values[0]).__name__} values; a level must be a number, text or true/false."
        ) from None
    texts = [value for value in plain if isinstance(value, str)]
    if len(texts) == len(plain):
        plain = [None if text.strip() in MISSING_TEXTS else text.strip() for text in texts]
    elif texts:
        plain = [str(value) for value in plain]
    return _arrange(name, plain, np.asarray(positions))


def from_categories(name: str, categories: Sequence[Any], positions: NDArray[Any]) -> RawColumn:
    """Take a column that declares its levels and their order."""
    return RawColumn(name, "category", tuple(categories), np.asarray(positions, dtype=np.int64))


def as_number(text: str) -> float | int | None:
    """Return the number that a text stands for, or None. Whole numbers come back as int.

    >>> as_number("1.0"), as_number("2.5"), as_number("two")
    (1, 2.5, None)
    """
    try:
        number = float(text)
    except ValueError:
        return None
    if "_" in text or not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else number


def _arrange(name: str, values: Sequence[Any], positions: NDArray[Any]) -> RawColumn:
    """Merge equal values, sort them and say of what kind they are. None is missing."""
    normal = [_whole(value) for value in values]
    levels = sorted({value for value in normal if value is not None}, key=_order)
    new_position = {value: position for position, value in enumerate(levels)}
    moved = np.array([-1 if value is None else new_position[value] for value in normal] + [-1], dtype=np.int64)
    return RawColumn(name, _kind(levels), tuple(levels), moved[positions])


def _order(level: Any) -> tuple[bool, Any]:
    return (False, level) if isinstance(level, bool | int | float) else (True, str(level))


def _whole(value: Any) -> Any:
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() else value
    return value


def _kind(levels: Sequence[Any]) -> Kind:
    if all(isinstance(value, bool) for value in levels):
        return "boolean"
    if all(isinstance(value, int) for value in levels):
        return "whole"
    if all(isinstance(value, int | float) for value in levels):
        return "real"
    return "text"
