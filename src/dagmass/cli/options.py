"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from dagmass.scores.constraints import Constraints

Command = TypeVar("Command", bound=Callable[..., Any])


def data_argument(command: Command) -> Command:
    """Add DATA and how to read it."""
    for decorate in reversed(
        (
            click.argument("data"),
            click.option("--columns", multiple=True, metavar="NAME", help="Use only this column (repeat for more)."),
            click.option("--drop", multiple=True, metavar="NAME", help="Leave this column out (repeat for more)."),
            click.option("--discrete", multiple=True, metavar="NAME", help="This column is discrete whatever it holds (repeat for more)."),
            click.option(
                "--levels", multiple=True, metavar="NAME=A,B,C", help="All levels of this column, those included that do not occur."
            ),
            click.option("--counts", metavar="NAME", help="This column says how often each row occurs."),
        )
    ):
        command = decorate(command)
    return command


def score_options(command: Command) -> Command:
    """Add the choice of score and what limits parents."""
    command = click.option("--absent", multiple=True, metavar="A->B", help="This edge is known to be absent (repeat for more).")(command)
    command = click.option(
        "--candidates", multiple=True, metavar="NAME=A,B,C", help="Only these may be parents of NAME (repeat for more)."
    )(command)
    command = click.option("--max-parents", type=int, metavar="D", help="Largest number of parents of a variable.")(command)
    return click.option("--ess", type=float, metavar="A", help="Equivalent sample size of the BDeu score.  [default: 1]")(command)


def evidence_option(command: Command) -> Command:
    """Add whether to sum over all networks."""
    choice = click.Choice(["yes", "no"])
    return click.option("--evidence", type=choice, help="Sum over all networks too?  [default: up to 20 variables]")(command)


def yes_or_no(answer: str | None) -> bool | None:
    """Read an answer that may be left open."""
    return None if answer is None else answer == "yes"


def search_options(command: Command) -> Command:
    """Add how many networks to find."""
    for decorate in reversed(
        (
            click.option("-k", "k", type=int, metavar="K", help="How many networks.  [default: 100]"),
            click.option("--classes", is_flag=True, help="Find classes of equivalent networks in place of networks."),
            click.option(
                "--class-prior",
                type=click.Choice(["networks", "classes"]),
                default="networks",
                show_default=True,
                help="With --classes: weigh a class by its members, or every class as one.",
            ),
            click.option("--mass", type=float, metavar="P", help="Instead: until they hold this share of the posterior."),
            click.option("--bayes-factor", type=float, metavar="B", help="Instead: all at least 1/B times as probable as the best."),
            click.option("--strict", is_flag=True, help="With --bayes-factor: leave out networks with a better-scoring subgraph."),
            click.option("--max-networks", type=int, metavar="N", help="With --mass or --bayes-factor: end here.  [default: 1000000]"),
            click.option("--max-seconds", type=float, metavar="S", help="With --mass or --bayes-factor: end the search after so long."),
            evidence_option,
        )
    ):
        command = decorate(command)
    return command


def searching(options: dict[str, Any]) -> dict[str, Any]:
    """Take out of a command's options those that say how many networks to find."""
    limits = {name: options[name] for name in ("max_networks", "max_seconds") if options[name] is not None}
    given = {name: options[name] for name in ("k", "classes", "class_prior", "mass", "bayes_factor", "strict")}
    return {**given, **limits, "evidence": yes_or_no(options["evidence"])}


def number_of_bytes(text: str) -> int:
    """Read 8G, 500M, 1.5GiB or a plain number; units are powers of 1024."""
    import re

    match = re.fullmatch(r"(\d+(?:\.\d*)?)\s*([kmgt]?)(?:i?b)?", text.strip().lower())
    number = int(float(match[1]) * 1024 ** " kmgt".index(match[2] or " ")) if match else 0
    if not 1 <= number < 2**62:
        raise click.BadParameter(f"a number of bytes is needed, such as 8G or 500M, got {text!r}.")
    return number


def work_options(command: Command) -> Command:
    """Add threads, the limit on memory and silence."""
    command = click.option("-q", "--quiet", is_flag=True, help="No progress and no notes on standard error.")(command)
    command = click.option(
        "--max-memory",
        type=number_of_bytes,
        metavar="M",
        help="Hold no more than this, such as 8G; tables of a search that do not fit go to temporary files.",
    )(command)
    return click.option("--threads", type=int, metavar="T", help="Number of threads.  [default: all cores]")(command)


def checkpoint_option(command: Command) -> Command:
    """Add a folder for what is finished."""
    return click.option("--checkpoint", metavar="DIR", help="Keep finished tables here; the same command goes on where it was stopped.")(
        command
    )


def working_with(options: dict[str, Any]) -> dict[str, Any]:
    """Take out of a command's options those that say how the work is done."""
    return {name: options[name] for name in ("threads", "max_memory", "checkpoint", "quiet") if name in options}


def reading(options: dict[str, Any]) -> dict[str, Any]:
    """Take out of a command's options those that say how to read a table."""
    return {
        "columns": list(options["columns"]) or None,
        "drop": list(options["drop"]),
        "discrete": list(options["discrete"]),
        "levels": dict(_named_list(text, "--levels") for text in options["levels"]),
        "counts": options["counts"],
    }


def _named_list(text: str, option: str) -> tuple[str, list[str]]:
    """Read NAME=A,B,C; a name that holds a sign, and whatever holds a comma, stands in double quotes."""
    import csv
    import re

    match = re.fullmatch(r"""("(?:[^"]|"")*"|[^="]*)=(.*)""", text, flags=re.DOTALL)
    if match is None:
        hint = 'a column and a list are needed, such as size=low,medium,high or "x=1"=low,high'
        raise click.BadParameter(f"{hint}, got {text!r}.", param_hint=option)
    return _unquoted(match[1]), next(csv.reader([match[2]], skipinitialspace=True), [])


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name


def scoring(options: dict[str, Any]) -> dict[str, Any]:
    """Take out of a command's options those that choose the score."""
    from dagmass.scores.bdeu import BDeu

    return {
        "score": None if options["ess"] is None else BDeu(options["ess"]),
        "max_parents": options["max_parents"],
        "constraints": _constraints(options["candidates"], options["absent"]),
    }


def _constraints(candidates: tuple[str, ...], absent: tuple[str, ...]) -> Constraints | None:
    from dagmass.scores.constraints import Constraints

    if not candidates and not absent:
        return None
    return Constraints(dict(_named_list(text, "--candidates") for text in candidates), [_absent_edge(text) for text in absent])


def _absent_edge(text: str) -> tuple[str, str]:
    """Read A->B; a name that holds an arrow stands in double quotes."""
    import re

    name = r"""\s*("(?:[^"]|"")*"|(?:(?!->)[^"])*?)\s*"""
    match = re.fullmatch(f"{name}->{name}", text, flags=re.DOTALL)
    if match is None:
        hint = "one edge is needed, such as 'a -> b'; names that hold an arrow stand in double quotes"
        raise click.BadParameter(f"{hint}, got {text!r}.", param_hint="--absent")
    return _unquoted(match[1]), _unquoted(match[2])
