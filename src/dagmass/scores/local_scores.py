"""Local scores of every variable with every parent set, whatever they come from."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dagmass import _core
from dagmass.errors import InputError
from dagmass.graphs.varset import index_of, names_of, varset_of
from dagmass.job import Job
from dagmass.scores.bdeu import BDeu, WantedSets
from dagmass.scores.constraints import Constraints
from dagmass.scores.counting import Counting
from dagmass.scores.fixed_point import IMPOSSIBLE, fraction_bits_for, to_fixed, to_nats
from dagmass.scores.room import fits, require_countable, require_room_beside_files, require_table
from dagmass.scores.storages import GapLists, Limits, Listed, SetFunction, Storage
from dagmass.store import Store
from dagmass.table.table import Table

LISTS = "parent sets"  # the stage after which the scores are hardly needed
LARGEST_SCORE = 1e8  # nats; larger ones would make the unit of all scores coarse

MaxParents = int | Mapping[str, int] | None


@dataclass(frozen=True, eq=False)
class LocalScores:
    """The log weight of each variable with each parent set, prior included.

    Make them with `local_scores` or `LocalScores.from_dict`; `dagmass.read_jkl` reads them from a file. Equal ones have equal
    variables, units and families.
    """

    variables: tuple[str, ...]
    storage: Storage
    fraction_bits: int  # scores are whole multiples of 2^-fraction_bits nat
    is_score_equivalent: bool | None  # do equivalent networks score the same? None = unknown
    store: Store | None = None  # where tables and finished stages are kept

    @classmethod
    def from_dict(cls, scores: Mapping[str, Mapping[Iterable[str], float]]) -> LocalScores:
        """Take scores of families as {variable: {parents: natural log}}; families that are absent are forbidden.

        Examples
        --------
        >>> scores = LocalScores.from_dict({"a": {(): -1.0}, "b": {(): -2.0, ("a",): -1.5}})
        >>> scores.score("b", ["a"])
        -1.5
        """
        if not isinstance(scores, Mapping):
            raise InputError(f"Local scores must be a dict {{variable: {{parents: score}}}}, got {scores!r}.")
        variables = tuple(map(str, scores))
        if len(set(variables)) < len(variables):
            raise InputError(f"Names of variables must differ as text, got {', '.join(map(repr, scores))}.")
        return cls.from_families(variables, [_by_varset(name, scores[name], variables) for name in scores])

    @classmethod
    def from_families(cls, variables: tuple[str, ...], families: list[dict[int, float]]) -> LocalScores:
        """Take scores of families by parent varset, one dict a variable."""
        if len(variables) < 2:
            raise InputError(f"At least two variables are needed, got {len(variables)}.")
        require_countable(len(variables))
        for v, listed in enumerate(families):
            _check_families(variables, v, listed)
        ordered = [sorted(listed.items()) for listed in families]
        nats = np.array([score for listed in ordered for _, score in listed], dtype=np.float64)
        bits = fraction_bits_for(2 * len(variables) * float(np.abs(nats[np.isfinite(nats)]).max(initial=1.0)))
        storage = Listed(
            offsets=np.cumsum([0] + [len(listed) for listed in ordered]).astype(np.uint64),
            parents=np.array([parents for listed in ordered for parents, _ in listed], dtype=np.uint64),
            scores=to_fixed(nats, bits),
        )
        return cls(variables, storage, bits, is_score_equivalent=None)

    @property
    def num_variables(self) -> int:
        """Number of variables."""
        return len(self.variables)

    def score(self, variable: str, parents: Iterable[str]) -> float:
        """Return the natural log weight of one family; minus infinity where it is forbidden."""
        v = index_of(variable, self.variables)
        varset = varset_of(index_of(parent, self.variables) for parent in parents)
        if varset >> v & 1:
            raise InputError(f"{variable!r} cannot be its own parent.")
        return float(to_nats(self.storage.score(v, varset), self.fraction_bits))

    def of_networks(self, parents: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the scores of networks, (network, variable), in units; each family is looked up once."""
        total = np.zeros(len(parents), dtype=np.int64)
        for v in range(self.num_variables):
            sets, which = np.unique(parents[:, v], return_inverse=True)
            local = np.array([self.storage.score(v, int(varset)) for varset in sets], dtype=np.int64)[which]
            total = np.where((total == IMPOSSIBLE) | (local == IMPOSSIBLE), IMPOSSIBLE, total + local)
        return total

    def within_gap(self, variable: str, gap: float, job: Job | None = None) -> list[tuple[tuple[str, ...], float]]:
        """Return the parent sets of a variable whose best subset scores at most `gap` nats more, best first, with their scores."""
        v = index_of(variable, self.variables)
        lists = self.gap_lists(gap, job)
        families = slice(int(lists.offsets[v]), int(lists.offsets[v + 1]))
        nats = to_nats(lists.scores[families], self.fraction_bits)
        return [
            (names_of(int(parents), self.variables), float(score)) for parents, score in zip(lists.parents[families], nats, strict=True)
        ]

    def best_parents(self, variable: str, candidates: Iterable[str]) -> tuple[tuple[str, ...], float]:
        """Return the best parent set of a variable among the subsets of some candidates, and its score."""
        allowed = set(candidates)
        for parents, score in self.within_gap(variable, 0.0):
            if allowed.issuperset(parents):
                return parents, score
        return (), -math.inf

    def gap_lists(self, gap: float, job: Job | None = None) -> GapLists:
        """Return all parent sets within a gap (nats), of all variables, in units."""
        job = job or Job()
        slack = min(math.ldexp(gap, self.fraction_bits), -IMPOSSIBLE // 4)
        return GapLists(*self.native.gap_lists(int(slack), job.num_threads, job.stage("parent sets")))

    @cached_property
    def native(self) -> _core.Families:
        """What the kernels take."""
        return self.storage.native(self.fraction_bits)

    def release(self) -> None:
        """Let go of large tables until they are needed again."""
        self.__dict__.pop("native", None)
        self.storage.release()

    def with_zero_scores(self) -> LocalScores:
        """Return the same families, each with score zero: sums over the prior alone."""
        return replace(self, storage=self.storage.with_zero_scores(), store=None)

    def restricted(self, limits: Limits) -> LocalScores:
        """Return only the families that some limits allow."""
        return replace(self, storage=self.storage.restricted(limits), is_score_equivalent=None, store=None)

    def families(self) -> Iterator[tuple[int, NDArray[np.uint64], NDArray[np.int64]]]:
        """Yield each variable with its possible parent sets, sorted by varset, and their scores in units."""
        lists = self.gap_lists(math.inf)
        for v in range(self.num_variables):
            families = slice(int(lists.offsets[v]), int(lists.offsets[v + 1]))
            order = np.argsort(lists.parents[families])
            yield v, lists.parents[families][order], lists.scores[families][order]

    @cached_property
    def fingerprint(self) -> str:
        """A digest of variables, unit and families."""
        digest = hashlib.sha256(repr((self.variables, self.fraction_bits)).encode())
        for _, parents, scores in self.families():
            digest.update(parents.astype("<u8").tobytes())
            digest.update(scores.astype("<i8").tobytes())
        return digest.hexdigest()

    def __getstate__(self) -> dict[str, object]:
        return {**{name: value for name, value in self.__dict__.items() if name != "native"}, "store": None}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LocalScores) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"LocalScores({self.num_variables} variables: {', '.join(self.variables)})"


def local_scores(
    table: Table,
    score: BDeu | None = None,
    *,
    max_parents: MaxParents = None,
    constraints: Constraints | None = None,
    job: Job | None = None,
) -> LocalScores:
    """Score every variable of a table with every parent set.

    Parameters
    ----------
    table : Table
        The data.
    score : BDeu, optional
        The score; BDeu with equivalent sample size 1 by default.
    max_parents : int or dict of str to int, optional
        The largest number of parents, for all variables or for those named.
    constraints : Constraints, optional
        Candidate parents, absent edges.
    job : Job, optional
        Threads, memory and progress.

    Examples
    --------
    >>> table = Table.from_frame({"rain": ["yes", "no", "no"], "wet": ["yes", "no", "no"]})
    >>> round(local_scores(table).score("wet", ["rain"]), 6)
    -1.568616
    """
    score, job = require_score(score), job or Job()
    n = table.num_variables
    require_countable(n)
    bounds = parent_bounds(table.variables, max_parents)
    bits = score.fraction_bits(table)
    constraints = constraints or Constraints()
    candidates = constraints.array(table.variables)
    require_table("scores", n, job)
    require_room_beside_files(n, job)
    in_memory = fits(n, job)
    store: Store | None = None
    if job.checkpoint is not None:
        store = Store.checkpoint(job.checkpoint, _identity(table, score, bounds, candidates, bits))
    elif not in_memory:
        store = Store.temporary()
    wanted = WantedSets(max(bounds) + 1, constraints.families(table.variables))
    counting = Counting(score, table, wanted, bits, store, job)
    is_listed = store is not None and store.has(LISTS)
    storage = SetFunction(
        num_variables=n,
        values=counting.in_memory() if in_memory and not is_listed else None,
        terms=_terms(bounds),
        candidates=candidates,
        count=counting.in_memory,
        count_one=counting.of_set,
        file=None if in_memory else counting.in_file(),
    )
    return LocalScores(table.variables, storage, bits, score.is_score_equivalent, store)


def _identity(table: Table, score: BDeu, bounds: list[int], candidates: NDArray[np.uint64], fraction_bits: int) -> dict[str, object]:
    """Return what decides every score."""
    return {
        "data": table.fingerprint,
        "score": [score.name, score.ess],
        "max_parents": bounds,
        "candidates": candidates.tolist(),
        "fraction_bits": fraction_bits,
    }


def require_score(score: BDeu | None) -> BDeu:
    """Return the score, or the default one."""
    if score is not None and not isinstance(score, BDeu):
        raise InputError(f"score must be a score such as BDeu(ess=1.0), got {score!r}.")
    return score or BDeu()


def parent_bounds(variables: tuple[str, ...], max_parents: MaxParents) -> list[int]:
    """Return the largest number of parents of every variable."""
    most = len(variables) - 1
    bounds = plain_bounds(max_parents)
    given = bounds if isinstance(bounds, dict) else dict.fromkeys(variables, most if bounds is None else bounds)
    for name in given:
        index_of(name, variables)
    return [min(given.get(name, most), most) for name in variables]


def plain_bounds(max_parents: MaxParents) -> int | dict[str, int] | None:
    """Return the bounds of an option with Python's own numbers and text."""
    if isinstance(max_parents, Mapping):
        return {str(name): _bound(bound, f" for {name!r}") for name, bound in max_parents.items()}
    return None if max_parents is None else _bound(max_parents, "")


def _bound(bound: int, whose: str) -> int:
    if not isinstance(bound, int | np.integer) or bound < 0:
        raise InputError(f"max_parents must be at least 0, a whole number, got {bound!r}{whose}.")
    return int(bound)


def _terms(bounds: list[int]) -> NDArray[np.int64]:
    n = len(bounds)
    if min(bounds) == n - 1:
        return np.zeros(0, dtype=np.int64)
    return np.array([0 if size <= bound else IMPOSSIBLE for bound in bounds for size in range(n)], dtype=np.int64)


def _by_varset(variable: str, listed: Mapping[Iterable[str], float], variables: tuple[str, ...]) -> dict[int, float]:
    if not isinstance(listed, Mapping):
        raise InputError(f"The families of {variable!r} must be a dict {{parents: score}}, got {listed!r}.")
    families: dict[int, float] = {}
    for parents, score in listed.items():
        varset = varset_of(index_of(parent, variables) for parent in _names(parents))
        if varset in families:
            raise InputError(f"{variable!r} is listed twice with parents {list(names_of(varset, variables))}.")
        if not isinstance(score, int | float | np.integer | np.floating):
            raise InputError(f"Scores must be numbers; {variable!r} with parents {list(names_of(varset, variables))} has {score!r}.")
        families[varset] = float(score)
    return families


def _names(parents: Iterable[str]) -> tuple[str, ...]:
    """Return the names of a parent set; a text is the name of a single parent."""
    if not isinstance(parents, Iterable):
        raise InputError(f"Parents must be names in a tuple, such as ('a', 'b') or (), got {parents!r}.")
    return (parents,) if isinstance(parents, str) else tuple(map(str, parents))


def _check_families(variables: tuple[str, ...], v: int, listed: Mapping[int, float]) -> None:
    for parents, score in listed.items():
        if parents >> v & 1:
            raise InputError(f"{variables[v]!r} is listed as its own parent.")
        if math.isnan(score) or score == math.inf:
            raise InputError(
                f"Scores must be natural logs, or minus infinity where a family is forbidden; {variables[v]!r} with parents "
                f"{list(names_of(parents, variables))} has {score}."
            )
        if math.isfinite(score) and abs(score) > LARGEST_SCORE:
            raise InputError(
                f"Scores must lie between -{LARGEST_SCORE:g} and {LARGEST_SCORE:g}, got {score} for {variables[v]!r}. "
                "A family is forbidden by leaving it out or by minus infinity."
            )
