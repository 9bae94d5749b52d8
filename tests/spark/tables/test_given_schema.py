"""Is a table whose columns are given never asked for them, and matched as any other?"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

import eligo
from eligo.errors import InputError
from eligo.spark import count, match, rejects, top
from eligo.spark.tables.events import event_columns
from spark_rows import rows

SCHEMA = "event_id long, age int, `user.name` string"


@pytest.fixture(scope="module")
def index_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("given") / "x.index")
    eligo.build({"young": "age < 25", "ann": "user.name = 'Ann'"}).save(path)
    return path


@pytest.fixture
def events(spark: SparkSession) -> DataFrame:
    """A table that must not be analysed, as in a declarative pipeline."""
    table = spark.createDataFrame([(1, 20, "Ann"), (2, 30, "Bo")], SCHEMA)

    def analysed(self: DataFrame) -> StructType:
        raise AssertionError("the table was analysed")

    table.__class__ = type("Unanalysed", (type(table),), {"schema": property(analysed)})
    return table


def test_no_table_is_analysed(events: DataFrame, index_path: str) -> None:
    with pytest.raises(AssertionError, match="was analysed"):
        match(events, index_path)
    given = StructType.fromDDL(SCHEMA)
    asked = {
        "match": match(events, index_path, schema=given, keep=["age"]),
        "top": top(events, index_path, 1, schema=SCHEMA),
        "count": count(events, index_path, schema=SCHEMA),
        "rejects": rejects(events, index_path, schema=SCHEMA),
    }
    assert rows(asked["match"]) == {(1, 20, "young"), (1, 20, "ann")}
    assert {(row["event_id"], row["rank"]) for row in asked["top"].collect()} == {(1, 1)}
    assert rows(asked["count"]) == {("young", 1), ("ann", 1)}
    assert asked["rejects"].count() == 0


def test_columns_that_are_wrong(spark: SparkSession, index_path: str) -> None:
    events = spark.createDataFrame([(1, 20, "Ann")], SCHEMA)
    with pytest.raises(InputError, match="names no columns"):
        match(events, index_path, schema="event_id very long, age")
    with pytest.raises(InputError, match="columns of a table of events"):
        match(events, index_path, schema={"age": "int"})  # type: ignore[typeddict-item]
    with pytest.raises(InputError, match="no column 'event_id'"):
        match(events, index_path, schema="age int")
    assert event_columns(events, None).names == ["event_id", "age", "user.name"]


def test_what_is_copied_has_the_types_that_are_given(spark: SparkSession, index_path: str) -> None:
    """The table has others: Spark would read numbers as texts, and end the job."""
    events = spark.createDataFrame([(1, 20, "Ann", "7")], f"{SCHEMA}, day string")
    given = "event_id string, age bigint, `user.name` string, day int"
    for table in (events, events.repartition(2)):
        matches = match(table, index_path, schema=given, keep=["age", "day"])
        assert matches.dtypes[:3] == [("event_id", "string"), ("age", "bigint"), ("day", "int")]
        assert rows(matches) == {("1", 20, 7, "young"), ("1", 20, 7, "ann")}
    assert rows(count(events, index_path, schema=given, by="event_id")) == {("1", "young", 1), ("1", "ann", 1)}


def test_a_streaming_table(spark: SparkSession, index_path: str, tmp_path: Path) -> None:
    """`match` of a stream is a stream, for whatever sink."""
    spark.createDataFrame([(1, 20, "Ann"), (2, 30, "Bo")], SCHEMA).write.json(str(tmp_path / "in"))
    events = spark.readStream.schema(SCHEMA).json(str(tmp_path / "in"))
    matches = match(events, index_path, schema=SCHEMA)
    assert matches.isStreaming
    query = (
        matches.writeStream.format("parquet")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start(str(tmp_path / "out"))
    )
    query.awaitTermination()
    assert rows(spark.read.parquet(str(tmp_path / "out"))) == {(1, "young"), (1, "ann")}
