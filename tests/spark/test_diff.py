"""Does a diff tell exactly the matches that two indexes do not have in common?"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import eligo
from eligo.errors import InputError
from eligo.spark import diff
from eligo.spark.diff import _sides
from eligo.spark.opened_index import index_version

OLD = {"same": "age > 10", "wider": "age > 20", "gone": "age = 5", "moved": "age < 10", "equal": "age = 1"}
NEW = {"same": "age > 10", "wider": "age > 18", "new": "age = 7", "moved": "age >= 30", "equal": "age in (1)"}


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    return spark.range(40).select(F.col("id").alias("event_id"), F.col("id").cast("int").alias("age")).repartition(3)


def found(frame: DataFrame) -> dict[str, tuple[object, ...]]:
    return {row["expression_id"]: tuple(row)[1:] for row in frame.collect()}


def test_gained_and_lost(events: DataFrame, tmp_path: Path) -> None:
    eligo.build(OLD).save(tmp_path / "x.index")
    eligo.build(NEW).save(tmp_path / "x.index")
    expected = {
        "wider": ("changed", 2, 0, [19, 20], []),
        "gone": ("removed", 0, 1, [], [5]),
        "new": ("added", 1, 0, [7], []),
        "moved": ("changed", 10, 10, [30, 31, 32], [0, 1, 2]),
    }
    changes = diff(events, tmp_path / "x.index", tmp_path / "x.index", old_version=1, samples=3)
    assert found(changes) == expected
    sides = _sides(index_version(tmp_path / "x.index", 1), index_version(tmp_path / "x.index"))
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
