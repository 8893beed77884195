"""A column as it comes in: its distinct values and where they stand, before any rule is applied."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["whole", "real", "text", "boolean", "category", "other"]

MISSING_TEXTS = frozenset(("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "NaT", "NULL", "null", "?"))
MISSING_BESIDE_NUMBERS = frozenset((".", "-", "na", "None", "none", "#DIV/0!", "#VALUE!"))
INFINITE_BESIDE_NUMBERS = frozenset(("inf", "-inf", "Inf", "-Inf"))
LEVEL_TYPES = (bool, int, float, Decimal, str)


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
    return _numbers_or_words(name, numbers, stripped, positions)


def from_values(name: str, values: NDArray[Any]) -> RawColumn:
    """Read a column of numbers, booleans, text or other Python values; None, NaN and the texts that stand for nothing are missing."""
    import pandas as pd

    if values.dtype.kind in "mM":
        values = pd.Series(values).astype(object).to_numpy()
    try:
        positions, distinct = pd.factorize(values)
    except TypeError:  # lists and the like have no hash
        return _from_others(name, values)
    plain = [_plain(value) for value in distinct]
    if not all(isinstance(value, LEVEL_TYPES) for value in plain):
        return _from_others(name, values)
    numbers = [None if isinstance(value, str) else value for value in plain]
    return _numbers_or_words(name, numbers, [shown(value) for value in plain], np.asarray(positions))


def from_categories(name: str, categories: Sequence[Any], positions: NDArray[Any]) -> RawColumn:
    """Take a column that declares its levels and their order; those that are shown alike are one."""
    written = ["" if category is None else shown(category) for category in categories]
    levels = tuple(dict.fromkeys(text for text in written if text not in MISSING_TEXTS))
    place = {level: position for position, level in enumerate(levels)}
    moved = np.array([place.get(text, -1) for text in written] + [-1], dtype=np.int64)
    return RawColumn(name, "category", levels, moved[positions])


def as_number(text: str) -> float | int | None:
    """Return the number that a text stands for, or None. Whole numbers come back as int.

    >>> as_number("1.0"), as_number("2.5"), as_number("two")
    (1, 2.5, None)
    """
    if "_" in text:
        return None
    try:
        return int(text)  # a float would round it beyond 2^53
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return None
    return _whole(number) if math.isfinite(number) else None


def shown(value: Any) -> str:
    """Write a value as levels are shown.

    >>> shown(1.0), shown(" low "), shown(True)
    ('1', 'low', 'True')
    """
    return str(_whole(value)).strip()


def _numbers_or_words(name: str, numbers: Sequence[Any], written: Sequence[str], positions: NDArray[Any]) -> RawColumn:
    """Arrange values that are numbers (None where they are not) or words, as which they are all `written`."""
    words = [text for text, number in zip(written, numbers, strict=True) if number is None and text not in MISSING_TEXTS]
    num_numbers = sum(number is not None for number in numbers)
    if num_numbers and (MISSING_BESIDE_NUMBERS | INFINITE_BESIDE_NUMBERS).issuperset(words):
        found = [float(text) if text in INFINITE_BESIDE_NUMBERS else number for text, number in zip(written, numbers, strict=True)]
        return _arrange(name, found, positions)
    column = _arrange(name, [None if text in MISSING_TEXTS else text for text in written], positions)
    if num_numbers > len(words) > 0:
        some = ", ".join(map(repr, words[:3]))
        return replace(column, notes=(f"Column {name!r} holds numbers and words ({some}); all of them were taken for words.",))
    return column


def _from_others(name: str, values: NDArray[Any]) -> RawColumn:
    """Tell values of types that are no levels, such as dates, by how they are shown."""
    import pandas as pd

    written = [None if _is_missing(value) else str(value) for value in values]
    positions, texts = pd.factorize(np.array(written, dtype=object), sort=True)
    value_of = dict(zip(written, values, strict=True))
    return RawColumn(name, "other", tuple(_plain(value_of[text]) for text in texts), np.asarray(positions))


def _is_missing(value: Any) -> bool:
    return value is None or shown(value) in MISSING_TEXTS  # NaN, NaT and NA show themselves as such


def _plain(value: Any) -> Any:
    """Turn numpy's numbers into Python's."""
    if isinstance(value, np.floating):
        return float(value)
    return value.item() if isinstance(value, np.integer | np.bool_) else value


def _arrange(name: str, values: Sequence[Any], positions: NDArray[Any]) -> RawColumn:
    """Merge equal values, sort them and say of what kind they are. None and NaN are missing."""
    normal = [None if _is_missing(value) else _whole(value) for value in values]
    levels = sorted({value for value in normal if value is not None}, key=_order)
    new_position = {value: position for position, value in enumerate(levels)}
    moved = np.array([-1 if value is None else new_position[value] for value in normal] + [-1], dtype=np.int64)
    return RawColumn(name, _kind(levels), tuple(levels), moved[positions])


def _order(level: Any) -> tuple[bool, Any]:
    return isinstance(level, str), level


def _whole(value: Any) -> Any:
    """Turn a number without a fraction into an int; any other value is left as it is."""
    if isinstance(value, float | Decimal) and math.isfinite(value) and value == int(value):
        return int(value)
    return value


def _kind(levels: Sequence[Any]) -> Kind:
    if all(isinstance(value, bool) for value in levels):
        return "boolean"
    if all(isinstance(value, int) for value in levels):
        return "whole"
    return "text" if any(isinstance(value, str) for value in levels) else "real"
