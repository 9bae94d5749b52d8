"""Does Spark get every place by the name that it knows, and is one that it has no file system for refused by name?"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

import eligo
from eligo.data.file_format import FileFormat
from eligo.errors import InputError
from eligo.index.events.event_source import EventColumns
from eligo.index.stored.opened_version import IndexVersion, index_version
from eligo.spark import match
from eligo.spark.tables.event_files import open_event_file, open_event_stream
from eligo.spark.tables.expression_tables import read_expressions, read_ids
from eligo.spark.tables.parquet_events import ParquetEvents
from eligo.spark.tables.spark_addresses import spark_address
from store_places import mounted_as_s3a

BUCKET = "read-by-spark"
COLUMNS = EventColumns("event_id")
LINES, CSV = FileFormat.JSON_LINES, FileFormat.CSV


@pytest.fixture(scope="module")
def version(tmp_path_factory: pytest.TempPathFactory) -> IndexVersion:
    path = tmp_path_factory.mktemp("addresses") / "x.index"
    eligo.build({"young": "age < 100"}).save(path)
    return index_version(path)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("s3://b/x", "s3a://b/x"),
        ("s3a://b/x", "s3a://b/x"),
        ("gs://b/x", "gs://b/x"),
        ("file:///data/x", "file:///data/x"),
        ("/data/x", "/data/x"),
        ("data/*.csv", "data/*.csv"),
    ],
)
def test_names(path: str, name: str) -> None:
    with spark_address(path) as known:
        assert known == name


def served(directory: Path) -> Path:
    """Files of each format, and of each use."""
    rows = {"jsonl": '{"event_id": 1, "age": 5}\n', "csv": "event_id,age\n1,5\n"}
    ads = {"jsonl": '{"id": "young", "expression": "age < 100"}\n', "csv": "id,expression\nyoung,age < 100\n"}
    for kind in rows:
        for use, texts in (("events", rows), ("ads", ads)):
            (directory / use / kind).mkdir(parents=True)
            (directory / use / kind / f"a.{kind}").write_text(texts[kind])
    return directory


def test_inputs_that_spark_reads(spark: SparkSession, version: IndexVersion, tmp_path: Path) -> None:
    folder = secrets.token_hex(4)
    top = f"s3://{BUCKET}/{folder}"
    with mounted_as_s3a(spark, BUCKET, folder, served(tmp_path)):
        for format in (LINES, CSV):
            file = open_event_file(spark, f"{top}/events/{format}", version, COLUMNS, format=format)
            found: list[Any] = match(file.events, version, **file.options).collect()
            assert [row["expression_id"] for row in found] == ["young"], format
            rows, _ = open_event_stream(spark, f"{top}/events/{format}", version, COLUMNS, format=format)
            assert rows.isStreaming and "event_id" in rows.columns
            ads = read_expressions(spark, f"{top}/ads/{format}", format=format)
            assert [row["id"] for row in ads.collect()] == ["young"], format
            ids = read_ids(spark, f"{top}/ads/{format}", format=format)
            assert [row["id"] for row in ids.collect()] == ["young"], format
        pq.write_table(pa.table({"event_id": [1]}), tmp_path / "a.parquet")
        schema = StructType().add("event_id", "long")
        frame = ParquetEvents(spark, f"{top}/a.parquet", schema, (), 1, 1).frame()
        assert [row["event_id"] for row in frame.collect()] == [1]


@pytest.mark.parametrize("format", [LINES, CSV])
def test_what_spark_cannot_reach_is_refused_by_name(
    spark: SparkSession, version: IndexVersion, format: FileFormat
) -> None:
    address = f"s3://{BUCKET}/nowhere"
    for ask in (
        lambda: open_event_file(spark, address, version, COLUMNS, format=format),
        lambda: open_event_stream(spark, address, version, COLUMNS, format=format),
        lambda: read_expressions(spark, address, format=format),
        lambda: read_ids(spark, address, format=format),
    ):
        with pytest.raises(InputError, match="no file system for s3://") as refused:
            ask()
        assert "hadoop-aws" in refused.value.help
