"""Negation normal form: the fixture, its size, and that neither truth nor score changes."""

from __future__ import annotations

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.errors import InputError
from eligo.language.evaluate import evaluate
from eligo.language.rewrites.nnf_text import nnf_text
from eligo.language.rewrites.push_negations import literal_form, push_negations
from eligo.language.score import score
from eligo.language.text.parse import parse
from eligo.language.tree import (
    And,
    Constant,
    Equals,
    Expression,
    IsTrue,
    Literal,
    Not,
    Or,
    Predicate,
    Xnor,
    Xor,
    distinct_nodes,
)
from fixture_pairs import Pair, read_pairs
from strategies import deep_expressions, event_weights, events, expressions, policies

EVENTS = st.lists(events(), min_size=4, max_size=8)
NEGATIVE = ("NotEquals", "NotIn", "NotBetween", "WeakNotIn", "StrongNotIn", "IsMissing", "ContainsAll")


@pytest.mark.parametrize("pair", read_pairs("push_negations.txt"), ids=str)
def test_fixture(pair: Pair) -> None:
    assert nnf_text(push_negations(parse(pair.given), pair.missing)) == pair.expected


def num_nodes(tree: Expression) -> int:
    return sum(1 for _ in distinct_nodes(tree))


@pytest.mark.parametrize("kind", [Xor, Xnor])
@pytest.mark.parametrize("n", [50, 200, 2_000])
def test_a_chain_of_xors_stays_linear(kind: type[Xor | Xnor], n: int) -> None:
    leaves = [Equals(f"a{i}", i) for i in range(n)]
    chain = kind(tuple(leaves))
    nested = reduce(lambda left, right: kind((left, right)), leaves)
    nested_to_the_right = reduce(lambda right, left: kind((left, right)), reversed(leaves))
    for tree in (chain, nested, nested_to_the_right, Not(chain), And((chain, Not(chain)))):
        assert num_nodes(push_negations(tree, "unknown")) <= 8 * n
        assert len(nnf_text(push_negations(tree, "unknown")).splitlines()) <= 2 * n


def test_a_shared_operand_is_pushed_once() -> None:
    tree: Expression = IsTrue("a0")
    for level in range(1, 100):
        tree = Xor((And((tree, IsTrue(f"a{level}"))), tree))
    assert num_nodes(push_negations(tree, "false")) <= 12 * 100


def test_depth_is_no_matter() -> None:
    tree: Expression = Equals("a", 1)
    for level in range(50_000):
        tree = Not(tree) if level % 2 else And((tree, Equals("b", level)))
    assert evaluate(push_negations(tree, "unknown"), {"a": 1, "b": [0]}) is not None


def test_nested_ands_become_one() -> None:
    nested = reduce(lambda left, right: And((left, right)), [Equals("a", value) for value in range(20_000)])
    flat = push_negations(nested, "unknown")
    assert isinstance(flat, And)
    assert [literal.predicate.value for literal in flat.operands] == list(range(20_000))


def test_a_shared_and_is_not_copied() -> None:
    shared = And((IsTrue("a"), IsTrue("b")))
    result = push_negations(Or((And((shared, IsTrue("c"))), And((shared, IsTrue("d"))))), "unknown")
    assert nnf_text(result) == "#1 := a and b\n(#1 and c) or (#1 and d)"


def test_unknown_policy_is_refused() -> None:
    with pytest.raises(InputError, match="'maybe' is not a policy"):
        push_negations(IsTrue("a"), "maybe")


@given(expressions(), EVENTS, policies())
def test_true_when_the_tree_is_true(tree: Expression, some_events: list[dict], missing: str) -> None:
    normal_form = push_negations(tree, missing)
    for event in some_events:
        assert evaluate(normal_form, event, missing) is (evaluate(tree, event, missing) is True)


@given(deep_expressions(), EVENTS, policies())
def test_true_when_a_deep_tree_is_true(tree: Expression, some_events: list[dict], missing: str) -> None:
    normal_form = push_negations(tree, missing)
    for event in some_events:
        assert evaluate(normal_form, event, missing) is (evaluate(tree, event, missing) is True)


@given(expressions(), policies())
def test_only_positive_predicates_are_left(tree: Expression, missing: str) -> None:
    for node in distinct_nodes(push_negations(tree, missing)):
        assert isinstance(node, And | Or | Constant | Literal)
        if isinstance(node, Literal):
            assert type(node.predicate).__name__ not in NEGATIVE


@given(expressions(), policies())
def test_a_normal_form_stays_as_it_is(tree: Expression, missing: str) -> None:
    normal_form = push_negations(tree, missing)
    assert push_negations(normal_form, missing) is normal_form


@given(expressions(), EVENTS, policies())
def test_a_normal_form_can_be_negated(tree: Expression, some_events: list[dict], missing: str) -> None:
    normal_form = push_negations(tree, missing)
    negated = push_negations(Not(normal_form), missing)
    for event in some_events:
        assert evaluate(negated, event) is not evaluate(normal_form, event)


def written_out(tree: Expression, wanted: bool, missing: str) -> Expression:
    """The laws, applied without sharing or flattening."""
    if isinstance(tree, Not):
        return written_out(tree.operand, not wanted, missing)
    if isinstance(tree, Constant):
        return Constant(tree.value is wanted)
    if isinstance(tree, Predicate):
        return literal_form(tree, wanted, missing)
    if isinstance(tree, And | Or):
        kind = And if isinstance(tree, And) is wanted else Or
        return kind(tuple(written_out(operand, wanted, missing) for operand in tree.children))
    if len(tree.children) > 2:
        kind = type(tree)
        return written_out(kind((kind(tree.children[:-1]), tree.children[-1])), wanted, missing)
    (t1, f1), (t2, f2) = ([written_out(each, sign, missing) for sign in (True, False)] for each in tree.children)
    if isinstance(tree, Xor) is wanted:
        return Or((And((t1, f2)), And((f1, t2))))
    return Or((And((t1, t2)), And((f1, f2))))


@given(expressions(max_leaves=6), EVENTS, event_weights(), policies())
def test_the_score_is_that_of_the_laws_written_out(
    tree: Expression, some_events: list[dict], weights: dict, missing: str
) -> None:
    plainly = written_out(tree, True, missing)
    for event in some_events:
        assert score(push_negations(tree, missing), event, weights=weights) == score(plainly, event, weights=weights)
