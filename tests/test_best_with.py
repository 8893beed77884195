"""The best network with a feature equals the first one in the list of all networks."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import oracle
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import random_table
from strategies import local_score_tables

from dagmass import InputError, LocalScores, Posterior, best_networks, learn, local_scores, sample
from dagmass.cli.main import cli
from dagmass.posterior.features import Feature, Networks, edge, link, parents, path, v_structure
from dagmass.posterior.features import children as children_of
from dagmass.scores.fixed_point import to_nats
from dagmass.search.edge_losses import edge_losses


def possible_scores(**sizes: int) -> st.SearchStrategy[LocalScores]:
    """Scores that leave some network."""
    return local_score_tables(**sizes).filter(oracle.networks_best_first)


def posterior_of(scores: LocalScores, k: int = 1) -> Posterior:
    return Posterior.of_best(best_networks(scores), k)


def expected(scores: LocalScores, feature: Feature) -> tuple[float, tuple[int, ...] | None]:
    """By listing all networks."""
    listed = oracle.networks_best_first(scores)
    mask = feature.mask(Networks(scores.variables, np.array([dag for _, dag in listed], dtype=np.uint64)))
    if not mask.any():
        return math.inf, None
    units, dag = listed[int(np.argmax(mask))]
    return float(to_nats(listed[0][0] - units, scores.fraction_bits)), dag


@st.composite
def features(draw: st.DrawFn, names: tuple[str, ...], depth: int = 2) -> Feature:
    """Whatever says which edges are there."""
    a, b, *others = draw(st.permutations(names))
    some = set(others[: draw(st.integers(0, len(others)))])
    simple = [edge(a, b), link(a, b), ~edge(a, b), ~link(a, b), parents(a) == {b, *some}, parents(a) >= some, parents(a) <= some]
    simple += [children_of(a) == some, children_of(a) <= {b}, ~(children_of(a) >= {b}), ~(parents(a) == some)]
    simple += [v_structure(a, others[0], b)] if others else []
    feature = draw(st.sampled_from(simple))
    if depth and draw(st.booleans()):
        other = draw(features(names, depth - 1))
        feature = draw(st.sampled_from([feature & other, feature | other, ~(feature & other), ~(feature | other)]))
    return feature


@given(st.data())
@settings(max_examples=150)
def test_best_with_equals_enumeration(data: st.DataObject) -> None:
    scores = data.draw(possible_scores())
    posterior = posterior_of(scores)
    feature = data.draw(features(scores.variables))
    answer = posterior.best_with(feature)
    loss, dag = expected(scores, feature)
    assert (answer.loss, answer.network and answer.network.parents) == (loss, dag)
    assert answer.network is None or answer.network.log_score == to_nats(oracle.score(scores, answer.network.parents), scores.fraction_bits)


def test_no_part_of_a_long_feature_is_forgotten() -> None:
    """The ways of its second half alone are too many to be searched; the first half leaves one of them."""
    posterior = learn("zoo", k=1)
    names = [name for name in posterior.variables if name != "milk"][:8]
    absent = " and ".join(f"not edge(milk, {name})" for name in names[:7])
    links = " and ".join(f"link(milk, {name})" for name in names)
    with pytest.raises(InputError, match="more than 64 ways"):
        posterior.best_with(f"({absent}) and ({links})")
    flat = posterior.best_with(f"{absent} and {links}")
    assert flat.network is not None
    assert all(flat.network.parents_of("milk").count(name) + flat.network.parents_of(name).count("milk") == 1 for name in names)


@given(possible_scores(min_variables=5, max_variables=5))
@settings(max_examples=3)
def test_edges_missing_links_and_families_of_five_variables(scores: LocalScores) -> None:
    posterior = posterior_of(scores)
    for feature in (edge("a", "b"), ~link("c", "d"), parents("e") == {"a", "c"}):
        answer = posterior.best_with(feature)
        assert (answer.loss, answer.network and answer.network.parents) == expected(scores, feature)


@given(possible_scores())
@settings(max_examples=60)
def test_losses_of_all_edges_equal_enumeration(scores: LocalScores) -> None:
    losses = edge_losses(scores)
    for a, parent in enumerate(scores.variables):
        for b, child in enumerate(scores.variables):
            assert losses[a, b] == (expected(scores, edge(parent, child))[0] if a != b else math.inf)


def test_best_with_is_the_first_network_of_the_stream_that_has_it() -> None:
    scores = local_scores(random_table(20, 300))
    posterior = posterior_of(scores, 3000)
    losses = edge_losses(scores)
    networks = Networks(posterior.variables, posterior.parents)
    averages = posterior.edge_averages
    for a, b in np.argwhere((averages > 0) & (averages < 0.3))[:8]:
        feature = edge(scores.variables[a], scores.variables[b])
        first = int(np.argmax(feature.mask(networks))) + 1
        assert losses[a, b] == posterior.log_scores[0] - posterior.log_scores[first - 1]
    a, b = (scores.variables[i] for i in np.argwhere(averages > 0.9)[0])
    missing = [~edge(a, b), ~link(a, b), parents(b) == set(posterior[2].parents_of(b))]
    for feature in missing:
        mask = feature.mask(networks)
        answer = posterior.best_with(feature)
        assert answer.loss > 0 or mask[0]
        if mask.any():
            assert answer.network == posterior[int(np.argmax(mask)) + 1]
        else:
            assert answer.loss > posterior.log_lambda


def test_other_features_are_found_among_the_networks_at_hand() -> None:
    posterior = learn("iris", k=50)
    mask = (~path("class", "petal_width")).mask(Networks(posterior.variables, posterior.parents))
    answer = posterior.best_with("not path(class, petal_width)")
    assert answer.network == posterior[int(np.argmax(mask)) + 1]


def test_the_edge_table_has_the_losses() -> None:
    posterior = learn("zoo", k=10)
    row = posterior.edges().query("`from` == 'milk' and `to` == 'eggs'").iloc[0]
    assert row["loss"] == posterior.best_with("edge(milk, eggs)").loss


def test_the_command_line_says_the_same(tmp_path: Any) -> None:
    run = tmp_path / "zoo.dagmass"
    learn("zoo", k=10).save(run)
    expression = "not link(milk, eggs)"
    done = CliRunner().invoke(cli, ["best-with", str(run), expression, "edge(milk, eggs)", "--json"], catch_exceptions=False)
    first, second = json.loads(done.stdout)
    answer = learn("zoo", k=10).best_with(expression)
    assert first == {"expression": expression, "loss": answer.loss, "log_score": answer.network.log_score, "network": str(answer.network)}  # type: ignore[union-attr]
    assert second["loss"] == learn("zoo", k=1).best_with("edge(milk, eggs)").loss
    assert "nats below the best of all" in CliRunner().invoke(cli, ["best-with", str(run), expression]).stdout


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: learn("iris", k=3).best_with("path(petal_length, sepal_width) and separated(sepal_length, class)"), "None of these 3"),
        (lambda: learn("iris", k=3, classes=True).best_with("path(class, petal_width)"), "holds classes"),
        (lambda: learn("iris", k=3).best_with("edge(class, x)"), "x"),
        (lambda: learn("zoo", k=3).best_with(" and ".join(f"link(milk, {name})" for name in list(learn("zoo").variables)[4:14])), "ways"),
    ],
)
def test_what_cannot_be_answered_is_refused(ask: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        ask()


def test_draws_and_classes_ask_the_scores() -> None:
    loss = learn("iris", k=3).best_with("edge(class, sepal_width)").loss
    assert learn("iris", k=3, classes=True).best_with("edge(class, sepal_width)").loss == loss
    scores = local_scores(random_table(5, 50))
    assert sample(scores, 5).best_with("edge(V1, V2)").loss == posterior_of(scores).best_with("edge(V1, V2)").loss
