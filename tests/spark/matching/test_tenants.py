"""Do tenants keep the kind that they were built with, and events the tenant that they have?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import eligo
from eligo.data.schema.schema import Schema
from eligo.errors import EventError, InputError
from eligo.spark import build, compact, explain, match, rejects, update
from eligo.storage.manifest import read_manifest

WITH_STRINGS = "id string, expression string, shop string"
WITH_INTEGERS = "id string, expression string, shop int"


def rules(spark: SparkSession, rows: list[tuple[Any, ...]], columns: str = WITH_STRINGS) -> DataFrame:
    return spark.createDataFrame(rows, columns)


def declared(path: Path) -> dict[str, str]:
    schema = read_manifest(path).settings.schema
    return {} if schema is None else {one.name: one.kind for one in Schema.from_json(schema) if one.name[0] == "@"}


def test_changes_keep_the_kind_of_tenants(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    build(rules(spark, [("a", "x = 1", 7)], WITH_INTEGERS), path, tenant="shop")
    assert declared(path) == {"@tenant": "int"}
    for change in (rules(spark, [("b", "x = 1", "acme")]), rules(spark, [("b", "x = 1", "7")])):
        with pytest.raises(InputError, match="are integers, and those of column 'shop' are strings"):
            update(path, change, tenant="shop")
    with pytest.raises(InputError, match="have tenants"):
        update(path, rules(spark, [("b", "x = 1", "7")]))
    update(path, rules(spark, [("b", "x = 1", 7)], WITH_INTEGERS), tenant="shop")
    compact(path, spark=spark)
    assert declared(path) == {"@tenant": "int"}
    assert eligo.open(path).match({"x": 1, "@tenant": "7"}) == ["a", "b"]


def test_an_index_of_nothing_has_tenants_too(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    build(rules(spark, []), path, tenant="shop")
    with pytest.raises(InputError, match="have tenants"):
        update(path, rules(spark, [("a", "x = 1", "acme")]))
    with pytest.raises(InputError, match="are strings, and those of column 'shop' are integers"):
        update(path, rules(spark, [("a", "x = 1", 7)], WITH_INTEGERS), tenant="shop")
    with pytest.raises(InputError, match="no column of the events says which tenant"):
        match(spark.range(1).withColumnRenamed("id", "event_id"), path)
    # Also when only an update brought them, and in an index that was made before kinds were kept.
    old = tmp_path / "old.index"
    eligo.build({"a": "x = 1"}).save(old)
    index = eligo.open(old)
    index.insert("b", "\"@tenant\" = 'acme'^0 and x = 1")
    index.save(old)
    assert read_manifest(old).deltas
    with pytest.raises(InputError, match="have tenants"):
        update(old, rules(spark, [("c", "x = 1", "acme")]))
    with pytest.raises(InputError, match="are strings"):
        update(old, rules(spark, [("c", "x = 1", 7)], WITH_INTEGERS), tenant="shop")


def test_tenants_and_windows_that_come_later(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    schema = Schema.from_dict({"x": "int"}, closed=True)
    build(rules(spark, [("a", "x = 1", None)]), path, schema=schema)
    rows = rules(spark, [("b", "x = 1", "acme")]).withColumn("start", F.lit("2026-01-02").cast("date"))
    update(path, rows, tenant="shop", valid_from="start")
    assert declared(path) == {"@tenant": "string", "@time": "timestamp"}
    events = spark.createDataFrame(
        [(1, 1, "acme", "2026-01-02"), (2, 1, "other", "2026-01-02"), (3, 1, "acme", "2026-01-01")],
        "event_id int, x int, who string, at string",
    ).withColumn("at", F.col("at").cast("date"))
    found = match(events, path, tenant="who", time="at").collect()
    assert sorted((row[0], row[1]) for row in found) == [(1, "a"), (1, "b"), (2, "a"), (3, "a")]
    assert eligo.open(path).match({"x": 1, "@tenant": "acme", "@time": "2026-01-02"}) == ["a", "b"]
    with pytest.raises(InputError, match="the schema has '@tenant' as int, and the table has it as string"):
        build(rows, path, tenant="shop", schema=Schema.from_dict({"x": "int", "@tenant": "int"}))


@pytest.mark.parametrize("kind", ["string", "int"])
def test_events_are_brought_to_the_kind_as_in_the_library(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x.index"
    table = rules(spark, [("a", "x = 1", 7), ("b", "x = 1", -8)], WITH_INTEGERS)
    build(table.withColumn("shop", F.col("shop").cast(kind)), path, tenant="shop")
    index = eligo.open(path)
    texts = ["7", "-8", "007", "acme", "", " 7", "7.0", None]
    numbers = [7, -8, 0, 2**40, None]
    columns = spark.createDataFrame([(text, text, 1) for text in texts], "event_id string, who string, x int")
    in_maps = F.create_map(F.lit("x"), F.lit("1"), F.lit("@tenant"), F.lit("7"))
    shapes = {
        "columns": (columns, {}),
        "json": (columns.withColumn("j", F.lit('{"x": 1, "@tenant": "7"}')), {"json": "j"}),
        "maps": (columns.withColumn("m", in_maps), {"attributes": "m"}),
    }
    expected, refused = asked(index, texts)
    for name, (events, options) in shapes.items():
        # Values of these maps are all text, so that x is no number there.
        expected_here = set() if name == "maps" else expected
        found = match(events, path, tenant="who", on_error="keep", **options).collect()
        assert {(row[0], row[1]) for row in found if row[1] is not None} == expected_here, name
        assert {row[0] for row in found if row[1] is None} == refused, name
        assert all("the tenants of this index are integers" in row["error"] for row in found if row[1] is None)
    why = explain(columns, path, "a", tenant="who").collect()
    assert {row["event_id"] for row in why if row["matches"]} == {"7"}
    as_numbers = spark.createDataFrame([(number, 1) for number in numbers], "who long, x int")
    found = match(as_numbers, path, tenant="who", event_id="who").collect()
    assert {(row[0], row[1]) for row in found} == asked(index, numbers)[0]
    inside = columns.select("event_id", F.to_json(F.struct(F.col("who").alias("@tenant"), "x")).alias("j"))
    assert {row["event_id"] for row in rejects(inside, path, json="j").collect()} == refused


def asked(index: eligo.Index, tenants: list[Any]) -> tuple[set[tuple[Any, str]], set[Any]]:
    """What the library says of events with these tenants: matches, and the tenants that it refuses."""
    found, refused = set(), set()
    for tenant in tenants:
        try:
            found |= {(tenant, str(id)) for id in index.match({"x": 1, "@tenant": tenant})}
        except EventError:
            refused.add(tenant)
    return found, refused


def test_a_map_says_nothing_of_whose_it_is(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    build(rules(spark, [("a", "x = '1'", "acme"), ("b", "x = '1'", "other")]), path, tenant="shop")
    given = [(1, "acme", {"x": "1", "@tenant": "other"}), (2, None, {"x": "1", "@tenant": "other"})]
    events = spark.createDataFrame(given, "event_id int, who string, m map<string,string>")
    found = match(events, path, attributes="m", tenant="who").collect()
    assert [(row[0], row[1]) for row in found] == [(1, "a")]
    as_json = events.select("event_id", "who", F.to_json("m").alias("j"))
    assert [(row[0], row[1]) for row in match(as_json, path, json="j", tenant="who").collect()] == [(1, "a")]
    assert json.loads(as_json.first()["j"])["@tenant"] == "other"
