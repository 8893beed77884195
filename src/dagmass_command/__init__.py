"""The start of the `dagmass` command, outside the package because importing that takes a while: Ctrl-C is heeded from here on."""

import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130


def main() -> None:
    """Import and run the command line."""
    waits_for_interrupts = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not so behind nohup
    if waits_for_interrupts:
        signal.signal(signal.SIGINT, _end_at_once)
    from dagmass.cli.main import main as run_and_exit

    if waits_for_interrupts:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run_and_exit()


def _end_at_once(_signal: int, _frame: FrameType | None) -> None:
    """End without unwinding: an exception could strike half-imported modules, which swallow it or report another one."""
    sys.stderr.write("dagmass: Interrupted.\n")
    sys.stderr.flush()
    os._exit(INTERRUPTED)
