"""Measure how time and memory grow with variables and networks, and write docs/scaling.md and docs/scaling.svg.

Usage: python bench/scaling.py [--largest 30]
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
from measure import measure

mpl.use("svg")
mpl.rcParams["svg.hashsalt"] = "dagmass"

DOCS = Path(__file__).parent.parent / "docs"
STAGES = ("scores", "parent sets", "best networks")
RESTRICTIONS = {
    "none": (),
    "at most 3 parents": ("--max-parents", "3"),
    "at most 2 parents": ("--max-parents", "2"),
    "12 candidates each": ("--num-candidates", "12"),
    "8 candidates each": ("--num-candidates", "8"),
    "8 candidates each, at most 2 parents": ("--num-candidates", "8", "--max-parents", "2"),
}


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--largest", type=int, default=30)
    largest = parser.parse_args().largest
    measure("random:10:1000")  # loads the files of the libraries
    by_size = {n: said(f"random:{n}:1000", "-k", "100") for n in (*range(10, largest, 2), largest)}
    ladder = [10**i for i in range(2, 8)]
    by_count = {
        "zoo, 17 variables": {k: said("zoo", "-k", str(k)) for k in ladder},
        "random, 20 variables": {k: said("random:20:1000", "-k", str(k)) for k in ladder[:-1]},
        "random, 24 variables": {k: said("random:24:1000", "-k", str(k)) for k in ladder[:3]},
    }
    restricted = {name: said("random:24:1000", "-k", "100", *options) for name, options in RESTRICTIONS.items()}
    text = "\n".join([*introduction(), *sizes(by_size), *counts(by_count), *restrictions(restricted), *places()])
    (DOCS / "scaling.md").write_text(text + "\n")
    draw(by_size, by_count)


def said(data: str, *options: str) -> dict[str, Any]:
    """Measure a run and say so."""
    found = measure(data, *options)
    print(data, *options, f"{found['seconds']['total']:.2f} s, {found['megabytes']:.0f} MB", flush=True)
    return found


def introduction() -> Iterator[str]:
    yield "# How it scales"
    yield ""
    yield "Written by `python bench/scaling.py` on a machine with two cores (AVX-512) and 24 GiB; every run in a process of its own,"
    yield "two threads, sums over all networks left out. Memory is the peak above what the process held before. Random tables: a network"
    yield "with at most 3 parents a node, 2 or 3 levels, Dirichlet(1) parameters, 1000 rows. The goals that these figures are held to are"
    yield "in `bench/test_large.py`."
    yield ""
    yield "![Seconds and memory against variables and networks](scaling.svg)"
    yield ""


def sizes(by_size: dict[int, dict[str, Any]]) -> Iterator[str]:
    yield "## Variables"
    yield ""
    yield "The 100 best networks, unlimited parents. Operations are steps of the innermost loops: rows, agreements and vectors of cells"
    yield "looked at; parent sets and passes over their blocks; sinks tried and passes that rebuild best parents; states of the search."
    yield ""
    columns = ("variables", "scores", "lists and best networks", "search", "total", "memory", "operations: scores", *STAGES[1:], "states")
    yield f"| {' | '.join(columns)} |"
    yield "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for n, found in by_size.items():
        seconds = found["seconds"]
        yield (
            f"| {n} | {seconds['scores']:.3g} s | {seconds['tables']:.3g} s | {seconds['search']:.3g} s | {seconds['total']:.3g} s "
            f"| {found['megabytes']:.0f} MB | {operations_of(found, (*STAGES, 'networks'))} |"
        )
    first, last = min((n for n in by_size if n >= 18), default=min(by_size)), max(by_size)
    yield ""
    yield (
        f"From {first} to {last} variables the operations grow by these factors for each variable more: "
        + ", ".join(
            f"{stage} {(by_size[last]['operations'][stage] / by_size[first]['operations'][stage]) ** (1 / (last - first)):.2f}"
            for stage in STAGES
        )
        + "."
    )
    yield ""


def operations_of(found: dict[str, Any], stages: Iterable[str]) -> str:
    return " | ".join(f"{found['operations'][stage]:.2g}" for stage in stages)


def counts(by_count: dict[str, dict[int, dict[str, Any]]]) -> Iterator[str]:
    yield "## Networks"
    yield ""
    yield "The search after the tables; memory above the tables."
    yield ""
    yield "| data | networks | search | states | memory |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for name, ladder in by_count.items():
        for k, found in ladder.items():
            yield (
                f"| {name} | {k:,} | {found['seconds']['search']:.2g} s | {found['operations']['networks']:,} "
                f"| {found['megabytes_above_tables']:.0f} MB |"
            )
    yield ""


def restrictions(restricted: dict[str, dict[str, Any]]) -> Iterator[str]:
    yield "## Restrictions"
    yield ""
    yield "Random, 24 variables, 100 networks. Candidates are the next variables in the order of the table. Sets that no allowed family"
    yield "needs are neither counted nor listed; the table of best networks is as large as ever."
    yield ""
    yield "| restriction | scores | lists and best networks | total | operations: scores | parent sets | best networks |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for name, found in restricted.items():
        seconds = found["seconds"]
        yield (
            f"| {name} | {seconds['scores']:.2g} s | {seconds['tables']:.2g} s | {seconds['total']:.2g} s "
            f"| {operations_of(found, STAGES)} |"
        )
    yield ""


def places() -> Iterator[str]:
    yield "## Tables in files"
    yield ""
    yield "Random, 26 variables, 100 networks: one table over all subsets takes 537 MB."
    yield ""
    yield "| where | scores | lists and best networks | total | memory |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    plain = said("random:26:1000", "-k", "100")
    yield place("in memory", plain)
    with tempfile.TemporaryDirectory() as folder:
        yield place("in memory, with `--checkpoint`", checked(plain, "--checkpoint", folder))
        yield place("the same again: everything is there", checked(plain, "--checkpoint", folder))
    yield place("in files, with `--max-memory 400M`", checked(plain, "--max-memory", str(400 << 20)))


def checked(plain: dict[str, Any], *options: str) -> dict[str, Any]:
    """Measure the same run elsewhere; its answer must be the same."""
    found = said("random:26:1000", "-k", "100", *options)
    if found["checksum"] != plain["checksum"]:
        raise AssertionError("a run in files gave another answer")
    return found


def place(name: str, found: dict[str, Any]) -> str:
    seconds = found["seconds"]
    return f"| {name} | {seconds['scores']:.2g} s | {seconds['tables']:.2g} s | {seconds['total']:.2g} s | {found['megabytes']:.0f} MB |"


def draw(by_size: dict[int, dict[str, Any]], by_count: dict[str, dict[int, dict[str, Any]]]) -> None:
    """Plot both ladders on logarithmic axes."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(9, 6.4), layout="constrained")
    variables = list(by_size)
    for stage, label in (("scores", "scores"), ("tables", "lists and best networks"), ("search", "search"), ("total", "total")):
        axes[0, 0].plot(variables, [found["seconds"][stage] for found in by_size.values()], marker="o", markersize=3, label=label)
    axes[0, 1].plot(variables, [max(found["megabytes"], 1) for found in by_size.values()], marker="o", markersize=3, label="measured")
    axes[0, 1].plot(variables, [8 * 2**n / 1e6 for n in variables], linestyle=":", label="one table, 8·2ⁿ bytes")
    for name, ladder in by_count.items():
        axes[1, 0].plot(list(ladder), [found["seconds"]["search"] for found in ladder.values()], marker="o", markersize=3, label=name)
        axes[1, 1].plot(
            list(ladder), [max(found["megabytes_above_tables"], 1) for found in ladder.values()], marker="o", markersize=3, label=name
        )
    for row, x in enumerate(("variables (100 best networks)", "networks (after the tables)")):
        for column, y in enumerate(("seconds", "megabytes")):
            axis = axes[row, column]
            axis.set(xlabel=x, ylabel=y, yscale="log", xscale="log" if row else "linear")
            axis.grid(alpha=0.3)
            if not row:
                axis.set_xticks(variables[::2])
            axis.legend(fontsize=8)
    figure.savefig(DOCS / "scaling.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
