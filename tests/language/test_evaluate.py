"""The oracle: Kleene's tables, every predicate against every way an event can meet it, and exact comparison."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given

from eligo.errors import EventError, InputError
from eligo.language.evaluate import connective_truth, evaluate, is_under, matches, satisfying_values
from eligo.language.paths import date_node_range, is_under_path, timestamp_node_range
from eligo.language.quantified import Quantified
from eligo.language.tree import (
    FALSE,
    TRUE,
    And,
    Between,
    ContainsAll,
    Equals,
    Exists,
    Greater,
    GreaterOrEqual,
    In,
    IsMissing,
    IsTrue,
    Less,
    LessOrEqual,
    Literal,
    Not,
    NotBetween,
    NotEquals,
    NotIn,
    Or,
    Predicate,
    StartsWith,
    StrongNotIn,
    Under,
    WeakNotIn,
    Xnor,
    Xor,
)
from strategies import ATTRIBUTES, deep_expressions, events, expressions, numbers, policies

T, F, U = True, False, None
OPERAND = {T: TRUE, F: FALSE, U: Equals("absent", 1)}
NAN = float("nan")

KLEENE = {
    And: {(T, T): T, (T, F): F, (T, U): U, (F, F): F, (F, U): F, (U, U): U},
    Or: {(T, T): T, (T, F): T, (T, U): T, (F, F): F, (F, U): U, (U, U): U},
    Xor: {(T, T): F, (T, F): T, (T, U): U, (F, F): F, (F, U): U, (U, U): U},
    Xnor: {(T, T): T, (T, F): F, (T, U): U, (F, F): T, (F, U): U, (U, U): U},
}


@pytest.mark.parametrize("connective", KLEENE)
@pytest.mark.parametrize("left, right", list(product((T, F, U), repeat=2)))
def test_binary_connectives_follow_kleene(connective, left, right):
    table = KLEENE[connective]
    expected = table[left, right] if (left, right) in table else table[right, left]
    assert evaluate(connective((OPERAND[left], OPERAND[right])), {}) is expected


@pytest.mark.parametrize("operand, expected", [(T, F), (F, T), (U, U)])
def test_not_follows_kleene(operand, expected):
    assert evaluate(Not(OPERAND[operand]), {}) is expected


@pytest.mark.parametrize(
    "connective, other, expected",
    [(And, T, U), (And, F, F), (Or, T, T), (Or, F, U), (Xor, T, U), (Xor, F, U), (Xnor, T, U), (Xnor, F, U)],
)
def test_undefined_operand_as_in_a_tree_2021_table_2(connective, other, expected):
    assert evaluate(connective((OPERAND[U], OPERAND[other])), {}) is expected
    assert evaluate(connective((OPERAND[other], OPERAND[U])), {}) is expected


@pytest.mark.parametrize("connective", KLEENE)
def test_chains_are_folds_from_the_left(connective):
    table = {pair: truth for (a, b), truth in KLEENE[connective].items() for pair in ((a, b), (b, a))}
    for operands in product((T, F, U), repeat=4):
        folded = operands[0]
        for operand in operands[1:]:
            folded = table[folded, operand]
        assert evaluate(connective(tuple(OPERAND[operand] for operand in operands)), {}) is folded


DAY, NOON = date(2024, 1, 31), datetime(2024, 1, 31, 12, tzinfo=UTC)

# Predicate, values that hit its positive form, and values that do not.
HITS = [
    (Equals("a", 5), [5, 5.0, [4, 5], ["x", 5]], [4, [4, 6], 5.5, "5", [True, False], DAY]),
    (Equals("a", "x"), ["x", ["y", "x"]], ["X", "xx", "", 1]),
    (Equals("a", True), [True, [False, True]], [False, 1, "true", 1.0]),
    (Equals("a", 1), [1, 1.0], [True, "1"]),
    (Equals("a", DAY), [DAY, [1, DAY]], [date(2024, 1, 30), NOON, datetime(2024, 1, 31, tzinfo=UTC), "2024-01-31"]),
    (Equals("a", NOON), [NOON, datetime(2024, 1, 31, 12), NOON.astimezone(timezone(timedelta(hours=5)))], [DAY]),
    (Less("a", 5), [4, [9, 4], -1e300, float("-inf")], [5, 6, "4", [5, "1"], False]),
    (Less("a", "é"), ["e", "z", ""], ["é", "\uffff", "\U00010000", 1]),
    (Less("a", NOON), [NOON - timedelta(microseconds=1)], [NOON, DAY]),
    (LessOrEqual("a", 5), [5, 4.5, [6, 5]], [5.5, float("inf"), "5"]),
    (Greater("a", 5), [6, 5.5, [1, 6], float("inf")], [5, 4, "6", True]),
    (Greater("a", "\uffff"), ["\U00010000"], ["\uffff", "z"]),
    (GreaterOrEqual("a", 5), [5, 6, [4, 5]], [4.5, "5", DAY]),
    (GreaterOrEqual("a", DAY), [DAY, date(2024, 2, 1)], [date(2024, 1, 30), NOON]),
    (Between("a", 2, 4), [2, 3.5, 4, [1, 4, 9]], [1, 5, [1, 5], "3", DAY]),
    (Between("a", "b", "d"), ["b", "c", "d", ["a", "c"]], ["a", "da", 3]),
    (Between("a", 4, 2), [], [1, 2, 3, 4, 5]),
    (NotBetween("a", 2, 4), [3, [1, 3, 9]], [1, [1, 9], "3"]),
    (In("a", (1, "x", DAY)), [1, "x", DAY, [7, DAY]], [2, True, "X", [2, 3]]),
    (In("a", ()), [], [1, [1, 2]]),
    (NotEquals("a", 5), [5, [4, 5]], [4, [4, 6], "5"]),
    (NotIn("a", (1, "x")), [1, "x", [7, 1]], [2, True, [2, 3]]),
    (NotIn("a", ()), [], [1, [1, 2]]),
    (WeakNotIn("a", (1, "x")), [1, "x", [7, 1]], [2, True, [2, 3]]),
    (StrongNotIn("a", (1, "x")), [1, "x", [7, 1]], [2, True, [2, 3]]),
    (ContainsAll("a", (1, 2)), [[1, 2], [2, 1, 3]], [1, [1], [1, 3], ["1", "2"]]),
    (ContainsAll("a", (1, 1)), [1, [1, 2]], [2, True]),
    (ContainsAll("a", ()), [1, [1, 2]], []),
    (StartsWith("a", "x/"), ["x/", "x/y", ["z", "x/y"]], ["x", "zx/", 1, DAY]),
    (StartsWith("a", ""), ["", "x"], [1, DAY, True]),
    (Under("a", "x/y"), ["x/y", "x/y/z", ["q", "x/y"]], ["x", "x/yy", "z/x/y", 1, DAY]),
    (Under("a", "2024/01"), [DAY, NOON, "2024/01/x"], [date(2024, 2, 1), "2024/011", 202401, True]),
    (Under("a", "2024"), [DAY, NOON, datetime(2024, 12, 31, 23, 59)], [date(2023, 12, 31), "2024-01-01"]),
    (Under("a", "2024-01-31"), [DAY, NOON], [date(2024, 1, 30)]),
    (Under("a", "2024/13"), ["2024/13"], [DAY, NOON]),
    (Under("a", ("x", "2024")), ["x", "x/y", "2024/05", DAY, NOON, ["q", "x"]], ["y", "2023", 2024, ["y", "q"]]),
    (Under("a", ()), [], ["", "x", DAY]),
    (Exists("a"), [0, False, "", [None, 1]], []),
    (IsMissing("a"), [0, False, "", [None, 1]], []),
    (IsTrue("a"), [True, [1, True]], [False, 1, "true", [False, 1]]),
]
NEGATIVE = (NotEquals, NotBetween, NotIn, WeakNotIn, StrongNotIn, IsMissing)
CASES = [
    (predicate, value, hit != isinstance(predicate, NEGATIVE))
    for predicate, hits, others in HITS
    for values, hit in ((hits, True), (others, False))
    for value in values
]


@pytest.mark.parametrize("missing", ["unknown", "false"])
@pytest.mark.parametrize("predicate, value, expected", CASES, ids=repr)
def test_predicate_on_a_present_attribute(predicate, value, expected, missing):
    assert evaluate(predicate, {"a": value}, missing) is expected
    assert evaluate(Not(predicate), {"a": value}, missing) is not expected


def test_every_kind_of_predicate_is_in_the_table():
    def leaves(kind):
        below = set(kind.__subclasses__()) - {Quantified}  # it has tables of its own: test_document_truth
        return {leaf for child in below for leaf in leaves(child)} or {kind}

    assert {type(predicate) for predicate, _, _ in HITS} == leaves(Predicate)


@pytest.mark.parametrize("event", [{}, {"a": None}, {"a": NAN}, {"a": []}, {"a": [None, NAN]}], ids=repr)
@pytest.mark.parametrize("predicate", [row[0] for row in HITS], ids=repr)
def test_predicate_on_a_missing_attribute(predicate, event):
    unknown, false = {
        Exists: (F, F),
        IsMissing: (T, T),
        WeakNotIn: (T, T),
        StrongNotIn: (F, F),
        NotEquals: (U, T),
        NotIn: (U, T),
        NotBetween: (U, T),
    }.get(type(predicate), (U, F))
    assert evaluate(predicate, event, "unknown") is unknown
    assert evaluate(predicate, event, "false") is false


def test_literals_are_two_valued():
    for predicate, value, hit in CASES:
        for positive, holds_when_missing, missing in product((T, F), (T, F), ("unknown", "false")):
            if not isinstance(predicate, NEGATIVE):
                literal = Literal(predicate, positive, holds_when_missing)
                assert evaluate(literal, {"a": value}, missing) is (hit == positive)
                assert evaluate(literal, {}, missing) is holds_when_missing


def test_on_a_list_not_less_is_not_greater_or_equal():
    event = {"a": [1, 9]}
    assert matches(GreaterOrEqual("a", 5), event)
    assert not matches(Not(Less("a", 5)), event)


@pytest.mark.parametrize(
    "left, right",
    [
        (2**53 + 1, 2.0**53),
        (2**53 + 1, 2.0**53 + 2),
        (2**63 - 1, 2.0**63),
        (2**63 - 1, 2**63 - 2),
        (-(2**63), -(2.0**63) * 1.5),
        (0, 5e-324),
    ],
)
def test_numbers_that_doubles_would_confuse_stay_apart(left, right):
    for operand, value in ((left, right), (right, left)):
        assert evaluate(Equals("a", operand), {"a": value}) is False
        assert evaluate(In("a", (operand,)), {"a": value}) is False
        assert evaluate(Less("a", operand), {"a": value}) is (value < operand)


@given(numbers(), numbers())
def test_comparison_of_numbers_is_exact(operand, value):
    exact_operand, exact_value = Fraction(operand), Fraction(value)
    event = {"a": value}
    assert evaluate(Equals("a", operand), event) is (exact_value == exact_operand)
    assert evaluate(Less("a", operand), event) is (exact_value < exact_operand)
    assert evaluate(LessOrEqual("a", operand), event) is (exact_value <= exact_operand)
    assert evaluate(Greater("a", operand), event) is (exact_value > exact_operand)
    assert evaluate(GreaterOrEqual("a", operand), event) is (exact_value >= exact_operand)
    assert evaluate(Between("a", 0, operand), event) is (0 <= exact_value <= exact_operand)


@given(expressions(), events(), policies())
def test_false_policy_has_no_unknown_and_not_is_an_involution(tree, event, missing):
    truth = evaluate(tree, event, missing)
    assert truth is not None or missing == "unknown"
    assert evaluate(Not(Not(tree)), event, missing) is truth
    assert matches(tree, event, missing) is (truth is True)


@given(expressions(), events())
def test_policies_agree_when_nothing_is_missing(tree, event):
    filled = {name: 1 for name in ATTRIBUTES} | {
        name: value for name, value in event.items() if matches(Exists(name), event)
    }
    assert evaluate(tree, filled, "unknown") is evaluate(tree, filled, "false")


@given(expressions(), expressions(), events(), policies())
def test_de_morgan(left, right, event, missing):
    assert evaluate(Not(And((left, right))), event, missing) is evaluate(Or((Not(left), Not(right))), event, missing)
    assert evaluate(Xnor((left, right)), event, missing) is evaluate(Not(Xor((left, right))), event, missing)


@given(deep_expressions(max_depth=100), events(), policies())
def test_the_truth_of_a_node_follows_from_its_children(tree, event, missing):
    if tree.children:
        operands = [evaluate(child, event, missing) for child in tree.children]
        assert evaluate(tree, event, missing) is connective_truth(tree, operands)


def test_depth_is_no_recursion():
    tree = Equals("a", 1)
    for _ in range(100_001):
        tree = Not(tree)
    assert evaluate(tree, {"a": 1}) is False


def test_a_shared_tree_is_walked_once():
    tree = Equals("a", 1)
    for _ in range(200):
        tree = Xor((tree, tree))
    assert evaluate(tree, {"a": 1}) is False


def test_nested_objects_are_dotted_names():
    assert matches(Equals("user.age", 3), {"user": {"age": 3}})


def test_satisfying_values_are_those_of_the_positive_form():
    assert satisfying_values(NotIn("a", (1, 2)), (0, 1, "1", 2)) == (1, 2)
    assert satisfying_values(Under("a", "x"), ("x", "y", "x/z")) == ("x", "x/z")


class Taxonomy:
    def __init__(self):
        self.parents = {"Jets": "NFL", "NFL": "Sports"}

    def is_under(self, value, node):
        while value != node and value in self.parents:
            value = self.parents[value]
        return value == node


def test_a_taxonomy_replaces_the_path_rule_for_strings_only():
    tree, hierarchies = Under("team", "Sports"), {"team": Taxonomy()}
    assert evaluate(tree, {"team": "Jets"}, hierarchies=hierarchies) is True
    assert evaluate(tree, {"team": "Jets"}) is False
    assert evaluate(tree, {"team": "Sports/x"}, hierarchies=hierarchies) is False
    assert is_under(DAY, "2024", Taxonomy())


def test_wrong_policy_and_wrong_event_are_errors():
    with pytest.raises(InputError, match="'null' is not a policy"):
        evaluate(TRUE, {}, "null")
    with pytest.raises(EventError, match="attribute 'a'"):
        evaluate(Exists("a"), {"a": object()})
    assert evaluate(Exists("a"), {"a": 1, "unread": object()}) is True


@pytest.mark.parametrize(
    "node, expected",
    [
        ("2024", (date(2024, 1, 1), date(2024, 12, 31))),
        ("2024/02", (date(2024, 2, 1), date(2024, 2, 29))),
        ("2023-02", (date(2023, 2, 1), date(2023, 2, 28))),
        ("9999/12", (date(9999, 12, 1), date(9999, 12, 31))),
        ("2024-01-31", (DAY, DAY)),
        *(
            (wrong, None)
            for wrong in ("", "24", "0000", "2024/1", "2024/13", "2023/02/29", "2024/01-31", "2024/", "２０２４")
        ),
    ],
)
def test_date_nodes(node, expected):
    assert date_node_range(node) == expected
    moments = timestamp_node_range(node)
    assert (moments is None) is (expected is None)
    if expected and moments:
        assert all(is_under_path(edge, node) for edge in (*expected, *moments))
        assert (moments[0].date(), moments[1].date()) == expected
