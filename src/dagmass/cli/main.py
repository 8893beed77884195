"""The `dagmass` command and how it ends: 0 done, 1 failed, 2 bad usage or data, 3 too large, 130 interrupted."""

from __future__ import annotations

import io
import os
import sys
import warnings

import click

from dagmass.cli import asking, learning
from dagmass.errors import DagmassError, DagmassWarning

INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="dagmass")
def cli() -> None:
    """Find the k best Bayesian networks of a table, exactly.

    DATA is the path of a CSV, TSV, Parquet or Arrow file, '-' for standard input, a .jkl file of local scores, or the name of a
    packaged data set (see 'dagmass datasets'). RUN is a .dagmass file that 'dagmass learn DATA -o RUN.dagmass' wrote.
    """


for command in (*learning.COMMANDS, *asking.COMMANDS):
    cli.add_command(command)


def main() -> None:
    """Run the command line and exit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # an arrow that the encoding lacks is no reason to fail
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command; return its exit code."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", DagmassWarning)
        warnings.showwarning = _show_warning
        return _run(arguments)


def _run(arguments: list[str]) -> int:
    try:
        exit_code = cli.main(arguments, prog_name="dagmass", standalone_mode=False)  # that of click's Exit; None without one
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return 2 if isinstance(error, click.exceptions.NoArgsIsHelpError) else error.exit_code
    except (DagmassError, MemoryError, KeyboardInterrupt, click.Abort, OSError) as error:
        return _end(error)
    except SystemExit:  # click leaves so when the reader of a pipe is gone, and after shell completion
        _discard_output()
        return 0
    return int(exit_code or 0)


def _end(error: BaseException) -> int:
    """Say what went wrong; return the exit code for it."""
    if isinstance(error, DagmassError):
        return _fail(str(error), error.exit_code)
    if isinstance(error, MemoryError):
        return _fail("The memory does not suffice. 'dagmass plan' says what a run needs.", 3)
    if isinstance(error, OSError):
        _discard_output()
        is_enough = isinstance(error, BrokenPipeError)  # the reader of a pipe has seen what it wanted
        return 0 if is_enough else _fail(f"The output cannot be written: {error.strerror}.", 1)
    return _fail("Interrupted.", INTERRUPTED)


def _discard_output() -> None:
    """Send what is still buffered for standard output nowhere, so that the end of the program does not fail over it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, exit_code: int) -> int:
    click.echo(f"dagmass: {message}", err=True)
    return exit_code


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    click.echo(f"dagmass: {message}", err=True)
