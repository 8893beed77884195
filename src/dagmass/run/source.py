"""What a run starts from: a table, local scores, a frame, a path or the name of a packaged data set."""

from __future__ import annotations

import os
from collections.abc import Sized
from pathlib import Path
from typing import Any

from dagmass.errors import InputError
from dagmass.graphs.varset import nearest_hint
from dagmass.run.datasets import DATASETS
from dagmass.scores.local_scores import LocalScores
from dagmass.table.table import Table


def resolve(source: Any, **options: Any) -> Table | LocalScores:
    """Return the table or the local scores that `source` stands for; `options` are those of `Table.from_frame`.

    The name of a packaged data set means that data set; write ``./zoo`` for a file of that name.
    """
    given = [name for name, value in options.items() if _is_given(value)]
    if isinstance(source, Table | LocalScores) or _is_scores_file(source):
        if given:
            raise InputError(f"{', '.join(given)} choose columns of a table while it is read; {_what(source)} has been read already.")
        return source if isinstance(source, Table | LocalScores) else _read_scores(source)
    if isinstance(source, str) and source in DATASETS:
        return Table.read(DATASETS[source].path, **options)
    if isinstance(source, str) and not os.path.exists(source) and "." not in source and source != "-":
        raise InputError(
            f"There is neither a file nor a packaged data set {source!r}.{nearest_hint(source, DATASETS)} "
            f"Packaged are {', '.join(DATASETS)}."
        )
    return Table.read(source, **options) if isinstance(source, str | Path) else Table.from_frame(source, **options)


def notes_on(data: Table | LocalScores | None) -> tuple[str, ...]:
    """Return what the user should know of how a table was read; scores and what has no table give nothing to say."""
    if not isinstance(data, Table):
        return ()
    aside = f"Columns with a single level were set aside: {', '.join(data.set_aside)}."
    return (*data.notes, aside) if data.set_aside else data.notes


def _is_given(option: Any) -> bool:
    return option is not None and (not isinstance(option, Sized) or len(option) > 0)


def _is_scores_file(source: Any) -> bool:
    return isinstance(source, str | Path) and Path(source).suffix.lower() == ".jkl"


def _read_scores(path: str | Path) -> LocalScores:
    from dagmass.exchange.jkl import read_jkl

    return read_jkl(path)


def _what(source: Any) -> str:
    return "a table" if isinstance(source, Table) else "a set of local scores"
