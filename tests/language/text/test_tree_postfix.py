"""Trees in the postfix form: the rows that the parser writes for their texts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.errors import ExpressionError
from eligo.kernels import codes
from eligo.language.canonical import canonical_text
from eligo.language.text.parse import parse_all
from eligo.language.text.tree_postfix import KINDS, PostfixWriter
from eligo.language.tree import And, Equals, Expression, In, Literal, Not, Predicate
from encoded_trees import postfix_of
from strategies import any_expressions, deep_expressions


def test_the_example_of_the_module() -> None:
    batch = postfix_of([And((In("age", (3, 4)), Not(Equals("state", "CA"))))])
    rows = batch.postfix
    assert batch.buffers()[0].tobytes() == b"agestate'CA'"
    assert rows.node_kind.tolist() == [codes.IN, codes.EQUALS, codes.NOT, codes.AND]
    assert rows.node_count.tolist() == [2, 1, 1, 2]
    assert list(zip(rows.name_start.tolist(), rows.name_end.tolist(), strict=True))[:2] == [(0, 3), (3, 8)]


@given(st.lists(any_expressions() | deep_expressions(), max_size=4))
def test_rows_are_those_of_the_canonical_text(trees: list[Expression]) -> None:
    made, parsed = postfix_of(trees), parse_all(map(canonical_text, trees))
    assert [made.tree(row) for row in range(len(trees))] == trees
    for name in ("node_kind", "node_count", "node_first_operand", "operand_kind", "operand_payload", "operand_weight"):
        one, other = getattr(made.postfix, name), getattr(parsed.postfix, name)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other, err_msg=name)


def test_every_predicate_has_a_kind() -> None:
    def leaves(kind: type[Predicate]) -> set[type[Predicate]]:
        below = kind.__subclasses__()
        return set().union(*map(leaves, below)) if below else {kind}

    assert leaves(Predicate) <= KINDS.keys()


def test_a_refused_tree_leaves_nothing_behind() -> None:
    writer = PostfixWriter()
    writer.add(Equals("a", 1))
    with pytest.raises(ExpressionError, match="negation normal form"):
        writer.add(And((Equals("b", "x"), Literal(Equals("c", 2)))))
    writer.add(Equals("d", 2))
    batch = writer.finish()
    assert [batch.tree(row) for row in range(len(batch))] == [Equals("a", 1), Equals("d", 2)]
