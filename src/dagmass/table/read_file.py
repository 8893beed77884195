"""Reading CSV, TSV, Parquet and Arrow files into raw columns."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from dagmass.errors import InputError
from dagmass.table.delimited import RawFile, read_text

PARQUET_SUFFIXES = {".parquet", ".pq"}
BINARY_SUFFIXES = {*PARQUET_SUFFIXES, ".arrow", ".arrows", ".feather", ".ipc"}
ARROW_FILE_MARKS = (b"ARROW1", b"FEA1")  # a stream begins with the length of its schema


def read_file(path: str | Path) -> RawFile:
    """Read a table from a file, or from standard input for '-'."""
    if str(path) == "-":
        if sys.stdin is None:
            raise InputError("Standard input is closed; '-' reads the table from there.")
        return read_text(*decode(sys.stdin.buffer.read(), "standard input"), "standard input")
    content, shown, suffix = content_of(path), str(path), Path(path).suffix.lower()
    if suffix in BINARY_SUFFIXES:
        return _read_binary(content, shown, suffix)
    return read_text(*decode(content, shown), shown, "\t" if suffix == ".tsv" else None)


def content_of(path: str | Path) -> bytes:
    """Return the bytes of a file."""
    if not isinstance(path, str | Path):
        raise InputError(f"A file is read from its path, got {type(path).__name__}. Frames, arrays and dicts go to Table.from_frame.")
    shown = repr(str(path)[:80])
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"There is no file {shown}.") from None
    except IsADirectoryError:
        raise InputError(f"{shown} is a folder; a file is needed.") from None
    except (OSError, ValueError) as error:  # a path with a null byte is a ValueError
        raise InputError(f"{shown} cannot be read: {getattr(error, 'strerror', None) or error}.") from None


def decode(content: bytes, source: str) -> tuple[str, tuple[str, ...]]:
    """Turn bytes into text: a byte order mark decides, then UTF-8, then Latin-1 as Windows extends it (said in a note)."""
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
        return content.decode("cp1252", errors="replace"), (f"{source} is not UTF-8; it was read as Latin-1 (Windows-1252).",)


def _read_binary(content: bytes, source: str, suffix: str) -> RawFile:
    try:
        import pyarrow as pa
    except ImportError:
        raise InputError(f"Reading {suffix} files needs pyarrow: pip install 'dagmass[parquet]'.") from None
    from dagmass.table.frames import raw_columns

    try:
        table = _arrow_table(content, suffix)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{source!r} is not a readable {suffix} file: {error}") from None
    return RawFile(tuple(raw_columns(table)), ())


def _arrow_table(content: bytes, suffix: str) -> Any:
    import pyarrow as pa
    from pyarrow import feather, ipc, parquet

    source = pa.BufferReader(content)
    if suffix in PARQUET_SUFFIXES:
        return parquet.ParquetFile(source).read()
    if content.startswith(ARROW_FILE_MARKS):
        return feather.read_table(source)
    return ipc.open_stream(source).read_all()
