"""What is known beforehand about who can be whose parent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dagmass.errors import InputError
from dagmass.graphs.varset import index_of, varset_of


@dataclass(frozen=True)
class Constraints:
    """Limits on the parents of single variables; they make searches cheaper, and stay exact.

    Parameters
    ----------
    candidates : dict of str to list of str
        Whom a variable may choose as parents; a variable that is not named may choose everybody.
    absent : list of (str, str)
        Edges (from, to) that are known to be absent.

    Examples
    --------
    >>> Constraints(candidates={"wet": ["rain"]}, absent=[("wet", "rain")]).varsets(("rain", "wet", "cold"))
    [4, 1, 3]
    """

    candidates: Mapping[str, Iterable[str]] = field(default_factory=dict)
    absent: Iterable[tuple[str, str]] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.candidates, Mapping):
            raise InputError(f"candidates must be a dict {{variable: [parents]}}, got {self.candidates!r}.")
        if isinstance(self.absent, str) or not isinstance(self.absent, Iterable):
            raise InputError(f"absent must be a list of edges (from, to), got {self.absent!r}.")
        named = {str(name): _names(name, parents) for name, parents in self.candidates.items()}
        object.__setattr__(self, "candidates", named)
        object.__setattr__(self, "absent", tuple(_edge(edge) for edge in self.absent))

    def varsets(self, variables: tuple[str, ...]) -> list[int]:
        """Return, for every variable, the varset of whom it may choose as parents."""
        everybody = (1 << len(variables)) - 1
        allowed = [everybody & ~(1 << v) for v in range(len(variables))]
        for name, parents in self.candidates.items():
            v = index_of(name, variables)
            allowed[v] = varset_of(index_of(parent, variables) for parent in parents) & ~(1 << v)
        for parent, child in self.absent:
            allowed[index_of(child, variables)] &= ~(1 << index_of(parent, variables))
        return allowed

    def array(self, variables: tuple[str, ...]) -> NDArray[np.uint64]:
        """Return the varsets as the kernels take them: nothing where everybody may be chosen."""
        allowed = self.varsets(variables)
        is_free = allowed == [((1 << len(variables)) - 1) & ~(1 << v) for v in range(len(variables))]
        return np.zeros(0, dtype=np.uint64) if is_free else np.array(allowed, dtype=np.uint64)

    def families(self, variables: tuple[str, ...]) -> NDArray[np.uint64]:
        """Return the varset of every variable with its candidates: nothing where everybody may be chosen."""
        candidates = self.array(variables)
        return candidates | np.uint64(1) << np.arange(len(candidates), dtype=np.uint64)

    def as_dict(self) -> dict[str, object]:
        """Return plain values, for files."""
        return {
            "candidates": {name: list(parents) for name, parents in self.candidates.items()},
            "absent": [list(edge) for edge in self.absent],
        }


def _names(variable: object, parents: object) -> tuple[str, ...]:
    if isinstance(parents, str) or not isinstance(parents, Iterable):
        raise InputError(f"The candidates of {variable!r} must be a list of names, got {parents!r}.")
    return tuple(str(parent) for parent in parents)


def _edge(edge: object) -> tuple[str, str]:
    if isinstance(edge, str) or not isinstance(edge, Iterable) or len(pair := tuple(edge)) != 2:
        raise InputError(f"An absent edge is a pair (from, to), got {edge!r}.")
    return str(pair[0]), str(pair[1])
