"""A posterior as a page of text that a scientist can read."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from dagmass.posterior.class_masses import most_probable
from dagmass.posterior.consensus import oriented_link
from dagmass.posterior.probability import ONE_OF

if TYPE_CHECKING:
    import pandas as pd

    from dagmass.graphs.equivalence import EquivalenceClass
    from dagmass.posterior.posterior import Posterior

WIDTH = 100
LABEL_WIDTH = 10
MOST = 0.9
LITTLE = 0.5  # of the posterior
ENDED = {
    "max_networks": "the search ended at its largest number of networks",
    "max_memory": "the search ended where the memory did",
    "max_seconds": "the search ended at its time limit",
}
NO_BREAK = "\0"


def summary(posterior: Posterior) -> str:
    """Return the whole summary."""
    parts = [_data(posterior), _networks(posterior), _coverage(posterior), _best(posterior), _links(posterior), _time(posterior)]
    return "\n".join(part for part in parts if part)


def labelled(label: str, text: str) -> str:
    """Set a text beside its label, wrapped; lines do not break at `NO_BREAK`."""
    label, indent = label.ljust(LABEL_WIDTH), " " * LABEL_WIDTH
    filled = textwrap.fill(text, WIDTH, initial_indent=label, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return filled.replace(NO_BREAK, " ")


def score_line(score: dict[str, Any]) -> str:
    """Write the score of a run with its equivalent sample size and the largest numbers of parents."""
    said = [score.get("name") or "not known"]
    if score.get("ess") is not None:
        said.append(f"equivalent sample size {score['ess']:g}")
    bounds = score.get("max_parents")
    if isinstance(bounds, int):
        said.append(f"at most {bounds} parents")
    elif bounds:
        said += [f"at most {bound} parents of {name}" for name, bound in bounds.items()]
    return ", ".join(said)


def times(seconds: dict[str, float]) -> str:
    """Write the seconds of every stage."""
    return ", ".join(f"{stage} {spent:.2f} s" for stage, spent in seconds.items())


def number(value: float) -> str:
    """Write a ratio or a count so that it can be read: 1.516, 3642, 2.07e+16."""
    return f"{value:.4g}" if value < 1e4 else f"{value:.3g}"


def _data(posterior: Posterior) -> str:
    data, score = posterior.info.data, posterior.info.score
    lines = []
    if "num_rows" in data:
        name = f"{data['name']}: " if data.get("name") else ""
        levels = list(data["num_levels"].values())
        spread = f"{min(levels)} levels" if min(levels) == max(levels) else f"{min(levels)} to {max(levels)} levels"
        lines.append(labelled("Data", f"{name}{data['num_rows']} rows, {len(data['variables'])} variables of {spread}"))
        if data["set_aside"]:
            lines.append(labelled("", f"set aside (a single level): {', '.join(data['set_aside'])}"))
    elif data:
        lines.append(labelled("Data", f"local scores from {data['scores_file'] or 'memory'}, {len(posterior.variables)} variables"))
    lines += [labelled("", note) for note in posterior.info.notes]
    if score.get("ess") is not None:
        lines.append(labelled("Score", score_line(score)))
    return "\n".join(lines)


def _networks(posterior: Posterior) -> str:
    count = len(posterior)
    if posterior.is_drawn:
        return labelled("Networks", f"{count} independent draws from the exact posterior; every share among them is an estimate")
    of_all = (
        f"the {count} best of all"
        if count == posterior.k or posterior.stopped_by in ENDED
        else f"all {count} that exist ({posterior.k} were asked for)"
    )
    if posterior.is_strict:
        of_all = f"{count} without a better-scoring subgraph"
    scores = (
        f"log scores {posterior.log_scores[0]:.6f} to {posterior.log_scores[-1]:.6f}"
        if count > 1
        else f"log score {posterior.log_scores[0]:.6f}"
    )
    ratio = f"; the best is {number(posterior.lambda_)} times as probable as the last (lambda)" if posterior.lambda_ and count > 1 else ""
    if posterior.log_lambda == 0 and count > 1:
        ratio = "; all are equally probable (lambda 1)"
    if posterior.lambda_ is None:
        ratio = f"; ln lambda {posterior.log_lambda:.2f}"
    if posterior.classes_masses:
        of_all += f"; {sum(posterior.classes_masses.sizes):,} networks in all"
    lines = [labelled(posterior.what.capitalize(), f"{of_all}, {scores}{ratio}"), labelled("", _ties(posterior)), _grouped(posterior)]
    return "\n".join(line for line in lines if line.strip())


def _ties(posterior: Posterior) -> str:
    at_top = int(np.count_nonzero(posterior.scores == posterior.scores[0]))
    said = []
    if at_top > 1:
        said.append(f"{at_top} of them tie at the top")
    if posterior.ties.more:
        of_them = f"{posterior.ties.kept - 1} of them and with " if posterior.ties.kept > 1 else ""
        said.append(f"the last one ties with {of_them}others that were left out")
    return "; ".join(said)


def _grouped(posterior: Posterior) -> str:
    masses = posterior.classes_masses
    if masses is None:
        return ""
    said = []
    if masses.why_grouped:
        said.append(f"networks were grouped into classes by their best members, because {masses.why_grouped}")
    if masses.prior == "classes":
        said.append("every class weighs the same (class prior); sums over all networks do not apply, as they count every network")
    return labelled("", "; ".join(said)) if said else ""


def _best_class(posterior: Posterior) -> str:
    """Name the class of the best network and the one with the largest mass, which can be another one."""
    top, is_certain = most_probable(posterior)
    lines = [_one_class(posterior, "Best", "by score" if top != 1 else "by score and most probable", 1)]
    if top != 1:
        lines.append(_one_class(posterior, "", "most probable", top))
    if not is_certain:
        lines.append(labelled("", "a class further down the list could be more probable: it may have more members"))
    return "\n".join(lines)


def _one_class(posterior: Posterior, label: str, what: str, rank: int) -> str:
    assert posterior.classes_masses is not None
    found, probabilities = posterior.class_of_rank(rank), posterior.posterior_probabilities
    held = "" if probabilities is None else f", {probabilities[rank - 1]:.4g} of the posterior"
    size = _size(found, posterior.classes_masses.sizes[rank - 1])
    edges = str(found).replace(" ", NO_BREAK).replace(f",{NO_BREAK}", ", ")
    return labelled(label, f"{what}: class {rank} of {size}{held}: {edges}")


def _size(found: EquivalenceClass, num_allowed: int) -> str:
    """Write how many members of a class are allowed, and how many are not."""
    forbidden = f" ({found.size - num_allowed:,} more are forbidden)" if num_allowed < found.size else ""
    return f"{num_allowed:,} network{'s' if num_allowed > 1 else ''}{forbidden}"


def _best(posterior: Posterior) -> str:
    if posterior.is_drawn:
        return ""
    if posterior.classes_masses:
        return _best_class(posterior)
    families = posterior[1].to_dict()
    width = max(map(len, families))
    is_tied = len(posterior) > 1 and posterior.scores[0] == posterior.scores[1]
    lines = ["Best".ljust(LABEL_WIDTH) + ("one of those that tie" if is_tied else "network")]
    lines += [f"{'':{LABEL_WIDTH}}{child:>{width}} ← {', '.join(parents)}" for child, parents in families.items() if parents]
    alone = [child for child, parents in families.items() if not parents]
    return "\n".join([*lines, labelled("", f"without parents: {', '.join(alone)}")])


def _links(posterior: Posterior) -> str:
    if posterior.exact:
        bands = (("certain (≥ 99.9%)", 0.999, np.inf), ("likely (≥ 90%)", MOST, 0.999), ("half (≥ 50%)", 0.5, MOST))
        return _banded("over all networks, exactly:", posterior.exact.links(), bands)
    among = f"among these {len(posterior)}" if len(posterior) > 1 else f"in this one {ONE_OF[posterior.what]}"
    head = f"shared {among}, by weight (which share of the whole posterior they hold is not known yet):"
    if posterior.is_drawn:
        head = f"shared among these {len(posterior)} draws:"
    bands = (("all", 1.0, np.inf), (f"most (≥ {MOST:.0%})", MOST, 1.0), ("half (≥ 50%)", 0.5, MOST))
    return _banded(head, posterior.links(), bands)


def _banded(head: str, frame: pd.DataFrame, bands: tuple[tuple[str, float, float], ...]) -> str:
    lines = [labelled("Links", head)]
    for name, low, high in bands:
        rows = frame[(frame["link"] >= low) & (frame["link"] < high)][["a", "b", "link", "a → b"]].itertuples(index=False)
        pairs = [str(oriented_link(*row)).replace(" ", NO_BREAK) for row in rows]
        lines.append(labelled("", f"{name}: {', '.join(pairs) if pairs else 'none'}"))
    return "\n".join(lines)


def _coverage(posterior: Posterior) -> str:
    if posterior.exact is None or posterior.coverage is None:
        return labelled("Coverage", f"not known; {ENDED[posterior.stopped_by]}") if posterior.stopped_by in ENDED else ""
    held = f"these {posterior.what} hold {posterior.coverage:.6g} of the posterior over all networks"
    lines = [labelled("Coverage", f"{held} (log evidence {posterior.exact.log_evidence:.6f})")]
    if posterior.coverage < LITTLE:
        lines.append(labelled("", "that is little: averages over them can mislead; exact probabilities do not depend on them"))
    if posterior.stopped_by in ENDED:
        lines.append(labelled("", f"{ENDED[posterior.stopped_by]}; exact sums (dagmass exact) or draws (dagmass sample) answer instead"))
    return "\n".join(lines)


def _time(posterior: Posterior) -> str:
    seconds = posterior.info.seconds
    return labelled("Time", times(seconds)) if seconds else ""
