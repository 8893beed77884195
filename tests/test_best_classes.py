"""The stream of classes against the sorted list of all of them."""

from __future__ import annotations

import math
from itertools import islice
from pathlib import Path

import numpy as np
import oracle
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import NAMES, equivalent_scores, local_score_tables, set_function_scores

from dagmass import (
    Constraints,
    InputError,
    Job,
    LocalScores,
    Posterior,
    Table,
    TooLargeError,
    best_classes,
    exact,
    learn,
    load,
    local_scores,
    read_jkl,
    write_jkl,
)
from dagmass.posterior.compare import ClassComparison
from dagmass.scores.fixed_point import to_nats
from dagmass.search.best_classes import BestClasses
from dagmass.search.best_first import Batch
from dagmass.show.contract import learn_json

LETTER = Path(__file__).parent / "data" / "letter_med2.csv.gz"


def check_against_listing(best: BestClasses, most: int = 10_000) -> Batch:
    expected = oracle.classes_best_first(best.scores)[:most]
    batch = best.take(most)
    assert [(s, tuple(p)) for s, p in zip(batch.scores.tolist(), batch.parents.tolist(), strict=True)] == [entry[:2] for entry in expected]
    assert best.sizes(batch) == [len(units) for _, _, units in expected]
    sums = [math.log(math.fsum(np.exp(to_nats(np.array(units) - top, 40)))) + float(to_nats(top, 40)) for top, _, units in expected]
    if best.scores.fraction_bits == 40:
        assert best.log_masses(batch) == pytest.approx(sums, abs=1e-9)
    return batch


@given(equivalent_scores(max_variables=4))
@settings(max_examples=100)
def test_stream_is_the_sorted_list_of_all_classes(scores: LocalScores) -> None:
    best = best_classes(scores)
    assert best.why_grouped is None
    check_against_listing(best)


@given(equivalent_scores(min_variables=5, max_variables=5))
@settings(max_examples=6)
def test_stream_of_five_variables(scores: LocalScores) -> None:
    check_against_listing(best_classes(scores))


@given(
    equivalent_scores(min_variables=3, max_variables=4), st.lists(st.integers(1, 40), min_size=1, max_size=5), st.sampled_from([1, 2, 5])
)
@settings(max_examples=40)
def test_parts_of_the_stream_join(scores: LocalScores, counts: list[int], threads: int) -> None:
    expected = oracle.classes_best_first(scores)
    best = best_classes(scores, Job(threads))
    taken = 0
    for count in counts:
        batch = best.take(count)
        assert [tuple(p) for p in batch.parents.tolist()] == [entry[1] for entry in expected[taken : taken + count]]
        taken = min(taken + count, len(expected))
        assert best.next_ties() == (taken < len(expected) and expected[taken][0] == expected[taken - 1][0])


@given(local_score_tables(max_variables=4))
@settings(max_examples=60)
def test_other_scores_are_grouped(scores: LocalScores) -> None:
    if not oracle.networks_best_first(scores):
        return
    best = best_classes(scores)
    check_against_listing(best)


@given(local_score_tables(min_variables=5, max_variables=5))
@settings(max_examples=3)
def test_other_scores_of_five_variables_are_grouped(scores: LocalScores) -> None:
    if oracle.networks_best_first(scores):
        check_against_listing(best_classes(scores))


def test_grouped_classes_end_after_the_last() -> None:
    scores = LocalScores.from_dict({"a": {(): 0.0, ("b",): 1.0}, "b": {(): 0.0}})
    assert [str(found) for found in best_classes(scores)] == ["a – b", "no links"]
    constraints = Constraints(absent=[("class", "petal_width")])
    posterior = learn("iris", classes=True, constraints=constraints, bayes_factor=1e300)
    assert posterior.stopped_by == "all"
    assert len(posterior) == len(oracle.classes_best_first(posterior.origin.scores()))


def test_bounds_for_single_variables_are_grouped() -> None:
    table = Table.read("src/dagmass/run/data/iris.csv")
    best = best_classes(local_scores(table, max_parents={"class": 1}))
    assert best.why_grouped == "some families are forbidden that equivalent networks have"
    check_against_listing(best)


def test_sizes_of_grouped_classes_count_what_is_allowed() -> None:
    posterior = learn("iris", k=1000, classes=True, max_parents={"class": 1}, evidence=False)
    assert posterior.classes_masses is not None
    sizes = [len(units) for _, _, units in oracle.classes_best_first(posterior.origin.scores())][:1000]
    assert list(posterior.classes_masses.sizes) == posterior.classes()["size"].tolist() == sizes
    assert [one["size"] for one in learn_json(posterior)["classes"]] == sizes
    scores = LocalScores.from_dict({"a": {(): 0.0}, "b": {(): 0.0, ("a",): 1.0}})
    assert "class 1 of 1 network (1 more are forbidden): a – b" in repr(Posterior.of_best(best_classes(scores), k=2))


def test_large_classes_are_grouped() -> None:
    """The best class holds the 9! complete networks, which score differently; their sum equals that over their orders."""
    gains = np.random.default_rng(1).normal(3, 0.1, (9, 9))
    families = [{p: sum(gains[v, u] for u in range(9) if p >> u & 1) for p in range(1 << 9) if not p >> v & 1} for v in range(9)]
    posterior = Posterior.of_best(best_classes(LocalScores.from_families(tuple("abcdefghi"), families)), k=1)
    assert posterior.classes_masses is not None
    assert posterior.classes_masses.sizes == (math.factorial(9),)
    everything = [0.0] + [-math.inf] * 511  # by set: the log of the sum over orders of its variables
    for varset in range(1, 512):
        last = [everything[varset ^ 1 << v] + families[v][varset ^ 1 << v] for v in range(9) if varset >> v & 1]
        everything[varset] = max(last) + math.log(math.fsum(math.exp(part - max(last)) for part in last))
    assert posterior.log_masses[0] == pytest.approx(everything[511], abs=1e-9)
    assert posterior.edge_averages + posterior.edge_averages.T == pytest.approx(1 - np.eye(9))
    with pytest.raises(TooLargeError, match=r"a class has 362,880 members; this question needs all of them"):
        posterior.probability("path(a, b)")


@pytest.mark.parametrize("bound", [1, 2])
def test_imported_scores_with_one_bound_are_not_grouped(bound: int, tmp_path: Path) -> None:
    table = Table.read("src/dagmass/run/data/iris.csv")
    write_jkl(local_scores(table, max_parents=bound), tmp_path / "iris.jkl")
    imported = read_jkl(tmp_path / "iris.jkl")
    assert imported.storage.uniform_bound() == bound
    best = best_classes(imported)
    assert best.why_grouped is None
    check_against_listing(best)
    families = [dict.fromkeys(parents.tolist(), -1.0) for _, parents, _ in imported.families()]
    families[0][2] = -math.inf
    assert LocalScores.from_families(imported.variables, families).storage.uniform_bound() is None


def test_imported_scores_are_tested_on_covered_edges() -> None:
    values = np.random.default_rng(3).integers(0, 50, 16)
    families = [{p: float(values[p | 1 << v] - values[p]) for p in range(16) if not p >> v & 1} for v in range(4)]
    assert best_classes(LocalScores.from_families(NAMES[:4], families)).why_grouped is None
    families[0][2] += 1
    assert best_classes(LocalScores.from_families(NAMES[:4], families)).why_grouped == "the scores tell equivalent networks apart"


@given(equivalent_scores(min_variables=2, max_variables=5))
@settings(max_examples=15)
def test_classes_add_up_to_the_evidence(scores: LocalScores) -> None:
    best = best_classes(scores)
    masses = best.log_masses(best.take(10_000))
    assert masses.max() + math.log(math.fsum(np.exp(masses - masses.max()))) == pytest.approx(exact(scores).log_evidence, abs=1e-12)


def test_many_ties_come_in_one_order() -> None:
    """All classes of nine variables tie; asking for more continues with the same ones."""
    scores = set_function_scores(tuple(f"v{v}" for v in range(9)), np.zeros(512))
    few, many = best_classes(scores).take(50), best_classes(scores).take(120)
    assert np.array_equal(few.parents, many.parents[:50])
    assert len({tuple(row) for row in many.parents.tolist()}) == 120
    parts = best_classes(scores, Job(3))
    assert np.array_equal(np.concatenate([parts.take(70).parents, parts.take(50).parents]), many.parents)
    assert parts.next_ties()


@pytest.mark.parametrize(
    ("name", "different_links", "ratio"), [("iris", 2, 2.30), ("nursery", 1, 15.32), ("zoo", 1, 1.03), ("letter", 1, 1.02)]
)
def test_table_2(name: str, different_links: int, ratio: float) -> None:
    source = Table.from_frame(pd.read_csv(LETTER)) if name == "letter" else name
    comparison = learn(source, k=2, classes=True, evidence=False).compare(1, 2)
    assert isinstance(comparison, ClassComparison)
    assert comparison.num_different_links == different_links
    assert round(math.exp(comparison.log_lambda), 2) == ratio


def test_table_2_where_classes_tie() -> None:
    """Sixteen classes of tic-tac-toe are equally good: which two of them come first is a matter of order alone."""
    posterior = learn("tic-tac-toe", k=17, classes=True, evidence=False)
    ratios = [comparison.log_lambda for comparison in (posterior.compare(1, rank) for rank in range(2, 18))]  # type: ignore[union-attr]
    assert ratios[:15] == [0.0] * 15
    assert ratios[15] > 0.0


def test_coverage_of_classes() -> None:
    posterior = learn("tic-tac-toe", k=100, classes=True)
    assert (posterior.scores == posterior.scores[0]).sum() == 16
    assert sum(posterior.classes_masses.sizes[:16]) == 104  # type: ignore[union-attr]
    assert posterior.coverage == pytest.approx(0.9971, abs=5e-5)
    assert learn("tic-tac-toe", k=100).coverage == pytest.approx(0.8403, abs=5e-5)


def test_best_and_most_probable_class_differ() -> None:
    posterior = learn("iris", k=100, classes=True)
    frame = posterior.classes()
    assert frame["size"].tolist()[:2] == [1, 5]
    assert frame["posterior"].tolist()[:2] == pytest.approx([0.179, 0.388], abs=5e-4)
    by_mass = posterior.classes(by="mass")
    assert by_mass["rank"].tolist()[:2] == [2, 1]
    assert by_mass["coverage"].tolist() == pytest.approx(np.cumsum(by_mass["posterior"]))
    assert by_mass["cumulative_weight"].tolist() == pytest.approx(np.cumsum(by_mass["weight"]))
    assert frame["directed"][0].startswith("sepal_length → petal_length, ")
    assert frame["undirected"][:2].tolist() == [
        "",
        "sepal_length – petal_length, sepal_width – petal_width, petal_length – class, petal_width – class",
    ]
    text = repr(posterior)
    assert "by score: class 1 of 1 network, 0.1785 of the posterior" in text
    assert "most probable: class 2 of 5 networks, 0.388 of the posterior" in text
    assert "could be more probable" not in text
    assert "could be more probable" in repr(learn("iris", k=2, classes=True))


def all_networks_and_classes() -> tuple[Posterior, Posterior]:
    scores = local_scores(Table.read("src/dagmass/run/data/iris.csv"))
    from dagmass import best_networks

    return Posterior.of_best(best_networks(scores), k=29281), Posterior.of_best(best_classes(scores), k=8782)


def test_classes_answer_like_their_networks() -> None:
    """All networks and all classes are the same mixture."""
    networks, classes = all_networks_and_classes()
    for expression in (
        "link(class, petal_width)",
        "edge(class, petal_width)",
        "not edge(class, petal_width)",
        "path(sepal_length, class)",
        "parents(class) = {petal_length}",
        "blanket(class) >= {petal_width}",
        "v_structure(sepal_length, petal_length, sepal_width)",
        "separated(class, sepal_width | petal_length)",
        "path(sepal_length, class) and link(class, petal_width)",
    ):
        assert classes.probability(expression).average == pytest.approx(networks.probability(expression).average, abs=1e-9)
    assert classes.probability(lambda network: len(network.edges) > 4).average == pytest.approx(
        networks.probability(lambda network: len(network.edges) > 4).average, abs=1e-9
    )
    assert classes.edge_averages == pytest.approx(networks.edge_averages, abs=1e-9)
    for table in ("edges", "paths", "links"):
        assert getattr(classes, table)()["average" if table != "links" else "link"].to_numpy() == pytest.approx(
            getattr(networks, table)()["average" if table != "links" else "link"].to_numpy(), abs=1e-9
        )
    ours, theirs = (p.blanket("class").set_index("variable").sort_index() for p in (classes, networks))
    assert ours.to_numpy() == pytest.approx(theirs.to_numpy(), abs=1e-9)
    ours, theirs = (p.parent_sets("class").set_index("parents")["average"] for p in (classes, networks))
    assert ours.sort_index().to_numpy() == pytest.approx(theirs.sort_index().to_numpy(), abs=1e-9)


def test_large_classes_are_drawn_from() -> None:
    """Every link raises the score, so the best class holds the 8! complete networks: half of them lead from a to b."""
    values = np.array([float(varset.bit_count() ** 2) for varset in range(1 << 8)])
    posterior = Posterior.of_best(best_classes(set_function_scores(NAMES, values)), k=1)
    assert posterior.classes_masses is not None
    assert posterior.classes_masses.sizes == (math.factorial(8),)
    answer = posterior.probability("path(a, b)")
    assert (answer.method, answer.num_draws) == ("bounds", 1000)
    assert (answer.low, answer.high) == (0.0, 1.0)
    assert "estimated from 1000 draws of members" in repr(answer)
    assert answer.standard_error == pytest.approx(0.5 / math.sqrt(1000), rel=0.05)
    assert abs(answer.value - 0.5) < 4 * answer.standard_error
    assert posterior.probability("path(a, b)") == answer
    assert posterior.probability("edge(a, b)").average == pytest.approx(0.5)
    assert posterior.probability("link(a, b)").method == "bounds"


def test_weights_can_count_every_class_once() -> None:
    posterior = learn("iris", k=50, classes=True, class_prior="classes")
    assert posterior.weights == pytest.approx(np.exp(posterior.log_scores) / np.exp(posterior.log_scores).sum())
    assert posterior.coverage is None
    answer = posterior.probability("edge(class, petal_width)")
    assert (answer.method, answer.value, answer.low, answer.high) == ("bounds", answer.average, 0.0, 1.0)
    assert "probability" not in posterior.edges()
    found = learn_json(posterior)
    assert found["log_evidence"] is found["coverage"] is None
    assert {(edge["probability"], edge["low"], edge["high"]) for edge in found["edges"]} == {(None, 0.0, 1.0)}
    text = " ".join(repr(posterior).split())
    assert "every class weighs the same" in text
    assert "exactly" not in text
    assert "by score and most probable: class 1 of 1 network" in text
    assert "could be more probable" not in text
    with pytest.raises(InputError, match="does not go with class_prior='classes'"):
        learn("iris", classes=True, class_prior="classes", mass=0.5)
    with pytest.raises(InputError, match="'networks' or 'classes'"):
        learn("iris", k=2, classes=True, class_prior="nothing")  # type: ignore[arg-type]


def test_classes_go_to_a_file_and_on(tmp_path: object) -> None:
    posterior = learn("iris", k=20, classes=True)
    posterior.save(f"{tmp_path}/iris.dagmass")
    loaded = load(f"{tmp_path}/iris.dagmass")
    assert loaded == posterior
    assert loaded.weights == pytest.approx(posterior.weights)
    longer = loaded.more(30)
    assert longer == learn("iris", k=50, classes=True)
    assert longer.coverage == pytest.approx(learn("iris", k=50, classes=True).coverage)
    assert loaded.rank("[sepal_length][petal_length|sepal_length][sepal_width][petal_width][class]").rank is None
    assert loaded.rank(str(next(iter(loaded.class_of_rank(2).members())))).rank == 2
    with pytest.raises(InputError, match=r"classes\(\) lists them"):
        loaded.networks()


def test_networks_know_their_classes() -> None:
    posterior = learn("asia", k=30)
    frame, classes = posterior.networks(), posterior.classes()
    assert frame["class"].tolist()[:3] == [1, 1, 1]
    assert classes["num_networks"].sum() == 30
    assert classes["weight"].sum() == pytest.approx(1)
    assert (classes["num_networks"] <= classes["size"]).all()


def test_stopping_by_mass_and_bayes_factor() -> None:
    by_mass = learn("iris", mass=0.9, classes=True)
    assert by_mass.coverage is not None
    assert by_mass.coverage >= 0.9
    assert by_mass.stopped_by == "mass"
    window = learn("iris", bayes_factor=20, classes=True)
    assert (window.log_scores >= window.log_scores[0] - math.log(20)).all()
    with pytest.raises(InputError, match="not for classes"):
        learn("iris", bayes_factor=20, strict=True, classes=True)


def test_iterating_gives_classes() -> None:
    found = list(islice(best_classes(local_scores(Table.read("src/dagmass/run/data/iris.csv"))), 3))
    assert [one.size for one in found] == [1, 5, 1]
