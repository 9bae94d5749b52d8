"""Expressions against a schema: every violation, each with its place and a way out."""

from __future__ import annotations

from typing import Any

import pytest

from eligo.data.schema.hierarchy import Hierarchy
from eligo.data.schema.schema import Schema
from eligo.errors import SchemaMismatchError, UnknownAttributeError
from eligo.language.text.parse import parse, parse_source

SCHEMA = Schema.from_dict(
    {
        "age": {"kind": "int", "low": 0, "high": 120},
        "score": "float",
        "state": {"kind": "string", "values": ["CA", "NY"]},
        "name": "string",
        "vip": "bool",
        "day": "date",
        "seen": "timestamp",
        "interests": "list[string]",
        "category": {"kind": "string", "hierarchy": "path"},
        "team": {"kind": "string", "hierarchy": Hierarchy.from_edges([("Jets", "NFL")])},
        "flat": {"kind": "string", "hierarchy": "none"},
        "user.age": "int",
    }
)


@pytest.mark.parametrize(
    "text",
    [
        "age between 0 and 120 and age != 3 and age < 3.5 and age in (1, 2.0)",
        "score = 1 or score > 0.5 or score not between -1 and 2",
        "state in ('CA', 'NY') and state starts with 'C' and state > 'B'",
        "vip and vip = false and not vip != true",
        "day > date '2024-01-01' and day under '2024/02'",
        "seen > timestamp '2024-01-01T00:00Z' and seen under '2024'",
        "interests contains all ('a', 'b') and interests = 'a'",
        "category under 'Sports/NFL' and name under 'x' and team under 'NFL'",
        "user.age exists and age is missing and flat exists",
        "true xor (vip xnor false)",
    ],
)
def test_expressions_that_fit(text: str) -> None:
    assert SCHEMA.check(parse(text)) == []


@pytest.mark.parametrize(
    ("text", "problem", "help"),
    [
        ("agee = 3", "there is no attribute agee in the schema", "did you mean age?"),
        ("Age exists", "there is no attribute Age", "did you mean age?"),
        ("user.agee = 3", "there is no attribute user.agee", "did you mean user.age?"),
        ("qqq is missing", "there is no attribute qqq", "add it to the schema"),
        ("age = '3'", "age is an int, and '3' is a string", ""),
        ("age in ('3', 4, '5')", "age is an int, and '3' is a string (and 1 more like it)", ""),
        ("age = 3.5", "age is an int, so it is never 3.5", ""),
        ("age weak not in (200)", "age cannot be so: 200 is above the largest value, 120", ""),
        ("age < -1", "age cannot be so: -1 is below the least value, 0", ""),
        ("age between 5 and 300", "300 is above the largest value, 120", ""),
        ("name = 3", "name is a string, and 3 is a number", "write it in quotes: '3'"),
        ("interests in (true)", "interests holds strings, and true is a bool", "write it in quotes: 'true'"),
        ("state = 'C'", "'C' is not one of 'CA', 'NY'", "did you mean 'CA'?"),
        ("vip < 3", "vip is true or false, which have no order", ""),
        ("vip = 1", "vip is a bool, and 1 is a number", ""),
        ("day = '2024-01-01'", "day is a date, and '2024-01-01' is a string", "write date '2024-01-01'"),
        ("seen > date '2024-01-01'", "seen is a timestamp, and date '2024-01-01' is a date", "write timestamp"),
        ("age", "age is no truth value", "compare it with a value"),
        ("age starts with '1'", "age has no prefixes", ""),
        ("age under '1'", "age has no hierarchy", ""),
        ("flat under 'x'", "flat has no hierarchy", ""),
        ("team under 'NFLL'", "team has no node 'NFLL' in its hierarchy", "did you mean 'NFL'?"),
        ("team under ('NFL', 'x', 'y')", "team has no node 'x' in its hierarchy (and 1 more like it)", ""),
        ("day under ('2024', 'Sports')", "day is a date, and 'Sports' is no year, month or day", "write '2024'"),
        ("age under ('1', '2')", "age has no hierarchy", ""),
        ("day under 'Sports'", "day is a date, and 'Sports' is no year, month or day", "write '2024'"),
        ("state contains all ('CA')", "state has one value, so 'contains all' makes no sense", "list[string]"),
    ],
)
def test_a_violation_says_what_is_wrong_and_what_to_do(text: str, problem: str, help: str) -> None:
    (error,) = SCHEMA.check(parse_source(text))
    assert problem in error.message
    assert help in error.help
    assert isinstance(error, UnknownAttributeError if "no attribute" in problem else SchemaMismatchError)
    assert error.position is not None and error.position.offset == 0 and error.text == text


def test_every_violation_is_told_at_its_place() -> None:
    text = "vip and (agge = 3 or\n  name not in (1, 2)) xor not name not starts with 'é' and (\"café\" = 1 and day = 3)"
    errors = SCHEMA.check(parse_source(text))
    places = [(error.position.line, error.position.column) for error in errors if error.position]
    assert places == [(1, 10), (2, 3), (2, 61), (2, 76)]
    assert "2, column 3" in str(errors[1])
    assert [error.position for error in SCHEMA.check(parse(text))] == [None] * 4


def test_one_predicate_may_violate_in_several_ways() -> None:
    messages = [error.message for error in SCHEMA.check(parse("age in ('x', 1.5, 200, -3)"))]
    assert len(messages) == 3
    assert messages[2].endswith("(and 1 more like it)")


def test_a_deep_tree_does_not_recurse() -> None:
    tree: Any = parse("agee = 1")
    for _ in range(20_000):
        tree = ~tree
    assert len(SCHEMA.check(tree)) == 1
