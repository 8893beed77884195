"""How commands print: for people by default, --json or --csv for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from dagmass.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

Command = TypeVar("Command", bound=Callable[..., Any])
Written = TypeVar("Written")

TEXT_ROWS = 25
TEXT_WIDTH = 70  # of the widest column


def format_options(command: Command) -> Command:
    """Add --json and --csv."""
    command = click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")(command)
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def print_frame(frame: pd.DataFrame, *, as_json: bool, as_csv: bool) -> None:
    """Print a table; people get its first rows and are told how many there are."""
    check_formats(as_json=as_json, as_csv=as_csv)
    if as_json:
        print_json(frame.to_dict(orient="records"))
    elif as_csv:
        click.echo(frame.to_csv(index=False), nl=False)
    else:
        click.echo(_text(frame))


def print_value(value: Any, text: str, rows: list[dict[str, Any]], columns: tuple[str, ...], *, as_json: bool, as_csv: bool) -> None:
    """Print something that is not a table: the value as JSON, its rows as CSV or the text given."""
    check_formats(as_json=as_json, as_csv=as_csv)
    if as_json:
        print_json(value)
    elif as_csv:
        import pandas as pd

        frame = pd.DataFrame(rows, columns=list(columns), dtype=object)  # a whole number stays one beside others
        click.echo(frame.to_csv(index=False), nl=False)
    else:
        click.echo(text)


def print_and_write(show: Callable[[], None], write: Callable[[], Written]) -> Written:
    """Print what was found, then write it; where one of them fails, the other is done all the same."""
    try:
        show()
    finally:
        written = write()
    return written


def print_json(value: Any) -> None:
    """Print plain values as JSON; infinity and NaN, which JSON does not have, become null."""
    click.echo(json.dumps(_finite(value), ensure_ascii=False, allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    return [_finite(part) for part in value] if isinstance(value, list | tuple) else value


def check_formats(*, as_json: bool, as_csv: bool) -> None:
    """Refuse both formats at once."""
    if as_json and as_csv:
        raise InputError("--json and --csv exclude each other.")


def _text(frame: pd.DataFrame) -> str:
    if frame.empty:
        return "none"
    formats = {"log_score": lambda value: f"{value:.6f}"}
    head = frame.head(TEXT_ROWS)
    lines = [head.to_string(index=False, max_colwidth=TEXT_WIDTH, float_format=lambda value: f"{value:.6g}", formatters=formats)]
    if len(frame) > TEXT_ROWS:
        lines.append(f"... {len(frame) - TEXT_ROWS} further rows; --csv or --json prints all {len(frame)}.")
    return "\n".join(lines)
