"""Scores: the worked examples of Whang 2009, then each rule on its own, then what must hold for every tree."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given

from eligo.errors import EventError
from eligo.language.evaluate import matches
from eligo.language.score import score, score_units
from eligo.language.text.parse import parse
from eligo.language.tree import (
    FALSE,
    TRUE,
    And,
    Between,
    ContainsAll,
    Equals,
    Exists,
    Expression,
    Greater,
    In,
    IsMissing,
    IsTrue,
    Less,
    Not,
    NotEquals,
    NotIn,
    Or,
    StartsWith,
    StrongNotIn,
    Under,
    WeakNotIn,
    Xnor,
    Xor,
)
from strategies import deep_expressions, event_weights, events, expressions, policies


def test_whang_2009_section_2_4():
    tree = And((In("age", (1, 2), (10, 5)), In("state", ("CA",), (3,))))
    assert score(tree, {"age": 1, "state": "CA"}, weights={"age": {1: 1}, "state": {"CA": 2}}) == 16
    assert score(tree, {"age": 2, "state": "CA"}, weights={"age": {1: 1}, "state": {"CA": 2}}) == 11
    assert score(tree, {"age": 3, "state": "CA"}) is None


def test_whang_2009_section_5_dnf():
    tree = And((In("state", ("NY",), (4.0,)), In("age", (3,), (0.1,))))
    weights = {"age": {3: 0.8}, "state": {"NY": 1.0}, "gender": {"F": 0.9}}
    assert score(tree, {"age": 3, "state": "NY", "gender": "F"}, weights=weights) == 4.08


def test_whang_2009_section_5_cnf():
    first = Or((In("A", (1,), (0.3,)), In("B", (1,))))
    second = Or((In("C", (2,), (2.7,)), In("D", (1,))))
    tree = And((first, second))
    assert score(tree, {"A": 1, "C": 2}, weights={"A": {1: 0.1}, "C": {2: 0.9}}) == 2.46


@pytest.mark.parametrize(
    "tree, event, expected",
    [
        (TRUE, {}, 0),
        (FALSE, {}, None),
        (Equals("a", 1), {"a": [1, 2]}, 1),
        (Equals("a", 1, 3), {"a": [1, 2]}, 3),
        (Equals("a", 1, 0), {"a": 1}, 0),
        (In("a", (1, 2, 3), (1, 2, 4)), {"a": [1, 2, "x"]}, 3),
        (In("a", (1, 1, 1.0), (2, 5, 3)), {"a": 1}, 5),
        (In("a", (1, 2)), {"a": 3}, None),
        (IsTrue("a"), {"a": True}, 1),
        (Less("a", 5, 2), {"a": [1, 2, 3]}, 2),
        (Between("a", 1, 5, 2), {"a": [1, 2, 9]}, 2),
        (StartsWith("a", "x", 2), {"a": ["x", "xy"]}, 2),
        (Under("a", "x", 2), {"a": ["x", "x/y"]}, 2),
        (Under("a", "2024", 2), {"a": date(2024, 1, 1)}, 2),
        (Under("a", ("x", "x/y", "z"), (2, 3, 9)), {"a": ["x", "x/y"]}, 3),
        (Under("a", ("x", "x/y"), (2, 3)), {"a": ["x"]}, 2),
        (Under("a", ("x", "x"), (2, 5)), {"a": "x"}, 5),
        (Under("a", ("2024", "2024/01"), (2, 3)), {"a": [date(2024, 1, 1), date(2024, 2, 1)]}, 3),
        (Under("a", ()), {"a": "x"}, None),
        (ContainsAll("a", (1, 2), (3, 4)), {"a": [1, 2]}, 7),
        (ContainsAll("a", (1, 1), (3, 4)), {"a": 1}, 4),
        (ContainsAll("a", ()), {"a": 1}, 0),
        (Exists("a"), {"a": [1, 2]}, 1),
        (NotEquals("a", 1), {"a": 2}, 0),
        (NotIn("a", (1,)), {"a": 2}, 0),
        (StrongNotIn("a", (1,)), {"a": 2}, 0),
        (WeakNotIn("a", (1,)), {}, 0),
        (IsMissing("a"), {}, 0),
        (Not(Equals("a", 1, 5)), {"a": 2}, 0),
        (Not(NotEquals("a", 1)), {"a": 1}, 1),
        (Not(Not(Equals("a", 1, 5))), {"a": 1}, 5),
        (Not(IsMissing("a")), {"a": 1}, 1),
        (Not(StrongNotIn("a", (1,))), {}, 0),
        (Not(StrongNotIn("a", (1,))), {"a": 1}, 1),
        (And((Equals("a", 1, 2), Equals("b", 1, 3), TRUE)), {"a": 1, "b": 1}, 5),
        (And((Equals("a", 1, 2), Equals("a", 1, 2))), {"a": 1}, 4),
        (Or((Equals("a", 1, 2), Equals("b", 1, 3), FALSE)), {"a": 1, "b": 1}, 3),
        (Or((Equals("a", 1, 2), Equals("b", 1, 3))), {"a": 1, "b": 2}, 2),
        (Or((Equals("a", 1, 2), Equals("b", 1, 3))), {"a": 1}, 2),
        (Xor((Equals("a", 1, 2), Equals("b", 1, 3))), {"a": 2, "b": 1}, 3),
        (Xnor((Equals("a", 1, 2), Equals("b", 1, 3))), {"a": 1, "b": 1}, 5),
        (Xnor((Equals("a", 1, 2), Equals("b", 1, 3))), {"a": 2, "b": 2}, 0),
        (Equals("a", 1), {}, None),
    ],
    ids=repr,
)
def test_each_rule(tree: Expression, event, expected):
    assert score(tree, event) == expected


@pytest.mark.parametrize(
    "tree, expected",
    [
        (Equals("a", 1, 3), 6),
        (In("a", (1, 2, 3)), 2 + 10 + 1),
        (Greater("a", 0, 3), 30),
        (Less("a", 2, 3), 6),
        (Between("a", 3, 4), 1),
        (Exists("a"), 1),
        (Exists("b"), 0.5),
        (Equals("b", "x", 3), 1.5),
        (ContainsAll("a", (1, 2), (1, 2)), 22),
    ],
    ids=repr,
)
def test_weights_of_events(tree, expected):
    event = {"a": [1, 2, 3], "b": "x"}
    assert score(tree, event, weights={"a": {1.0: 2, 2: 10, "1": 99}, "b": 0.5}) == expected


def test_an_attribute_that_is_missing_scores_nothing_under_either_policy():
    tree = Or((Not(Equals("a", 1, 5)), FALSE))
    assert score(tree, {}, "unknown") is None
    assert score(tree, {}, "false") == 0


@pytest.mark.parametrize(
    "weight", [-1, float("nan"), float("inf"), "3", True, np.True_, None, 10**400, 1e9 + 1, [2], Decimal("NaN")]
)
def test_wrong_weights_are_errors(weight):
    for weights in ({"a": weight}, {"a": {1: weight}}):
        with pytest.raises(EventError, match="attribute 'a': a weight is a number from 0 to 1,000,000,000, not"):
            score(TRUE, {}, weights=weights)


@given(expressions(), events(), policies(), event_weights())
def test_what_matches_has_a_score_and_nothing_else(tree, event, missing, weights):
    result = score(tree, event, missing, weights=weights)
    assert (result is not None) is matches(tree, event, missing)
    assert result is None or result >= 0


@given(expressions(), expressions(), events(), policies(), event_weights())
def test_and_adds_and_or_takes_the_largest(left, right, event, missing, weights):
    def units_of(tree):
        return score_units(tree, event, missing, weights=weights)

    operands = [units_of(left), units_of(right)]
    added = None if None in operands else min(sum(operands), 4 * 10**18)
    assert units_of(And((left, right))) == units_of(And((right, left))) == added
    assert units_of(Or((left, right))) == max((operand for operand in operands if operand is not None), default=None)


@given(deep_expressions(), events(), policies())
def test_deep_trees_have_scores(tree, event, missing):
    assert (score(tree, event, missing) is not None) is matches(tree, event, missing)


def test_a_shared_tree_is_walked_once():
    tree = Equals("a", 1)
    for _ in range(60):
        tree = Or((tree, tree))
    assert score(tree, {"a": 1}) == 1


def test_a_quantified_part_scores_as_a_bare_attribute() -> None:
    documents = ({"price": 10}, {"price": 25})
    tree = parse("exists d (price < d.price and d.price > 3^9) and a = 1^2")
    assert score(tree, {"price": 20, "a": 1}, documents=documents) == 3.0
    assert score(tree, {"price": 30, "a": 1}, documents=documents) is None
    assert score(parse("not exists d (price < d.price)"), {"price": 30}, documents=documents) == 0.0
