"""Exact draws: against the list of all networks and against exact posteriors."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from strategies import local_score_tables, set_function_scores
from test_exact import random_scores

from dagmass import InputError, Job, LocalScores, Posterior, best_classes, best_networks, exact, learn, parse_feature, sample
from dagmass.exact.sampler import Sampler
from dagmass.posterior.intervals import clopper_pearson
from dagmass.posterior.probability import average_of


@pytest.mark.parametrize("kind", ["plain", "holes", "empty"])
def test_draws_follow_the_exact_distribution(kind: str) -> None:
    """Chi-square at four variables; networks that are hardly ever drawn are put together."""
    scores = random_scores(4, kind, seed=8)
    num_draws = 200_000
    counts = Counter(map(tuple, Sampler(scores, seed=5).draw(num_draws).tolist()))
    shares = oracle.sums(scores).shares
    assert set(counts) <= set(shares)
    frequent = [dag for dag, share in shares.items() if share * num_draws >= 10]
    expected = [shares[dag] * num_draws for dag in frequent]
    seen = [counts[dag] for dag in frequent]
    if len(frequent) < len(shares):
        expected.append(num_draws - sum(expected))
        seen.append(num_draws - sum(seen))
    chi_square = sum((a - b) ** 2 / b for a, b in zip(seen, expected, strict=True) if b > 1e-6)
    freedom = len(expected) - 1
    assert chi_square < freedom + 4.5 * math.sqrt(2 * freedom) + 10


@given(local_score_tables(max_variables=4))
@settings(max_examples=25)
def test_only_possible_networks_are_drawn(scores: LocalScores) -> None:
    possible = {dag for _, dag in oracle.networks_best_first(scores)}
    if not possible:
        with pytest.raises(InputError, match="no network"):
            Sampler(scores)
        return
    assert {tuple(row) for row in Sampler(scores, seed=1).draw(200).tolist()} <= possible


@pytest.mark.parametrize("name", ["ten", "zoo"])
def test_edges_and_paths_of_draws(name: str) -> None:
    scores = random_scores(10, "plain", seed=2) if name == "ten" else learn("zoo", k=1, evidence=False).origin.scores()
    drawn, found = sample(scores, 4000, seed=11), exact(scores)
    assert found.path_probabilities is not None
    paths = drawn.paths()["average"].to_numpy()
    exact_paths = found.paths()["probability"].to_numpy()
    edges = drawn.edges()["average"].to_numpy()
    exact_edges = found.edges()["probability"].to_numpy()
    for seen, true in ((edges, exact_edges), (paths, exact_paths)):
        error = np.sqrt(np.maximum(true * (1 - true), 1e-6) / 4000)
        assert (np.abs(seen - true) / error).max() < 4.8  # of several hundred pairs at once; 4 for each alone
        assert ((np.abs(seen - true) / error) > 4).sum() <= 1


def test_the_seed_decides_and_threads_do_not() -> None:
    scores = random_scores(7, "plain", seed=3)
    one, five = (Sampler(scores, 9, Job(threads)).draw(500) for threads in (1, 5))
    assert np.array_equal(one, five)
    parts = Sampler(scores, 9)
    assert np.array_equal(np.concatenate([parts.draw(200), parts.draw(300)]), one)
    assert not np.array_equal(Sampler(scores, 10).draw(500), one)


def test_a_posterior_of_draws_estimates() -> None:
    drawn = sample(random_scores(5, "plain", seed=1), 2000, seed=4)
    answer = drawn.probability("edge(v0, v1)")
    assert answer.method == "estimate"
    assert answer.standard_error == pytest.approx(math.sqrt(answer.value * (1 - answer.value) / 2000))
    assert answer.low <= answer.value <= answer.high
    assert sample(random_scores(5, "plain", seed=1), 2000, seed=4) == drawn
    with pytest.raises(InputError, match="draw more of them at once"):
        drawn.more(5)
    assert drawn.classes()["num_networks"].sum() == 2000


@pytest.mark.parametrize("what", ["networks", "classes"])
def test_the_combined_interval_holds_the_exact_value(what: str) -> None:
    """As often as its nominal share of repetitions allows; features for which no sum is known."""
    scores = set_function_scores(tuple("abcde"), np.random.default_rng(4).normal(0, 1.2, 32))
    posterior = Posterior.of_best((best_networks if what == "networks" else best_classes)(scores), k=20, exact=exact(scores))
    assert posterior.coverage is not None
    assert 0.02 < posterior.coverage < 0.9
    expression = "path(a, b) and not edge(a, b)"
    true = oracle.sums(scores).share(lambda dag: bool(oracle.descendants(dag, 0) >> 1 & 1) and not dag[1] & 1)
    answers = [posterior.probability(expression, draws=200, seed=seed) for seed in range(200)]
    assert {answer.method for answer in answers} == {"estimate"}
    # At 95 % each, fewer than 181 of 200 hold it once in 300 times.
    assert sum(answer.low <= true <= answer.high for answer in answers) >= 181
    bounds = posterior.probability(expression)
    assert all(bounds.low <= answer.low <= answer.high <= bounds.high for answer in answers)
    assert posterior.probability(expression, draws=200, seed=3) == answers[3]


def sevens() -> LocalScores:
    """The complete networks of seven variables are the best class: 5040 members, from which members are drawn."""
    values = np.array([1.7 * varset.bit_count() ** 2 for varset in range(1 << 7)]) + np.random.default_rng(6).normal(0, 0.2, 1 << 7)
    return set_function_scores(tuple("abcdefg"), values)


def test_draws_of_members_are_completed_by_draws_outside() -> None:
    """The average over a large class is an estimate itself; the whole posterior has its part outside the class."""
    scores = sevens()
    posterior = Posterior.of_best(best_classes(scores), k=1, exact=exact(scores))
    assert posterior.classes_masses is not None
    assert posterior.classes_masses.sizes == (5040,)
    assert posterior.coverage is not None
    assert 0.1 < posterior.coverage < 0.9
    true = posterior.probability("path(a, b)").value
    expression = "path(a, b) or edge(a, b)"  # the same as the path alone, which the sums know
    bounds = posterior.probability(expression)
    assert (bounds.method, bounds.value, bounds.num_draws) == ("bounds", bounds.average, 1000)
    assert bounds.low <= true <= bounds.high
    assert bounds.low < posterior.coverage * bounds.average
    assert "with 95 %" in repr(bounds)
    answers = [posterior.probability(expression, draws=500, seed=seed) for seed in range(40)]
    assert {(answer.method, answer.num_draws) for answer in answers} == {("estimate", 500)}
    assert sum(answer.low <= true <= answer.high for answer in answers) >= 38
    inside = average_of(posterior, parse_feature(expression, scores.variables)).standard_error
    assert all(answer.standard_error > posterior.coverage * inside for answer in answers)  # type: ignore[operator]
    assert all(answer.high - answer.low < bounds.high - bounds.low for answer in answers)


def test_without_a_draw_outside_the_bounds_remain() -> None:
    scores = LocalScores.from_dict({"a": {(): 0.0}, "b": {(): 0.0, ("a",): 60.0}})
    posterior = Posterior.of_best(best_networks(scores), k=1, exact=exact(scores))
    answer = posterior.probability("not separated(a, b)", draws=10)
    assert answer.method == "bounds"


@pytest.mark.parametrize(("held", "trials"), [(0, 10), (10, 10), (3, 10), (50, 1000), (1, 2)])
def test_clopper_pearson_solves_its_definition(held: int, trials: int) -> None:
    low, high = clopper_pearson(held, trials)

    def at_least(p: float) -> float:
        return math.fsum(math.comb(trials, i) * p**i * (1 - p) ** (trials - i) for i in range(held, trials + 1))

    def at_most(p: float) -> float:
        return math.fsum(math.comb(trials, i) * p**i * (1 - p) ** (trials - i) for i in range(held + 1))

    assert (held == 0 and low == 0) or at_least(low) == pytest.approx(0.025, rel=1e-6)
    assert (held == trials and high == 1) or at_most(high) == pytest.approx(0.025, rel=1e-6)


@pytest.mark.parametrize("share", [0.003, 0.02, 0.1, 0.25, 0.5, 0.77, 0.98])
def test_intervals_hold_the_truth_with_their_nominal_share(share: float) -> None:
    """Summed over every outcome of 200 draws, not simulated: never below 95 %."""
    trials = 200
    chances = [math.comb(trials, held) * share**held * (1 - share) ** (trials - held) for held in range(trials + 1)]
    intervals = [clopper_pearson(held, trials) for held in range(trials + 1)]
    assert sum(chance for chance, (low, high) in zip(chances, intervals, strict=True) if low <= share <= high) >= 0.95
