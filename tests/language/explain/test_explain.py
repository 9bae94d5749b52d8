"""Explanations: the values that decide each predicate, the drawn tree, the sentence, the JSON, and hostile input."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime

import pytest
from hypothesis import given

from eligo.language.evaluate import evaluate
from eligo.language.explain.explain import DRAWN_LEVELS, SHOWN_LINES, explain
from eligo.language.explain.reason import leaf_text
from eligo.language.forms.json_text import read_json, write_json
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.tree import (
    FALSE,
    TRUE,
    And,
    Between,
    Constant,
    ContainsAll,
    Equals,
    Exists,
    In,
    IsMissing,
    IsTrue,
    Less,
    Literal,
    Not,
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
    distinct_nodes,
)
from strategies import deep_expressions, events, expressions, policies

TREE = And((Between("age", 18, 24), Or((In("state", ("CA", "NY")), Not(Equals("device", "tv"))))))


def test_text_of_a_non_match():
    explanation = explain(TREE, {"age": 30, "state": "CA"})
    assert explanation.truth is False
    assert not explanation.matches
    assert (
        str(explanation)
        == """\
does not match, because age between 18 and 24 is false (age = 30)
✗ and
├─ ✗ age between 18 and 24   age = 30   ◀ decides
└─ ✓ or
   ├─ ✓ state in ('CA', 'NY')   state = 'CA'   ◀ decides
   └─ ? not
      └─ ? device = 'tv'   device is missing"""
    )


def test_text_of_a_match_with_a_subject():
    assert (
        explain(TREE, {"age": [3, 20], "device": "phone", "state": "TX"}).to_text(subject="ad-1")
        == """\
ad-1 matches, because age between 18 and 24 is true (age has 20) and device = 'tv' is false (device = 'phone')
✓ and
├─ ✓ age between 18 and 24   age has 20
└─ ✓ or
   ├─ ✗ state in ('CA', 'NY')   state = 'TX'
   └─ ✓ not   ◀ decides
      └─ ✗ device = 'tv'   device = 'phone'"""
    )


def test_text_of_an_unknown():
    explanation = explain(TREE, {"age": 20})
    assert explanation.truth is None
    assert not explanation.matches
    assert explanation.summary() == (
        "does not match (unknown), because state in ('CA', 'NY') is unknown (state is missing) "
        "and device = 'tv' is unknown (device is missing)"
    )


U, F = "unknown", "false"
NEVER = ", which is never compared with"


@pytest.mark.parametrize(
    "leaf, event, missing, phrase",
    [
        (Equals("a", 1), {"a": 1}, U, "a = 1"),
        (Equals("a", 1), {"a": [1, 2]}, U, "a has 1"),
        (Equals("a", 1), {"a": [2, 3]}, U, "a = 2, 3"),
        (Equals("a b", 1), {"a b": 2}, U, '"a b" = 2'),
        (Equals("a", 1), {"a": True}, U, f"a = true, a Boolean{NEVER} a number"),
        (Less("a", 1), {"a": "0"}, U, f"a = '0', a string{NEVER} a number"),
        (Less("a", 1), {"a": ["0", 5]}, U, "a = '0', 5"),
        (In("a", (1, "x")), {"a": date(2024, 1, 1)}, U, f"a = date '2024-01-01', a date{NEVER} a number or a string"),
        (In("a", ()), {"a": 1}, U, "a = 1"),
        (IsTrue("a"), {"a": 1}, U, f"a = 1, a number{NEVER} a Boolean"),
        (IsTrue("a"), {"a": True}, U, "a = true"),
        (NotEquals("a", 1), {"a": [1, 2]}, U, "a has 1"),
        (NotEquals("a", 1), {"a": 2}, U, "a = 2"),
        (NotIn("a", (1, 2)), {"a": [1, 2, 3]}, U, "a has 1, 2"),
        (StartsWith("a", "x"), {"a": ["y", "xy"]}, U, "a has 'xy'"),
        (Under("a", "2024"), {"a": datetime(2024, 1, 1, tzinfo=UTC)}, U, "a = timestamp '2024-01-01T00:00:00Z'"),
        (Under("a", ("x", "y")), {"a": ["y/z", "q"]}, U, "a has 'y/z'"),
        (Under("a", ()), {"a": "x"}, U, "a = 'x'"),
        (Under("a", "x"), {"a": 5}, U, f"a = 5, a number{NEVER} a string or a date or a timestamp"),
        (ContainsAll("a", (1, 2, 3, 2)), {"a": [1, 9]}, U, "a lacks 2, 3"),
        (ContainsAll("a", (1, 2)), {"a": [1, 2, 3]}, U, "a = 1, 2, 3"),
        (Exists("a"), {"a": 1}, U, "a = 1"),
        (Exists("a"), {}, F, "a is missing"),
        (IsMissing("a"), {"a": 1}, U, "a = 1"),
        (IsMissing("a"), {}, U, "a is missing"),
        (Equals("a", 1), {}, U, "a is missing"),
        (Equals("a", 1), {}, F, "a is missing, which counts as false here"),
        (NotEquals("a", 1), {}, F, "a is missing, which counts as true here"),
        (WeakNotIn("a", (1,)), {}, U, "a is missing, which counts as true here"),
        (StrongNotIn("a", (1,)), {}, U, "a is missing, which counts as false here"),
        (Literal(Equals("a", 1), False, True), {}, U, "a is missing, which counts as true here"),
        (Equals("a", 1), {"a": list(range(2, 1002))}, U, "a = 2, 3, 4, 5, 6 and 995 more"),
        (Equals("a", 1), {"a": float("inf")}, U, "a = inf"),
        (Equals("a", "x"), {"a": "y" * 100}, U, f"a = '{'y' * 60}…'"),
        (Equals("a", "x"), {"a": "\x1b[31m\n"}, U, "a = '\\x1b[31m\\n'"),
    ],
)
def test_phrase(leaf, event, missing, phrase):
    explanation = explain(leaf, event, missing)
    assert explanation.reason(leaf).phrase == phrase
    assert explanation.reason(leaf).truth is explanation.truth


def test_the_sentence_names_a_few_and_counts_the_rest():
    tree = And(tuple(Exists(name) for name in "abcde"))
    assert explain(tree, dict.fromkeys("abcde", 1)).summary() == (
        "matches, because a exists is true (a = 1), b exists is true (b = 1), c exists is true (c = 1) and 2 more"
    )


def test_the_sentence_says_what_else_fails():
    tree = And((Equals("a", 1), Equals("b", 1), Equals("c", 1), Equals("d", 1)))
    start = "does not match, because b = 1 is false (b = 2)"
    assert explain(tree, {"a": 1, "b": 2, "c": 1, "d": 1}).summary() == start
    assert explain(tree, {"a": 1, "b": 2, "c": 2, "d": 1}).summary() == f"{start}; 1 other part does not hold either"
    assert explain(tree, {"a": 1, "b": 2, "c": 2}).summary() == f"{start}; 2 other parts do not hold either"


def test_constants():
    assert str(explain(TRUE, {})) == "matches, because the constant is true\n✓ true"
    assert explain(Or((FALSE, Not(TRUE))), {}).summary() == (
        "does not match, because the constant is false and the constant is true"
    )


@pytest.mark.parametrize(
    "tree, event, deciding",
    [
        (And((Exists("a"), Exists("b"), Exists("c"))), {"a": 1}, [1]),
        (And((Exists("a"), Exists("b"))), {"a": 1, "b": 1}, [0, 1]),
        (And((Exists("a"), Equals("b", 1), Equals("c", 1))), {"a": 1}, [1, 2]),
        (Or((Exists("a"), Exists("b"), Exists("c"))), {"b": 1, "c": 1}, [1]),
        (Or((Exists("a"), Exists("b"))), {}, [0, 1]),
        (Or((Exists("a"), Equals("b", 1))), {}, [1]),
        (Xor((Exists("a"), Exists("b"))), {}, [0, 1]),
        (Xnor((Exists("a"), Equals("b", 1))), {}, [1]),
        (Not(Exists("a")), {}, [0]),
    ],
    ids=repr,
)
def test_what_decides(tree, event, deciding):
    explanation = explain(tree, event)
    assert [id(child) for child in explanation.deciding(tree)] == [id(tree.children[place]) for place in deciding]
    assert explanation.to_json()["tree"]["decided_by"] == deciding
    assert explanation.to_text().count("◀") == (len(deciding) if len(deciding) < len(tree.children) else 0)


def test_json():
    document = explain(TREE, {"age": date(2024, 1, 31), "state": ["CA", "TX", float("inf")]}).to_json()
    assert json.loads(json.dumps(document)) == {
        "matches": False,
        "truth": "false",
        "missing": "unknown",
        "summary": "does not match, because age between 18 and 24 is false "
        "(age = date '2024-01-31', a date, which is never compared with a number)",
        "tree": {
            "node": "and",
            "truth": "false",
            "decided_by": [0],
            "children": [
                {
                    "node": "predicate",
                    "truth": "false",
                    "text": "age between 18 and 24",
                    "attribute": "age",
                    "values": [{"date": "2024-01-31"}],
                    "satisfying": [],
                    "reason": "age = date '2024-01-31', a date, which is never compared with a number",
                },
                {
                    "node": "or",
                    "truth": "true",
                    "decided_by": [0],
                    "children": [
                        {
                            "node": "predicate",
                            "truth": "true",
                            "text": "state in ('CA', 'NY')",
                            "attribute": "state",
                            "values": ["CA", "TX", {"number": "inf"}],
                            "satisfying": ["CA"],
                            "reason": "state has 'CA'",
                        },
                        {
                            "node": "not",
                            "truth": "unknown",
                            "decided_by": [0],
                            "children": [
                                {
                                    "node": "predicate",
                                    "truth": "unknown",
                                    "text": "device = 'tv'",
                                    "attribute": "device",
                                    "values": [],
                                    "satisfying": [],
                                    "reason": "device is missing",
                                }
                            ],
                        },
                    ],
                },
            ],
        },
    }


def test_colours_are_added_around_the_same_text():
    explanation = explain(TREE, {"age": 20})
    colored = explanation.to_text(color=True)
    assert "\x1b[32m✓\x1b[0m" in colored
    for code in ("0", "1", "2", "31", "32", "33"):
        colored = colored.replace(f"\x1b[{code}m", "")
    assert colored == explanation.to_text()


@pytest.mark.parametrize(
    "leaf, satisfying, text",
    [
        (In("a", range(1000)), (), "a in (0, 1, 2, 3, 4, … 995 more)"),
        (In("a", range(1000)), (777,), "a in (0, 1, 2, 3, 777, … 995 more)"),
        (In("a", range(6), [2] * 6), (5,), "a in (0^2, 1^2, 2^2, 3^2, 5^2, … 1 more)"),
        (NotIn("a", range(1000)), (), "a not in (0, 1, 2, 3, 4, … 995 more)"),
        (Under("a", map(str, range(9)), [2] * 9), ("7",), "a under ('0'^2, '1'^2, '2'^2, '3'^2, '7'^2, … 4 more)"),
        (Literal(In("a", range(6)), False, True), (), "not a in (0, 1, 2, 3, 4, … 1 more) [or missing]"),
        (Equals("a", "x" * 1000), (), "a = '" + "x" * 235 + "…"),
        (Equals("a\x1b", "\r"), (), "\"a\\x1b\" = '\\r'"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_long_and_strange_predicates_are_shortened(leaf, satisfying, text):
    assert leaf_text(leaf, satisfying) == text


def test_deep_and_shared_trees_stay_small():
    tree = Exists("a")
    for _ in range(50_000):
        tree = Not(tree)
    lines = explain(tree, {}).to_text().split("\n")
    assert len(lines) == SHOWN_LINES + 2
    assert lines[-1] == f"… cut after {SHOWN_LINES:,} lines"
    assert max(map(len, lines)) < 200
    assert lines[DRAWN_LEVELS + 2].lstrip() == f"[{DRAWN_LEVELS + 1}] ✓ not"
    shared = Exists("a")
    for _ in range(200):
        shared = Xor((shared, shared))
    assert explain(shared, {}).to_text()


@given(deep_expressions(max_depth=600), events(), policies())
def test_deep_json_can_be_written(tree, event, missing):
    document = explain(tree, event, missing).to_json()
    assert read_json(write_json(document), max_depth=10_000) == document


@given(expressions(), events(), policies())
def test_every_node_has_its_truth_and_the_deciding_leaves_decide(tree, event, missing):
    explanation = explain(tree, event, missing)
    for node in distinct_nodes(tree):
        assert explanation.truth_of[id(node)] is evaluate(node, event, missing)
    leaves = {id(leaf) for leaf in explanation.deciding_leaves()}
    assert leaves
    changed = _with_others_changed(tree, leaves, explanation.truth_of)
    assert evaluate(changed, {}, "unknown") is explanation.truth
    assert explanation.to_text().startswith(explanation.summary())


def _with_others_changed(tree, kept, truth_of):
    """The tree with its deciding leaves as they were; of all others known and unknown are swapped."""
    unknown = Equals("absent", 1)
    made = {}
    for node in distinct_nodes(tree):
        if isinstance(node, Predicate | Constant):
            truth = truth_of[id(node)]
            shown = truth if id(node) in kept else None if truth is not None else True
            made[id(node)] = unknown if shown is None else Constant(shown)
        elif isinstance(node, Not):
            made[id(node)] = Not(made[id(node.operand)])
        else:
            made[id(node)] = type(node)(tuple(made[id(child)] for child in node.children))
    return made[id(tree)]


@given(expressions(), events(), policies())
def test_negation_normal_form_can_be_explained(tree, event, missing):
    normal_form = push_negations(tree, missing)
    assert explain(normal_form, event, missing).matches is explain(tree, event, missing).matches
