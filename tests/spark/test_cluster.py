"""Do the same events have the same matches however they are matched?"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest
from pyspark.sql import SparkSession

import eligo
from eligo.spark import build, match, parquet_events, sample, stream
from eligo.spark.java import ensure_java

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
    index, _ = eligo.build(expressions, on_error="reject")
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
    with two_workers(tmp_path) as master:
        found = subprocess.run(
            [sys.executable, "-c", ON_THE_CLUSTER, master, str(tmp_path)], capture_output=True, text=True
        )
        assert found.returncode == 0, found.stderr[-3000:]
    said = json.loads(found.stdout.splitlines()[-1])
    assert said["executors"] == 2
    assert len(said["processes"]) >= 2
    table = pq.read_table(tmp_path / "cluster")
    pairs = list(zip(table["event_id"].to_pylist(), table["expression_id"].to_pylist(), strict=True))
    assert len(pairs) == len(expected)
    assert set(pairs) == expected


ON_THE_CLUSTER = """
import json, os, sys
from eligo.spark import local_session, match, parquet_events
master, directory = sys.argv[1:]
config = {"spark.driver.host": "127.0.0.1", "spark.executor.memory": "512m", "spark.cores.max": "2",
          "spark.executor.cores": "1", "spark.ui.enabled": "false", "spark.driver.memory": "1g"}
spark = local_session("eligo cluster test", master=master, config=config)
match(parquet_events(spark, f"{directory}/events"), f"{directory}/7.index").write.parquet(f"{directory}/cluster")
def where(batches):
    import os, pyarrow as pa, time
    for batch in batches:
        time.sleep(0.5)
        yield pa.record_batch([pa.array([os.getppid()])], names=["pid"])
processes = {row[0] for row in spark.range(0, 8, 1, 8).mapInArrow(where, "pid long").collect()}
executors = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
print(json.dumps({"executors": executors, "processes": sorted(processes)}))
spark.stop()
"""


@contextmanager
def two_workers(directory: Path) -> Iterator[str]:
    """A standalone master and two workers, each a process of its own."""
    port = _free_port()
    master = f"spark://127.0.0.1:{port}"
    spark_class = Path(pyspark.__file__).parent / "bin" / "spark-class"
    environment = {
        **os.environ,
        "JAVA_HOME": str(ensure_java()),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_DAEMON_MEMORY": "256m",
    }
    package = "org.apache.spark.deploy"
    commands = [[f"{package}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]]
    for number in range(2):
        work = ["--cores", "1", "--memory", "1g", "--work-dir", str(directory / f"worker{number}"), "--webui-port", "0"]
        commands.append([f"{package}.worker.Worker", "--host", "127.0.0.1", *work, master])
    processes = []
    try:
        for command in commands:
            log = (directory / f"{len(processes)}.log").open("wb")
            processes.append(subprocess.Popen([str(spark_class), *command], env=environment, stdout=log, stderr=log))
            log.close()
            if len(processes) == 1:
                _wait_for(port)
        yield master
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait(timeout=60)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def _wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise TimeoutError("the master does not answer")
