"""Varsets and networks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagmass import InputError, Network
from dagmass.graphs.network import topological_order
from dagmass.graphs.varset import index_of, members, names_of, varset_of


@given(st.sets(st.integers(0, 63)))
def test_varsets_are_sets(indices: set[int]) -> None:
    assert list(members(varset_of(indices))) == sorted(indices)


def test_names() -> None:
    assert names_of(0b101, ("a", "b", "c")) == ("a", "c")
    assert index_of("b", ("a", "b")) == 1
    with pytest.raises(InputError, match="Did you mean 'Milk'"):
        index_of("milk", ("Milk", "eggs"))


def test_order_of_a_chain_and_of_a_cycle() -> None:
    assert topological_order((0b010, 0b100, 0)) == [2, 1, 0]
    assert topological_order((0b10, 0b01)) is None


def test_network() -> None:
    network = Network.from_parents({"rain": [], "wet": ["rain", "hose"], "hose": []})
    assert str(network) == "[rain][wet|rain:hose][hose]"
    assert network.parents_of("wet") == ("rain", "hose")
    assert network.edges == [("rain", "wet"), ("hose", "wet")]
    assert network == Network(("rain", "wet", "hose"), (0, 0b101, 0), log_score=-3.0)
    with pytest.raises(InputError, match="directed cycle"):
        Network.from_parents({"a": ["b"], "b": ["a"]})
    with pytest.raises(InputError, match="one parent set for each"):
        Network(("a", "b"), (0,))
