"""Reading CSV, TSV, Parquet and Arrow files into raw columns."""

from __future__ import annotations

import csv
import io
import sys
from dataclasses import dataclass
from pathlib import Path

from dagmass.errors import InputError
from dagmass.table.raw_column import RawColumn, from_texts

DELIMITERS = (",", ";", "\t", "|")
BINARY_SUFFIXES = {".parquet", ".pq", ".arrow", ".feather", ".ipc"}


@dataclass(frozen=True)
class RawFile:
    """The columns of a file and what there is to say about them."""

    columns: tuple[RawColumn, ...]
    notes: tuple[str, ...]


def read_file(path: str | Path) -> RawFile:
    """Read a table from a file, or from standard input for '-'."""
    if str(path) == "-":
        return read_text(*decode(sys.stdin.buffer.read(), "standard input"), "standard input")
    path = Path(path)
    if not path.exists():
        raise InputError(f"There is no file {str(path)!r}.")
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; a file with a table is needed.")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read: {error.strerror}.") from None
    if path.suffix.lower() in BINARY_SUFFIXES:
        return _read_binary(path)
    return read_text(*decode(content, str(path)), str(path), "\t" if path.suffix.lower() == ".tsv" else None)


def decode(content: bytes, source: str) -> tuple[str, tuple[str, ...]]:
    """Turn bytes into text: a byte order mark decides, then UTF-8, then Latin-1 (said in a note)."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return content.decode("utf-16"), ()
        except UnicodeDecodeError:
            raise InputError(f"{source} starts like UTF-16 text and is not. Save it as UTF-8.") from None
    if b"\0" in content[:4096]:
        raise InputError(f"{source} is not a text file. CSV, TSV, Parquet and Arrow files can be read.")
    try:
        return content.decode("utf-8-sig"), ()
    except UnicodeDecodeError:
        return content.decode("latin-1"), (f"{source} is not UTF-8; it was read as Latin-1.",)


def read_text(text: str, notes: tuple[str, ...], source: str, delimiter: str | None = None) -> RawFile:
    """Read delimited text with one header line."""
    import pandas as pd

    text = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    if not text.strip():
        raise InputError(f"{source} is empty; a header line and at least one row are needed.")
    delimiter = delimiter or _delimiter_of(text[: text.find("\n")] if "\n" in text else text)
    header, num_fields = _check_shape(text, delimiter, source)
    frame = pd.read_csv(
        io.StringIO(text),
        sep=delimiter,
        header=None,
        skiprows=1,
        names=range(num_fields),
        index_col=False,
        dtype=object,
        keep_default_na=False,
        na_filter=False,
        skipinitialspace=True,
    )
    names = [name.strip() for name in header]
    if len(names) == num_fields - 1:
        names.insert(0, "")
    first = 0
    if names[0] in ("", "Unnamed: 0"):
        first = 1
        notes = (*notes, "The first column has no name; it was taken for row names and dropped.")
    columns = tuple(from_texts(names[i], frame[i].to_numpy(), decimal_comma=delimiter == ";") for i in range(first, num_fields))
    return RawFile(columns, notes)


def _delimiter_of(header: str) -> str:
    """Return the separator that cuts the header into most fields."""
    return max(DELIMITERS, key=lambda delimiter: len(next(csv.reader([header], delimiter=delimiter))))


def _check_shape(text: str, delimiter: str, source: str) -> tuple[list[str], int]:
    """Return the header and the number of fields of every row; refuse ragged rows and tables without rows."""
    lines = text.split("\n")
    if '"' in text:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True) if row]
        header, lengths = rows[0], [len(row) for row in rows[1:]]
    else:
        header = lines[0].split(delimiter)
        lengths = [line.count(delimiter) + 1 for line in lines[1:] if line]
    if not lengths:
        raise InputError(f"{source} has a header line and no rows.")
    num_fields = lengths[0] if lengths[0] == len(header) + 1 else len(header)
    for row, length in enumerate(lengths, start=1):
        if length != num_fields:
            raise InputError(
                f"Row {row} of {source} has {length} fields; the header has {len(header)}. Every row needs as many fields as the header."
            )
    return header, num_fields


def _read_binary(path: Path) -> RawFile:
    try:
        import pyarrow as pa
        from pyarrow import feather, parquet
    except ImportError:
        raise InputError(f"Reading {path.suffix} files needs pyarrow: pip install 'dagmass[parquet]'.") from None
    from dagmass.table.frames import raw_columns

    try:
        table = parquet.read_table(path) if path.suffix.lower() in {".parquet", ".pq"} else feather.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{str(path)!r} is not a readable {path.suffix} file: {error}") from None
    return RawFile(tuple(raw_columns(table)), ())
