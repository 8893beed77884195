"""What a .dagmass file says of itself, as a page of text."""

from __future__ import annotations

from typing import Any

from dagmass.show.summary import ENDED, labelled, score_line, times

FINGERPRINT_LENGTH = 16
WHY_ENDED = {
    "k": "as many as were asked for",
    "mass": "they hold the share of the posterior that was asked for",
    "bayes_factor": "all within the Bayes factor that was asked for",
    "all": "all that exist",
    **ENDED,
}


def description(about: dict[str, Any]) -> str:
    """Return the description of a file, from its run.json."""
    info = about["info"]
    lines = [
        labelled("Networks", f"{about['num_networks']} of {len(about['variables'])} variables, from {_source(info['data'])}"),
        labelled("", f"{_ended(about)}; best log score {about['best_log_score']:.6f}, ln lambda {about['log_lambda']:.6f}"),
        labelled("Score", score_line(info["score"])),
        labelled("Coverage", _coverage(about)),
        labelled("Data", f"{_kept(about)}, fingerprint {(about['data_fingerprint'] or 'none')[:FINGERPRINT_LENGTH]}"),
        labelled("Time", times(info["seconds"]) or "not known"),
        labelled("File", f"format {about['format']}, written by dagmass {about['version']}"),
    ]
    return "\n".join(lines)


def _source(data: dict[str, Any]) -> str:
    if "num_rows" in data:
        return f"{data.get('name') or 'a table'}, {data['num_rows']} rows"
    return f"local scores {data.get('scores_file') or 'in memory'}"


def _ended(about: dict[str, Any]) -> str:
    if about["is_drawn"]:
        return "independent draws from the exact posterior"
    left_out = ", without those that have a better-scoring subgraph" if about.get("is_strict") else ""
    return f"k {about['k']}: {WHY_ENDED.get(about['stopped_by'], about['stopped_by'])}{left_out}"


def _coverage(about: dict[str, Any]) -> str:
    if about["coverage"] is None:
        return "not known"
    return f"{about['coverage']:.6g} of the posterior over all networks (log evidence {about['exact']['log_evidence']:.6f})"


def _kept(about: dict[str, Any]) -> str:
    if not about["has_data"]:
        return "not in the file"
    return "the table is in the file" if about["levels"] else "the local scores are in the file"
