"""Coverage and the bounds of Proposition 1, and where a search stops."""

from __future__ import annotations

import math
from itertools import permutations
from pathlib import Path

import numpy as np
import oracle
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import local_score_tables

from dagmass import InputError, LocalScores, Posterior, Probability, StopRule, Table, best_networks, exact, learn, sample

LETTER = Path(__file__).parent / "data" / "letter_med2.csv.gz"
FEATURES = (
    "edge(a, b)",
    "link(a, b)",
    "path(b, a)",
    "parents(b) = {a}",
    "not path(b, a)",
    "blanket(a) >= {b}",
    "separated(a, b)",
    "path(a, b) or path(b, a)",
)


@pytest.mark.parametrize(("name", "k", "coverage"), [("iris", 900, 0.999983), ("tic-tac-toe", 1000, 0.999377), ("zoo", 100, 1.01289e-8)])
def test_coverage_of_the_papers_rows(name: str, k: int, coverage: float) -> None:
    posterior = learn(name, k=k)
    assert posterior.coverage == pytest.approx(coverage, rel=1e-5)
    low, high = posterior.coverage_range
    assert low <= posterior.coverage <= high


def test_letter() -> None:
    posterior = learn(Table.from_frame(pd.read_csv(LETTER)), k=100)
    assert posterior.exact is not None
    assert posterior.exact.log_evidence == pytest.approx(-197624.879633187, abs=2e-8)  # rows times half a unit of the scores
    assert posterior.exact.way == "sparse"
    shares = np.cumsum(posterior.posterior_probabilities)  # type: ignore[arg-type]
    assert shares[[0, 9, 99]] == pytest.approx([0.00159091, 0.0159091, 0.156135], rel=1e-5)
    assert posterior.lambda_ == pytest.approx(1.02157, rel=1e-5)
    assert (posterior.scores == posterior.scores[0]).sum() == 12


@given(local_score_tables(min_variables=3, max_variables=4), st.integers(1, 30))
@settings(max_examples=40)
def test_every_probability_lies_within_its_bounds(scores: LocalScores, k: int) -> None:
    if not oracle.networks_best_first(scores):
        return
    posterior = Posterior.of_best(best_networks(scores), k=k, exact=exact(scores))
    known = Posterior.of_best(best_networks(scores), k=30_000)
    for expression in FEATURES:
        answer, true = posterior.probability(expression), known.probability(expression).average
        assert answer.low <= true + 1e-12
        assert true <= answer.high + 1e-12
        if answer.method == "exact":
            assert answer.value == pytest.approx(true, abs=1e-12)
    assert posterior.posterior_probabilities is not None
    listed = oracle.sums(scores)
    shares = listed.shares
    for row, probability in zip(posterior.parents.tolist(), posterior.posterior_probabilities, strict=True):
        assert probability == pytest.approx(shares[tuple(row)], rel=1e-12 + 4e-16 * abs(listed.log_evidence))


def unsummed_features(a: str, b: str, c: str) -> list[str]:
    """Features of some variables for which no sum is known."""
    return [
        f"separated({a}, {b} | {c})",
        f"v_structure({a}, {b}, {c})",
        f"blanket({a}) >= {{{c}}}",
        f"path({a}, {c}) and not edge({a}, {c})",
        f"descendants({b}) <= {{{a}}}",
    ]


@pytest.mark.parametrize("classes", [False, True])
def test_bounds_on_iris(classes: bool) -> None:
    """Proposition 1 against the list of all 29281 networks."""
    everything = learn("iris", k=30_000, evidence=False)
    for k in (1, 20, 300):
        posterior = learn("iris", k=k, classes=classes)
        for a, b, c in permutations(posterior.variables, 3):
            for expression in unsummed_features(a, b, c)[: 2 if k > 1 else None]:
                answer, true = posterior.probability(expression), everything.probability(expression).average
                check_proposition_1(posterior, answer)
                assert answer.low <= true + 1e-12
                assert true <= answer.high + 1e-12


@pytest.mark.parametrize("name", ["asia", "tic-tac-toe", "zoo"])
def test_bounds_on_data(name: str) -> None:
    """Proposition 1 against independent draws from the whole posterior."""
    posterior = learn(name, k=200)
    drawn = sample(posterior.origin.scores(), 5000, seed=2)
    a, b, c = posterior.variables[:3]
    for expression in unsummed_features(a, b, c) + unsummed_features(c, a, b):
        answer, true = posterior.probability(expression), drawn.probability(expression)
        check_proposition_1(posterior, answer)
        slack = 4 * math.sqrt(max(true.value * (1 - true.value), 1e-3) / 5000)
        assert answer.low - slack <= true.value <= answer.high + slack


def check_proposition_1(posterior: Posterior, answer: Probability) -> None:
    """Low and high are those of the paper: coverage times average, and that plus what is not covered."""
    assert answer.method == "bounds"
    assert posterior.coverage is not None
    assert answer.low == pytest.approx(posterior.coverage * answer.average, abs=1e-9)
    assert answer.high == pytest.approx(min(posterior.coverage * answer.average + 1 - posterior.coverage, 1.0), abs=1e-9)


def test_answers_say_how_they_were_found() -> None:
    posterior = learn("iris", k=20)
    assert posterior.probability("edge(class, petal_width)").method == "exact"
    assert "exact, over all networks" in repr(posterior.probability("path(class, petal_width)"))
    bounded = posterior.probability("separated(class, petal_width)")
    assert bounded.method == "bounds"
    assert "which hold" in repr(bounded)
    assert bounded.low <= bounded.average <= bounded.high
    assert learn("iris", k=20, evidence=False).probability("link(class, petal_width)").high == 1.0
    assert "that is little" in repr(learn("zoo", k=10))
    assert "that is little" not in repr(learn("iris", k=900))


@given(local_score_tables(min_variables=2, max_variables=4), st.floats(0.01, 0.99))
@settings(max_examples=50)
def test_mass_takes_the_fewest_networks_and_ties(scores: LocalScores, mass: float) -> None:
    check_mass(scores, mass)


@given(local_score_tables(min_variables=5, max_variables=5), st.floats(0.1, 0.99))
@settings(max_examples=4)
def test_mass_of_five_variables(scores: LocalScores, mass: float) -> None:
    check_mass(scores, mass)


def check_mass(scores: LocalScores, mass: float) -> None:
    """As many networks as the list of all needs, and those that tie with the last one."""
    listed = oracle.networks_best_first(scores)
    if not listed:
        return
    posterior = Posterior.of_best(best_networks(scores), rule=StopRule(mass=mass), exact=exact(scores))
    shares = np.exp(np.array([(units - listed[0][0]) * 2.0**-scores.fraction_bits for units, _ in listed]))
    shares /= shares.sum()
    count = int(np.searchsorted(np.cumsum(shares), mass - 1e-12)) + 1
    while count < len(listed) and listed[count][0] == listed[count - 1][0]:
        count += 1
    assert abs(len(posterior) - count) <= 0 or abs(np.cumsum(shares)[min(count, len(shares)) - 1] - mass) < 1e-9
    assert [tuple(row) for row in posterior.parents.tolist()] == [dag for _, dag in listed[: len(posterior)]]
    assert posterior.stopped_by in ("mass", "all")


@given(local_score_tables(min_variables=2, max_variables=4), st.sampled_from([1.0, math.e, 20.0, 1e6]), st.booleans())
@settings(max_examples=60)
def test_bayes_factor_is_a_window(scores: LocalScores, factor: float, strict: bool) -> None:
    check_window(scores, factor, strict)


@given(local_score_tables(min_variables=5, max_variables=5), st.sampled_from([1.0, math.e, 20.0, 1e6]), st.booleans())
@settings(max_examples=5)
def test_bayes_factor_of_five_variables(scores: LocalScores, factor: float, strict: bool) -> None:
    check_window(scores, factor, strict)


def check_window(scores: LocalScores, factor: float, strict: bool) -> None:
    """The networks of the list of all within the factor; without better subgraphs, if strict."""
    listed = oracle.networks_best_first(scores)
    if not listed:
        return
    posterior = Posterior.of_best(best_networks(scores), rule=StopRule(bayes_factor=factor, strict=strict))
    unit = 2.0**-scores.fraction_bits
    window = [dag for units, dag in listed if (listed[0][0] - units) * unit <= math.log(factor)]
    if strict:
        window = [dag for dag in window if not has_better_subgraph(scores, dag)]
    assert [tuple(row) for row in posterior.parents.tolist()] == window


def has_better_subgraph(scores: LocalScores, dag: oracle.Dag) -> bool:
    """Whether some family has a strict subset that scores at least as well."""
    return any(
        scores.storage.score(v, subset) >= scores.storage.score(v, parents)
        for v, parents in enumerate(dag)
        for subset in oracle.subsets(parents)
        if subset != parents
    )


def test_mass_out_of_reach_ends_at_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior = learn("zoo", mass=0.5, max_networks=2000)
    assert posterior.stopped_by == "max_networks"
    assert len(posterior) == 2000
    assert "ended at its largest number of networks" in repr(posterior)
    assert learn("zoo", mass=0.5, max_seconds=0.05).stopped_by == "max_seconds"
    assert learn("zoo", k=10_000_000, max_seconds=0.05).stopped_by == "max_seconds"
    noise = np.random.default_rng(5).integers(0, 2, (150, 18))  # one part of such a search takes many times longer
    assert learn(noise, bayes_factor=1e9, max_networks=10**9, max_seconds=0.5, evidence=False).stopped_by == "max_seconds"
    scores = learn("zoo", k=1, evidence=False).origin.scores()
    monkeypatch.setattr("dagmass.job.available_memory", lambda: 8 << 20)
    assert Posterior.of_best(best_networks(scores), rule=StopRule(bayes_factor=1e9)).stopped_by == "max_memory"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "Say once when to stop"),
        ({"k": 3, "mass": 0.5}, "Say once when to stop"),
        ({"mass": 1.5}, "between 0 and 1"),
        ({"bayes_factor": 0.5}, "at least 1"),
        ({"k": 3, "strict": True}, "belongs to bayes_factor"),
        ({"mass": 0.5, "max_seconds": 0}, "above 0"),
        ({"mass": "0.9"}, "mass must be a number, got '0.9'"),
        ({"mass": 0.9, "max_networks": 2.5}, "max_networks must be a whole number, got 2.5"),
    ],
)
def test_rules_that_cannot_be_meant(options: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        StopRule(**options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="needs the evidence"):
        learn("iris", mass=0.5, evidence=False)
