"""Are trees values: equal, hashable, never too deep, and never holding what they cannot mean?"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given

import strategies
from eligo.errors import ExpressionValueError
from eligo.language.text.parse import parse
from eligo.language.tree import (
    FALSE,
    TRUE,
    And,
    Between,
    Constant,
    ContainsAll,
    Equals,
    Exists,
    Expression,
    GreaterOrEqual,
    In,
    IsTrue,
    Less,
    Literal,
    Not,
    NotBetween,
    NotIn,
    Or,
    StartsWith,
    Under,
    WeakNotIn,
    Xnor,
    Xor,
    distinct_nodes,
    postorder,
)

a, b, c, d = (IsTrue(name) for name in "abcd")


def test_operators_combine_into_chains() -> None:
    assert a & b & c == And((a, b, c))
    assert a | b | c == Or((a, b, c))
    assert a ^ b ^ c == Xor((a, b, c))
    assert ~a == Not(a)
    assert a & (b | ~c) == And((a, Or((b, Not(c)))))
    assert (a & b) | (c & d) == parse("a and b or c and d")


def test_what_is_not_an_expression_cannot_be_combined() -> None:
    with pytest.raises(ExpressionValueError, match="not an expression"):
        a & 5  # type: ignore[operator]
    with pytest.raises(ExpressionValueError, match="not an expression"):
        And((a, "b"))  # type: ignore[arg-type]
    with pytest.raises(ExpressionValueError, match="not an expression"):
        Not("a")  # type: ignore[arg-type]


@pytest.mark.parametrize("connective", [And, Or, Xor, Xnor])
def test_connectives_need_two(connective: type[Any]) -> None:
    with pytest.raises(ExpressionValueError, match="two nodes or more"):
        connective((a,))
    assert connective([a, b]).children == (a, b)


def test_a_tree_has_no_truth() -> None:
    with pytest.raises(TypeError, match="&"):
        bool(a)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Equals("a", 1), Equals("a", True)),
        (Equals("a", 1), Equals("a", "1")),
        (Equals("a", 1), Equals("b", 1)),
        (Equals("a", 1), Equals("a", 1, 2.0)),
        (Equals("a", 2**53), Equals("a", 2**53 + 1)),
        (Equals("a", date(2024, 1, 1)), Equals("a", datetime(2024, 1, 1, tzinfo=UTC))),
        (In("a", (1, 2)), In("a", (2, 1))),
        (In("a", (1,)), NotIn("a", (1,))),
        (In("a", (True,)), In("a", (1,))),
        (And((a, b)), And((b, a))),
        (And((a, b)), Or((a, b))),
        (And((And((a, b)), c)), And((a, b, c))),
        (StartsWith("a", "x"), Under("a", "x")),
        (In("a", ("x",)), Under("a", "x")),
        (Under("a", ("x", "y")), Under("a", ("y", "x"))),
        (TRUE, FALSE),
        (Literal(a), Literal(a, positive=False)),
        (Literal(a), Literal(a, holds_when_missing=True)),
    ],
)
def test_different_trees_are_unequal(left: Expression, right: Expression) -> None:
    assert left != right
    assert len({left, right}) == 2


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Equals("a", 1), Equals("a", 1.0)),
        (In("a", [1, 2]), In("a", (1, 2))),  # type: ignore[arg-type]
        (In("a", (1, 2)), In("a", (1, 2), (1, 1))),
        (Equals("a", 1, -0.0), Equals("a", 1, 0)),
        (TRUE, Constant(True)),
    ],
)
def test_one_meaning_one_form(left: Expression, right: Expression) -> None:
    assert left == right
    assert hash(left) == hash(right)
    assert repr(left) == repr(right)


@given(strategies.any_expressions())
def test_trees_survive_a_process_border(tree: Expression) -> None:
    again = pickle.loads(pickle.dumps(tree))
    assert again == tree
    assert repr(again) == repr(tree)


@given(strategies.expressions(20))
def test_depth_and_orders(tree: Expression) -> None:
    order = list(postorder(tree))
    assert order[-1] is tree
    assert tree.depth == 1 + max((child.depth for child in tree.children), default=0)
    places = {id(node): i for i, node in enumerate(order)}
    for node in order:
        for child in node.children:
            assert places[id(child)] < places[id(node)] or child is node
    distinct = list(distinct_nodes(tree))
    assert {id(node) for node in distinct} == {id(node) for node in order}
    assert len(distinct) == len({id(node) for node in order})


def test_a_pickle_is_read_where_strings_hash_otherwise() -> None:
    program = (
        "import pickle, sys; from eligo.language.text.parse import parse;"
        "tree = pickle.loads(sys.stdin.buffer.read());"
        "print(tree == parse(repr(tree)), len({tree, parse(repr(tree))}))"
    )
    tree = parse("a = 'x' and not b in ('y'^2, 3) or c xor c")
    for seed in ("1", "2"):
        run = [sys.executable, "-c", program]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        found = subprocess.run(run, input=pickle.dumps(tree), env=environment, capture_output=True, check=True)
        assert found.stdout.split() == [b"True", b"1"]


def test_deep_and_shared_trees_can_be_pickled() -> None:
    tree: Expression = Literal(a, positive=False)
    for _ in range(5_000):
        tree = Xor((tree, tree))
    again = pickle.loads(pickle.dumps(tree))
    assert again == tree
    assert sum(1 for _ in distinct_nodes(again)) == 5_001


def test_shared_nodes_stay_linear() -> None:
    tree: Expression = a
    for _ in range(200):
        tree = Xor((tree, tree))
    assert sum(1 for _ in distinct_nodes(tree)) == 201
    other: Expression = IsTrue("a")
    for _ in range(200):
        other = Xor((other, other))
    assert tree == other
    assert tree.depth == 201


def test_deep_trees_do_not_recurse() -> None:
    def grow() -> Expression:
        tree: Expression = a
        for level in range(50_000):
            tree = Not(tree) if level % 2 else Or((tree, b))
        return tree

    tree, again = grow(), grow()
    assert tree.depth == 50_001
    assert tree == again
    assert hash(tree) == hash(again)
    assert sum(1 for _ in postorder(tree)) == 75_001
    assert repr(tree).startswith("not (")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Equals("", 1), "not empty"),
        (lambda: Equals(5, 1), "name is a string"),  # type: ignore[arg-type]
        (lambda: Equals("\ud800", 1), "surrogate"),
        (lambda: Equals("a", None), "NoneType"),  # type: ignore[arg-type]
        (lambda: Equals("a", float("nan")), "NaN"),
        (lambda: Equals("a", 1, -1), "weight"),
        (lambda: Equals("a", 1, float("inf")), "weight"),
        (lambda: Less("a", True), "no order"),
        (lambda: GreaterOrEqual("a", False), "no order"),
        (lambda: Between("a", False, True), "no order"),
        (lambda: Between("a", 1, "x"), "one kind"),
        (lambda: NotBetween("a", date(2024, 1, 1), datetime(2024, 1, 1)), "one kind"),
        (lambda: In("a", "xyz"), "a list of values"),  # type: ignore[arg-type]
        (lambda: In("a", (1, 2), (1.0,)), "2 values but 1 weights"),
        (lambda: ContainsAll("a", (2**64,)), "64 bits"),
        (lambda: StartsWith("a", 5), "takes a string"),  # type: ignore[arg-type]
        (lambda: Under("a", True), "takes a string"),  # type: ignore[arg-type]
        (lambda: Under("a", ("x", 5)), "takes a string"),  # type: ignore[arg-type]
        (lambda: Under("a", ("x", "y"), 2), "2 values but 1 weights"),
    ],
)
def test_what_a_predicate_cannot_hold(make: Callable[[], Expression], message: str) -> None:
    with pytest.raises(ExpressionValueError, match=message):
        make()


def test_values_and_weights_of_a_predicate() -> None:
    assert Between("a", 1, 2.0).values() == (1, 2)
    assert list(In("a", ("x", "y"), (1, 2)).weighted()) == [("x", 1.0), ("y", 2.0)]
    assert list(In("a", ("x", "y")).weighted()) == [("x", 1.0), ("y", 1.0)]
    assert WeakNotIn("a", ()).values() == ()
    assert Exists("a").values() == ()
