"""How are the papers' workloads made at any size? In blocks, each from its own random numbers, in parallel.

A block is the same whatever makes it, so a workload depends on its name, sizes, parameters and seed, and not on the
cluster. Workloads of up to one block of expressions are those of `eligo.workloads`; larger ones are several
populations over the same attributes, which share as much as one does, because sharing does not depend on the size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from eligo.errors import InputError
from eligo.spark.call_arguments import checked_arguments
from eligo.spark.spark_versions import spark_schema
from eligo.spark.tables.schemas import as_spark_takes
from eligo.workloads import registry

EXPRESSIONS_AT_ONCE = 200_000
EVENTS_AT_ONCE = 50_000
"""The sizes of blocks; they are part of what a workload is."""


class GeneratedWorkload(NamedTuple):
    """Tables that are made when they are read."""

    expressions: DataFrame
    """id, expression."""
    events: DataFrame
    """event_id, and a column for each attribute."""


@checked_arguments
def generate(
    spark: SparkSession,
    workload: str,
    *,
    num_expressions: int = 100_000,
    num_events: int = 100_000,
    seed: int = 1,
    **parameters: Any,
) -> GeneratedWorkload:
    """A workload by its name, such as abe_gen, ads_like or conjunctions; `parameters` are those of its generator.

    The same arguments give the same rows, in the same order.
    """
    make = registry.get(workload)
    if num_expressions < 1 or num_events < 0:
        raise InputError(f"a workload cannot have {num_expressions} expressions and {num_events} events")
    try:
        events = make(1, 1, seed, **parameters).events
        make(1, 0, seed, **parameters)  # expressions are made apart from events
    except (TypeError, ValueError) as error:
        raise InputError(f"{workload} cannot be made so: {error}") from error
    # A column that is null in the block at hand still has its type.
    event_schema = pa.schema([pa.field("event_id", pa.int64()), *events.schema])
    expressions = _blocks(spark, num_expressions, EXPRESSIONS_AT_ONCE).mapInArrow(
        partial(_expression_batches, num_rows=num_expressions, workload=workload, seed=seed, parameters=parameters),
        "id long, expression string",
    )
    made_events = _blocks(spark, num_events, EVENTS_AT_ONCE).mapInArrow(
        partial(_event_batches, num_rows=num_events, workload=workload, seed=seed, parameters=parameters),
        spark_schema(event_schema),
    )
    return GeneratedWorkload(expressions, made_events)


def _blocks(spark: SparkSession, num_rows: int, at_once: int) -> DataFrame:
    number = -(-num_rows // at_once)
    return spark.range(0, number, 1, max(number, 1))


def _expression_batches(
    batches: Iterator[pa.RecordBatch], *, num_rows: int, workload: str, seed: int, parameters: Mapping[str, Any]
) -> Iterator[pa.RecordBatch]:
    make = registry.get(workload)
    for first, count, block in _sizes(batches, num_rows, EXPRESSIONS_AT_ONCE):
        made = make(count, 0, seed, block=block, **parameters).expressions
        ids = pa.array(range(first, first + count), pa.int64())
        for part in pa.table({"id": ids, "expression": made["expression"]}).to_batches(1 << 16):
            yield pa.record_batch([as_spark_takes(column) for column in part.columns], names=part.schema.names)


def _event_batches(
    batches: Iterator[pa.RecordBatch], *, num_rows: int, workload: str, seed: int, parameters: Mapping[str, Any]
) -> Iterator[pa.RecordBatch]:
    make = registry.get(workload)
    for first, count, block in _sizes(batches, num_rows, EVENTS_AT_ONCE):
        events = make(1, count, seed, block=block, **parameters).events
        ids = pa.array(range(first, first + count), pa.int64())
        for part in events.add_column(0, "event_id", ids).to_batches(1 << 14):
            yield pa.record_batch([as_spark_takes(column) for column in part.columns], names=part.schema.names)


def _sizes(batches: Iterator[pa.RecordBatch], num_rows: int, at_once: int) -> Iterator[tuple[int, int, int]]:
    """For each block that comes: its first row, its number of rows, and its number."""
    for batch in batches:
        for block in batch.column(0).to_pylist():
            first = block * at_once
            yield first, min(at_once, num_rows - first), block
