"""Are columns that follow from Arrow's types those that Spark finds in the files?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from eligo.spark.tables.plain_columns import plain_columns, plain_type


def columns_of(path: Path) -> StructType | None:
    return plain_columns(list(ds.dataset(path, format="parquet", partitioning="hive").get_fragments()))


PLAIN = [
    *(pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64(), pa.string()),
    *(pa.large_string(), pa.date32(), pa.decimal128(9, 2), pa.decimal128(38, 0), pa.timestamp("us", "UTC")),
    *(pa.timestamp("ms", "UTC"), pa.list_(pa.string()), pa.list_(pa.int32()), pa.map_(pa.string(), pa.float64())),
]
SPARKS_TO_SAY = [
    *(pa.uint8(), pa.uint64(), pa.timestamp("us"), pa.timestamp("ns", "UTC"), pa.binary(), pa.time64("us")),
    *(pa.struct([("a", pa.int32())]), pa.list_(pa.list_(pa.int32())), pa.dictionary(pa.int32(), pa.string())),
]


def test_spark_finds_the_same(spark: SparkSession, tmp_path: Path) -> None:
    table = pa.table([pa.nulls(2, kind) for kind in PLAIN], names=[f"c{number}" for number in range(len(PLAIN))])
    for name in ("a", "b"):
        pq.write_table(table, tmp_path / f"{name}.parquet")
    assert columns_of(tmp_path) == spark.read.parquet(str(tmp_path)).schema


@pytest.mark.parametrize("kind", SPARKS_TO_SAY, ids=str)
def test_what_can_be_read_in_two_ways_is_sparks_to_say(kind: pa.DataType) -> None:
    assert plain_type(kind) is None


@pytest.mark.parametrize(
    "tables",
    [
        {"a.parquet": {"x": [1]}, "b.parquet": {"x": ["1"]}},
        {"a.parquet": {"x": [1]}, "b.parquet": {"x": [1], "y": [1]}},
        {"a.parquet": {"x": [1], "X": [1]}},
        {"day=1/a.parquet": {"x": [1]}},
    ],
)
def test_files_that_differ_are_sparks_to_say(tmp_path: Path, tables: dict[str, Any]) -> None:
    for name, columns in tables.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        pq.write_table(pa.table(columns), tmp_path / name)
    assert columns_of(tmp_path) is None


def test_what_spark_wrote_counts(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql("select 1 as a, 'x' as b").write.parquet(str(tmp_path / "plain"))
    spark.sql("select interval '1' year as a").write.parquet(str(tmp_path / "interval"))
    assert columns_of(tmp_path / "plain") == spark.read.parquet(str(tmp_path / "plain")).schema
    assert columns_of(tmp_path / "interval") is None  # for Arrow a number
