"""What goes with a function that is sent to workers? Credentials that the driver shared, and counters of downloads.

    driver     in_workers(frame, function, schema)
    worker     take the credentials ─▶ function over batches ─▶ add what the host's cache did meanwhile

Counters are Spark's accumulators: each task adds what it found. They are exact unless a task runs twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

import pyarrow as pa
from pyspark import Accumulator, SparkContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType
from pyspark.sql.utils import is_remote

from eligo.spark.session.shared_stores import SharedStores, shared_stores, take_shared
from eligo.stores.cache_usage import CacheUsage, cache_usage

Batches: TypeAlias = Iterator[pa.RecordBatch]
Function: TypeAlias = Callable[[Batches], Batches]


class UsageCounters(NamedTuple):
    """What tasks say of their hosts' caches, added up."""

    hits: Accumulator[int]
    downloads: Accumulator[int]
    num_bytes: Accumulator[int]

    @classmethod
    def of(cls, context: SparkContext) -> UsageCounters:
        """Counters at zero."""
        return cls(*(context.accumulator(0) for _ in cls._fields))

    def add(self, used: CacheUsage) -> None:
        """In a task: what it found."""
        for counter, number in zip(self, used, strict=True):
            counter.add(number)

    def total(self) -> CacheUsage:
        """On the driver: what tasks that have ended found."""
        return CacheUsage(*(counter.value for counter in self))


_counters: WeakKeyDictionary[SparkContext, UsageCounters] = WeakKeyDictionary()
"""Of all jobs of a session."""


def in_workers(
    frame: DataFrame, function: Function, schema: StructType | str, counters: UsageCounters | None = None
) -> DataFrame:
    """The rows that a function makes of a table's batches, in workers; further counters count it too."""
    if is_remote():
        return frame.mapInArrow(function, schema)
    spark = frame.sparkSession
    counted = (_session_counters(spark), *([counters] if counters is not None else []))
    return frame.mapInArrow(partial(_called, function=function, stores=shared_stores(spark), counted=counted), schema)


def workers_used(spark: SparkSession) -> CacheUsage:
    """What the tasks of a session's jobs have found in caches so far; over Spark Connect nothing is known."""
    return CacheUsage() if is_remote() else _session_counters(spark).total()


def _session_counters(spark: SparkSession) -> UsageCounters:
    context = spark.sparkContext
    if context not in _counters:
        _counters[context] = UsageCounters.of(context)
    return _counters[context]


def _called(
    batches: Batches, *, function: Function, stores: SharedStores | None, counted: tuple[UsageCounters, ...]
) -> Batches:
    take_shared(stores)
    before = cache_usage()
    try:
        yield from function(batches)
    finally:
        used = cache_usage() - before
        for counters in counted if any(used) else ():
            counters.add(used)
