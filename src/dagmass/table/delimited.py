"""Delimited text with one header line, as raw columns."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace

from dagmass.errors import InputError
from dagmass.table.raw_column import RawColumn, from_texts

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


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
    delimiter = delimiter or _delimiter_of(text.partition("\n")[0])
    header, *rows = _split_quoted(text, delimiter, source) if '"' in text else _split(text, delimiter)
    if not rows:
        raise InputError(f"{source} has a header line and no rows.")
    grid = _without_row_names(_without_last_separator(Grid(source, header, rows, notes)))
    _check_lengths(grid, delimiter)
    columns = zip(*grid.rows, strict=True)
    return RawFile(
        tuple(from_texts(name, texts, decimal_comma=delimiter == ";") for name, texts in zip(grid.header, columns, strict=True)),
        grid.notes,
    )


def _delimiter_of(header: str) -> str:
    """Return the separator that cuts the header into most fields."""
    return max(DELIMITERS, key=lambda delimiter: len(next(csv.reader([header], delimiter=delimiter))))


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


def _without_row_names(grid: Grid) -> Grid:
    """Drop a first column that has no name and names the rows, as R and pandas write them."""
    header = grid.header
    if all(len(row) == len(header) + 1 for row in grid.rows):
        header = ["", *header]
        if len({row[0] for row in grid.rows}) < len(grid.rows):
            return grid  # not names: they repeat; the lengths will be refused
    if header[0] not in ("", "Unnamed: 0") or len(header) < 2:
        return grid
    note = "The first column has no name; it was taken for row names and dropped."
    return Grid(grid.source, header[1:], [row[1:] for row in grid.rows], (*grid.notes, note))


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
