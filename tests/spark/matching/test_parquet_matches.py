"""Do workers write what `match` gives, each match once, whatever dies or runs twice?"""

from __future__ import annotations

import datetime
import os
import signal
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import eligo
from eligo.errors import EventError, InputError
from eligo.spark import WrittenMatches, match, match_to_parquet, parquet_events
from eligo.stores.address import Address, place
from eligo.stores.store import store_of
from store_places import S3Server, mounted_as_s3a

MODULE = "eligo.spark.matching.parquet_matches"


@pytest.fixture(scope="module")
def index_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("parquet-matches") / "x.index")
    eligo.build({f"r{number}": f"age >= {number}" for number in range(50)}).save(path)
    return path


def people(spark: SparkSession, num_events: int = 400) -> DataFrame:
    return spark.range(num_events).select(F.col("id").alias("event_id"), (F.col("id") % 60).alias("age")).repartition(4)


def pairs(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, frame.select("event_id", "expression_id").collect()))


def test_columns_and_rows_are_those_of_match(spark: SparkSession, index_path: str, tmp_path: Path) -> None:
    day, moment = datetime.date(2026, 3, 1), datetime.datetime(1500, 1, 2, 3, 4, 5, 6)
    kept = {"day": "date", "at": "timestamp", "price": "decimal(9,2)", "tags": "array<string>", "who": "struct<a: int>"}
    rows = [("é1", 20, day, moment, Decimal("1.50"), ["x", None], (1,)), (None, 3, None, None, None, None, None)]
    schema = "event_id string, age int, " + ", ".join(f"{name} {kind}" for name, kind in kept.items())
    events = spark.createDataFrame(rows, schema)
    wanted = match(events, index_path, keep=list(kept), expression_id="rule")
    out = tmp_path / "out"
    written = match_to_parquet(events, index_path, out, keep=list(kept), expression_id="rule")
    found = spark.read.parquet(str(out))
    assert found.dtypes == wanted.dtypes
    assert sorted(map(str, found.collect())) == sorted(map(str, wanted.collect()))
    assert written == WrittenMatches(2, 0, wanted.count())
    assert not any(pa.types.is_dictionary(field.type) for field in pq.read_table(out).schema)


def test_groups_of_shards_count_events_once(spark: SparkSession, tmp_path: Path) -> None:
    from eligo.spark import build

    expressions = spark.range(40).select("id", F.concat(F.lit("age >= "), F.col("id")).alias("expression"))
    build(expressions, tmp_path / "x.index", target_shard_rows=10)
    pq.write_table(pa.table({"event_id": range(100), "age": range(100)}), tmp_path / "events.parquet")
    events = parquet_events(spark, str(tmp_path / "events.parquet"))
    written = match_to_parquet(events, tmp_path / "x.index", tmp_path / "out", memory=1)
    assert written.num_events == 100
    assert pairs(spark.read.parquet(str(tmp_path / "out"))) == pairs(match(events, tmp_path / "x.index"))


def test_what_is_read_is_not_overwritten(spark: SparkSession, tmp_path: Path) -> None:
    index, events = tmp_path / "all" / "x.index", tmp_path / "all" / "day 1%"
    eligo.build({"r": "age >= 1"}).save(index)
    spark.range(3).select(F.col("id").alias("event_id"), F.lit(5).alias("age")).write.parquet(str(events))
    before = sorted((tmp_path / "all").rglob("*"))
    for read in (spark.read.parquet(str(events)), parquet_events(spark, str(events))):
        for out in (events, index, index / "out", tmp_path / "all"):
            with pytest.raises(InputError, match=r"would overwrite .*, which is read"):
                match_to_parquet(read, index, out, overwrite=True)
        assert sorted((tmp_path / "all").rglob("*")) == before
        assert match_to_parquet(read, index, tmp_path / "out", overwrite=True).num_matches == 3


def test_what_is_read_at_an_address_is_not_overwritten(spark: SparkSession, s3: S3Server, tmp_path: Path) -> None:
    index, served = tmp_path / "x.index", tmp_path / "served"
    eligo.build({"r": "age >= 1"}).save(index)
    people(spark, 3).write.parquet(str(served / "day 1%"))
    top = place(s3.new_home())
    assert isinstance(top, Address)
    folder = top.key.partition("/")[0]
    for file in (served / "day 1%").glob("*.parquet"):
        store_of(top).put(f"{folder}/day 1%/{file.name}", [file.read_bytes()])
    kept = [status.key for status in store_of(top).list(f"{folder}/")]
    with mounted_as_s3a(spark, top.authority, folder, served):
        read = spark.read.parquet(f"s3a://{top.authority}/{folder}/day 1%")
        assert read.count() == 3
        for out in ("day 1%", ""):
            with pytest.raises(InputError, match=r"would overwrite .*/day 1%/part-.*, which is read"):
                match_to_parquet(read, index, f"s3://{top.authority}/{folder}/{out}", overwrite=True)
    assert kept and [status.key for status in store_of(top).list(f"{folder}/")] == kept
    by_workers = parquet_events(spark, f"s3://{top.authority}/{folder}/day 1%")
    for out in ("day 1%", "day 1%/more", ""):
        with pytest.raises(InputError, match="would overwrite"):
            match_to_parquet(by_workers, index, f"s3a://{top.authority}/{folder}/{out}", overwrite=True)


def test_without_matches_there_are_columns(spark: SparkSession, index_path: str, tmp_path: Path) -> None:
    events = spark.createDataFrame([(1, -1)], "event_id long, age int")
    assert match_to_parquet(events, index_path, tmp_path / "out") == WrittenMatches(1, 0, 0)
    found = spark.read.parquet(str(tmp_path / "out"))
    assert found.dtypes == [("event_id", "bigint"), ("expression_id", "string")]
    assert found.count() == 0


def test_bad_events_are_counted_or_end_the_job(spark: SparkSession, index_path: str, tmp_path: Path) -> None:
    events = spark.createDataFrame([(1, '{"age": 1}'), (2, "{")], "event_id long, event string")
    out = tmp_path / "out"
    assert match_to_parquet(events, index_path, out, json="event") == WrittenMatches(2, 1, 2)
    with pytest.raises(InputError, match="is there already"):
        match_to_parquet(events, index_path, out, json="event")
    with pytest.raises(EventError, match="event_id 2"):
        match_to_parquet(events, index_path, out, json="event", on_error="raise", overwrite=True)
    assert spark.read.parquet(str(out)).count() == 2  # what was there is still there
    for other in ("s4://bucket/out", "ftp://host/out"):
        with pytest.raises(InputError, match="not known"):
            match_to_parquet(events, index_path, other, json="event")


@pytest.mark.parametrize("when", ["before the file is closed", "after"])
def test_a_killed_attempt_leaves_nothing(
    spark: SparkSession, index_path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    marker = str(tmp_path / "killed")

    def dying(batches: Iterator[pa.RecordBatch], **arguments: Any) -> Iterator[pa.RecordBatch]:
        from eligo.spark.matching.parquet_matches import _write_batches as real

        is_first = not os.path.exists(marker)
        if is_first and when == "after":
            list(real(batches, **arguments))  # its file is whole, and nobody hears of it
        elif is_first:
            Path(arguments["directory"], "part-half").write_bytes(b"PAR1")
        if is_first:
            with open(marker, "x"):
                os.kill(os.getpid(), signal.SIGKILL)
        yield from real(batches, **arguments)

    monkeypatch.setattr(sys.modules[MODULE], "_write_batches", dying)
    spark.sparkContext.setLogLevel("OFF")
    written = match_to_parquet(people(spark), index_path, tmp_path / "out")
    spark.sparkContext.setLogLevel("ERROR")
    assert os.path.exists(marker)
    found = spark.read.parquet(str(tmp_path / "out"))
    assert pairs(found) == pairs(match(people(spark), index_path))
    assert written.num_matches == found.count()
    assert not (tmp_path / "out" / "_temporary").exists()


def test_of_two_attempts_at_once_one_counts(
    spark: SparkSession, index_path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with speculation: both write a whole file, and the result names one of them."""

    def twice(batches: Iterator[pa.RecordBatch], **arguments: Any) -> Iterator[pa.RecordBatch]:
        from eligo.spark.matching.parquet_matches import _write_batches as real

        given = list(batches)
        list(real(iter(given), **arguments))
        yield from real(iter(given), **arguments)

    monkeypatch.setattr(sys.modules[MODULE], "_write_batches", twice)
    match_to_parquet(people(spark), index_path, tmp_path / "out")
    assert pairs(spark.read.parquet(str(tmp_path / "out"))) == pairs(match(people(spark), index_path))
