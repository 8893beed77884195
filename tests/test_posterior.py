"""The first part of the posterior, against plain arithmetic over the networks."""

from __future__ import annotations

import math
import pickle

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import local_score_tables

from dagmass import InputError, LocalScores, Posterior, StopRule, best_networks
from dagmass.posterior.posterior import RunInfo


@given(local_score_tables(max_variables=4), st.integers(1, 60))
@settings(max_examples=60)
def test_weights_and_averages(scores: LocalScores, k: int) -> None:
    networks = oracle.networks_best_first(scores)
    if not networks:
        return
    posterior = Posterior.of_best(best_networks(scores), k)
    kept = networks[:k]
    assert len(posterior) == len(kept)
    shares = [math.exp((units - kept[0][0]) * 2.0**-scores.fraction_bits) for units, _ in kept]
    assert posterior.weights == pytest.approx([share / sum(shares) for share in shares])
    assert posterior.log_lambda == (kept[0][0] - kept[-1][0]) * 2.0**-scores.fraction_bits
    for a in range(scores.num_variables):
        for b in range(scores.num_variables):
            expected = sum(share for share, (_, dag) in zip(shares, kept, strict=True) if dag[b] >> a & 1) / sum(shares)
            assert posterior.edge_averages[a, b] == pytest.approx(expected, abs=1e-12)
    assert posterior.ties.kept == sum(units == kept[-1][0] for units, _ in kept)
    assert posterior.ties.more == (len(networks) > k and networks[k][0] == kept[-1][0])


def chain() -> LocalScores:
    names = "abcd"
    return LocalScores.from_dict(
        {v: {(): -2.0} | {(u,): -1.0 - abs(names.index(u) - names.index(v)) / 4 for u in names if u != v} for v in names}
    )


def test_more_goes_on() -> None:
    at_once = Posterior.of_best(best_networks(chain()), 50)
    first = Posterior.of_best(best_networks(chain()), 10)
    second = first.more(40)
    assert second.parents.tolist() == at_once.parents.tolist()
    assert second.k == 50
    again = first.more(40)  # the stream has moved on; the answer may not
    assert again.parents.tolist() == at_once.parents.tolist()
    assert (again.ties, second.ties) == (at_once.ties, at_once.ties)


def test_more_says_what_ended_it() -> None:
    every = Posterior.of_best(best_networks(chain()), 1000)
    assert (len(every), every.k, every.stopped_by) == (125, 1000, "all")
    for _ in range(2):  # what is asked for in vain does not add up
        every = every.more(875)
        assert (len(every), every.k, every.stopped_by) == (125, 1000, "all")
    window = Posterior.of_best(best_networks(chain()), rule=StopRule(bayes_factor=2))
    longer = window.more(3)
    assert (window.stopped_by, longer.stopped_by, longer.k) == ("bayes_factor", "k", len(window) + 3)


def test_more_adds_to_the_time() -> None:
    info = RunInfo(seconds={"read": 1.0, "search": 2.0, "total": 3.0})
    later = Posterior.of_best(best_networks(chain()), 10, info=info).more(5).info.seconds
    assert later["read"] == 1.0
    assert later["search"] - 2.0 == pytest.approx(later["total"] - 3.0)
    assert later["search"] > 2.0


def test_a_strict_run_is_not_continued() -> None:
    scores = LocalScores.from_dict({"a": {(): 0.0, ("b",): -1.0}, "b": {(): 0.0, ("a",): 0.5}})
    strict = Posterior.of_best(best_networks(scores), rule=StopRule(bayes_factor=20, strict=True))
    assert [str(network) for network in strict] == ["[a][b|a]", "[a][b]"]
    assert "2 without a better-scoring subgraph" in repr(strict)
    with pytest.raises(InputError, match="A strict run is not continued; learn again with a larger bayes_factor"):
        strict.more(1)


def test_a_used_stream_is_refused() -> None:
    best = best_networks(chain())
    next(best)
    with pytest.raises(InputError, match="taken from this stream already"):
        Posterior.of_best(best, 10)


def test_fewer_networks_than_asked_for() -> None:
    posterior = Posterior.of_best(best_networks(LocalScores.from_dict({"a": {(): 0.0}, "b": {(): 0.0, ("a",): -1.0}})), 10)
    assert len(posterior) == 2
    assert "all 2 that exist (10 were asked for)" in repr(posterior)


def test_lambda_that_overflows() -> None:
    posterior = Posterior.of_best(best_networks(LocalScores.from_dict({"a": {(): 0.0}, "b": {(): 0.0, ("a",): -5000.0}})), 2)
    assert posterior.lambda_ is None
    assert posterior.log_lambda == 5000.0
    assert "ln lambda 5000" in repr(posterior)


def test_frames() -> None:
    posterior = Posterior.of_best(best_networks(chain()), 20)
    assert list(posterior.networks().columns) == ["rank", "log_score", "weight", "cumulative_weight", "class", "network", "difference"]
    assert posterior.networks()["weight"].sum() == pytest.approx(1)
    edges, links = posterior.edges(), posterior.links()
    assert len(edges) == 12
    assert len(links) == 6
    assert np.allclose(links["a → b"] + links["a ← b"], links["link"])
    assert links["link"].is_monotonic_decreasing
    one = edges[(edges["from"] == "a") & (edges["to"] == "b")].iloc[0]
    assert one["average"] == posterior.edge_averages[0, 1]


def test_ranks() -> None:
    posterior = Posterior.of_best(best_networks(chain()), 3)
    assert posterior[1].log_score == posterior.log_scores[0]
    for rank in (0, 4):
        with pytest.raises(InputError, match="Ranks run from 1 to 3"):
            posterior[rank]
    assert [network.log_score for network in posterior] == posterior.log_scores.tolist()
    with pytest.raises(InputError, match="Ranks run"):
        posterior["1"]
    with pytest.raises(InputError, match="whole number"):
        posterior.more(1e3)
    assert pickle.loads(pickle.dumps(posterior)).more(5) == posterior.more(5)
    with pytest.raises(InputError, match="k must be at least 1, got 0"):
        Posterior.of_best(best_networks(chain()), 0)
