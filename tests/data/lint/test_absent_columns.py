"""Attributes that no column gives are told, once, with what was perhaps meant."""

from __future__ import annotations

import logging

import pyarrow as pa
import pytest

from eligo.data.lint.absent_columns import absent_attributes, arrow_columns, tell_absent
from eligo.data.schema.guards import TENANT

COLUMNS = arrow_columns(
    [
        pa.field("age", pa.int32()),
        pa.field("user", pa.struct({"vip": pa.int32(), "a.b": pa.int32(), "home": pa.struct({"city": pa.string()})})),
        pa.field("facts", pa.map_(pa.string(), pa.int32())),
        pa.field("dotted.name", pa.int32()),
    ]
)


def test_what_columns_structs_and_maps_give() -> None:
    given = ["age", "user", "user.vip", "user.a.b", "user.home.city", "facts.any.key", "dotted.name", TENANT]
    assert absent_attributes(given, COLUMNS) == []
    assert absent_attributes(["agee", "user.vipp", "dotted", "user.vip.x", "user.home.town"], COLUMNS) == [
        "agee",
        "dotted",
        "user.home.town",
        "user.vip.x",
        "user.vipp",
    ]


def test_told_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "eligo"):
        for _ in range(3):
            tell_absent(["agee", "shop", "age"], COLUMNS)
        tell_absent(["age"], COLUMNS)
    assert [record.getMessage() for record in caplog.records] == [
        "no column of the events gives what expressions ask for: agee (did you mean age?), shop"
    ]
    caplog.clear()
    tell_absent([f"x{number}" for number in range(20)], COLUMNS)
    assert caplog.records[0].getMessage().endswith("x14, x15 and 12 more")
