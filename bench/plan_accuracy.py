"""Compare what `dagmass plan` says with what `dagmass learn` takes, each in a process of its own; print the table of docs/plan.md.

Usage: python bench/plan_accuracy.py
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from random_tables import random_table

PACKAGED = ("iris", "asia", "nursery", "tic-tac-toe", "zoo")
RANDOM = ((15, 5000), (20, 1000), (23, 1000))


def main() -> None:
    """Print one row a data set."""
    print("| data | variables | memory planned | measured | time planned | measured | inside |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name, source in sources(Path(folder)):
            print(row(name, source), flush=True)


def sources(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name of each data set and what to give to the command line."""
    for name in PACKAGED:
        yield name, name
    for num_variables, num_rows in RANDOM:
        table = random_table(num_variables, num_rows)
        path = folder / f"random_{num_variables}.csv"
        lines = [",".join(table.variables), *(",".join(map(str, values)) for values in table.codes.T.tolist())]
        path.write_text("\n".join(lines) + "\n")
        yield f"random, {num_rows} rows", str(path)


def row(name: str, source: str) -> str:
    """Plan and learn one data set."""
    planned, _ = run("plan", source, "--json")
    learned, peak = run("learn", source, "--json")
    seconds, low, high = learned["seconds"]["total"], planned["seconds_low"], planned["seconds_high"]
    inside = low <= seconds <= high and planned["memory"] / 2 <= peak <= 2 * planned["memory"]
    return (
        f"| {name} | {planned['num_variables']} | {planned['memory'] / 2**20:.0f} MiB | {peak / 2**20:.0f} MiB "
        f"| {low:.2g} to {high:.2g} s | {seconds:.2g} s | {'yes' if inside else 'NO'} |"
    )


def run(verb: str, source: str, *options: str) -> tuple[dict[str, object], int]:
    """Run one command; return its JSON and its peak memory in bytes."""
    code = (
        "import sys; from dagmass.cli.main import run; status = run(sys.argv[1:]);"
        "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1], file=sys.stderr); sys.exit(status)"
    )
    done = subprocess.run([sys.executable, "-c", code, verb, source, "-k", "100", *options], capture_output=True, text=True, check=True)
    return json.loads(done.stdout), int(done.stderr.splitlines()[-1]) * 1024  # kibibytes


if __name__ == "__main__":
    main()
