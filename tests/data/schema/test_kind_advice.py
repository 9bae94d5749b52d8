"""Is a value of a wrong kind told as the kind that is wanted, in a text that is one?"""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

import eligo
from eligo.data.schema.kind_advice import kind_advice
from eligo.language.value import Kind, Scalar


@pytest.mark.parametrize(
    ("value", "kinds", "advice"),
    [
        ("30", {Kind.NUMBER}, "write it without quotes: 30"),
        (" True", {Kind.BOOL}, "write it without quotes: true"),
        ("yes", {Kind.BOOL}, ""),
        (1, {Kind.BOOL}, "write true"),
        (0, {Kind.BOOL}, "write false"),
        (2, {Kind.BOOL}, ""),
        (30, {Kind.STRING}, "write it in quotes: '30'"),
        (date(2026, 1, 5), {Kind.TIMESTAMP}, "write timestamp '2026-01-05T00:00:00Z'"),
        (datetime(2026, 1, 5, 3, tzinfo=UTC), {Kind.DATE}, "write date '2026-01-05'"),
        ("2026-01-05", {Kind.TIMESTAMP}, "write timestamp '2026-01-05T00:00:00Z'"),
        ("2026-01-05T10:00:00Z", {Kind.TIMESTAMP}, "write timestamp '2026-01-05T10:00:00Z'"),
        ("2026-01-05", {Kind.DATE}, "write date '2026-01-05'"),
        ("soon", {Kind.DATE}, "write a date, such as date '2024-01-31'"),
        (3, {Kind.TIMESTAMP}, "write a timestamp, such as timestamp '2024-01-31T10:00:00Z'"),
        (True, {Kind.NUMBER}, ""),
        (date(2026, 1, 5), {Kind.STRING}, ""),
    ],
)
def test_what_to_write(value: Scalar, kinds: set[Kind], advice: str) -> None:
    assert kind_advice(value, kinds) == advice


def test_schema_and_events_advise_alike() -> None:
    schema = eligo.Schema.from_dict({"at": "timestamp", "vip": "bool", "age": "int"})
    events = [{"at": datetime(2026, 1, 5, tzinfo=UTC), "vip": True, "age": 3}]
    rules = {1: "at > '2026-01-05'", 2: "vip = 1", 3: "age = '30'"}
    by_schema = [finding.help for finding in eligo.lint(rules, schema=schema) if finding.rule == "schema"]
    by_events = [finding.help for finding in eligo.lint(rules, events=events) if finding.rule == "wrong-kind"]
    assert by_schema == by_events
    assert by_schema == ["write timestamp '2026-01-05T00:00:00Z'", "write true", "write it without quotes: 30"]
