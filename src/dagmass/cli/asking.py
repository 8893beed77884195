"""Commands that ask a saved run: one verb, one method of `Posterior`."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

import click

from dagmass.cli.options import work_options, working_with
from dagmass.cli.output import check_formats, format_options, print_and_write, print_frame, print_json, print_value
from dagmass.cli.progress import working

if TYPE_CHECKING:
    import pandas as pd

    from dagmass.posterior.posterior import Posterior
    from dagmass.posterior.probability import Probability

run_argument = click.argument("run", metavar="RUN")


@click.command()
@run_argument
@format_options
def networks(run: str, **formats: bool) -> None:
    """List the networks of RUN, best first."""
    frame = _load(run).networks()
    if not formats["as_json"] and not formats["as_csv"]:
        frame = frame.drop(columns="network")  # too wide to read; the differences tell networks apart
    print_frame(frame, **formats)


@click.command()
@run_argument
@click.option("--by", type=click.Choice(["score", "mass"]), default="score", show_default=True, help="What comes first.")
@format_options
def classes(run: str, by: Literal["score", "mass"], **formats: bool) -> None:
    """List the classes of equivalent networks in RUN: those found with 'learn --classes', or those its networks fall into."""
    posterior = _load(run)
    frame = posterior.classes(by)
    if formats["as_json"] and not formats["as_csv"]:
        found = [posterior.class_of_rank(rank) for rank in frame["rank" if posterior.classes_masses else "best_rank"]]
        rows = frame.to_dict(orient="records")
        print_json([{**row, "directed": one.directed, "undirected": one.undirected} for row, one in zip(rows, found, strict=True)])
        return
    print_frame(frame, **formats)


@click.command()
@run_argument
@format_options
def edges(run: str, **formats: bool) -> None:
    """List all ordered pairs of variables and the share of networks with that edge."""
    print_frame(_by_average(_load(run).edges(), formats), **formats)


@click.command()
@run_argument
@format_options
def paths(run: str, **formats: bool) -> None:
    """List all ordered pairs of variables and the share of networks with a directed path."""
    print_frame(_by_average(_load(run).paths(), formats), **formats)


@click.command()
@run_argument
@click.argument("variable", metavar="VAR")
@format_options
def blanket(run: str, variable: str, **formats: bool) -> None:
    """List who is in the Markov blanket of VAR, how often, and as what."""
    print_frame(_load(run).blanket(variable), **formats)


@click.command("parents")
@run_argument
@click.argument("variable", metavar="VAR")
@format_options
def parent_sets(run: str, variable: str, **formats: bool) -> None:
    """List the parent sets of VAR and their shares."""
    frame = _load(run).parent_sets(variable)
    if formats["as_csv"]:
        frame["parents"] = [json.dumps(names, ensure_ascii=False) for names in frame["parents"]]
    elif not formats["as_json"]:
        frame["parents"] = [", ".join(names) or "none" for names in frame["parents"]]
    print_frame(frame, **formats)


@click.command()
@run_argument
@click.argument("expressions", nargs=-1, required=True, metavar="EXPR...")
@click.option("--draws", type=int, default=0, metavar="N", help="Complete bounds by N independent draws outside the networks of RUN.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same draws.")
@format_options
def query(run: str, expressions: tuple[str, ...], draws: int, seed: int, **formats: bool) -> None:
    """Say how probable each EXPR is, for example 'path(milk, type) and not edge(milk, type)'.

    Features: edge, link, path (a, b); v_structure(a, c, b); separated(a, b | c, d); parents, children, ancestors, descendants,
    blanket (a) =, >= or <= {b, c}. They are joined by and, or, not and parentheses. Odd names stand in double quotes.
    """
    posterior = _load(run)
    answers = [(expression, posterior.probability(expression, draws=draws, seed=seed)) for expression in expressions]
    text = "\n".join(f"{expression}\n  {answer!r}" for expression, answer in answers)
    rows = [_answer(expression, answer) for expression, answer in answers]
    print_value(rows, text, rows, ("expression", "average", "probability", "low", "high", "method"), **formats)


@click.command("best-with")
@run_argument
@click.argument("expressions", nargs=-1, required=True, metavar="EXPR...")
@work_options
@format_options
def best_with(run: str, expressions: tuple[str, ...], as_json: bool, as_csv: bool, **options: Any) -> None:
    """Find the best network with each EXPR, among all networks: 'edge(a, b)', 'not link(a, b)', 'parents(a) = {b, c}'."""
    from dagmass.exchange.model_strings import model_string

    posterior = _load(run)
    with working(**working_with(options)) as job:
        posterior.origin.job = job
        answers = [posterior.best_with(expression) for expression in expressions]
    rows = [
        {
            "expression": expression,
            "loss": None if answer.network is None else answer.loss,
            "log_score": answer.network and answer.network.log_score,
            "network": answer.network and model_string(answer.network),
        }
        for expression, answer in zip(expressions, answers, strict=True)
    ]
    columns = ("expression", "loss", "log_score", "network")
    print_value(rows, "\n".join(map(repr, answers)), rows, columns, as_json=as_json, as_csv=as_csv)


@click.command()
@run_argument
@click.argument("first", type=int)
@click.argument("second", type=int)
@format_options
def compare(run: str, first: int, second: int, **formats: bool) -> None:
    """Say what turns the network (or class) of rank FIRST into that of rank SECOND."""
    from dagmass.posterior.compare import ClassComparison

    comparison = _load(run).compare(first, second)
    one = "class" if isinstance(comparison, ClassComparison) else "network"
    text = f"From {one} {first} to {one} {second}: {comparison}"
    if isinstance(comparison, ClassComparison):
        ratio = math.exp(min(comparison.log_lambda, 700))
        text += f"\n{comparison.num_different_links} different links; a member of the first is {ratio:.6g} times as probable"
    rows = comparison.rows()
    print_value(rows, text, rows, ("change", "from", "to"), **formats)


@click.command()
@run_argument
@click.option("--threshold", type=float, default=0.5, show_default=True, help="The least average of an edge over the networks of RUN.")
@format_options
def consensus(run: str, threshold: float, **formats: bool) -> None:
    """Join the likely edges into one graph without cycles.

    This goes by the average over the networks of RUN, not by the exact probability of edges, which 'edges' tells where it is known.
    """
    found = _load(run).consensus(threshold)
    rows = [
        {"kind": kind, "from": edge.a, "to": edge.b, "average": edge.average, "directed": edge.is_directed}
        for kind, listed in (("edge", found.edges), ("skipped", found.skipped), ("link", found.links))
        for edge in listed
    ]
    print_value(rows, repr(found), rows, ("kind", "from", "to", "average", "directed"), **formats)


@click.command()
@run_argument
@click.argument("network", metavar="NETWORK")
@format_options
def rank(run: str, network: str, **formats: bool) -> None:
    """Score a NETWORK of your own: a model string '[a][b|a]', edges 'a -> b, b -> c', or a .bif file."""
    from dagmass.exchange.model_strings import model_string

    ranked = _load(run).rank(network)
    value = {
        "network": model_string(ranked.network),
        "log_score": ranked.log_score,
        "loss": ranked.loss,
        "rank": ranked.rank,
        "improvements": [asdict(change) for change in ranked.improvements],
        "edges": [{"from": parent, "to": child, "average": average} for parent, child, average in ranked.edges],
    }
    rows = [{"kind": kind, "value": value[kind]} for kind in ("log_score", "loss", "rank")]
    rows += [{"kind": "edge", "from": parent, "to": child, "value": average} for parent, child, average in ranked.edges]
    rows += [{"kind": change.kind, "from": change.parent, "to": change.child, "value": change.gain} for change in ranked.improvements]
    print_value(value, repr(ranked), rows, ("kind", "from", "to", "value"), **formats)


@click.command()
@run_argument
@click.option("-k", "k", type=int, required=True, metavar="K", help="How many networks there should be in all.")
@click.option("-o", "--output", metavar="FILE", help="Where to save the longer run.  [default: RUN itself]")
@work_options
@format_options
def more(run: str, k: int, output: str | None, as_json: bool, as_csv: bool, **options: Any) -> None:
    """Continue RUN until it holds K networks."""
    from dagmass.errors import InputError
    from dagmass.run.run_file import check_target, save

    check_formats(as_json=as_json, as_csv=as_csv)
    posterior = _load(run)
    target = output or run
    check_target(target)
    if k <= len(posterior):
        raise InputError(f"{run!r} holds {len(posterior)} networks already; ask for more than that, got -k {k}.")
    with working(**working_with(options)) as job:
        posterior.origin.job = job
        posterior = posterior.more(k - len(posterior))
    print_and_write(lambda: _print_run(posterior, as_json=as_json, as_csv=as_csv), lambda: save(posterior, target))
    if not as_json and not as_csv:
        click.echo(f"Written   {target}")


@click.command()
@run_argument
@click.option("-o", "--output", required=True, metavar="FILE", help="x.csv, x.dot, x.graphml, x.bif or x.txt.")
@click.option("--rank", "rank_", type=int, default=1, show_default=True, help="Which network, where the format holds one.")
def export(run: str, output: str, rank_: int) -> None:
    """Write RUN for other programs; the ending of the file name says what."""
    for path in _load(run).export(output, rank_):
        click.echo(f"Written   {path}")


@click.command()
@run_argument
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def info(run: str, as_json: bool) -> None:
    """Say what RUN holds, without asking it anything."""
    from dagmass.run.run_file import describe
    from dagmass.show.description import description

    about = describe(run)
    if as_json:
        print_json(about)
        return
    click.echo(description(about))


def _load(run: str) -> Posterior:
    from dagmass.run.run_file import load

    return load(run)


def _by_average(frame: pd.DataFrame, formats: dict[str, bool]) -> pd.DataFrame:
    """Put likely rows first for people; programs get the order of the variables."""
    return frame if formats["as_json"] or formats["as_csv"] else frame.sort_values("average", ascending=False, kind="stable")


def _answer(expression: str, answer: Probability) -> dict[str, Any]:
    return {
        "expression": expression,
        "average": answer.average,
        "probability": None if answer.method == "bounds" else answer.value,
        "low": answer.low,
        "high": answer.high,
        "method": answer.method,
    }


def _print_run(posterior: Posterior, *, as_json: bool, as_csv: bool) -> None:
    from dagmass.show.contract import learn_json

    if as_csv:
        print_frame(posterior.networks(), as_json=False, as_csv=True)
    elif as_json:
        print_json(learn_json(posterior))
    else:
        click.echo(repr(posterior))


COMMANDS = (networks, classes, edges, paths, blanket, parent_sets, query, best_with, compare, consensus, rank, more, export, info)
