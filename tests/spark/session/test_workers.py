"""Do worker processes keep to their task's core, and are they ready when they start?"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from eligo.engines.threads import num_threads
from eligo.spark.matching import count, diff, explain, match, parquet_matches, top
from eligo.spark.session.task_cores import keep_to_task_cores, on_task_cores


def test_a_task_uses_its_own_cores(spark: SparkSession) -> None:
    @on_task_cores
    def threads(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            yield pa.record_batch([pa.array([num_threads()]), pa.array([pa.cpu_count()])], names=["eligo", "arrow"])

    seen = spark.range(0, 2, 1, 2).mapInArrow(threads, "eligo long, arrow long").collect()
    assert {tuple(row) for row in seen} == {(1, 1)}


@pytest.mark.parametrize(
    "module", [match, parquet_matches, top, count, diff, explain], ids=lambda module: module.__name__
)
def test_whatever_asks_an_index_keeps_to_them(module: ModuleType) -> None:
    asking = [function for name, function in vars(module).items() if name.endswith("_batches")]
    assert asking
    assert all(hasattr(function, "__wrapped__") for function in asking)


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
