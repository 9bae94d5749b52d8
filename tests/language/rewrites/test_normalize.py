"""Normal forms: the fixtures, the bound, and that truth (and, if asked for, the score) is kept."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.errors import NormalFormTooLargeError
from eligo.language.canonical import canonical_text
from eligo.language.evaluate import evaluate
from eligo.language.limits import Limits
from eligo.language.rewrites.normalize import (
    COUNT_CAP,
    Clause,
    Conjunction,
    cnf_size,
    cnf_tree,
    dnf_size,
    dnf_tree,
    to_cnf,
    to_dnf,
)
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.score import score
from eligo.language.text.parse import parse
from eligo.language.tree import FALSE, TRUE, And, Constant, Equals, Expression, IsTrue, Literal, Not, Or, Xor
from fixture_pairs import Pair, read_pairs
from strategies import event_weights, events, expressions, policies

TREES = st.one_of(expressions(), expressions(12, ("a", "b")), expressions(12, ("a",)))
EVENTS = st.lists(events(), min_size=6, max_size=12)
SMALL = Limits(normal_form=300)


def lines(clauses: Sequence[Clause], within: str, none: str, empty: str) -> str:
    texts = [within.join(map(canonical_text, clause.literals)) or empty for clause in clauses]
    return "\n".join(texts) or none


@pytest.mark.parametrize("pair", read_pairs("to_dnf.txt"), ids=str)
def test_dnf_fixture(pair: Pair) -> None:
    assert lines(to_dnf(parse(pair.given), pair.missing), " and ", "false", "true") == pair.expected


@pytest.mark.parametrize("pair", read_pairs("to_cnf.txt"), ids=str)
def test_cnf_fixture(pair: Pair) -> None:
    assert lines(to_cnf(parse(pair.given), pair.missing), " or ", "true", "false") == pair.expected


@given(TREES, EVENTS, policies(), st.booleans())
def test_dnf_keeps_truth(tree: Expression, some_events: list[dict], missing: str, keep_scores: bool) -> None:
    try:
        form = dnf_tree(to_dnf(tree, missing, limits=SMALL, keep_scores=keep_scores))
    except NormalFormTooLargeError:
        return
    for event in some_events:
        assert evaluate(form, event) is (evaluate(tree, event, missing) is True)


@given(TREES, EVENTS, policies())
def test_cnf_keeps_truth(tree: Expression, some_events: list[dict], missing: str) -> None:
    try:
        form = cnf_tree(to_cnf(tree, missing, limits=SMALL))
    except NormalFormTooLargeError:
        return
    for event in some_events:
        assert evaluate(form, event) is (evaluate(tree, event, missing) is True)


@given(TREES, EVENTS, event_weights(), policies())
def test_dnf_keeps_the_score_when_asked_to(
    tree: Expression, some_events: list[dict], weights: dict, missing: str
) -> None:
    try:
        form = dnf_tree(to_dnf(tree, missing, limits=SMALL, keep_scores=True))
    except NormalFormTooLargeError:
        return
    for event in some_events:
        assert score(form, event, weights=weights) == score(tree, event, missing, weights=weights)


def written_out(normal_form: Expression, within: type[And | Or]) -> list[int]:
    """The number of literals of each clause, by distribution without sharing."""
    if isinstance(normal_form, Constant):
        return [0] if normal_form.value is (within is And) else []
    if isinstance(normal_form, Literal):
        split = within is And and normal_form.positive and normal_form.holds_when_missing
        return [1, 1] if split else [1 + (normal_form.positive and normal_form.holds_when_missing)]
    parts = [written_out(child, within) for child in normal_form.children]
    if not isinstance(normal_form, within):
        return [clause for part in parts for clause in part]
    product = [0]
    for part in parts:
        product = [left + right for left in product for right in part]
    return product


def has_constants(tree: Expression) -> bool:
    return isinstance(tree, Constant) or any(map(has_constants, tree.children))


@given(expressions(max_leaves=6), policies())
def test_the_size_is_exact(tree: Expression, missing: str) -> None:
    normal_form = push_negations(tree, missing)
    if has_constants(normal_form):
        return
    for size, within in ((dnf_size, And), (cnf_size, Or)):
        stated = size(tree, missing)
        if stated[0] > 10_000:  # nested xors have normal forms that no memory holds
            continue
        clauses = written_out(normal_form, within)
        assert stated == (len(clauses), sum(clauses))


def test_true_and_false() -> None:
    assert to_dnf(TRUE, "unknown") == (Conjunction(()),)
    assert to_dnf(FALSE, "unknown") == ()
    assert [clause.literals for clause in to_cnf(FALSE, "unknown")] == [()]
    assert to_cnf(TRUE, "unknown") == ()
    assert (dnf_tree(()), cnf_tree(())) == (FALSE, TRUE)


def test_size_counts_positive_literals() -> None:
    (conjunction,) = to_dnf(parse("age in (3, 4) and state != 'CA' and device exists and income is missing"), "false")
    assert conjunction.size == 2
    assert [clause.size for clause in to_dnf(parse("not a strong not in (1)"), "unknown")] == [1, 0]


def test_too_large_says_how_large_and_what_to_do() -> None:
    tree = And(tuple(Or((Equals("a", i), Equals("b", i))) for i in range(20)))
    with pytest.raises(NormalFormTooLargeError) as caught:
        to_dnf(tree, "unknown")
    assert "disjunctive normal form would have 1,048,576 conjunctions with 20,971,520 literals" in caught.value.message
    assert "more than the 10,000 allowed" in caught.value.message
    assert "a_tree" in caught.value.help
    assert len(to_cnf(tree, "unknown")) == 20
    with pytest.raises(NormalFormTooLargeError, match="conjunctive normal form"):
        to_cnf(Not(tree), "unknown", limits=Limits(normal_form=10))


def test_the_bound_can_be_raised() -> None:
    tree = Xor(tuple(IsTrue(f"a{i}") for i in range(11)))
    assert dnf_size(tree, "unknown") == (1_024, 11_264)
    with pytest.raises(NormalFormTooLargeError):
        to_dnf(tree, "unknown")
    assert len(to_dnf(tree, "unknown", limits=Limits(normal_form=20_000))) == 1_024


def test_the_size_of_a_hostile_expression_is_computed_at_once() -> None:
    tree = Xor(tuple(IsTrue(f"a{i}") for i in range(5_000)))
    assert dnf_size(tree, "unknown") == (COUNT_CAP, COUNT_CAP)
    with pytest.raises(NormalFormTooLargeError, match=r"at least 10\^18 conjunctions"):
        to_dnf(tree, "unknown")


@pytest.mark.parametrize(("form", "constant", "kind"), [(to_dnf, FALSE, And), (to_cnf, TRUE, Or)])
def test_a_large_part_that_a_constant_decides_is_never_built(form, constant, kind) -> None:
    large = Xor(tuple(IsTrue(f"a{i}") for i in range(200)))
    assert form(kind((constant, large)), "unknown") == ()


def test_redundant_conjunctions_are_dropped_but_not_for_scores() -> None:
    tree = parse("a = 1 or (a = 1 and b = 2) or (b = 2 and b = 2)")
    assert lines(to_dnf(tree, "unknown"), " and ", "", "") == "a = 1\nb = 2"
    kept = lines(to_dnf(tree, "unknown", keep_scores=True), " and ", "", "")
    assert kept == "a = 1\na = 1 and b = 2\nb = 2 and b = 2"


def test_what_is_always_true_keeps_its_score() -> None:
    tree = parse("a = 1^5 or true")
    assert to_dnf(tree, "unknown") == (Conjunction(()),)
    form = dnf_tree(to_dnf(tree, "unknown", keep_scores=True))
    assert score(form, {"a": 1}) == score(tree, {"a": 1}) == 5


def test_many_conjunctions() -> None:
    tree = Or(tuple(And((Equals("a", i), Equals("b", i % 50))) for i in range(5_000)))
    assert len(to_dnf(tree, "unknown")) == 5_000
