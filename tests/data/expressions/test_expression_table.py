"""Expressions as one flat table: read back, it matches the events that the oracle matches."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.kernels import codes
from eligo.language.evaluate import Missing, matches
from eligo.language.tree import TRUE, And, Equals, Expression, In, Not, Or, Xor
from encoded_reading import expression_matches
from encoded_trees import encode_trees
from strategies import events, expressions, policies


def test_the_example_of_the_module() -> None:
    a, b, c = Equals("a", 1), Equals("b", 2), Equals("c", 3)
    _, table = encode_trees([And((a, Or((b, Not(c))))), Or((a, Not(c)))], "false")
    literal = codes.LITERAL
    assert table.node_kind.tolist() == [literal, literal, literal, codes.OR, codes.AND, literal, literal, codes.OR]
    assert table.expression_offsets.tolist() == [0, 5, 8]
    assert table.node_literal.tolist()[:3] == [0, 1, 2]
    assert table.node_literal[3] == 0xFFFFFFFF
    assert table.node_literal.tolist()[5:7] == [0, 2]
    assert table.children.tolist() == [1, 2, 0, 3, 5, 6]
    assert table.literal_positive.tolist() == [1, 1, 0]
    assert table.literal_holds_when_missing.tolist() == [0, 0, 1]
    assert (table.num_expressions, table.num_literals, table.num_nodes) == (2, 3, 8)


@given(st.lists(expressions(), min_size=1, max_size=4), st.lists(events(), min_size=1, max_size=2), policies())
def test_the_table_matches_what_the_oracle_matches(
    trees: list[Expression], given_events: list[dict[str, Any]], missing: Missing
) -> None:
    vocabulary, table = encode_trees(trees, missing)
    batch = EventBatch.from_dicts(given_events, vocabulary)
    for row, event in enumerate(given_events):
        for number, tree in enumerate(trees):
            assert expression_matches(table, number, batch, row) == matches(tree, event, missing), (tree, event)


def test_shared_nodes_stand_once() -> None:
    chain: Expression = Equals("a", 0)
    for number in range(1, 40):
        chain = Xor((chain, Equals("a", number)))
    _, table = encode_trees([chain])
    assert table.num_nodes < 40 * 12


def test_a_child_may_stand_twice() -> None:
    _, table = encode_trees([And((TRUE, TRUE))])
    assert table.num_nodes == 2
    assert table.children.tolist() == [0, 0]


def test_literals_of_equal_predicates_are_one() -> None:
    _, table = encode_trees([Equals("a", 1), In("a", (1,))])
    assert table.num_literals == 1
    assert table.node_literal.tolist() == [0, 0]


def test_a_table_of_nothing() -> None:
    vocabulary, table = encode_trees([])
    assert table.num_expressions == table.num_nodes == table.num_literals == vocabulary.num_keys == 0


def test_arrays_come_back_the_same() -> None:
    _, table = encode_trees([Not(And((Equals("a", 1), In("b", (1, 2)))))], "false")
    again = ExpressionTable.from_arrays({name: array.copy() for name, array in table.arrays().items()})
    assert all(np.array_equal(array, again.arrays()[name]) for name, array in table.arrays().items())
    assert all(not array.flags.writeable for array in again.arrays().values())


@given(st.lists(expressions(), min_size=1, max_size=5), st.data(), events(), policies())
def test_some_expressions_of_a_table_match_as_before(
    trees: list[Expression], data: st.DataObject, event: dict[str, Any], missing: Missing
) -> None:
    vocabulary, table = encode_trees(trees, missing)
    rows = data.draw(st.lists(st.integers(0, len(trees) - 1), max_size=6))
    some = table.take(np.array(rows, np.int64))
    batch = EventBatch.from_dicts([event], vocabulary)
    assert some.num_expressions == len(rows)
    for place, row in enumerate(rows):
        assert expression_matches(some, place, batch, 0) == matches(trees[row], event, missing)
