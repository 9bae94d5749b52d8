"""Does an explanation say the same as a match, for every shape of events?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import eligo
from eligo.errors import UnknownIdError
from eligo.spark import explain, match


def test_each_event_and_id(spark: SparkSession, tmp_path: Path) -> None:
    eligo.build({"young": "age < 25", "march": "day under '2026/03'", "x": "age = 1"}).save(tmp_path / "x.index")
    events = spark.createDataFrame([(1, 20, "2026-03-05"), (2, 30, None)], "event_id int, age int, day string")
    texts = events.select("event_id", F.to_json(F.struct("age", "day")).alias("j"))
    maps = events.select("event_id", F.create_map(F.lit("age"), "age").alias("m"))
    expected = {(1, "young", True), (1, "march", True), (2, "young", False), (2, "march", False)}
    dated = events.withColumn("day", F.to_date("day"))
    for frame, options in ((dated, {}), (texts, {"json": "j"})):
        found = explain(frame, tmp_path / "x.index", ["young", "march"], **options).collect()
        assert {(row["event_id"], row["expression_id"], row["matches"]) for row in found} == expected
        no = next(row for row in found if (row["event_id"], row["expression_id"]) == (2, "young"))
        assert no["why"] == "does not match, because age < 25 is false (age = 30)"
        assert json.loads(no["explanation"])["truth"] == "false"
    found = explain(maps, tmp_path / "x.index", ["young"], attributes="m").collect()
    assert {(row["event_id"], row["matches"]) for row in found} == {(1, True), (2, False)}
    with pytest.raises(UnknownIdError, match="'nobody'"):
        explain(events, tmp_path / "x.index", ["nobody"])


def test_odd_values_are_explained_as_they_are_matched(spark: SparkSession, tmp_path: Path) -> None:
    texts = {
        "number": "n = 5",
        "map": "m.k = 'v'",
        "late": "day > date '2026-01-01' and at > timestamp '2026-01-01T00:00:00Z'",
        "text": "t exists",
    }
    eligo.build(texts).save(tmp_path / "x.index")
    events = spark.sql(
        "select 1 event_id, cast(5 as decimal(25, 0)) n, map('k', 'v') m, make_date(9999, 12, 31) day,"
        " cast(make_date(9999, 12, 30) as timestamp) at, cast(unhex('C3A9') as string) t union all select 2, 6,"
        " map('k', null), null, null, null union all select 3, 5, null, make_date(12000, 1, 1), null, null"
        " union all select 4, 5, null, null, null, cast(unhex('FF') as string)"
    )
    found = explain(events, tmp_path / "x.index", list(texts)).collect()
    matched = {(row["event_id"], row["expression_id"]) for row in found if row["matches"]}
    assert matched == {tuple(row) for row in match(events, tmp_path / "x.index").collect()}
    assert matched == {(1, id) for id in texts}  # what has no values, 3 and 4, has no explanations either
    assert {row["event_id"] for row in found} == {1, 2}
