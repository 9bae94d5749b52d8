"""Expressions as one flat table: read back, it matches the events that the oracle matches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_table import ExpressionTable, encode_expressions, encode_with
from eligo.errors import InputError
from eligo.kernels import codes
from eligo.language.evaluate import Missing, matches
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.tree import And, Equals, Expression, In, Literal, Not, Or, Xor
from encoded_reading import expression_matches
from strategies import events, expressions, policies


def test_the_example_of_the_module() -> None:
    a, b, c = (Literal(Equals(name, value)) for name, value in (("a", 1), ("b", 2), ("c", 3)))
    not_c = Literal(c.predicate, positive=False, holds_when_missing=True)
    _, table = encode_expressions([And((a, Or((b, not_c)))), Or((a, not_c))])
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
    vocabulary, table = encode_expressions([push_negations(tree, missing) for tree in trees])
    batch = EventBatch.from_dicts(given_events, vocabulary)
    for row, event in enumerate(given_events):
        for number, tree in enumerate(trees):
            assert expression_matches(table, number, batch, row) == matches(tree, event, missing), (tree, event)


def test_shared_nodes_stand_once() -> None:
    chain: Expression = Equals("a", 0)
    for number in range(1, 40):
        chain = Xor((chain, Equals("a", number)))
    _, table = encode_expressions([push_negations(chain, "unknown")])
    assert table.num_nodes < 40 * 12


def test_a_child_may_stand_twice() -> None:
    leaf = Literal(Equals("a", 1))
    _, table = encode_expressions([And((leaf, leaf))])
    assert table.num_nodes == 2
    assert table.children.tolist() == [0, 0]


def test_literals_of_equal_predicates_are_one() -> None:
    _, table = encode_expressions([Literal(Equals("a", 1)), Literal(In("a", (1,)))])
    assert table.num_literals == 1
    assert table.node_literal.tolist() == [0, 0]


def test_a_shard_is_encoded_with_the_vocabulary_of_all() -> None:
    roots = [Literal(Equals("a", 1)), Literal(Equals("b", "x"))]
    vocabulary, _ = encode_expressions(roots)
    shard = encode_with(roots[1:], vocabulary)
    assert vocabulary.describe_key(int(shard.predicates.keys[0])) == "b = 'x'"


def test_a_table_of_nothing() -> None:
    vocabulary, table = encode_expressions([])
    assert table.num_expressions == table.num_nodes == table.num_literals == vocabulary.num_keys == 0


def test_trees_outside_negation_normal_form_are_refused() -> None:
    with pytest.raises(InputError, match="Not does not occur"):
        encode_expressions([Not(Literal(Equals("a", 1)))])
    with pytest.raises(InputError, match="Equals does not occur"):
        encode_expressions([Equals("a", 1)])


def test_arrays_come_back_the_same() -> None:
    _, table = encode_expressions([push_negations(Not(And((Equals("a", 1), In("b", (1, 2))))), "false")])
    again = ExpressionTable.from_arrays({name: array.copy() for name, array in table.arrays().items()})
    assert all(np.array_equal(array, again.arrays()[name]) for name, array in table.arrays().items())
    assert all(not array.flags.writeable for array in again.arrays().values())
