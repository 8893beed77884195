"""Writing a posterior to files; the ending of the name says what is written."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from dagmass.errors import DagmassWarning, InputError
from dagmass.exchange.bif import bif_changes, bif_lines
from dagmass.exchange.dot import dot_lines
from dagmass.exchange.foreign_names import changes
from dagmass.exchange.graphml import graphml_lines, xml_names
from dagmass.exchange.model_strings import bnlearn_names, model_string_lines
from dagmass.files import require_target, write_text
from dagmass.run.run_file import save
from dagmass.scores.local_scores import require_score

if TYPE_CHECKING:
    from dagmass.posterior.posterior import Posterior

SHOWN_CHANGES = 3  # of names, in a warning
ENDINGS = {
    ".dagmass": "the run, for further questions",
    ".csv": "NAME.networks.csv (or NAME.classes.csv) and NAME.edges.csv",
    ".dot": "one network for Graphviz",
    ".graphml": "one network for Gephi, Cytoscape and the like",
    ".bif": "one network with its expected parameters",
    ".txt": "all networks as bnlearn model strings with their weights",
}


def check_output(path: str | Path, what: str) -> None:
    """Refuse a name whose ending does not say what to write, or that cannot be written, before any work is done for it."""
    if Path(path).suffix.lower() not in ENDINGS:
        listed = ", ".join(f"{ending} ({content})" for ending, content in ENDINGS.items())
        raise InputError(f"The ending of {str(path)!r} must say what to write: {listed}.")
    for target in _targets(Path(path), what):
        require_target(target)


def export(posterior: Posterior, path: str | Path, rank: int = 1, *, data: bool = True) -> list[Path]:
    """Write a posterior, or the network of a rank where the format holds one; return the files written."""
    check_output(path, posterior.what)
    path = Path(path)
    match path.suffix.lower():
        case ".csv":
            items = posterior.classes() if posterior.classes_masses else posterior.networks()
            for target, frame in zip(_targets(path, posterior.what), (items, posterior.edges()), strict=True):
                write_text(target, [frame.to_csv(index=False)])
        case ".dagmass":
            save(posterior, path, data=data)
        case ".dot":
            write_text(path, dot_lines(posterior[rank]))
        case ".graphml":
            write_text(path, graphml_lines(posterior, rank))
            _warn_of_changes(path, changes(posterior.variables, xml_names(posterior.variables)), "XML has no control characters")
        case ".bif":
            table = posterior.origin.require_table("needs the counts")
            write_text(path, bif_lines(posterior[rank], table, require_score(posterior.origin.scoring.score).ess))
            _warn_of_changes(path, bif_changes(table), "words of BIF have letters, digits and underscores and are not its own")
        case _:
            write_text(path, model_string_lines(posterior))
            changed = changes(posterior.variables, bnlearn_names(posterior.variables))
            _warn_of_changes(path, changed, "names in model strings have no brackets, bars, colons and control characters")
    return _targets(path, posterior.what)


def _warn_of_changes(path: Path, changed: list[str], rule: str) -> None:
    if changed:
        more = f"; and {len(changed) - SHOWN_CHANGES} more" if len(changed) > SHOWN_CHANGES else ""
        told = f"In {str(path)!r}, {'; '.join(changed[:SHOWN_CHANGES])}{more}: {rule}."
        warnings.warn(told, DagmassWarning, stacklevel=4)  # of who called Posterior.export


def _targets(path: Path, what: str) -> list[Path]:
    """Return the files that are written for a name."""
    return [path.with_name(f"{path.stem}.{part}.csv") for part in (what, "edges")] if path.suffix.lower() == ".csv" else [path]
