"""Commands that start from data: one verb, one library call."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from dagmass.cli.options import data_argument, reading, score_options, scoring, work_options
from dagmass.cli.progress import working

if TYPE_CHECKING:
    from dagmass.posterior.posterior import Posterior


@click.command()
@data_argument
@click.option("-k", "k", type=int, default=100, show_default=True, metavar="K", help="How many networks.")
@score_options
@work_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("-o", "--output", metavar="FILE", help="Write x.dagmass (for further questions), .csv, .dot, .graphml, .bif or .txt.")
@click.option("--no-data", is_flag=True, help="Leave the table out of x.dagmass.")
def learn(data: str, k: int, as_json: bool, output: str | None, no_data: bool, **options: Any) -> None:
    """Find the K best networks of DATA."""
    from dagmass.exchange.export import check_ending, export
    from dagmass.run.learn import learn as learn_posterior
    from dagmass.show.contract import learn_json

    if output is not None:
        check_ending(output)
    with working(options["threads"], quiet=options["quiet"]) as job:
        posterior = learn_posterior(data, k=k, job=job, **scoring(options), **reading(options))
    written = export(posterior, output, data=not no_data) if output else []
    if as_json:
        click.echo(json.dumps(learn_json(posterior), ensure_ascii=False))
        return
    click.echo(repr(posterior))
    for path in written:
        click.echo(f"Written   {path}")
    click.echo(f"Next      {_next_steps(data, posterior, output)}")


@click.command()
@data_argument
@click.option("-o", "--output", required=True, metavar="FILE", help="The .jkl file to write.")
@score_options
@work_options
def scores(data: str, output: str, **options: Any) -> None:
    """Write the local scores of DATA in GOBNILP's format."""
    from dagmass.errors import InputError
    from dagmass.exchange.jkl import write_jkl
    from dagmass.run.learn import scores_of
    from dagmass.run.source import resolve

    if not output.endswith(".jkl"):
        raise InputError(f"Local scores are written to a .jkl file, got {output!r}.")
    with working(options["threads"], quiet=options["quiet"]) as job:
        local = scores_of(resolve(data, **reading(options)), **scoring(options), job=job)
        notes = write_jkl(local, output)
    if not options["quiet"]:
        for note in notes:
            click.echo(note, err=True)
    click.echo(f"Written   {output}: {local.num_variables} variables")


@click.command()
@data_argument
@click.option("-k", "k", type=int, default=100, show_default=True, metavar="K", help="How many networks.")
@score_options
@click.option("--threads", type=int, metavar="T", help="Number of threads.  [default: all cores]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def plan(data: str, k: int, as_json: bool, threads: int | None, **options: Any) -> None:
    """Say what 'learn' would cost, before anything is computed."""
    from dataclasses import asdict

    from dagmass.job import Job
    from dagmass.run.plan import plan as plan_run

    planned = plan_run(data, k=k, job=Job(threads), **scoring(options), **reading(options))
    click.echo(json.dumps({**asdict(planned), "fits": planned.fits}) if as_json else repr(planned))
    if not planned.fits:
        raise click.exceptions.Exit(3)


@click.command()
def datasets() -> None:
    """List the packaged data sets."""
    from dagmass.run.datasets import DATASETS

    for dataset in DATASETS.values():
        click.echo(f"{dataset.name:<12} {dataset.num_rows:>6} rows {dataset.num_columns:>3} columns  {dataset.about}")
        click.echo(f"{'':<32} {dataset.source}")


@click.command()
@work_options
def demo(threads: int | None, quiet: bool) -> None:
    """Show what dagmass does, on packaged data."""
    from dagmass.run.learn import learn as learn_posterior

    for name, k in (("asia", 100), ("zoo", 100)):
        click.echo(f"$ dagmass learn {name} -k {k}")
        with working(threads, quiet=quiet) as job:
            click.echo(repr(learn_posterior(name, k=k, job=job)))
        click.echo()
    click.echo(
        "Your own table: dagmass learn FILE.csv -k 100. What it will cost: dagmass plan FILE.csv. All options: dagmass learn --help."
    )


def _next_steps(data: str, posterior: Posterior, output: str | None) -> str:
    larger = 10 * posterior.k
    steps = ["for scripts: --json"]
    if output and output.endswith(".dagmass"):
        steps = [f"dagmass edges {output}", f"dagmass query {output} 'path(a, b)'"]
        more = f"dagmass more {output} -k {larger}"
    else:
        steps.append(f"keep the run and ask it: dagmass learn {data} -o NAME.dagmass")
        more = f"more networks: -k {larger}"
    return " · ".join(steps + ([more] if len(posterior) == posterior.k else []))


COMMANDS = (learn, scores, plan, datasets, demo)
