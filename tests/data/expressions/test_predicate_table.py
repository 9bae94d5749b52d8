"""Predicates as keys and ranges: an encoded event hits one exactly when the oracle says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.predicate_table import PredicateTable
from eligo.data.schema.hierarchy import Hierarchy
from eligo.data.vocabulary import Vocabulary
from eligo.kernels.score_units import hit_units
from eligo.language.evaluate import is_hit, satisfying_values
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.tree import (
    Between,
    Equals,
    Exists,
    In,
    IsTrue,
    Less,
    LessOrEqual,
    Literal,
    Predicate,
    StartsWith,
    Under,
    distinct_nodes,
)
from eligo.language.value import event_attributes, identity
from encoded_reading import event_keys, hits
from encoded_trees import encode_trees
from strategies import event_weights, events, predicates

TAXONOMIES = (
    {},
    {"a": Hierarchy.from_edges([("xy", "x"), ("xyz", "xy"), ("x/y", "y")]), "b": Hierarchy.from_paths(["x/y", "y"])},
)


def positive_predicates() -> st.SearchStrategy[Predicate]:
    """Those that negation normal form has."""

    def of(predicate: Predicate) -> list[Predicate]:
        leaves = distinct_nodes(push_negations(predicate, "unknown"))
        return [leaf.predicate for leaf in leaves if isinstance(leaf, Literal)]

    return predicates().filter(lambda predicate: bool(of(predicate))).map(lambda predicate: of(predicate)[0])


def encoded(
    listed: Sequence[Predicate], hierarchies: Mapping[str, Hierarchy] | None = None
) -> tuple[Vocabulary, PredicateTable, list[int]]:
    """The vocabulary and the table of predicates, each an expression of its own, and the number of each."""
    vocabulary, table = encode_trees(listed, hierarchies=hierarchies)
    literals = table.node_literal[table.expression_offsets[1:].astype(np.int64) - 1]
    return vocabulary, table.predicates, table.literal_predicate[literals].tolist()


def test_the_example_of_the_module() -> None:
    listed = [In("state", ("CA", "NY"), (3, 1)), Between("age", 18, 24)]
    _, table, numbers = encoded(listed)
    assert numbers == [0, 1]
    assert {name: array.tolist() for name, array in table.arrays().items()} == {
        "attribute_of_predicate": [1, 0],
        "is_set_of_predicate": [1, 0],
        "key_offsets": [0, 2, 2],
        "keys": [2, 3],
        "key_weights": [3, 1],
        "range_offsets": [0, 0, 1],
        "range_axis": [0],
        "range_low": [1],
        "range_high": [3],
        "range_weights": [1],
    }


def test_predicates_that_mean_the_same_become_one() -> None:
    listed = [
        Equals("a", 1),
        In("a", (1,)),
        In("a", (1.0, 1)),
        In("a", (1, 1), (0.5, 1)),
        IsTrue("a"),
        Equals("a", True),
        In("a", (2, 1)),
        In("a", (1, 2)),
        Equals("a", 1, 2.0),
        Less("a", 3),
        LessOrEqual("a", 3),
        Exists("a"),
    ]
    _, table, numbers = encoded(listed)
    assert numbers == [0, 0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 6]
    assert table.num_predicates == 7


def test_predicates_that_nothing_hits_have_neither_keys_nor_ranges() -> None:
    listed = [In("a", ()), Between("a", 3, 1)]
    _, table, _ = encoded(listed)
    assert len(table.keys) == len(table.range_axis) == 0


def test_a_prefix_is_a_range_of_strings_and_an_empty_one_is_all_of_them() -> None:
    listed = [StartsWith("a", "x"), StartsWith("a", ""), StartsWith("b", "")]
    vocabulary, table, _ = encoded(listed)
    assert vocabulary.num_cells(0) == 5 and vocabulary.num_cells(1) == 1
    assert list(zip(table.range_low, table.range_high, strict=True)) == [(1, 2), (0, 4), (0, 0)]


@given(
    st.lists(positive_predicates(), min_size=1, max_size=8),
    st.lists(events(), min_size=1, max_size=3),
    st.sampled_from(TAXONOMIES),
)
def test_an_encoded_event_hits_what_the_oracle_says(
    listed: list[Predicate], given_events: list[dict[str, Any]], hierarchies: dict[str, Hierarchy]
) -> None:
    vocabulary, table, numbers = encoded(listed, hierarchies)
    batch = EventBatch.from_dicts(given_events, vocabulary)
    for row, event in enumerate(given_events):
        attributes = event_attributes(event)
        for name, number in vocabulary.attribute_numbers.items():
            assert (number in event_keys(batch, row)) == (name in attributes)
        for predicate, number in zip(listed, numbers, strict=True):
            values = attributes.get(predicate.attribute, ())
            expected = bool(values) and is_hit(predicate, values, hierarchies.get(predicate.attribute))
            assert bool(hits(table, number, batch, row)) == expected, (predicate, event)


@given(st.lists(positive_predicates(), min_size=1, max_size=6), events(), event_weights(), st.sampled_from(TAXONOMIES))
def test_the_hits_of_a_predicate_give_its_score(
    listed: list[Predicate], event: dict[str, Any], weights: dict[str, Any], hierarchies: dict[str, Hierarchy]
) -> None:
    vocabulary, table, numbers = encoded(listed, hierarchies)
    batch = EventBatch.from_dicts([event], vocabulary, weights=weights)
    for predicate, number in zip(listed, numbers, strict=True):
        found = hits(table, number, batch, 0)
        score = (sum(found) if table.is_set_of_predicate[number] else max(found)) if found else None
        assert score == _expected_score(predicate, event, weights, hierarchies), (predicate, event, weights)


def _expected_score(
    predicate: Predicate, event: dict[str, Any], weights: dict[str, Any], hierarchies: dict[str, Hierarchy]
) -> int | None:
    values = event_attributes(event).get(predicate.attribute, ())
    satisfying = satisfying_values(predicate, values, hierarchies.get(predicate.attribute)) if values else ()
    if not satisfying:
        return None
    given_weights = weights.get(predicate.attribute, 1.0)
    of_attribute = 1.0 if isinstance(given_weights, dict) else given_weights
    of_values = (
        {identity(value): weight for value, weight in given_weights.items()} if given_weights != of_attribute else {}
    )
    if isinstance(predicate, Exists):
        return hit_units(1.0, of_attribute)
    of_event = {identity(value): of_values.get(identity(value), of_attribute) for value in satisfying}
    if isinstance(predicate, In):
        largest: dict[Any, float] = {}
        for value, weight in predicate.weighted():
            largest[identity(value)] = max(weight, largest.get(identity(value), 0.0))
        return sum(hit_units(largest[key], weight) for key, weight in of_event.items())
    if isinstance(predicate, Under):
        nodes = ((Under(predicate.attribute, str(node)), own) for node, own in predicate.weighted())
        return max(
            hit_units(own, of_event[identity(value)])
            for node, own in nodes
            for value in satisfying_values(node, values, hierarchies.get(predicate.attribute))
        )
    own = getattr(predicate, "weight", 1.0)
    return max(hit_units(own, weight) for weight in of_event.values())


def test_arrays_come_back_the_same() -> None:
    listed = [In("a", (1, 2)), Less("a", 3), Under("a", "2024/01")]
    _, table, _ = encoded(listed)
    again = PredicateTable.from_arrays({name: array.copy() for name, array in table.arrays().items()})
    assert all(np.array_equal(one, other) for one, other in zip(table, again, strict=True))
    assert all(not array.flags.writeable for array in again)
