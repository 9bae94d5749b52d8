"""Do the same events have the same matches however they are matched?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import eligo
from benchmarks.standalone_cluster import drive, match_on_cluster, two_workers
from eligo.spark import build, match, parquet_events, stream
from eligo.workloads import sample

Pairs = set[tuple[int, str]]


def write_inputs(directory: Path, num_expressions: int, num_events: int) -> tuple[pa.Table, pa.Table]:
    expressions = sample.expressions(num_expressions, seed=21)
    events = pa.Table.from_batches(list(sample.events(num_events, seed=21)))
    (directory / "events").mkdir()
    pq.write_table(expressions, directory / "expressions.parquet")
    pq.write_table(events, directory / "events" / "all.parquet", row_group_size=max(num_events // 5, 1))
    return expressions, events


def in_one_process(expressions: pa.Table, events: pa.Table) -> Pairs:
    """By `index.match`, event by event, which is the same as by `match_batch`."""
    index = eligo.build(expressions, on_error="reject")
    ids = events["event_id"].to_pylist()
    rows = events.drop_columns(["event_id"]).to_pylist()
    one_by_one = {(ids[place], id) for place, row in enumerate(rows) for id in index.match(row)}
    matches = index.match_batch(events, exclude=["event_id"])
    assert {(ids[place], id) for place in range(len(matches)) for id in matches.ids(place)} == one_by_one
    return one_by_one


def on_spark(spark: SparkSession, directory: Path) -> Iterator[tuple[str, Pairs]]:
    """By Spark with 1, 2 and 7 shards, read by Spark and by the workers, and as a stream."""
    expressions = spark.read.parquet(str(directory / "expressions.parquet"))
    events = spark.read.parquet(str(directory / "events"))
    num_rows = expressions.count()
    for shards in (1, 2, 7):
        index = directory / f"{shards}.index"
        summary = build(expressions, index, target_shard_rows=-(-num_rows // shards))
        yield f"{summary.num_shards} shards", {(r[0], r[1]) for r in match(events, index).collect()}
    yield "in groups of shards", {(r[0], r[1]) for r in match(events, index, memory=1).collect()}
    read_by_workers = match(parquet_events(spark, str(directory / "events")), index)
    yield "read by the workers", {(r[0], r[1]) for r in read_by_workers.collect()}
    source = spark.readStream.schema(events.schema).parquet(str(directory / "events"))
    query = stream(
        source, index, directory / "out", checkpoint=directory / "checkpoint", trigger={"availableNow": True}
    )
    query.awaitTermination()
    streamed = spark.read.parquet(str(directory / "out")).select("event_id", "expression_id")
    yield "as a stream", {(r[0], r[1]) for r in streamed.collect()}


def check(spark: SparkSession, directory: Path, num_expressions: int, num_events: int) -> Pairs:
    expected = in_one_process(*write_inputs(directory, num_expressions, num_events))
    assert len(expected) > num_events // 2
    for how, found in on_spark(spark, directory):
        assert found == expected, how
    return expected


def test_a_few_events_every_way(spark: SparkSession, tmp_path: Path) -> None:
    check(spark, tmp_path, 700, 1_500)


@pytest.mark.long
def test_many_events_every_way_and_on_a_cluster(spark: SparkSession, tmp_path: Path) -> None:
    expected = check(spark, tmp_path, 2_000, 50_000)
    said = match_on_cluster(str(tmp_path / "events"), str(tmp_path / "7.index"), str(tmp_path / "cluster"), tmp_path)
    assert said["executors"] == 2
    assert len(said["processes"]) >= 2
    table = pq.read_table(tmp_path / "cluster")
    pairs = list(zip(table["event_id"].to_pylist(), table["expression_id"].to_pylist(), strict=True))
    assert len(pairs) == len(expected)
    assert set(pairs) == expected


ASK = """
import json, sys, threading
from eligo.spark import compact, count, match, match_to_parquet, register, stream
master, index, directory = sys.argv[1:]
spark = on_cluster(master)
register(spark)
events = spark.createDataFrame([(1, 30)], "event_id int, age int")
events.createOrReplaceTempView("events")
source = spark.readStream.schema("event_id int, age int").parquet(f"file://{directory}/events")
here = f"file://{directory}"
told = {}
def ask(name, call):
    try:
        call()
        told[name] = "done"
    except Exception as error:
        told[name] = str(error)
def in_a_thread(name, call):
    thread = threading.Thread(target=ask, args=(name, call))
    thread.start()
    thread.join()
ask("match", lambda: match(events, index))
in_a_thread("match in a thread", lambda: match(events, index))
in_a_thread("compact in a thread", lambda: compact(index))
ask("in SQL", lambda: spark.sql(f"SELECT * FROM eligo_match(TABLE(events), '{index}')"))
ask("read as a table", lambda: spark.read.format("eligo").load(index))
rows = spark.createDataFrame([("a", "age = 2")], "id string, expression string")
ask("written as a table", lambda: rows.write.format("eligo").mode("overwrite").save(index))
if spark.version >= "4.1":
    ask("a value", lambda: spark.sql(f"SELECT eligo_matches(struct(*), '{index}') FROM events").collect())
ask("rejects of a stream", lambda: stream(
    source, f"file://{index}", f"{here}/out", checkpoint=f"{here}/c", rejects=f"{directory}/bad"))
found = spark.sql(f"SELECT * FROM eligo_match(TABLE(events), 'file://{index}')").collect()
print(json.dumps({"told": told, "found": [list(row) for row in found]}))
spark.stop()
"""


@pytest.mark.long
def test_a_path_of_the_driver_is_refused_whoever_asks(tmp_path: Path) -> None:
    index = tmp_path / "x.index"
    eligo.build({"young": "age < 100"}).save(index)
    (tmp_path / "events").mkdir()
    with two_workers(tmp_path) as master:
        said = drive(ASK, master, str(index), str(tmp_path))
    assert len(said["told"]) >= 7
    for way, told in said["told"].items():
        assert f"the workers of {master} are other machines" in told, way
    assert said["found"] == [[1, "young"]], "by the user's word"
    assert eligo.open(index).version == 1
