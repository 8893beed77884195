"""One network: a directed acyclic graph over named variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dagmass.errors import InputError
from dagmass.graphs.varset import index_of, members, names_in, names_of, varset_of


def topological_order(parents: Sequence[int]) -> list[int] | None:
    """Return the variables with parents before children, or None if there is a cycle.

    >>> topological_order([0b010, 0, 0b001])
    [1, 0, 2]
    """
    order: list[int] = []
    placed = 0
    waiting = list(range(len(parents)))
    while waiting:
        ready = [v for v in waiting if not parents[v] & ~placed]
        if not ready:
            return None
        order += ready
        placed |= varset_of(ready)
        waiting = [v for v in waiting if not placed >> v & 1]
    return order


@dataclass(frozen=True)
class Network:
    """A Bayesian network structure.

    Parameters
    ----------
    variables : tuple of str
        Names, in the order of the table.
    parents : tuple of int
        The parent varset of each variable.
    log_score : float, optional
        Natural log of P(data, network) with the structure prior not normalised; not part of equality.

    Examples
    --------
    >>> print(Network.from_parents({"rain": [], "wet": ["rain"]}))
    [rain][wet|rain]
    """

    variables: tuple[str, ...]
    parents: tuple[int, ...]
    log_score: float | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if len(self.variables) != len(self.parents):
            raise InputError(f"A network needs one parent set for each of its {len(self.variables)} variables, got {len(self.parents)}.")

    @classmethod
    def from_parents(cls, parents: Mapping[str, Iterable[str]]) -> Network:
        """Build a network from the parents of every variable, one name or several; refuse cycles and unknown names."""
        variables = tuple(parents)
        network = cls(variables, tuple(varset_of(index_of(name, variables) for name in names_in(names)) for names in parents.values()))
        if topological_order(network.parents) is None:
            raise InputError(f"A network must have no directed cycle; {network} has one.")
        return network

    def parents_of(self, name: str) -> tuple[str, ...]:
        """Return the names of a variable's parents."""
        return names_of(self.parents[index_of(name, self.variables)], self.variables)

    def to_dict(self) -> dict[str, list[str]]:
        """Return the parents of every variable, by name."""
        return {name: list(names_of(varset, self.variables)) for name, varset in zip(self.variables, self.parents, strict=True)}

    @property
    def edges(self) -> list[tuple[str, str]]:
        """All edges as (from, to), by child and then by parent."""
        return [(self.variables[parent], self.variables[child]) for child, varset in enumerate(self.parents) for parent in members(varset)]

    def __str__(self) -> str:
        return "".join(f"[{name}|{':'.join(parents)}]" if parents else f"[{name}]" for name, parents in self.to_dict().items())
