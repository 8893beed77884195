"""Local scores in GOBNILP's format: for each variable its name and number of families, then one family a line (score, number, parents)."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator
from functools import reduce
from operator import or_
from pathlib import Path

from dagmass.errors import DagmassWarning, InputError
from dagmass.exchange.foreign_names import changes, respelled
from dagmass.files import write_text
from dagmass.graphs.varset import names_of, varset_of
from dagmass.scores.fixed_point import to_nats
from dagmass.scores.local_scores import LocalScores
from dagmass.table.read_file import content_of, decode

MAX_FAMILIES = 50_000_000
COUNT = re.compile(r"[0-9]{1,18}")


def read_jkl(path: str | Path) -> LocalScores:
    """Read local scores; families that are absent are forbidden."""
    text, notes = decode(content_of(path), str(path))
    for note in notes:
        warnings.warn(note, DagmassWarning, stacklevel=2)
    variables, families = _Reader(text.split(), str(path)).read()
    scores = LocalScores.from_families(variables, families)
    if looks_pruned(families):
        warnings.warn(
            f"{path} lists only families that no subset of theirs beats: it was probably pruned for the single best network. "
            "The k best networks and sums over all of them need every family.",
            DagmassWarning,
            stacklevel=2,
        )
    return scores


def write_jkl(scores: LocalScores, path: str | Path) -> tuple[str, ...]:
    """Write all possible families with 13 decimals (exact ties may be lost). Return notes on names that had to change."""
    names = safe_names(scores.variables)
    write_text(path, _lines(scores, names))
    return tuple(f"{change}: names in .jkl files have no blanks." for change in changes(scores.variables, names))


def safe_names(variables: tuple[str, ...]) -> tuple[str, ...]:
    """Replace blanks in names, keeping them different.

    >>> safe_names(("blood group", "age"))
    ('blood_group', 'age')
    """
    return respelled(variables, lambda name: re.sub(r"\s+", "_", name.strip()), "_")


def looks_pruned(families: list[dict[int, float]]) -> bool:
    """Tell whether dominated families are missing: sets of the parents that occur are absent, and nothing listed is dominated."""
    return not all(map(_is_complete, families)) and not any(map(_lists_dominated, families))


def _is_complete(listed: dict[int, float]) -> bool:
    """Tell whether the sets are all those of their parents, up to the size of the largest one."""
    num_parents = reduce(or_, listed, 0).bit_count()
    largest = max(map(int.bit_count, listed), default=-1)
    return len(listed) == sum(math.comb(num_parents, size) for size in range(largest + 1))


def _lists_dominated(listed: dict[int, float]) -> bool:
    """Tell whether some listed set scores no better than a listed strict subset."""
    by_score = sorted(listed, key=lambda parents: -listed[parents])
    return any(other & ~parents == 0 for rank, parents in enumerate(by_score) for other in by_score[:rank])


def _lines(scores: LocalScores, names: tuple[str, ...]) -> Iterator[str]:
    n = scores.num_variables
    per_variable = list(scores.families())
    total = sum(len(parents) for _, parents, _ in per_variable)
    if total > MAX_FAMILIES:
        raise InputError(
            f"{total} families are too many for a text file (limit {MAX_FAMILIES}). Bound the parents (max_parents, --max-parents)."
        )
    yield f"{n}\n"
    for v, parents, units in per_variable:
        yield f"{names[v]} {len(parents)}\n"
        for varset, nats in zip(parents.tolist(), to_nats(units, scores.fraction_bits).tolist(), strict=True):
            yield " ".join((f"{nats:.13f}", str(varset.bit_count()), *names_of(varset, names))) + "\n"


class _Reader:
    """Reads the words of a file one by one and says where something is wrong."""

    def __init__(self, words: list[str], source: str) -> None:
        self.words = words
        self.source = source
        self.next = 0

    def read(self) -> tuple[tuple[str, ...], list[dict[int, float]]]:
        if not self.words:
            raise InputError(f"{self.source} is empty.")
        num_variables = self.count("the number of variables")
        listed: dict[str, list[tuple[float, list[str]]]] = {}
        for _ in range(num_variables):
            name = self.word("the name of a variable")
            if name in listed:
                raise InputError(f"{self.source} lists variable {name!r} twice.")
            listed[name] = [self.family(name) for _ in range(self.count(f"the number of families of {name!r}"))]
        if self.next < len(self.words):
            raise InputError(f"{self.source} goes on after its last family: {self.words[self.next]!r}.")
        variables = tuple(listed)
        number = {name: index for index, name in enumerate(variables)}
        return variables, [self.by_varset(name, listed[name], number) for name in variables]

    def by_varset(self, name: str, families: list[tuple[float, list[str]]], number: dict[str, int]) -> dict[int, float]:
        scores: dict[int, float] = {}
        for score, parents in families:
            unknown = [parent for parent in parents if parent not in number]
            if unknown:
                raise InputError(f"{self.source} names parent {unknown[0]!r} of {name!r}, which is not one of its variables.")
            varset = varset_of(number[parent] for parent in parents)
            if varset.bit_count() < len(parents):
                raise InputError(f"{self.source} lists a parent of {name!r} twice in {parents}.")
            if varset in scores:
                raise InputError(f"{self.source} lists {name!r} with parents {parents} twice.")
            scores[varset] = score
        return scores

    def family(self, name: str) -> tuple[float, list[str]]:
        text = self.word(f"a score of {name!r}")
        try:
            score = float(text.replace("_", "?"))
        except ValueError:
            raise InputError(f"{self.source} has {text!r} where a score of {name!r} was expected.") from None
        if math.isnan(score):
            raise InputError(f"{self.source} has a score of {name!r} that is NaN. Scores are natural logs; leave a forbidden family out.")
        return score, [self.word(f"a parent of {name!r}") for _ in range(self.count(f"the number of parents of {name!r}"))]

    def count(self, what: str) -> int:
        text = self.word(what)
        if not COUNT.fullmatch(text):
            raise InputError(f"{self.source} has {text[:40]!r} where {what} was expected.")
        return int(text)

    def word(self, what: str) -> str:
        if self.next == len(self.words):
            raise InputError(f"{self.source} ends where {what} was expected.")
        self.next += 1
        return self.words[self.next - 1]
