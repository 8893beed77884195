"""Delimited text with one header line, as raw columns."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dagmass.errors import InputError
from dagmass.table.raw_column import RawColumn, from_texts

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}

QUOTED = re.compile(r'"[^"]*"')
DECIMAL_COMMA = re.compile(r"[+-]?\d*,(\d{1,2}|\d{4,})([eE][+-]?\d+)?")


@dataclass(frozen=True)
class RawFile:
    """The columns of a file and what there is to say about them."""

    columns: tuple[RawColumn, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Grid:
    """The fields of a text: a header and rows, all stripped of blanks."""

    source: str
    header: list[str]
    rows: list[list[str]]
    notes: tuple[str, ...]


def read_text(text: str, notes: tuple[str, ...], source: str, delimiter: str | None = None) -> RawFile:
    """Read text whose first line names the columns."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    if text.startswith("sep=") and len(text.partition("\n")[0]) == len("sep=;"):  # a hint of Excel's
        delimiter, text = text[len("sep=")], text.partition("\n")[2]
    if not text.strip():
        raise InputError(f"{source} is empty; a header line and at least one row are needed.")
    delimiter = delimiter or _delimiter_of(text)
    header, *rows = _split_quoted(text, delimiter, source) if '"' in text else _split(text, delimiter)
    if not rows:
        raise InputError(f"{source} has a header line and no rows.")
    grid = _with_unnamed_row_names(_without_last_separator(Grid(source, header, rows, notes)))
    _refuse_nameless(grid)
    grid = _without_row_names(grid)
    _check_lengths(grid, delimiter)
    columns = zip(*grid.rows, strict=True)
    return RawFile(
        tuple(
            from_texts(name, texts, decimal_comma=_has_decimal_commas(texts, delimiter))
            for name, texts in zip(grid.header, columns, strict=True)
        ),
        grid.notes,
    )


def _delimiter_of(text: str) -> str:
    """Return the separator by which the header and the first row agree best, and of those the one with most fields."""
    header, _, rest = text.partition("\n")
    first_row = rest.lstrip("\n").partition("\n")[0]

    def agreement(delimiter: str) -> tuple[bool, bool, int]:
        names, values = _num_fields(header, delimiter), _num_fields(first_row, delimiter)
        return values == names > 1, values == names + 1 > 2, names  # one more: the name of the row, or a separator at its end

    return max(DELIMITERS, key=agreement)


def _num_fields(line: str, delimiter: str) -> int:
    return QUOTED.sub("", line).count(delimiter) + 1


def _has_decimal_commas(texts: Sequence[str], delimiter: str) -> bool:
    """Tell whether commas stand before decimals: always beside semicolons; elsewhere '1,000' alone may be a thousand."""
    return delimiter == ";" or (delimiter != "," and any(map(DECIMAL_COMMA.fullmatch, texts)))


def _split(text: str, delimiter: str) -> list[list[str]]:
    return [[field.strip() for field in line.split(delimiter)] for line in text.split("\n") if line.strip(" ")]


def _split_quoted(text: str, delimiter: str, source: str) -> list[list[str]]:
    """Split text with quotes; a quote that is not closed where its line ends is taken for a mistake."""
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True, strict=True)
    rows: list[list[str]] = []
    first_line = 1
    try:
        for row in reader:
            if reader.line_num > first_line:
                raise InputError(
                    f"A quote opened in line {first_line} of {source} is not closed in that line. Values must not hold line breaks."
                )
            if row:
                rows.append([field.strip() for field in row])
            first_line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"Line {first_line} of {source} has a quote that is not closed or stands inside a value ({error}).") from None
    return rows


def _without_last_separator(grid: Grid) -> Grid:
    """Take off a separator at the end of every row that the header does not have."""
    longer = len(grid.header) + 1
    if any(len(row) != longer or row[-1] for row in grid.rows):
        return grid
    return replace(grid, rows=[row[:-1] for row in grid.rows])


def _with_unnamed_row_names(grid: Grid) -> Grid:
    """Give the header an empty name for a first column of different values that it leaves out, as R writes the names of rows."""
    extended = replace(grid, header=["", *grid.header])
    is_left_out = all(len(row) == len(extended.header) for row in grid.rows)
    return extended if is_left_out and _names_rows(extended) else grid


def _names_rows(grid: Grid) -> bool:
    """Tell whether the first column has no name of its own and a different value in every row."""
    has_no_name = grid.header[0] in ("", "Unnamed: 0") and len(grid.header) > 1
    return has_no_name and len({row[0] for row in grid.rows}) == len(grid.rows)


def _refuse_nameless(grid: Grid) -> None:
    nameless = [str(number) for number, name in enumerate(grid.header, start=1) if not name]
    if nameless[:1] == ["1"] and _names_rows(grid):
        del nameless[0]
    if nameless:
        told = " The values of column 1 repeat, so they are no names of rows." if nameless[0] == "1" else ""
        raise InputError(f"Every column needs a name; column {', '.join(nameless)} of {grid.source} has none.{told}")


def _without_row_names(grid: Grid) -> Grid:
    if not _names_rows(grid):
        return grid
    note = "The first column has no name; it was taken for row names and dropped."
    return Grid(grid.source, grid.header[1:], [row[1:] for row in grid.rows], (*grid.notes, note))


def _check_lengths(grid: Grid, delimiter: str) -> None:
    for number, row in enumerate(grid.rows, start=1):
        if len(row) != len(grid.header):
            raise InputError(
                f"Row {number} of {grid.source} has {len(row)} fields and the header has {len(grid.header)} "
                f"(separated by {DELIMITERS.get(delimiter, repr(delimiter))}). Every row needs as many as the header."
            )
    if len(grid.header) == 1:
        raise InputError(
            f"At least two columns are needed; {grid.source} has 1 (columns separated by {DELIMITERS.get(delimiter, delimiter)})."
        )
