"""Does each tree have one text, and does the text give the tree back?"""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given

import strategies
from eligo.language.canonical import RESERVED, attribute_text, canonical_text, number_text, value_text
from eligo.language.limits import Limits
from eligo.language.text.parse import parse
from eligo.language.tree import (
    FALSE,
    And,
    Between,
    Equals,
    Exists,
    Expression,
    In,
    IsTrue,
    Literal,
    Not,
    NotIn,
    Or,
    StartsWith,
    Xnor,
    Xor,
)

a, b, c = (IsTrue(name) for name in "abc")


@given(strategies.any_expressions(16))
def test_the_text_of_any_tree_gives_it_back(tree: Expression) -> None:
    text = canonical_text(tree)
    again = parse(text)
    assert again == tree
    assert hash(again) == hash(tree)
    assert canonical_text(again) == text


@given(strategies.expressions(30))
def test_the_text_of_a_common_tree_gives_it_back(tree: Expression) -> None:
    assert parse(canonical_text(tree)) == tree


@given(strategies.deep_expressions(300))
def test_the_text_of_a_deep_tree_gives_it_back(tree: Expression) -> None:
    assert parse(canonical_text(tree)) == tree


def test_a_very_deep_tree_gives_its_text_and_comes_back() -> None:
    tree: Expression = a
    for level in range(20_000):
        tree = Not(tree) if level % 2 else And((b, tree))
    text = canonical_text(tree)
    assert parse(text, limits=Limits(depth=tree.depth, length=len(text))) == tree


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("a==1", "a = 1"),
        ("A  AND\n not  B", "A and not B"),
        ("a<>1 -- x", "a != 1"),
        ("((a)) or (b and c)", "a or b and c"),
        ("a xor b xnor c", "(a xor b) xnor c"),
        ("a is not null", "a exists"),
        ("a is null", "a is missing"),
        ("a not under 'x'", "not a under 'x'"),
        ("a in (1.0, 1e3, .50)", "a in (1, 1000, 0.5)"),
        ("a in ('x'^1, 'y'^2.0)", "a in ('x', 'y'^2)"),
        ("a between 1 and 2^1.0", "a between 1 and 2"),
        ('"a" or "b c" or "in"', 'a or "b c" or "in"'),
        ("a = timestamp '2024-01-31 10:00+01:00'", "a = timestamp '2024-01-31T09:00:00Z'"),
        ("a starts with 'it''s'^2", "a starts with 'it''s'^2"),
        ("not(not(a))", "not not a"),
        ("TRUE or False", "true or false"),
    ],
)
def test_one_text_for_many_ways_to_write(written: str, canonical: str) -> None:
    assert canonical_text(parse(written)) == canonical
    assert canonical_text(parse(canonical)) == canonical


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (And((And((a, b)), c)), "(a and b) and c"),
        (And((Or((a, b)), c)), "(a or b) and c"),
        (Or((And((a, b)), c)), "a and b or c"),
        (Xor((Or((a, b)), And((b, c)))), "(a or b) xor b and c"),
        (Xnor((Xor((a, b)), c)), "(a xor b) xnor c"),
        (Not(And((a, b))), "not (a and b)"),
        (Not(NotIn("a", ())), "not a not in ()"),
        (FALSE, "false"),
        (Between("a", 1, 2, 0.5), "a between 1 and 2^0.5"),
    ],
)
def test_parentheses_only_where_needed(tree: Expression, text: str) -> None:
    assert canonical_text(tree) == text
    assert repr(tree) == text
    assert parse(text) == tree


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        (Literal(Equals("a", 1)), "a = 1"),
        (Literal(Equals("a", 1), positive=False), "not a = 1"),
        (Literal(Equals("a", 1), positive=False, holds_when_missing=True), "not a = 1 [or missing]"),
        (Literal(Exists("a"), positive=False, holds_when_missing=True), "not a exists [or missing]"),
        (Literal(In("a", (1,)), holds_when_missing=True), "a in (1) [or missing]"),
    ],
)
def test_literals_of_normal_forms_are_shown(literal: Literal, text: str) -> None:
    assert canonical_text(literal) == text


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_reserved_words_are_quoted(word: str) -> None:
    assert attribute_text(word) == f'"{word}"'
    assert attribute_text(word.upper()) == f'"{word.upper()}"'
    assert parse(f'"{word}"') == IsTrue(word)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.b", "a.b"),
        ("a.", '"a."'),
        ("1a", '"1a"'),
        ("a b", '"a b"'),
        ('a"b', '"a""b"'),
        ("é", '"é"'),
        ("weak", "weak"),
    ],
)
def test_names(name: str, text: str) -> None:
    assert attribute_text(name) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (5, "5"),
        (-(2**63), "-9223372036854775808"),
        (0.1, "0.1"),
        (1e20, "1e+20"),
        ("it's", "'it''s'"),
        (date(2024, 1, 31), "date '2024-01-31'"),
        (datetime(2024, 1, 31, 10, tzinfo=UTC), "timestamp '2024-01-31T10:00:00Z'"),
        (datetime(1, 1, 1, 0, 0, 0, 1, tzinfo=UTC), "timestamp '0001-01-01T00:00:00.000001Z'"),
    ],
)
def test_values(value: object, text: str) -> None:
    assert value_text(value) == text  # type: ignore[arg-type]


def test_whole_floats_are_written_without_a_point() -> None:
    assert [number_text(number) for number in (2.0, 2.5, 1e15, 1e-7)] == ["2", "2.5", "1000000000000000.0", "1e-07"]
    assert canonical_text(StartsWith("a", "x", 2.0)) == "a starts with 'x'^2"
