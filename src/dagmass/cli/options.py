"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def data_argument(command: Command) -> Command:
    """Add DATA and how to read it."""
    for decorate in reversed(
        (
            click.argument("data"),
            click.option("--columns", multiple=True, metavar="NAME", help="Use only this column (repeat for more)."),
            click.option("--drop", multiple=True, metavar="NAME", help="Leave this column out (repeat for more)."),
            click.option("--discrete", multiple=True, metavar="NAME", help="This column is discrete whatever it holds (repeat for more)."),
            click.option("--counts", metavar="NAME", help="This column says how often each row occurs."),
        )
    ):
        command = decorate(command)
    return command


def score_options(command: Command) -> Command:
    """Add the choice of score."""
    command = click.option("--max-parents", type=int, metavar="D", help="Largest number of parents of a variable.")(command)
    return click.option("--ess", type=float, metavar="A", help="Equivalent sample size of the BDeu score.  [default: 1]")(command)


def work_options(command: Command) -> Command:
    """Add threads and silence."""
    command = click.option("-q", "--quiet", is_flag=True, help="No progress and no notes on standard error.")(command)
    return click.option("--threads", type=int, metavar="T", help="Number of threads.  [default: all cores]")(command)


def reading(options: dict[str, Any]) -> dict[str, Any]:
    """Take out of a command's options those that say how to read a table."""
    return {
        "columns": list(options["columns"]) or None,
        "drop": list(options["drop"]),
        "discrete": list(options["discrete"]),
        "counts": options["counts"],
    }


def scoring(options: dict[str, Any]) -> dict[str, Any]:
    """Take out of a command's options those that choose the score."""
    from dagmass.scores.bdeu import BDeu

    return {"score": None if options["ess"] is None else BDeu(options["ess"]), "max_parents": options["max_parents"]}
