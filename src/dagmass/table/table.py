"""The table: discrete variables, small codes, and what was said on the way in."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagmass import _core
from dagmass.errors import InputError
from dagmass.table.coding import CodedColumn, code_column
from dagmass.table.names import INDEX, ColumnLevels, ColumnNames, ColumnOptions, check_names
from dagmass.table.raw_column import RawColumn

MAX_ROWS = 10_000_000  # tables of ln Gamma are as long as the largest count


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of discrete variables. Make one with `Table.read` or `Table.from_frame`.

    Equal tables have equal variables, levels and rows, whatever the order of the rows.
    """

    variables: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]  # of every variable, as shown
    codes: NDArray[np.uint16]  # (variable, row)
    weights: NDArray[np.uint32]  # how often each row occurs
    set_aside: tuple[str, ...] = ()  # columns with a single level
    notes: tuple[str, ...] = ()  # what else the user should know of

    def __post_init__(self) -> None:
        n, m = len(self.variables), len(self.weights)
        if len(self.levels) != n or self.codes.shape != (n, m):
            raise InputError(
                f"A table of {n} variables and {m} rows needs levels of each and codes of shape {(n, m)}, got {self.codes.shape}."
            )
        if m and (self.codes.max(axis=1, initial=0) >= self.num_levels).any():
            raise InputError("Every code must be a position among the levels of its variable.")

    @classmethod
    def read(cls, path: str | Path, **options: Any) -> Table:
        """Read a CSV, TSV, Parquet or Arrow file; '-' is standard input. The options are those of `from_frame`."""
        from dagmass.table.read_file import read_file

        raw = read_file(path)
        return cls._from_raw(raw.columns, raw.notes, ColumnOptions.of(**options))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        columns: ColumnNames = None,
        drop: ColumnNames = (),
        discrete: ColumnNames = (),
        levels: ColumnLevels = None,
        counts: str | int | None = None,
    ) -> Table:
        """Take a frame of pandas, Polars or PyArrow, a numpy array or a dict of columns.

        Parameters
        ----------
        frame : frame, array or dict
            One column a variable, one row an observation.
        columns : str or iterable of str, optional
            The columns to use, all by default. Names of any type are compared as text.
        drop : str or iterable of str
            Columns to leave out.
        discrete : str or iterable of str
            Columns that are discrete though they have many levels, fractions or values of other types.
        levels : dict of str to list, optional
            All levels of a column, those included that do not occur.
        counts : str, optional
            The column that says how often each row occurs.

        Examples
        --------
        >>> Table.from_frame({"rain": ["yes", "no", "no"], "wet": [1, 0, 1]}).variables
        ('rain', 'wet')
        """
        from dagmass.table.frames import raw_columns

        options = ColumnOptions.of(columns=columns, drop=drop, discrete=discrete, levels=levels, counts=counts)
        return cls._from_raw(tuple(raw_columns(frame)), (), options)

    @classmethod
    def _from_raw(cls, raw: Sequence[RawColumn], notes: tuple[str, ...], options: ColumnOptions) -> Table:
        check_names([column.name for column in raw])
        raw, notes = _without_index(raw, notes)
        by_name = {column.name: column for column in raw}
        chosen = [by_name[name] for name in options.chosen(by_name)]
        weights = np.ones(_num_rows(raw), dtype=np.uint32) if options.counts is None else _weights(by_name[options.counts])
        _check_enough(chosen, weights)
        chosen = [_with_rows(column, weights > 0) for column in chosen]
        _refuse_missing(chosen)
        coded = [
            code_column(
                column,
                is_discrete=column.name in options.discrete,
                levels=options.levels.get(column.name),
                check_identifier=options.counts is None,
            )
            for column in chosen
        ]
        return cls._from_coded(coded, weights[weights > 0], notes)

    @classmethod
    def _from_coded(cls, coded: Sequence[CodedColumn], weights: NDArray[np.uint32], notes: tuple[str, ...]) -> Table:
        kept = [column for column in coded if len(column.levels) > 1]
        constant = tuple(column.name for column in coded if len(column.levels) == 1)
        if len(kept) < 2:
            told = f"; with a single level: {', '.join(map(repr, constant))}" if constant else ""
            raise InputError(f"At least two columns with two or more levels are needed, got {len(kept)}{told}.")
        return cls(
            variables=tuple(column.name for column in kept),
            levels=tuple(column.levels for column in kept),
            codes=np.ascontiguousarray([column.codes for column in kept], dtype=np.uint16),
            weights=weights,
            set_aside=constant,
            notes=(*notes, *(note for column in coded for note in column.notes)),
        )

    @property
    def num_rows(self) -> int:
        """Number of observations."""
        return int(self.weights.sum(dtype=np.int64))

    @property
    def num_variables(self) -> int:
        """Number of variables."""
        return len(self.variables)

    @property
    def num_levels(self) -> NDArray[np.int32]:
        """Number of levels of every variable."""
        return np.array([len(levels) for levels in self.levels], dtype=np.int32)

    @cached_property
    def merged(self) -> tuple[NDArray[np.uint16], NDArray[np.uint32]]:
        """Codes and weights with equal rows merged, in lexicographic order."""
        return _core.merge_rows(self.codes, self.weights, self.num_levels)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of variables, levels and merged rows."""
        codes, weights = self.merged
        digest = hashlib.sha256(repr((self.variables, self.levels)).encode())
        digest.update(codes.astype("<u2").tobytes())
        digest.update(weights.astype("<u4").tobytes())
        return digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        aside = f", {len(self.set_aside)} set aside" if self.set_aside else ""
        return f"Table({self.num_rows} rows, {self.num_variables} variables{aside}: {', '.join(self.variables)})"


def _without_index(raw: Sequence[RawColumn], notes: tuple[str, ...]) -> tuple[Sequence[RawColumn], tuple[str, ...]]:
    """Leave out the names of rows that pandas writes as columns, and say so."""
    index = [column.name for column in raw if INDEX.fullmatch(column.name)]
    told = tuple(f"Column {name!r} is an index of pandas without a name; it was taken for row names and dropped." for name in index)
    return [column for column in raw if column.name not in index], (*notes, *told)


def _num_rows(raw: Sequence[RawColumn]) -> int:
    num_rows = len(raw[0].positions) if raw else 0
    if num_rows > MAX_ROWS:
        raise InputError(f"At most {MAX_ROWS} rows can be counted, got {num_rows}.")
    return num_rows


def _check_enough(chosen: Sequence[RawColumn], weights: NDArray[np.uint32]) -> None:
    if len(chosen) < 2:
        raise InputError(f"At least two columns are needed, got {len(chosen)}.")
    if not weights.any():
        raise InputError("The table has no rows.")


def _weights(column: RawColumn) -> NDArray[np.uint32]:
    values = np.array([*column.values, -1], dtype=object)[column.positions]
    if column.kind not in ("whole", "boolean") or any(value < 0 for value in values):
        raise InputError(f"Column {column.name!r} must hold counts: whole numbers from 0 on, none missing.")
    if sum(values) > MAX_ROWS:
        raise InputError(f"At most {MAX_ROWS} rows can be counted; column {column.name!r} adds up to {sum(values)}.")
    return values.astype(np.uint32)


def _with_rows(column: RawColumn, keep: NDArray[np.bool_]) -> RawColumn:
    return column if keep.all() else replace(column, positions=column.positions[keep])


def _refuse_missing(columns: Sequence[RawColumn]) -> None:
    missing = [(column.name, column.num_missing) for column in columns if column.num_missing]
    if missing:
        listed = ", ".join(f"{name} {count}" for name, count in missing)
        raise InputError(f"Values are missing (blank, NA, NaN or ?), by column: {listed}. Drop those columns or complete the rows first.")
