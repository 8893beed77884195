"""Writing a posterior to files; the ending of the name says what is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dagmass.errors import InputError
from dagmass.exchange.dot import dot_lines
from dagmass.exchange.files import write_text
from dagmass.exchange.model_strings import model_string_lines

if TYPE_CHECKING:
    import pandas as pd

    from dagmass.posterior.posterior import Posterior

ENDINGS = {
    ".csv": "NAME.networks.csv and NAME.edges.csv",
    ".dot": "the best network for Graphviz",
    ".txt": "all networks as bnlearn model strings with their weights",
}


def check_ending(path: str | Path) -> None:
    """Refuse a file name whose ending does not say what to write."""
    if Path(path).suffix.lower() not in ENDINGS:
        listed = ", ".join(f"{ending} ({what})" for ending, what in ENDINGS.items())
        raise InputError(f"The ending of {str(path)!r} must say what to write: {listed}.")
    if not Path(path).parent.is_dir():
        raise InputError(f"There is no folder {str(Path(path).parent)!r} to write to.")


def export(posterior: Posterior, path: str | Path) -> list[Path]:
    """Write a posterior; return the files written."""
    check_ending(path)
    path = Path(path)
    match path.suffix.lower():
        case ".csv":
            return [_write_frame(posterior.networks(), path, "networks"), _write_frame(posterior.edges(), path, "edges")]
        case ".dot":
            write_text(path, dot_lines(posterior[1]))
        case _:
            write_text(path, model_string_lines(posterior))
    return [path]


def _write_frame(frame: pd.DataFrame, path: Path, part: str) -> Path:
    target = path.with_name(f"{path.stem}.{part}.csv")
    write_text(target, [frame.to_csv(index=False)])
    return target
