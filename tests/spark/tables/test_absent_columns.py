"""Attributes that no column gives are told, once, with what was perhaps meant."""

from __future__ import annotations

import logging

import pytest
from pyspark.sql.types import IntegerType, MapType, StringType, StructField, StructType

from eligo.data.schema.guards import TENANT
from eligo.spark.tables.absent_columns import absent_attributes, tell_absent

COLUMNS = StructType(
    [
        StructField("age", IntegerType()),
        StructField("user", StructType([StructField("vip", IntegerType()), StructField("a.b", IntegerType())])),
        StructField("facts", MapType(StringType(), IntegerType())),
        StructField("dotted.name", IntegerType()),
    ]
)


def test_what_columns_structs_and_maps_give() -> None:
    given = ["age", "user", "user.vip", "user.a.b", "facts.any.key", "dotted.name", TENANT]
    assert absent_attributes(given, COLUMNS) == []
    assert absent_attributes(["agee", "user.vipp", "dotted", "user.vip.x"], COLUMNS) == [
        "agee",
        "dotted",
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
