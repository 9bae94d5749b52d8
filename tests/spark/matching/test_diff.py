"""Does a diff tell exactly the matches that two indexes do not have in common?"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import eligo
from eligo.errors import InputError
from eligo.index.stored.diff_sides import compared_sides
from eligo.index.stored.opened_version import index_version
from eligo.spark import diff, diff_rejects

OLD = {"same": "age > 10", "wider": "age > 20", "gone": "age = 5", "moved": "age < 10", "equal": "age = 1"}
NEW = {"same": "age > 10", "wider": "age > 18", "new": "age = 7", "moved": "age >= 30", "equal": "age in (1)"}


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    return spark.range(40).select(F.col("id").alias("event_id"), F.col("id").cast("int").alias("age")).repartition(3)


def found(frame: DataFrame) -> dict[str, tuple[object, ...]]:
    return {row["expression_id"]: tuple(row)[1:] for row in frame.collect()}


def test_gained_and_lost(events: DataFrame, tmp_path: Path) -> None:
    eligo.build(OLD).save(tmp_path / "x.index")
    eligo.build(NEW).save(tmp_path / "x.index", expected_version="any")
    expected = {
        "wider": ("changed", 2, 0, [19, 20], []),
        "gone": ("removed", 0, 1, [], [5]),
        "new": ("added", 1, 0, [7], []),
        "moved": ("changed", 10, 10, [30, 31, 32], [0, 1, 2]),
    }
    changes = diff(events, tmp_path / "x.index", tmp_path / "x.index", old_version=1, samples=3)
    assert found(changes) == expected
    sides = compared_sides(index_version(tmp_path / "x.index", 1), index_version(tmp_path / "x.index"))
    assert sides[0].open()[0].ids == ["wider", "gone", "moved", "equal"]
    assert found(diff(events, tmp_path / "x.index", tmp_path / "x.index")) == {}


def test_another_policy_concerns_every_expression(events: DataFrame, tmp_path: Path) -> None:
    eligo.build({"a": "not state = 'CA'"}).save(tmp_path / "old.index")
    eligo.build({"a": "not state = 'CA'"}, missing="false").save(tmp_path / "new.index")
    changes = diff(events, tmp_path / "old.index", tmp_path / "new.index", samples=1)
    assert found(changes) == {"a": ("changed", 40, 0, [0], [])}


def test_ids_of_two_kinds(events: DataFrame, tmp_path: Path) -> None:
    eligo.build({"a": "age = 1"}).save(tmp_path / "old.index")
    eligo.build({1: "age = 1"}).save(tmp_path / "new.index")
    with pytest.raises(InputError, match="different types"):
        diff(events, tmp_path / "old.index", tmp_path / "new.index")


def test_events_that_one_of_the_indexes_cannot_read(spark: SparkSession, tmp_path: Path) -> None:
    eligo.build({"a": "age = 1", "b": "size = 2"}).save(tmp_path / "old.index")
    eligo.build({"a": "age > 0", "b": "weight = 2"}).save(tmp_path / "new.index")
    big = 10**30
    texts = [
        '{"age": 1}',
        '{"age": 2, "size": 2}',
        f'{{"size": {big}}}',
        f'{{"weight": {big}}}',
        "{",
        f'{{"x": {big}}}',
    ]
    rows = spark.createDataFrame(list(enumerate(texts)), "event_id int, text string").repartition(2)
    indexes = tmp_path / "old.index", tmp_path / "new.index"
    expected = {"a": ("changed", 1, 0, [1], []), "b": ("changed", 0, 1, [], [1])}
    assert found(diff(rows, *indexes, json="text")) == expected
    kept = found(diff(rows, *indexes, json="text", on_error="keep"))
    assert kept == {**{id: (*row, 0) for id, row in expected.items()}, None: (None, 0, 0, [], [], 3)}
    assert {row["event_id"] for row in diff_rejects(rows, *indexes, json="text").collect()} == {2, 3, 4}


def test_tenants_and_times_are_asked_for_whatever_changed(events: DataFrame, tmp_path: Path) -> None:
    guarded = {"a": "\"@tenant\" = 'x' and age = 1", "b": "\"@time\" > timestamp '2026-01-01T00:00:00'"}
    eligo.build({**guarded, "c": "age = 1"}).save(tmp_path / "old.index")
    eligo.build({**guarded, "c": "age = 2"}).save(tmp_path / "new.index")
    indexes = tmp_path / "old.index", tmp_path / "new.index"
    with pytest.raises(InputError, match="belong to tenants"):
        diff(events, *indexes)
    with pytest.raises(InputError, match="validity windows"):
        diff(events, *indexes, tenant="event_id")
