"""Merged vocabularies and renumbered tables are those of all the expressions together, array for array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.data.expressions.merge_vocabulary import merge_vocabularies, places_in, renumbered
from eligo.data.expressions.taxonomy_nodes import Taxonomy
from eligo.data.schema.hierarchy import Hierarchy
from eligo.errors import InputError
from eligo.language.evaluate import Missing
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.text.parse import parse
from eligo.language.tree import Expression
from strategies import any_expressions, expressions, policies
from tree_encoder import encode_expressions, encode_with

HIERARCHY = Hierarchy.from_edges([("x/y", "x"), ("xy", "x/y"), ("é", "x"), ("z", "y"), ("2024/01", "2024")])


def assert_same(found: Any, expected: Any) -> None:
    arrays = found.arrays()
    for name, array in expected.arrays().items():
        assert arrays[name].dtype == array.dtype, name
        np.testing.assert_array_equal(arrays[name], array, err_msg=name)
        assert not arrays[name].flags.writeable, name


def check(
    trees: list[Expression], num_parts: int, missing: Missing, hierarchies: dict[str, Taxonomy] | None = None
) -> None:
    """Split the expressions, encode each part, merge; compare with what all of them give together."""
    normal = [push_negations(tree, missing) for tree in trees]
    parts = [normal[first::num_parts] for first in range(num_parts)]
    encoded = [encode_expressions(part, hierarchies) for part in parts]
    whole, _ = encode_expressions(normal, hierarchies)
    merged = merge_vocabularies([vocabulary for vocabulary, _ in encoded])
    assert_same(merged, whole)
    # Two by two, as a tree, gives the same.
    assert_same(merge_vocabularies([merge_vocabularies([vocabulary, merged]) for vocabulary, _ in encoded]), whole)
    for part, (vocabulary, table) in zip(parts, encoded, strict=True):
        assert_same(renumbered(table, vocabulary, merged), encode_with(part, whole))


@given(st.lists(expressions(), max_size=9), st.integers(1, 4), policies())
def test_the_small_world(trees: list[Expression], num_parts: int, missing: Missing) -> None:
    check(trees, num_parts, missing)


@given(st.lists(any_expressions(), max_size=6), st.integers(2, 3), policies())
def test_any_names_and_values(trees: list[Expression], num_parts: int, missing: Missing) -> None:
    check(trees, num_parts, missing)


@given(st.lists(expressions(), min_size=1, max_size=6), st.integers(2, 3), st.sets(st.sampled_from("abcdef")))
def test_with_taxonomies(trees: list[Expression], num_parts: int, attributes: set[str]) -> None:
    check(trees, num_parts, "unknown", dict.fromkeys(attributes, HIERARCHY))


@pytest.mark.parametrize(
    "texts",
    [
        ["a < 5", "a > 5", "a between 4 and 6", "a <= 7"],
        ["a starts with 'x'", "a starts with ''", "a > 'x' and a < 'z'", "a starts with 'xy'"],
        ["d under '2024'", "d under '2024/01'", "d >= date '2024-01-15'", "d under 'x/y'"],
        ["a in (1, 2.5, 'x', true)", "a in (2, 'w')", "b", "a exists and c is missing"],
        ["a between 9 and 1", "a < 1"],
    ],
)
@pytest.mark.parametrize("num_parts", [2, 3, 4])
def test_by_hand(texts: list[str], num_parts: int) -> None:
    check([parse(text) for text in texts], num_parts, "false", {"d": HIERARCHY})


def test_a_vocabulary_that_does_not_cover_the_part_is_refused() -> None:
    small, _ = encode_expressions([push_negations(parse("a = 1"), "unknown")])
    for text in ("a = 2", "b = 1", "a < 1"):
        other, _ = encode_expressions([push_negations(parse(text), "unknown")])
        with pytest.raises(InputError, match="does not cover"):
            places_in(small, other)
