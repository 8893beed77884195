"""Sets of variables as integers, one bit each, and the names they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from dagmass.errors import InputError


def members(varset: int) -> Iterator[int]:
    """Yield the variables of a set in rising order.

    >>> list(members(0b1010))
    [1, 3]
    """
    while varset:
        lowest = varset & -varset
        yield lowest.bit_length() - 1
        varset ^= lowest


def varset_of(indices: Iterable[int]) -> int:
    """Return the set of some variables.

    >>> varset_of([1, 3])
    10
    """
    varset = 0
    for index in indices:
        varset |= 1 << index
    return varset


def index_of(name: str, variables: Sequence[str]) -> int:
    """Return the position of a name among the variables."""
    if not isinstance(name, str):
        raise InputError(f"A variable is given by its name, got {name!r}. The variables are {', '.join(variables)}.")
    try:
        return variables.index(name)
    except ValueError:
        raise InputError(
            f"There is no variable {name!r}.{nearest_hint(name, variables)} The variables are {', '.join(variables)}."
        ) from None


def names_in(names: object) -> frozenset[str]:
    """Return one name or several as a set.

    >>> sorted(names_in("milk")), sorted(names_in(["milk", "eggs"]))
    (['milk'], ['eggs', 'milk'])
    """
    listed: list[Any] = [names] if isinstance(names, str) or not isinstance(names, Iterable) else list(names)
    if not all(isinstance(name, str) for name in listed):
        raise InputError(f"Names of variables are needed, as in {{'a', 'b'}}, got {names!r}.")
    return frozenset(listed)


def nearest_hint(name: str, names: Iterable[str]) -> str:
    """Return ' Did you mean ...?' when one of the names is close."""
    from difflib import get_close_matches

    by_lower_case = {known.lower(): known for known in names}
    close = get_close_matches(name.lower(), by_lower_case, n=1)
    return f" Did you mean {by_lower_case[close[0]]!r}?" if close else ""


def names_of(varset: int, variables: Sequence[str]) -> tuple[str, ...]:
    """Return the names of a set of variables.

    >>> names_of(0b101, ["a", "b", "c"])
    ('a', 'c')
    """
    return tuple(variables[index] for index in members(varset))
