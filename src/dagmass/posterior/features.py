"""Features: yes/no properties of a network, and their combinations with ``&``, ``|`` and ``~``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dagmass import _core
from dagmass.errors import InputError
from dagmass.graphs.network import Network
from dagmass.graphs.varset import index_of, names_in, varset_of
from dagmass.posterior.names import written

SetName = Literal["parents", "children", "ancestors", "descendants", "blanket"]
Operator = Literal["=", ">=", "<="]

SET_NAMES: tuple[SetName, ...] = ("parents", "children", "ancestors", "descendants", "blanket")  # in the order of the kernels
OPERATORS: tuple[Operator, ...] = ("=", ">=", "<=")  # in the order of the kernels

MAX_DEPTH = 400  # of and, or, not inside each other: evaluating goes one call deeper for each

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Networks:
    """What a feature is evaluated on: the networks of a posterior."""

    variables: tuple[str, ...]
    parents: NDArray[np.uint64]
    log_scores: NDArray[np.float64] | None = None  # where they are known

    def __iter__(self) -> Iterator[Network]:
        scores = repeat(None, len(self.parents)) if self.log_scores is None else self.log_scores.tolist()
        for parents, log_score in zip(self.parents.tolist(), scores, strict=True):
            yield Network(self.variables, tuple(parents), log_score)

    def index(self, name: str) -> int:
        """Return the position of a variable."""
        return index_of(name, self.variables)

    def varset(self, names: Iterable[str]) -> int:
        """Return the varset of some names."""
        return varset_of(self.index(name) for name in names)


class Feature:
    """A property that a network has or has not. It prints itself in the language that `parse_feature` reads."""

    def mask(self, networks: Networks) -> Mask:
        """Tell of every network whether it has the feature."""
        raise NotImplementedError

    @property
    def is_same_in_class(self) -> bool:
        """Whether equivalent networks agree on it always."""
        return False

    @property
    def depth(self) -> int:
        """How many of and, or, not are nested in this feature."""
        return 0

    def __and__(self, other: Feature) -> And:
        return And((self, as_feature(other)))

    def __rand__(self, other: Callable[[Network], bool]) -> And:
        return And((as_feature(other), self))

    def __or__(self, other: Feature) -> Or:
        return Or((self, as_feature(other)))

    def __ror__(self, other: Callable[[Network], bool]) -> Or:
        return Or((as_feature(other), self))

    def __invert__(self) -> Not:
        return Not(self)

    def __bool__(self) -> bool:
        raise InputError("Features are combined with &, | and ~ (and, or, not only in text), with parentheses around each.")


@dataclass(frozen=True)
class Edge(Feature):
    """A directed edge."""

    parent: str
    child: str

    def __post_init__(self) -> None:
        _check_names("An edge", self.parent, self.child)

    def mask(self, networks: Networks) -> Mask:
        """Tell of every network whether it has the edge."""
        return SetComparison("parents", self.child, ">=", frozenset({self.parent})).mask(networks)

    def __str__(self) -> str:
        return f"edge({written(self.parent)}, {written(self.child)})"


@dataclass(frozen=True)
class Link(Feature):
    """An edge in either direction."""

    a: str
    b: str

    def __post_init__(self) -> None:
        _check_names("A link", self.a, self.b)

    def mask(self, networks: Networks) -> Mask:
        """Tell of every network whether it has the link."""
        return Edge(self.a, self.b).mask(networks) | Edge(self.b, self.a).mask(networks)

    @property
    def is_same_in_class(self) -> bool:
        """Equivalent networks agree on it."""
        return True

    def __str__(self) -> str:
        return f"link({written(self.a)}, {written(self.b)})"


@dataclass(frozen=True)
class Path(Feature):
    """A directed path of any length."""

    start: str
    end: str

    def __post_init__(self) -> None:
        _check_names("A path", self.start, self.end)

    def mask(self, networks: Networks) -> Mask:
        """Tell of every network whether it has the path."""
        return SetComparison("ancestors", self.end, ">=", frozenset({self.start})).mask(networks)

    def __str__(self) -> str:
        return f"path({written(self.start)}, {written(self.end)})"


@dataclass(frozen=True)
class VStructure(Feature):
    """``a → c ← b`` without a link between a and b."""

    a: str
    c: str
    b: str

    def __post_init__(self) -> None:
        _check_names("A v-structure", self.a, self.c, self.b)

    def mask(self, networks: Networks) -> Mask:
        """Tell of every network whether it has the v-structure."""
        a, c, b = (networks.index(name) for name in (self.a, self.c, self.b))
        return _core.v_structure_holds(networks.parents, a, c, b).astype(bool)

    @property
    def is_same_in_class(self) -> bool:
        """Equivalent networks agree on it."""
        return True

    def __str__(self) -> str:
        return f"v_structure({written(self.a)}, {written(self.c)}, {written(self.b)})"


@dataclass(frozen=True)
class SetComparison(Feature):
    """A set that a variable has in a network (its parents, blanket, ...) compared with a given one."""

    which: SetName
    variable: str
    operator: Operator
    names: frozenset[str]

    def __post_init__(self) -> None:
        _check_names(f"{self.which}(...)", self.variable)
        if self.variable in self.names:
            raise InputError(f"A variable is never among its own {self.which}; take {self.variable!r} out of the set.")

    def mask(self, networks: Networks) -> Mask:
        """Tell of every network whether the comparison holds."""
        which, operator = SET_NAMES.index(self.which), OPERATORS.index(self.operator)
        v, names = networks.index(self.variable), networks.varset(self.names)
        return _core.set_holds(networks.parents, which, v, operator, names).astype(bool)

    @property
    def is_same_in_class(self) -> bool:
        """Equivalent networks have the same blankets."""
        return self.which == "blanket"

    def __str__(self) -> str:
        names = ", ".join(written(name) for name in sorted(self.names))
        return f"{self.which}({written(self.variable)}) {self.operator} {{{names}}}"


@dataclass(frozen=True)
class Separated(Feature):
    """d-separation of two sets given a third: the network says that they are independent."""

    left: frozenset[str]
    right: frozenset[str]
    given: frozenset[str]

    def __post_init__(self) -> None:
        if not self.left or not self.right:
            raise InputError("separated(a, b, given) needs a variable on either side.")
        twice = sorted((self.left & self.right) | ((self.left | self.right) & self.given))
        if twice:
            raise InputError(f"The sets of separated(a, b, given) must not overlap; {', '.join(map(repr, twice))} stands in two of them.")

    def mask(self, networks: Networks) -> Mask:
        """Tell of every network whether it separates the sets."""
        left, right, given = (networks.varset(names) for names in (self.left, self.right, self.given))
        return _core.separated_holds(networks.parents, left, right, given).astype(bool)

    @property
    def is_same_in_class(self) -> bool:
        """Equivalent networks agree on it."""
        return True

    def __str__(self) -> str:
        given = ", ".join(written(name) for name in sorted(self.given))
        return f"separated({_side(self.left)}, {_side(self.right)}{' | ' + given if given else ''})"


class Combination(Feature):
    """Features joined by and, or, not."""

    def __post_init__(self) -> None:
        if self.depth > MAX_DEPTH:
            raise InputError(f"Features nest at most {MAX_DEPTH} deep. A chain such as a & b & c is one level; ask for parts one by one.")

    def parts(self) -> tuple[Feature, ...]:
        """Return what is joined."""
        raise NotImplementedError

    def pieces(self) -> list[Feature | str]:
        """Return the text with features in place of theirs."""
        raise NotImplementedError

    @cached_property
    def depth(self) -> int:
        """How many of and, or, not are nested in this feature, itself included."""
        return 1 + max(part.depth for part in self.parts())

    @property
    def is_same_in_class(self) -> bool:
        """Whether equivalent networks agree on all that is joined."""
        return all(part.is_same_in_class for part in self.parts())

    def __str__(self) -> str:
        texts: list[str] = []
        waiting: list[Feature | str] = [self]
        while waiting:
            piece = waiting.pop()
            if isinstance(piece, Combination):
                waiting += reversed(piece.pieces())
            else:
                texts.append(str(piece))
        return "".join(texts)


@dataclass(frozen=True)
class And(Combination):
    """All of some features."""

    features: tuple[Feature, ...]

    def mask(self, networks: Networks) -> Mask:
        """Tell of every network whether it has all of them."""
        held = self.features[0].mask(networks)
        for feature in self.features[1:]:
            held = held & feature.mask(networks)
        return held

    def parts(self) -> tuple[Feature, ...]:
        """Return the features."""
        return self.features

    def pieces(self) -> list[Feature | str]:
        """Return the features with 'and' between them."""
        return _joined(" and ", self.features, (And, Or))

    def __and__(self, other: Feature) -> And:
        return And((*self.features, as_feature(other)))


@dataclass(frozen=True)
class Or(Combination):
    """At least one of some features."""

    features: tuple[Feature, ...]

    def mask(self, networks: Networks) -> Mask:
        """Tell of every network whether it has one or more of them."""
        held = self.features[0].mask(networks)
        for feature in self.features[1:]:
            held = held | feature.mask(networks)
        return held

    def parts(self) -> tuple[Feature, ...]:
        """Return the features."""
        return self.features

    def pieces(self) -> list[Feature | str]:
        """Return the features with 'or' between them."""
        return _joined(" or ", self.features, (Or,))

    def __or__(self, other: Feature) -> Or:
        return Or((*self.features, as_feature(other)))


@dataclass(frozen=True)
class Not(Combination):
    """The absence of a feature."""

    feature: Feature

    def mask(self, networks: Networks) -> Mask:
        """Tell of every network whether it lacks the feature."""
        return ~self.feature.mask(networks)

    def parts(self) -> tuple[Feature, ...]:
        """Return the feature that is absent."""
        return (self.feature,)

    def pieces(self) -> list[Feature | str]:
        """Return 'not' and the feature."""
        return ["not ", *_operand(self.feature, (And, Or))]


@dataclass(frozen=True)
class Predicate(Feature):
    """Any function of a `Network` that returns true or false; it is called once for each network."""

    function: Callable[[Network], bool]

    def mask(self, networks: Networks) -> Mask:
        """Tell of every network what the function says of it."""
        said = (bool(self.function(network)) for network in networks)
        return np.fromiter(said, dtype=bool, count=len(networks.parents))

    def __str__(self) -> str:
        return f"<{getattr(self.function, '__name__', 'function')}>"


@dataclass(frozen=True)
class VariableSet:
    """The parents, children, ancestors, descendants or blanket of a variable; compare it to get a feature.

    >>> print(VariableSet("blanket", "type") >= {"milk"})
    blanket(type) >= {milk}
    """

    which: SetName
    variable: str

    def __eq__(self, names: object) -> SetComparison:  # type: ignore[override]
        return SetComparison(self.which, self.variable, "=", names_in(names))

    def __ge__(self, names: object) -> SetComparison:
        return SetComparison(self.which, self.variable, ">=", names_in(names))

    def __le__(self, names: object) -> SetComparison:
        return SetComparison(self.which, self.variable, "<=", names_in(names))

    __hash__ = None  # type: ignore[assignment]


def edge(parent: str, child: str) -> Edge:
    """Return the feature "there is an edge parent → child"."""
    return Edge(parent, child)


def link(a: str, b: str) -> Link:
    """Return the feature "there is an edge between a and b, in either direction"."""
    return Link(a, b)


def path(start: str, end: str) -> Path:
    """Return the feature "there is a directed path from start to end"."""
    return Path(start, end)


def v_structure(a: str, c: str, b: str) -> VStructure:
    """Return the feature "a → c ← b, and a and b are not linked"."""
    return VStructure(a, c, b)


def separated(a: str | Iterable[str], b: str | Iterable[str], given: str | Iterable[str] = ()) -> Separated:
    """Return the feature "a and b are d-separated by `given`"; each may be one name or several."""
    return Separated(names_in(a), names_in(b), names_in(given))


def parents(variable: str) -> VariableSet:
    """Return the parents of a variable, to be compared with a set of names."""
    return VariableSet("parents", variable)


def children(variable: str) -> VariableSet:
    """Return the children of a variable, to be compared with a set of names."""
    return VariableSet("children", variable)


def ancestors(variable: str) -> VariableSet:
    """Return the ancestors of a variable, to be compared with a set of names."""
    return VariableSet("ancestors", variable)


def descendants(variable: str) -> VariableSet:
    """Return the descendants of a variable, to be compared with a set of names."""
    return VariableSet("descendants", variable)


def blanket(variable: str) -> VariableSet:
    """Return the Markov blanket of a variable (parents, children, their other parents), to be compared with a set of names."""
    return VariableSet("blanket", variable)


def as_feature(feature: object) -> Feature:
    """Take a feature, or a function of a network."""
    if isinstance(feature, Feature):
        return feature
    if callable(feature):
        return Predicate(feature)
    raise InputError(f"A feature is made by edge, path, parents(...) == {{...}} and the like, got {feature!r}.")


def _side(names: frozenset[str]) -> str:
    listed = ", ".join(written(name) for name in sorted(names))
    return listed if len(names) == 1 else f"{{{listed}}}"


def _joined(word: str, features: tuple[Feature, ...], enclosed: tuple[type[Feature], ...]) -> list[Feature | str]:
    pieces: list[Feature | str] = []
    for feature in features:
        pieces += [word, *_operand(feature, enclosed)]
    return pieces[1:]


def _operand(feature: Feature, enclosed: tuple[type[Feature], ...]) -> list[Feature | str]:
    return ["(", feature, ")"] if isinstance(feature, enclosed) else [feature]


def _check_names(what: str, *names: str) -> None:
    if not all(isinstance(name, str) for name in names):
        raise InputError(f"{what} needs names of variables, got {', '.join(map(repr, names))}.")
    if len(set(names)) < len(names):
        raise InputError(f"{what} needs different variables, got {', '.join(map(repr, names))}.")
