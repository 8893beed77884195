"""Names of columns: those that a table has and those that options give."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dagmass.errors import InputError
from dagmass.graphs.varset import nearest_hint

INDEX = re.compile(r"__index_level_\d+__")  # how pandas names, in Parquet and Arrow, an index that has no name

ColumnNames = Iterable[Any] | int | None  # a text or a number stands for one name
ColumnLevels = Mapping[Any, Iterable[Any]] | None


@dataclass(frozen=True)
class ColumnOptions:
    """The options of `Table.from_frame`, with all names as text."""

    columns: tuple[str, ...] | None  # None for all
    drop: tuple[str, ...]
    discrete: tuple[str, ...]
    levels: dict[str, Iterable[Any]]
    counts: str | None

    @classmethod
    def of(
        cls,
        *,
        columns: ColumnNames = None,
        drop: ColumnNames = (),
        discrete: ColumnNames = (),
        levels: ColumnLevels = None,
        counts: str | int | None = None,
    ) -> ColumnOptions:
        """Take options as they are given."""
        if levels is not None and not isinstance(levels, Mapping):
            raise InputError(f"levels must be a dict of column names and lists, such as {{'size': ['low', 'high']}}, got {levels!r}.")
        return cls(
            columns=None if columns is None else names_given(columns),
            drop=names_given(drop),
            discrete=names_given(discrete),
            levels={str(name): listed for name, listed in (levels or {}).items()},
            counts=None if counts is None else str(counts),
        )

    def chosen(self, names: Collection[str]) -> list[str]:
        """Return which of the columns of a table become variables, in order."""
        wanted = tuple(names) if self.columns is None else self.columns
        check_names(wanted)
        check_known([*wanted, *self.drop, *self.discrete, *self.levels, *([] if self.counts is None else [self.counts])], names)
        return [name for name in wanted if name not in self.drop and name != self.counts]


def names_given(names: ColumnNames) -> tuple[str, ...]:
    """Return the names in an option as text.

    >>> names_given("age"), names_given([0, "b"]), names_given(None)
    (('age',), ('0', 'b'), ())
    """
    if names is None:
        return ()
    if isinstance(names, str) or not isinstance(names, Iterable):
        return (str(names),)
    return tuple(map(str, names))


def check_names(names: Sequence[str]) -> None:
    """Refuse columns without a name and names that occur twice."""
    empty = [str(position) for position, name in enumerate(names, start=1) if not name.strip()]
    if empty:
        raise InputError(f"Every column needs a name; column {', '.join(empty)} has none.")
    if len(set(names)) < len(names):
        raise InputError(repeated_names(names))


def repeated_names(names: Sequence[str]) -> str:
    """Say which names occur more than once."""
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    return f"Column names must differ; {', '.join(map(repr, twice))} is given more than once."


def check_known(wanted: Iterable[str], names: Collection[str]) -> None:
    """Refuse names that no column has."""
    for name in wanted:
        if name not in names:
            raise InputError(f"There is no column {name!r}.{nearest_hint(name, names)} The columns are {', '.join(names)}.")
