"""Do worker processes keep to their task's core, and are they ready when they start?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

import eligo
from eligo.engines.threads import num_threads
from eligo.spark.matching.opened_index import index_version
from eligo.spark.session.task_cores import keep_to_task_cores


def test_a_task_that_opens_an_index_uses_the_cores_of_the_task(spark: SparkSession, tmp_path: Path) -> None:
    eligo.build({"a": "age = 1"}).save(tmp_path / "index")
    version = index_version(tmp_path / "index")

    def threads(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        eligo.set_threads(7)
        version.open()
        for _ in batches:
            yield pa.record_batch([pa.array([num_threads()]), pa.array([pa.cpu_count()])], names=["eligo", "arrow"])

    seen = spark.range(0, 2, 1, 2).mapInArrow(threads, "eligo long, arrow long").collect()
    assert {tuple(row) for row in seen} == {(1, 1)}


def test_outside_of_tasks_nothing_changes() -> None:
    before = num_threads(), pa.cpu_count()
    keep_to_task_cores()
    assert (num_threads(), pa.cpu_count()) == before


def test_workers_are_forked_with_eligo_loaded(spark: SparkSession) -> None:
    def loaded(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import gc

        for _ in batches:
            yield pa.record_batch([pa.array([gc.get_freeze_count()])], names=["frozen"])

    frozen = spark.range(0, 1, 1, 1).mapInArrow(loaded, "frozen long").first()
    assert frozen is not None
    assert frozen["frozen"] > 10_000, "the daemon has not preloaded anything"
    assert spark.conf.get("spark.python.daemon.module") == "eligo.spark.session.worker_daemon"
