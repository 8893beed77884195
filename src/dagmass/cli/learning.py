"""Commands that start from data: one verb, one library call."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from dagmass.cli.options import (
    checkpoint_option,
    data_argument,
    evidence_option,
    reading,
    score_options,
    scoring,
    search_options,
    searching,
    work_options,
    working_with,
    yes_or_no,
)
from dagmass.cli.output import print_and_write, print_json
from dagmass.cli.progress import show_notes, working

if TYPE_CHECKING:
    from dagmass.exact.sums import Over
    from dagmass.posterior.posterior import Posterior


@click.command()
@data_argument
@search_options
@score_options
@work_options
@checkpoint_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("-o", "--output", metavar="FILE", help="Write x.dagmass (for further questions), .csv, .dot, .graphml, .bif or .txt.")
@click.option("--no-data", is_flag=True, help="Leave the table out of x.dagmass.")
def learn(data: str, as_json: bool, output: str | None, no_data: bool, **options: Any) -> None:
    """Find the best networks of DATA."""
    from dagmass.exchange.export import check_output, export
    from dagmass.run.learn import learn as learn_posterior
    from dagmass.run.source import notes_on
    from dagmass.show.contract import learn_json

    if output is not None:
        check_output(output, "classes" if options["classes"] else "networks")
    with working(**working_with(options)) as job:
        posterior = learn_posterior(data, job=job, **searching(options), **scoring(options), **reading(options))
    notes = dict.fromkeys((*notes_on(posterior.origin.table), *posterior.info.notes))  # those of the table are among both
    show_notes(notes, quiet=options["quiet"] or not as_json)  # the summary tells them itself
    written = print_and_write(
        lambda: print_json(learn_json(posterior)) if as_json else click.echo(repr(posterior)),
        lambda: export(posterior, output, data=not no_data) if output else [],
    )
    if as_json:
        return
    for path in written:
        click.echo(f"Written   {path}")
    click.echo(f"Next      {_next_steps(posterior, output, data=not no_data)}")


@click.command()
@data_argument
@click.option(
    "--over", type=click.Choice(["networks", "orders"]), default="networks", show_default=True, help="What the uniform prior counts."
)
@score_options
@work_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def exact(data: str, over: Over, as_json: bool, **options: Any) -> None:
    """Sum over every network: evidence, and the exact probability of every edge and path.

    With --over orders, a network counts once for each order of the variables that it agrees with, which favours some networks over
    equally good ones.
    """
    from dagmass.exact.sums import exact as sum_exactly
    from dagmass.run.learn import Clock, scores_of
    from dagmass.run.source import notes_on, resolve
    from dagmass.scores.scoring import Scoring
    from dagmass.show.contract import exact_json

    clock = Clock()
    source = resolve(data, **reading(options))
    clock.lap("read")
    show_notes(notes_on(source), quiet=options["quiet"])
    with working(**working_with(options)) as job:
        local = scores_of(source, Scoring(**scoring(options)), job)
        clock.lap("scores")
        found = sum_exactly(local, over=over, job=job)
        clock.lap("sums")
    if as_json:
        print_json(exact_json(found, clock.seconds()))
    else:
        click.echo(repr(found))


@click.command()
@data_argument
@click.option("-n", "num", type=int, default=1000, show_default=True, metavar="N", help="How many networks to draw.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same networks.")
@score_options
@work_options
@click.option("-o", "--output", metavar="FILE", help="Write x.dagmass, .csv, .dot, .graphml, .bif or .txt.")
def sample(data: str, num: int, seed: int, output: str | None, **options: Any) -> None:
    """Draw networks independently from the exact posterior of DATA."""
    from dagmass.exchange.export import check_output, export
    from dagmass.run.learn import draw

    if output is not None:
        check_output(output, "networks")
    with working(**working_with(options)) as job:
        posterior = draw(data, num=num, seed=seed, job=job, **scoring(options), **reading(options))
    written = print_and_write(lambda: click.echo(repr(posterior)), lambda: export(posterior, output) if output else [])
    for path in written:
        click.echo(f"Written   {path}")


@click.command()
@data_argument
@click.option("-o", "--output", required=True, metavar="FILE", help="The .jkl file to write.")
@score_options
@work_options
def scores(data: str, output: str, **options: Any) -> None:
    """Write the local scores of DATA in GOBNILP's format."""
    from dagmass.errors import InputError
    from dagmass.exchange.jkl import write_jkl
    from dagmass.files import require_target
    from dagmass.run.learn import scores_of
    from dagmass.run.source import notes_on, resolve
    from dagmass.scores.scoring import Scoring

    if not output.lower().endswith(".jkl"):
        raise InputError(f"Local scores are written to a .jkl file, got {output!r}.")
    require_target(output)
    source = resolve(data, **reading(options))
    show_notes(notes_on(source), quiet=options["quiet"])
    with working(**working_with(options)) as job:
        local = scores_of(source, Scoring(**scoring(options)), job)
        notes = write_jkl(local, output)
    show_notes(notes, quiet=options["quiet"])
    click.echo(f"Written   {output}: {local.num_variables} variables")


@click.command()
@data_argument
@click.option("-k", "k", type=int, default=100, show_default=True, metavar="K", help="How many networks.")
@click.option("--classes", is_flag=True, help="Classes of equivalent networks in place of networks.")
@evidence_option
@score_options
@work_options
@checkpoint_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def plan(data: str, k: int, classes: bool, evidence: str | None, as_json: bool, **options: Any) -> None:
    """Say what 'learn' would cost, before anything is computed."""
    from dataclasses import asdict

    from dagmass.job import Job
    from dagmass.run.plan import plan as plan_run

    job = Job(options["threads"], options["max_memory"], checkpoint=options["checkpoint"])
    planned = plan_run(data, k=k, classes=classes, evidence=yes_or_no(evidence), job=job, **scoring(options), **reading(options))
    show_notes(planned.notes, quiet=options["quiet"])
    if as_json:
        print_json({**asdict(planned), "fits": planned.fits})
    else:
        click.echo(repr(planned))
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
def demo(**options: Any) -> None:
    """Show what dagmass does, on packaged data."""
    from dagmass.run.learn import learn as learn_posterior

    for name, k in (("asia", 100), ("zoo", 100)):
        click.echo(f"$ dagmass learn {name} -k {k}")
        with working(**working_with(options)) as job:
            click.echo(repr(learn_posterior(name, k=k, job=job)))
        click.echo()
    click.echo(
        "Your own table: dagmass learn FILE.csv -k 100. What it will cost: dagmass plan FILE.csv. All options: dagmass learn --help."
    )


def _next_steps(posterior: Posterior, output: str | None, *, data: bool) -> str:
    larger = 10 * posterior.k
    can_go_on = len(posterior) == posterior.k and not posterior.is_strict
    steps = ["for scripts: --json"]
    if output and output.lower().endswith(".dagmass"):
        run = quote(output)
        steps = [f"dagmass edges {run}", f"dagmass query {run} 'path(a, b)'"]
        more = f"dagmass more {run} -k {larger}"
        can_go_on = can_go_on and data
    else:
        steps.append("keep the run and ask it: the same command with -o NAME.dagmass")
        more = f"more networks: -k {larger}"
    return " · ".join([*steps, more] if can_go_on else steps)


COMMANDS = (learn, exact, sample, scores, plan, datasets, demo)
