"""What becomes of quantified parts before they are encoded? Attributes, the same ones for texts and for trees."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import strategies
from eligo.data.expressions.collapse_parts import collapse_parts
from eligo.data.expressions.encode_texts import encode_texts
from eligo.data.expressions.shapes import count_shapes
from eligo.kernels import codes
from eligo.language.canonical import canonical_text
from eligo.language.evaluate import Missing
from eligo.language.text.parse import parse_all
from eligo.language.tree import Expression
from encoded_trees import encode_trees, postfix_of


def test_the_example_of_the_module() -> None:
    (text,) = ["shop = 'A' and exists x (x.price > price)"]
    batch = collapse_parts(parse_all([text]))
    rows = batch.postfix
    assert rows.node_kind.tolist() == [codes.EQUALS, codes.IS_TRUE, codes.AND]
    assert batch.text(0) == text + "@exists d (price < d.price)"
    names = zip(rows.name_start.tolist(), rows.name_end.tolist(), strict=True)
    assert [batch.text(0)[start:end] for start, end in names] == ["shop", "@exists d (price < d.price)", ""]


def test_texts_without_parts_stay_as_they_are() -> None:
    batch = parse_all(["a = 1", "exists", None])
    assert collapse_parts(batch) is batch


@given(st.lists(st.one_of(strategies.any_expressions_with_parts(), strategies.any_expressions()), max_size=5))
def test_rows_are_those_of_the_trees(trees: list[Expression]) -> None:
    written, made = collapse_parts(parse_all(map(canonical_text, trees))), postfix_of(trees)
    for name in ("node_kind", "node_count", "node_first_operand", "operand_kind", "operand_payload", "operand_weight"):
        np.testing.assert_array_equal(getattr(written.postfix, name), getattr(made.postfix, name), err_msg=name)
    for name in ("node_offsets", "operand_offsets"):
        np.testing.assert_array_equal(getattr(written.outcome, name), getattr(made.outcome, name), err_msg=name)


@given(st.lists(strategies.expressions_with_parts(), min_size=1, max_size=4), strategies.policies())
def test_a_text_is_encoded_as_its_tree_is(trees: list[Expression], missing: Missing) -> None:
    texts = [canonical_text(tree) for tree in trees]
    vocabulary, table = encode_texts(parse_all(texts), None, missing)
    expected_vocabulary, expected = encode_trees(trees, missing)
    assert vocabulary.attribute_names == expected_vocabulary.attribute_names
    wanted = expected.arrays()
    for name, found in table.arrays().items():
        np.testing.assert_array_equal(found, wanted[name], err_msg=name)


def test_parts_that_say_the_same_are_one_attribute_and_bad_texts_cost_no_other() -> None:
    texts = [
        "exists d (price < d.price)",
        "exists d in last 0 (d.x)",
        "a = 'x' and EXISTS  other\n(other.price > price) or exists e (e.price > price)",
        "forall d (price < d.price)",
    ]
    batch = parse_all(texts)
    assert list(batch.errors()) == [1]
    vocabulary, _ = encode_texts(batch, np.array([0, 2, 3]), "unknown")
    assert vocabulary.attribute_names == ("@exists d (price < d.price)", "@forall d (price < d.price)", "a")


def test_a_profile_counts_a_part_as_one_predicate() -> None:
    shapes, sizes = count_shapes(pa.array(["a and exists d (d.x and d.y)", "exists z (z.x and z.y)"]))
    rows = {row["attribute"]: row for row in shapes.to_pylist() if row["attribute"]}
    assert rows["@exists d (d.x and d.y)"]["occurrences"] == 2
    assert sizes.to_pylist() == [
        {"num_predicates": 1, "depth": 1, "num_expressions": 1},
        {"num_predicates": 2, "depth": 2, "num_expressions": 1},
    ]
