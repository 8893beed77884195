"""Random tables and random local scores for property tests."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from dagmass import LocalScores, Table
from dagmass.scores.fixed_point import IMPOSSIBLE
from dagmass.scores.storages import SetFunction

NAMES = tuple("abcdefgh")


@st.composite
def coded_tables(draw: st.DrawFn, *, max_variables: int = 5, max_rows: int = 60, max_levels: int = 4) -> Table:
    """Tables of random codes with random weights; some rows occur many times."""
    n = draw(st.integers(2, max_variables))
    m = draw(st.integers(2, max_rows))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    levels = generator.integers(2, max_levels + 1, size=n)
    codes = generator.integers(0, levels[:, None], size=(n, m))
    if draw(st.booleans()):
        codes[-1] = codes[0] % levels[-1]  # a copy, so that columns depend on each other
    weights = generator.choice([1, 1, 1, 2, 3, 7], size=m)
    return Table(
        variables=NAMES[:n],
        levels=tuple(tuple(map(str, range(count))) for count in levels),
        codes=codes.astype(np.uint16),
        weights=weights.astype(np.uint32),
    )


@st.composite
def local_score_tables(draw: st.DrawFn, *, min_variables: int = 2, max_variables: int = 4) -> LocalScores:
    """Scores of all families: spread, tied, all equal, with forbidden families or bounded in-degree."""
    n = draw(st.integers(min_variables, max_variables))
    kind = draw(st.sampled_from(["spread", "tied", "equal", "holes", "bounded", "wide"]))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    families = [{p: _random_score(generator, kind, p) for p in range(1 << n) if not p >> v & 1} for v in range(n)]
    return LocalScores.from_families(NAMES[:n], families)


@st.composite
def equivalent_scores(draw: st.DrawFn, *, min_variables: int = 2, max_variables: int = 4) -> LocalScores:
    """Scores that cannot tell equivalent networks apart: spread, tied or all equal, with and without one bound on the parents."""
    n = draw(st.integers(min_variables, max_variables))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["spread", "tied", "equal"]))
    values = {"spread": generator.normal(0, 2, 1 << n), "tied": generator.integers(0, 2, 1 << n), "equal": np.zeros(1 << n)}[kind]
    bound = draw(st.sampled_from([None, 1, 2]))
    return set_function_scores(NAMES[:n], values, bound)


def set_function_scores(names: tuple[str, ...], values: np.ndarray, max_parents: int | None = None) -> LocalScores:
    """Scores f(P + v) - f(P) of a set function in nats."""
    n = len(names)
    bound = n - 1 if max_parents is None else max_parents
    terms = [0 if size <= bound else IMPOSSIBLE for _ in range(n) for size in range(n)]
    units = np.round(np.ldexp(np.asarray(values, dtype=np.float64), 40)).astype(np.int64)
    return LocalScores(names, SetFunction(n, units, np.array(terms, dtype=np.int64)), 40, True)


def _random_score(generator: np.random.Generator, kind: str, parents: int) -> float:
    match kind:
        case "equal":
            return -1.0
        case "tied":
            return float(-generator.integers(0, 3))
        case "holes":
            return -math.inf if generator.random() < 0.4 else float(-generator.integers(0, 6))
        case "bounded":
            return -math.inf if parents.bit_count() > 1 else float(generator.normal(0, 2))
        case "wide":
            return float(generator.normal(0, 2e4))
    return float(generator.normal(0, 2))
