"""The .dagmass file: a zip of arrays and one readable JSON. docs/format.md describes it."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagmass.errors import InputError
from dagmass.exact.sums import Exact
from dagmass.files import require_target, write_bytes
from dagmass.posterior.class_masses import ClassMasses
from dagmass.posterior.origin import Origin
from dagmass.posterior.posterior import Posterior, RunInfo, Ties
from dagmass.scores.local_scores import LocalScores
from dagmass.scores.scoring import Scoring
from dagmass.scores.storages import Listed
from dagmass.table.table import Table

FORMAT = 1
SEAL = b"sha256:"
SEAL_LENGTH = len(SEAL) + 64
EXACT_VALUES = (
    "over", "log_evidence", "log_evidence_error", "log_prior_total", "probability_error", "way", "arithmetic", "num_terms", "seconds",
)  # fmt: skip
LISTED = ("listed_offsets", "listed_parents", "listed_scores")
ABOUT = (
    "version", "variables", "k", "num_networks", "fraction_bits", "ties", "stopped_by", "is_drawn", "is_strict", "exact", "classes",
    "coverage", "best_log_score", "log_lambda", "info", "data_fingerprint", "has_data", "levels",
)  # fmt: skip
ABOUT_INFO = ("data", "score", "notes", "seconds")
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same content gives the same bytes


def save(posterior: Posterior, path: str | Path, *, data: bool = True) -> None:
    """Write a posterior; the old file stays until the new one is complete."""
    check_target(path)
    write_bytes(path, [_sealed(_pack(posterior, data))])


def check_target(path: str | Path) -> None:
    """Refuse what a run cannot be saved to, before any work is done for it."""
    if Path(path).suffix.lower() != ".dagmass":
        raise InputError(f"A run is saved to a .dagmass file, got {str(path)!r}.")
    require_target(path)


def load(path: str | Path) -> Posterior:
    """Read a posterior that `Posterior.save` or `dagmass learn -o` wrote."""
    with _complete(path):
        archive = _open(path)
        return _posterior(archive, _about(archive, path))


def describe(path: str | Path) -> dict[str, Any]:
    """Return what a file says of itself."""
    with _complete(path):
        return _about(_open(path), path)


def _posterior(archive: zipfile.ZipFile, about: dict[str, Any]) -> Posterior:
    parents, scores = _array(archive, "parents"), _array(archive, "scores")
    info = about["info"]
    return Posterior(
        variables=tuple(about["variables"]),
        parents=np.ascontiguousarray(parents.T, dtype=np.uint64),
        scores=scores,
        fraction_bits=about["fraction_bits"],
        ties=Ties(**about["ties"]),
        k=about["k"],
        info=RunInfo(info["data"], info["score"], tuple(info["notes"]), info["seconds"]),
        origin=_origin(archive, about),
        stopped_by=about["stopped_by"],
        is_drawn=about["is_drawn"],
        is_strict=about["is_strict"],
        exact=_exact(archive, about),
        classes_masses=_classes(archive, about),
    )


def _sealed(packed: bytes) -> bytes:
    """End the file with a digest of all that comes before (as the comment of the zip), so that any change is noticed."""
    body = packed[:-SEAL_LENGTH]
    return body + SEAL + hashlib.sha256(body).hexdigest().encode()


def _pack(posterior: Posterior, data: bool) -> bytes:
    buffer = io.BytesIO()
    origin = posterior.origin
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        archive.comment = b" " * SEAL_LENGTH
        _write(archive, "run.json", json.dumps(_describe(posterior, data), indent=1, ensure_ascii=False).encode())
        _write_array(archive, "parents", np.ascontiguousarray(posterior.parents.T.astype("<u4")))
        _write_array(archive, "scores", posterior.scores.astype("<i8"))
        if posterior.exact:
            _write_array(archive, "exact_edges", posterior.exact.edge_probabilities)
            if posterior.exact.path_probabilities is not None:
                _write_array(archive, "exact_paths", posterior.exact.path_probabilities)
        if posterior.classes_masses:
            _write_array(archive, "class_log_masses", posterior.classes_masses.log_masses)
        if data and origin.table is not None:
            codes, weights = origin.table.merged
            _write_array(archive, "table_codes", codes.astype("<u2"))
            _write_array(archive, "table_weights", weights.astype("<u4"))
        elif data and (listed := _listed(origin)) is not None:
            for name, array in zip(LISTED, listed.arrays, strict=True):
                _write_array(archive, name, array)
    return buffer.getvalue()


def _describe(posterior: Posterior, data: bool) -> dict[str, Any]:
    table = posterior.origin.table
    return {
        "format": FORMAT,
        "version": version("dagmass"),
        "variables": list(posterior.variables),
        "k": posterior.k,
        "num_networks": len(posterior),
        "fraction_bits": posterior.fraction_bits,
        "ties": asdict(posterior.ties),
        "stopped_by": posterior.stopped_by,
        "is_drawn": posterior.is_drawn,
        "is_strict": posterior.is_strict,
        "exact": _describe_exact(posterior.exact) if posterior.exact else None,
        "coverage": posterior.coverage,
        "classes": _describe_classes(posterior.classes_masses) if posterior.classes_masses else None,
        "best_log_score": float(posterior.log_scores[0]),
        "log_lambda": posterior.log_lambda,
        "info": asdict(posterior.info),
        "data_fingerprint": table.fingerprint if table else None,
        "has_data": data and (table is not None or _listed(posterior.origin) is not None),
        "levels": [list(levels) for levels in table.levels] if data and table else None,
    }


def _listed(origin: Origin) -> Listed | None:
    """Return imported scores, which a run without a table keeps in its place."""
    scores = origin.known_scores
    return scores.storage if origin.table is None and scores is not None and isinstance(scores.storage, Listed) else None


def _describe_exact(exact: Exact) -> dict[str, Any]:
    return {name: getattr(exact, name) for name in EXACT_VALUES}


def _describe_classes(masses: ClassMasses) -> dict[str, Any]:
    return {"prior": masses.prior, "why_grouped": masses.why_grouped, "sizes": [str(size) for size in masses.sizes]}  # up to 30!


def _classes(archive: zipfile.ZipFile, about: dict[str, Any]) -> ClassMasses | None:
    classes = about["classes"]
    if classes is None:
        return None
    sizes = tuple(int(size) for size in classes["sizes"])
    return ClassMasses(sizes, _array(archive, "class_log_masses"), classes["prior"], classes["why_grouped"])


def _exact(archive: zipfile.ZipFile, about: dict[str, Any]) -> Exact | None:
    if about["exact"] is None:
        return None
    paths = _array(archive, "exact_paths") if "exact_paths.npy" in archive.namelist() else None
    return Exact(
        variables=tuple(about["variables"]),
        edge_probabilities=_array(archive, "exact_edges"),
        path_probabilities=paths,
        **about["exact"],
    )


def _write(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)


def _write_array(archive: zipfile.ZipFile, name: str, array: NDArray[Any]) -> None:
    content = io.BytesIO()
    np.save(content, array, allow_pickle=False)
    _write(archive, f"{name}.npy", content.getvalue())


@contextmanager
def _complete(path: str | Path) -> Iterator[None]:
    """Say of a sealed file that it is not complete when reading it fails over something missing or of another form."""
    try:
        yield
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(
            f"{str(path)!r} is not a complete .dagmass file: {error}. 'dagmass learn DATA -o RUN.dagmass' writes one."
        ) from None


def _open(path: str | Path) -> zipfile.ZipFile:
    path = Path(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"There is no file {str(path)!r}.") from None
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read: {error.strerror}.") from None
    if not content.startswith(b"PK"):
        raise InputError(f"{str(path)!r} is not a .dagmass file. 'dagmass learn DATA -o RUN.dagmass' writes one.")
    body, seal = content[:-SEAL_LENGTH], content[-SEAL_LENGTH:]
    if seal != SEAL + hashlib.sha256(body).hexdigest().encode():
        raise InputError(f"{str(path)!r} is damaged or not a .dagmass file: its checksum does not agree with its content.")
    return zipfile.ZipFile(io.BytesIO(content))


def _about(archive: zipfile.ZipFile, path: str | Path) -> dict[str, Any]:
    about: dict[str, Any] = json.loads(_read(archive, "run.json"))
    if type(about["format"]) is not int or about["format"] > FORMAT:
        written_by = f", written by dagmass {about['version']}" if "version" in about else ""
        raise InputError(
            f"{str(path)!r} has the newer or unknown format {about['format']!r}{written_by}; "
            f"this version reads up to {FORMAT}. Update dagmass."
        )
    missing = [name for name in ABOUT if name not in about] or [f"info.{name}" for name in ABOUT_INFO if name not in about["info"]]
    if missing:
        raise ValueError(f"its run.json has no {', '.join(missing)}")
    return about


def _array(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    return np.asarray(np.load(io.BytesIO(_read(archive, f"{name}.npy")), allow_pickle=False))


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    if name not in archive.namelist():
        raise ValueError(f"it has no {name}")
    return archive.read(name)


def _origin(archive: zipfile.ZipFile, about: dict[str, Any]) -> Origin:
    names = set(archive.namelist())
    if "table_codes.npy" in names:
        table = Table(
            variables=tuple(about["variables"]),
            levels=tuple(tuple(levels) for levels in about["levels"]),
            codes=_array(archive, "table_codes"),
            weights=_array(archive, "table_weights"),
            set_aside=tuple(about["info"]["data"].get("set_aside", ())),
        )
        return Origin(table, Scoring.from_dict(about["info"]["score"]))
    if "listed_offsets.npy" in names:
        storage = Listed(*(_array(archive, name) for name in LISTED))
        return Origin(known_scores=LocalScores(tuple(about["variables"]), storage, about["fraction_bits"], None))
    return Origin()
