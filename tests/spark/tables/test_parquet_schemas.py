"""Are Parquet files that differ one table, and are their times those that Spark reads?"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    NullType,
    ShortType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

import eligo
from eligo.cli.shared.event_input import event_from_file
from eligo.errors import InputError
from eligo.spark import build, match, parquet_events, parquet_expressions
from eligo.spark.tables.parquet_schemas import common_type, merged
from eligo.spark.tables.tables import read_events

INT, LONG, DOUBLE, STRING = IntegerType(), LongType(), DoubleType(), StringType()


@pytest.mark.parametrize(
    ("one", "other", "fitting"),
    [
        (INT, LONG, LONG),
        (ShortType(), INT, INT),
        (INT, DOUBLE, DOUBLE),
        (FloatType(), DOUBLE, DOUBLE),
        (LONG, DOUBLE, None),
        (INT, STRING, None),
        (NullType(), STRING, STRING),
        (DateType(), TimestampType(), None),
        (TimestampType(), TimestampNTZType(), None),
        (DecimalType(5, 2), DecimalType(10, 4), DecimalType(10, 4)),
        (DecimalType(38, 0), DecimalType(10, 4), None),
        (ArrayType(INT), ArrayType(LONG), ArrayType(LONG)),
        (ArrayType(INT), INT, None),
        (
            StructType().add("a", INT),
            StructType().add("a", LONG).add("b", STRING),
            StructType().add("a", LONG).add("b", STRING),
        ),
        (StructType().add("a", INT), StructType().add("a", STRING), None),
    ],
)
def test_types_that_fit(one: DataType, other: DataType, fitting: DataType | None) -> None:
    assert common_type(one, other) == common_type(other, one) == fitting
    files = merged({"a": StructType().add("x", one), "b": StructType().add("x", other)})
    assert ("x" in files.conflicts) == (fitting is None)


def written(directory: Path, **files: dict[str, Any]) -> str:
    directory.mkdir()
    for name, columns in files.items():
        pq.write_table(pa.table(columns), directory / f"{name} [1].parquet")
    return str(directory)


def pairs(frame: Any) -> set[tuple[Any, ...]]:
    return {tuple(row) for row in frame.collect()}


def test_files_that_differ(spark: SparkSession, tmp_path: Path) -> None:
    index = str(tmp_path / "x.index")
    eligo.build({"x": "x > 10", "y": "y > 10", "z": "z = 'on'"}).save(index)
    path = written(
        tmp_path / "events",
        a={"event_id": pa.array([1], pa.int32()), "x": pa.array([20], pa.int64()), "y": [1]},
        b={"y": [20], "x": [10.5], "event_id": pa.array([2], pa.int64())},
        c={"event_id": pa.array([3], pa.int16()), "z": ["on"], "unused": [1]},
        d={"event_id": pa.array([4], pa.int32()), "unused": ["text"]},
    )
    found = match(parquet_events(spark, path), index)
    assert found.dtypes[0] == ("event_id", "bigint")
    assert pairs(found) == {(1, "x"), (2, "x"), (2, "y"), (3, "z")}
    assert event_from_file(path, "3", "event_id") == {"event_id": 3, "z": "on", "unused": 1}
    with pytest.raises(InputError, match=r"column '.*' is .* in .*\.parquet and .* in .*\.parquet"):
        read_events(spark, path)
    with pytest.raises(InputError, match=r"'unused' is bigint in .*c \[1\].parquet and string in .*d \[1\].parquet"):
        match(parquet_events(spark, path), index, keep=["unused"])
    kinds = written(tmp_path / "kinds", a={"event_id": [1], "x": [1]}, b={"event_id": [2], "x": ["1"]})
    with pytest.raises(InputError, match=r"'x' is bigint in .*a .* and string in"):
        match(parquet_events(spark, kinds), index)
    rules = written(
        tmp_path / "rules",
        a={"id": pa.array([1], pa.int32()), "expression": ["x = 1"]},
        b={"expression": ["x = 2"], "more": [1], "id": pa.array([2**40], pa.int64())},
    )
    assert build(parquet_expressions(spark, rules), str(tmp_path / "y.index")).num_accepted == 2
    assert eligo.open(tmp_path / "y.index").match({"x": 2}) == [2**40]


MOMENTS = {
    1: "0001-01-03 00:00:00",
    2: "1400-02-28 12:00:00",
    3: "1582-10-15 00:00:00",
    4: "1899-12-31 23:59:59.999",
    5: "2026-01-31 10:00:00.001",
    6: "2262-04-12 00:00:00",
    7: "2500-01-01 00:00:00",
    8: "9999-12-31 23:59:59.999",
}


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize("kind", ["INT96", "TIMESTAMP_MICROS", "TIMESTAMP_MILLIS", "timestamp_ntz", "legacy"])
def test_timestamps_as_spark_writes_them(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    index = str(tmp_path / "x.index")
    eligo.build({number: f"at = timestamp '{text}Z'" for number, text in MOMENTS.items()}).save(index)
    stored = "INT96" if kind == "legacy" else kind
    settings = {"spark.sql.parquet.outputTimestampType": stored} if kind != "timestamp_ntz" else {}
    if kind == "legacy":
        settings |= {f"spark.sql.parquet.{what}RebaseModeInWrite": "LEGACY" for what in ("int96", "datetime")}
    column = F.col("text").cast("timestamp_ntz" if kind == "timestamp_ntz" else "timestamp")
    texts = spark.createDataFrame(list(MOMENTS.items()), "event_id int, text string")
    path = str(tmp_path / "events")
    for setting, value in settings.items():
        spark.conf.set(setting, value)
    try:
        texts.select("event_id", column.alias("at")).coalesce(1).write.parquet(path)
    finally:
        for setting in settings:
            spark.conf.unset(setting)
    physical = pq.ParquetFile(next(Path(path).glob("*.parquet"))).schema.column(1).physical_type
    assert physical == ("INT96" if stored == "INT96" else "INT64")
    files = parquet_events(spark, path)
    assert files.is_legacy == (kind == "legacy")
    expected = {(number, number) for number in MOMENTS}
    assert pairs(match(files, index)) == pairs(match(spark.read.parquet(path), index)) == expected
    kept = {row["event_id"]: row["at"] for row in match(files, index, keep=["at"]).toArrow().to_pylist()}
    assert {number: at.replace(tzinfo=UTC) for number, at in kept.items()} == {n: moment(t) for n, t in MOMENTS.items()}
    if kind != "legacy":
        assert event_from_file(path, "2", "event_id")["at"].replace(tzinfo=UTC) == moment(MOMENTS[2])
    rules = str(tmp_path / "rules")
    ends = spark.read.parquet(path).selectExpr("event_id as id", "'true' as expression", "at as valid_to")
    ends.write.option("compression", "none").parquet(rules)
    built = build(parquet_expressions(spark, rules), str(tmp_path / "y.index"), valid_to="valid_to")
    assert (built.num_accepted, built.num_rejected) == (len(MOMENTS), 0)
    assert eligo.open(tmp_path / "y.index").match({"@time": moment("2262-04-12 00:00:00")}) == [7, 8]


def test_decimals_of_different_scales(spark: SparkSession, tmp_path: Path) -> None:
    index = str(tmp_path / "x.index")
    eligo.build({"tenth": "d = 0.1", "two": "d = 2"}).save(index)
    path = written(
        tmp_path / "events",
        a={"event_id": [1], "d": pa.array([Decimal("0.1")], pa.decimal128(5, 1))},
        b={"event_id": [2], "d": pa.array([Decimal("2.000")], pa.decimal128(20, 3))},
    )
    assert pairs(match(parquet_events(spark, path), index)) == {(1, "tenth"), (2, "two")}
