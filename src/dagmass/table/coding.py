"""The rules by which a raw column becomes a discrete variable, is set aside or is refused."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagmass.errors import InputError
from dagmass.table.raw_column import LEVEL_TYPES, MISSING_TEXTS, RawColumn, as_number, shown

MAX_TEXT_LEVELS = 64
MAX_WHOLE_LEVELS = 30
MAX_LEVELS = 65535
MIN_ROWS_OF_IDENTIFIER = 10


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A discrete variable: its levels as they are shown, and one code a row."""

    name: str
    levels: tuple[str, ...]
    codes: NDArray[np.uint16]
    notes: tuple[str, ...]


def code_column(raw: RawColumn, *, is_discrete: bool, levels: Iterable[Any] | None, check_identifier: bool) -> CodedColumn:
    """Give every value of a column a code, or say why it cannot be done."""
    if levels is not None:
        return _code_with_levels(raw, levels)
    occurs = raw.used()
    if not is_discrete:
        _refuse_unsuitable(raw, int(occurs.sum()), check_identifier)
    if occurs.sum() > MAX_LEVELS:
        raise InputError(f"Column {raw.name!r} has {int(occurs.sum())} distinct values; at most {MAX_LEVELS} can be levels.")
    new_code = np.cumsum(occurs) - 1
    kept = tuple(str(value) for value, used in zip(raw.values, occurs, strict=True) if used)
    unused = [str(value) for value, used in zip(raw.values, occurs, strict=True) if not used]
    note = f"Column {raw.name!r} has levels that occur in no row; they were dropped: {', '.join(unused)} (levels=, --levels keep them)."
    notes = (*raw.notes, note) if unused else raw.notes
    return CodedColumn(raw.name, kept, new_code[raw.positions].astype(np.uint16), notes)


def _code_with_levels(raw: RawColumn, levels: Iterable[Any]) -> CodedColumn:
    names = [_shown_level(raw, level) for level in _listed(raw, levels)]
    if len(set(names)) < len(names):
        raise InputError(f"The levels given for column {raw.name!r} must differ, got {', '.join(names)}.")
    if len(names) > MAX_LEVELS:
        raise InputError(f"Column {raw.name!r} is given {len(names)} levels; at most {MAX_LEVELS} can be.")
    position = {level: index for index, level in enumerate(names)}
    unknown = [str(value) for value, used in zip(raw.values, raw.used(), strict=True) if used and str(value) not in position]
    if unknown:
        raise InputError(f"Column {raw.name!r} has values that are not among the levels given: {', '.join(unknown[:5])}.")
    new_code = np.array([position.get(str(value), 0) for value in raw.values], dtype=np.uint16)
    return CodedColumn(raw.name, tuple(names), new_code[raw.positions], ())


def _listed(raw: RawColumn, levels: Iterable[Any]) -> list[Any]:
    if isinstance(levels, str | bytes | Set | Mapping) or not isinstance(levels, Iterable):
        raise InputError(f"The levels of column {raw.name!r} must be a list of its values in their order, got {levels!r}.")
    return list(levels)


def _shown_level(raw: RawColumn, level: Any) -> str:
    """Write a level as the column shows its values: text stands for a number where the column holds numbers."""
    number = as_number(level) if raw.kind in ("whole", "real") and isinstance(level, str) else None
    text = shown(level if number is None else number)
    if level is None or text in MISSING_TEXTS:
        raise InputError(f"A level given for column {raw.name!r} is {level!r}, which stands for a missing value. Leave it out.")
    return text


def _refuse_unsuitable(raw: RawColumn, num_levels: int, check_identifier: bool) -> None:
    num_rows = len(raw.positions)
    quoted = f"Column {raw.name!r}"
    leave_out = f"leave it out (drop=[{raw.name!r}], --drop {shell_word(raw.name)})"
    if check_identifier and raw.kind in ("whole", "text", "category") and num_levels == num_rows >= MIN_ROWS_OF_IDENTIFIER:
        raise InputError(
            f"{quoted} has a different value in each of the {num_rows} rows and looks like an identifier. "
            f"{leave_out[0].upper()}{leave_out[1:]}."
        )
    keep = f"say that it is discrete (discrete=[{raw.name!r}], --discrete {shell_word(raw.name)})"
    way_out = f"Cut it into a few levels first, {leave_out}, or {keep}."
    if raw.kind in ("real", "other"):
        raise InputError(f"{quoted} holds {_what_it_holds(raw)} ({num_levels} distinct values in {num_rows} rows). {way_out}")
    limit = MAX_WHOLE_LEVELS if raw.kind == "whole" else MAX_TEXT_LEVELS
    if num_levels > limit:
        what = "whole numbers" if raw.kind == "whole" else "text"
        raise InputError(f"{quoted} has {num_levels} distinct values in {num_rows} rows; {what} may have {limit}. {way_out}")


def _what_it_holds(raw: RawColumn) -> str:
    """Say what a column of numbers with fractions or of other types holds that is no level by itself."""
    other = next((value for value in raw.values if not isinstance(value, LEVEL_TYPES)), None)
    if other is not None:
        return f"{type(other).__name__} values, not numbers, text or true/false"
    return "infinite numbers" if any(map(math.isinf, raw.values)) else "numbers with fractions"


def shell_word(name: str) -> str:
    """Quote a name the way a shell needs it."""
    from shlex import quote

    return quote(name)
