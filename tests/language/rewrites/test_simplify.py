"""Simplification: the fixture, its bounds, and that truth never changes, not even from false to unknown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.errors import InputError
from eligo.language.canonical import canonical_text
from eligo.language.evaluate import evaluate
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.rewrites.simplify import RULES, simplify
from eligo.language.rewrites.simplify_and_or import CLAUSES_COMPARED, LEAVES_COMPARED
from eligo.language.text.parse import parse
from eligo.language.tree import (
    FALSE,
    TRUE,
    And,
    Constant,
    Equals,
    Expression,
    In,
    IsTrue,
    Not,
    NotEquals,
    NotIn,
    Or,
    Xor,
    distinct_nodes,
)
from fixture_pairs import Pair, read_pairs
from strategies import ATTRIBUTES, events, expressions, policies

TREES = st.one_of(expressions(), expressions(12, ("a", "b")), expressions(12, ("a",)), expressions(12, ("c", "d")))
SEVERAL = st.lists(events(), min_size=6, max_size=12)
SINGLE = st.lists(events(several=False), min_size=6, max_size=12)


@pytest.mark.parametrize("pair", read_pairs("simplify.txt"), ids=str)
def test_fixture(pair: Pair) -> None:
    simple = simplify(parse(pair.given), missing=pair.missing, single_valued=pair.single_valued)
    assert canonical_text(simple) == pair.expected


@given(TREES, SEVERAL, policies())
def test_truth_is_kept(tree: Expression, some_events: list[dict], missing: str) -> None:
    simple = simplify(tree, missing=missing)
    for event in some_events:
        assert evaluate(simple, event, missing) is evaluate(tree, event, missing)


@given(TREES, SINGLE, policies())
def test_truth_is_kept_on_single_valued_attributes(tree: Expression, some_events: list[dict], missing: str) -> None:
    simple = simplify(tree, missing=missing, single_valued=ATTRIBUTES)
    for event in some_events:
        assert evaluate(simple, event, missing) is evaluate(tree, event, missing)


@given(TREES, SEVERAL, SINGLE, policies(), st.sampled_from([(), ATTRIBUTES]))
def test_truth_of_a_normal_form_is_kept(
    tree: Expression, several: list[dict], single: list[dict], missing: str, single_valued: tuple[str, ...]
) -> None:
    normal_form = push_negations(tree, missing)
    simple = simplify(normal_form, missing=missing, single_valued=single_valued)
    for event in single if single_valued else several:
        assert evaluate(simple, event) is evaluate(normal_form, event)


@given(TREES, policies(), st.sampled_from([(), ("a",), ATTRIBUTES]), st.booleans())
def test_simplifying_again_changes_nothing(
    tree: Expression, missing: str, single_valued: tuple[str, ...], is_pushed: bool
) -> None:
    given_tree = push_negations(tree, missing) if is_pushed else tree
    simple = simplify(given_tree, missing=missing, single_valued=single_valued)
    assert simplify(simple, missing=missing, single_valued=single_valued) == simple


@given(TREES, policies())
def test_constants_are_gone(tree: Expression, missing: str) -> None:
    simple = simplify(tree, missing=missing)
    assert isinstance(simple, Constant) or not any(isinstance(node, Constant) for node in distinct_nodes(simple))


def test_a_contradiction_is_false_in_negation_normal_form() -> None:
    tree = parse("a = 1 and a != 1")
    assert simplify(tree) == In("a", ())
    assert simplify(push_negations(tree, "unknown")) == FALSE
    assert simplify(push_negations(Not(tree), "unknown")).predicate.operator == "exists"
    assert simplify(push_negations(Not(tree), "false")) == TRUE


def test_a_literal_that_rules_missing_out_decides_for_its_attribute() -> None:
    one, other = (push_negations(parse("a = 1 and a != 2"), missing) for missing in ("unknown", "false"))
    assert one != other
    assert simplify(one) == simplify(other)


def test_many_members_are_merged_at_once() -> None:
    values = range(20_000)
    assert simplify(Or(tuple(Equals("a", value) for value in values))) == In("a", tuple(values))
    assert simplify(And(tuple(NotEquals("a", value) for value in values))) == NotIn("a", tuple(values))
    last = NotEquals("a", 20_000)
    assert simplify(And((Equals("a", 5), *(NotEquals("a", value) for value in values), last))) == In("a", ())


def test_a_chain_of_xors_stays_linear() -> None:
    chain = push_negations(Xor(tuple(IsTrue(f"a{i}") for i in range(300))), "unknown")
    assert sum(1 for _ in distinct_nodes(simplify(chain))) <= 8 * 300


def test_depth_is_no_matter() -> None:
    tree: Expression = Equals("a", 0)
    for level in range(20_000):
        tree = Not(tree) if level % 3 == 0 else (And, Or)[level % 2]((tree, Equals("b", level % 7)))
    simplify(tree)


def test_a_large_shared_operand_is_not_copied() -> None:
    shared = And(tuple(Equals(f"a{i}", i) for i in range(50)))
    tree = Or(tuple(And((shared, Equals("b", i), Equals("c", i))) for i in range(200)))
    simple = simplify(tree)
    assert sum(len(node.children) for node in distinct_nodes(simple)) < 2_000


def test_absorption_compares_few_clauses_with_one_another() -> None:
    large = Or((Equals("x", 1), Equals("y", 1), Equals("z", 1)))
    small = Or((Equals("x", 1), Equals("y", 1)))
    others = tuple(Or((Equals("b", i), Equals("c", i))) for i in range(CLAUSES_COMPARED))
    assert large not in simplify(And((large, small, *others[:-2]))).operands
    assert large in simplify(And((large, small, *others))).operands
    assert large not in simplify(And((large, Equals("x", 1), *others))).operands


def test_leaves_are_compared_with_the_few_before_them() -> None:
    apart = tuple(Equals("a", i) for i in range(LEAVES_COMPARED))
    narrow, wide = In("a", (100, 101)), In("a", (100, 101, 102))
    assert wide not in simplify(And((narrow, *apart[:-1], wide))).operands
    assert wide in simplify(And((narrow, *apart, wide))).operands


def test_every_rule_is_in_the_fixture() -> None:
    """Some line of it, as it is or in negation normal form, is changed by each rule."""
    seen: set[str] = set()
    for pair in read_pairs("simplify.txt"):
        tree = parse(pair.given)
        for form in (tree, push_negations(tree, pair.missing)):
            seen |= rules_used(form, pair.missing, pair.single_valued)
    assert seen == {rule.apply.__name__ for rule in RULES}


def rules_used(tree: Expression, missing: str, single_valued: tuple[str, ...]) -> set[str]:
    from eligo.language.rewrites import simplify as module

    used: set[str] = set()

    def watched(rule: module.Rule) -> module.Rule:
        def apply(node: Expression, context: module.Context) -> Expression:
            result = rule.apply(node, context)
            if result != node:
                used.add(rule.apply.__name__)
            return result

        return rule._replace(apply=apply)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "RULES", tuple(map(watched, RULES)))
        simplify(tree, missing=missing, single_valued=single_valued)
    return used


def test_unknown_policy_is_refused() -> None:
    with pytest.raises(InputError, match="'maybe' is not a policy"):
        simplify(IsTrue("a"), missing="maybe")
