"""Keys and cells of attributes, values and nodes: exact, dense, and the same whatever the order of predicates."""

from __future__ import annotations

import pickle
import random
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.data.schema.hierarchy import Hierarchy
from eligo.data.vocabulary import Vocabulary
from eligo.errors import InputError
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.tree import (
    Between,
    Equals,
    Exists,
    Expression,
    GreaterOrEqual,
    In,
    IsTrue,
    Less,
    Literal,
    Predicate,
    StartsWith,
    Under,
    distinct_nodes,
)
from eligo.language.value import INT64_MAX, INT64_MIN, Kind, identity
from strategies import any_scalars, expressions
from tree_vocabulary import build_vocabulary


def literal_predicates(trees: list[Expression]) -> list[Predicate]:
    return [
        node.predicate
        for tree in trees
        for node in distinct_nodes(push_negations(tree, "unknown"))
        if isinstance(node, Literal)
    ]


def test_the_example_of_the_module() -> None:
    vocabulary = build_vocabulary([Between("age", 18, 24), In("state", ("CA", "NY")), Exists("state")])
    assert vocabulary.attribute_names == ("age", "state")
    assert [vocabulary.describe_key(key) for key in range(vocabulary.num_keys)] == [
        "age exists",
        "state exists",
        "state = 'CA'",
        "state = 'NY'",
    ]
    assert (vocabulary.num_attributes, vocabulary.num_keys, vocabulary.num_axes) == (2, 4, 1)
    assert vocabulary.num_cells(0) == 5
    assert [vocabulary.cell_of("age", age) for age in (17, 18, 18.5, 24, 1e300)] == [(0, c) for c in (0, 1, 2, 3, 4)]
    assert vocabulary.cell_of("age", "18") is None
    assert vocabulary.key_of("age", 18) is None
    assert vocabulary.key_of("state", "NY") == 3
    assert vocabulary.key_of("no such attribute", 1) is None


def test_a_vocabulary_of_nothing() -> None:
    vocabulary = build_vocabulary([])
    assert (vocabulary.num_attributes, vocabulary.num_keys, vocabulary.num_axes) == (0, 0, 0)
    assert vocabulary.key_of("a", 1) is None
    with pytest.raises(InputError, match="no key 0"):
        vocabulary.describe_key(0)


@given(st.lists(any_scalars(), max_size=30), st.lists(any_scalars(), max_size=30))
def test_keys_are_found_for_the_listed_values_and_no_others(listed: list[Any], others: list[Any]) -> None:
    vocabulary = build_vocabulary([In("a", tuple(listed)), In("b", tuple(listed[:3]))])
    members = In("a", tuple(listed)).members
    keys = {identity(value): vocabulary.key_of("a", value) for value in members}
    assert sorted(keys.values()) == list(range(2, 2 + len(keys)))
    for value in In("a", tuple(others)).members:
        assert vocabulary.key_of("a", value) == keys.get(identity(value))


def test_ints_and_floats_share_keys_exactly_when_they_are_equal() -> None:
    vocabulary = build_vocabulary([In("a", (1, 2**53, 2**53 + 1, INT64_MAX, float(2**63), True, "1", INT64_MIN))])
    assert vocabulary.key_of("a", 1.0) == vocabulary.key_of("a", 1)
    assert vocabulary.key_of("a", True) != vocabulary.key_of("a", 1)
    assert vocabulary.key_of("a", float(2**53)) == vocabulary.key_of("a", 2**53)
    assert len({vocabulary.key_of("a", value) for value in (2**53, 2**53 + 1, INT64_MAX, float(2**63))}) == 4
    assert vocabulary.key_of("a", -(2.0**63)) == vocabulary.key_of("a", INT64_MIN)
    assert vocabulary.key_of("a", 2**53 + 2) is None


@given(st.lists(expressions(), max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_predicates_does_not_matter(trees: list[Expression], chance: random.Random) -> None:
    predicates = literal_predicates(trees)
    shuffled = [*predicates, *predicates[:2]]
    chance.shuffle(shuffled)
    taxonomy = {"a": Hierarchy.from_paths(["x/y/z", "x/q"]), "c": Hierarchy.from_edges([("x/y", "y")])}
    first, second = build_vocabulary(predicates, taxonomy).arrays(), build_vocabulary(shuffled, taxonomy).arrays()
    for name, array in first.items():
        assert array.dtype == second[name].dtype and array.tobytes() == second[name].tobytes(), name


@given(st.lists(expressions(), max_size=3))
def test_every_key_has_a_description_of_its_own(trees: list[Expression]) -> None:
    vocabulary = build_vocabulary(literal_predicates(trees))
    described = [vocabulary.describe_key(key) for key in range(vocabulary.num_keys)]
    assert len(set(described)) == len(described)


def test_descriptions_write_values_as_expressions_do() -> None:
    vocabulary = build_vocabulary(
        [
            In("a b", (True, 1.5, "it's", date(2024, 1, 31), datetime(2024, 1, 31, tzinfo=UTC))),
            Under("a b", "Sports/NFL"),
        ]
    )
    assert [vocabulary.describe_key(key) for key in range(vocabulary.num_keys)] == [
        '"a b" exists',
        '"a b" = true',
        '"a b" = 1.5',
        "\"a b\" = 'it''s'",
        "\"a b\" = date '2024-01-31'",
        "\"a b\" = timestamp '2024-01-31T00:00:00Z'",
        "\"a b\" under 'Sports/NFL'",
    ]


def test_attribute_kinds_say_what_expressions_compare_with() -> None:
    moment = datetime(2024, 1, 1, tzinfo=UTC)
    vocabulary = build_vocabulary(
        [
            Less("n", 3),
            StartsWith("s", "x"),
            IsTrue("b"),
            Equals("d", date(2024, 1, 1)),
            Under("d", "2024"),
            GreaterOrEqual("t", moment),
            Under("t", "2024/02"),
            Under("p", "Sports"),
            Under("node", "2024"),
            Under("mixed", "2024"),
            Equals("mixed", "2024"),
            In("both", (1, "x")),
            Exists("e"),
        ]
    )
    kinds = vocabulary.attribute_kinds()
    everything_of_a_date_node = {Kind.STRING, Kind.DATE, Kind.TIMESTAMP}
    assert kinds == {
        "n": {Kind.NUMBER},
        "s": {Kind.STRING},
        "b": {Kind.BOOL},
        "d": everything_of_a_date_node,
        "t": everything_of_a_date_node,
        "p": {Kind.STRING},
        "node": everything_of_a_date_node,
        "mixed": everything_of_a_date_node,
        "both": {Kind.NUMBER, Kind.STRING},
        "e": set(),
    }
    assert vocabulary.temporal_kinds == {"d": Kind.DATE, "t": Kind.TIMESTAMP, "node": Kind.DATE}


def test_arrays_are_read_only_and_come_back_the_same() -> None:
    vocabulary = build_vocabulary([In("a", ("x", 1, 2.5)), Less("b", 3), Under("c", "x/y")])
    copies = {name: array.copy() for name, array in vocabulary.arrays().items()}
    for again in (Vocabulary.from_arrays(copies), pickle.loads(pickle.dumps(vocabulary))):
        assert all(not array.flags.writeable for array in again.arrays().values())
        assert all(np.array_equal(array, copies[name]) for name, array in again.arrays().items())
        assert again.key_of("a", 2.5) == vocabulary.key_of("a", 2.5) is not None
    assert all(array.ndim == 1 for array in copies.values())


def test_memory_mapped_arrays_are_used_where_they_lie(tmp_path: Path) -> None:
    vocabulary = build_vocabulary([In("a", ("x", 1, 2.5)), Less("b", 3), Under("c", "x/y")])
    mapped = {}
    for name, array in vocabulary.arrays().items():
        np.save(tmp_path / f"{name}.npy", array)
        mapped[name] = np.load(tmp_path / f"{name}.npy", mmap_mode="r")
    again = Vocabulary.from_arrays(mapped)
    assert all(np.shares_memory(array, mapped[name]) for name, array in again.arrays().items() if len(array))
    assert all(type(array) is np.ndarray for array in again.arrays().values())
    assert again.key_of("a", "x") == vocabulary.key_of("a", "x") is not None
