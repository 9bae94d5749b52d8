"""How many events does each expression match? Reach, counted by the engine: no pair of event and expression is made.

Each task adds up its own events, and sends a row for each expression that matched; Spark adds up the tasks' rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial, reduce
from typing import Unpack

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from eligo.index.events.event_blocks import EventBlocks
from eligo.index.events.event_source import EventSource, OnError
from eligo.index.events.group_counts import GroupCounts
from eligo.index.stored.opened_version import IndexPath, attribute_kinds, index_version
from eligo.index.stored.shard_groups import ShardGroup, shard_groups
from eligo.spark.call_arguments import checked_arguments
from eligo.spark.matching.match import spread_events
from eligo.spark.session.task_cores import on_task_cores
from eligo.spark.session.worker_calls import in_workers
from eligo.spark.tables import schemas
from eligo.spark.tables.documents import SharedDocuments, TableDocuments, options_of, shared_documents
from eligo.spark.tables.event_checks import names_of, require_choice, require_groups
from eligo.spark.tables.events import EventOptions, Events, select_events
from eligo.spark.tables.schemas import as_spark_takes, expression_id_type
from eligo.spark.tables.tables import quoted


@checked_arguments
def count(
    events: Events,
    index: IndexPath,
    *,
    by: Sequence[str] = (),
    version: int | None = None,
    expression_id: str = "expression_id",
    on_error: OnError = "reject",
    partitions: int | None = None,
    memory: int | None = None,
    documents: TableDocuments | None = None,
    document_order: str | None = None,
    document_time: str | None = None,
    at: datetime | None = None,
    **options: Unpack[EventOptions],
) -> DataFrame:
    """A row for each expression that matches some event: its id, and `matches`, how many events it matches.

    With `by`, there is a row for each expression and each combination of values of these columns of the events, which
    should not be many. Arguments are as in `match`; an event needs no id here. With `on_error="keep"`, a row whose
    expression id is null says how many events cannot be read.
    """
    require_choice("on_error", on_error, OnError)
    chosen = index_version(index, version)
    opened = chosen.open()
    options["event_id"] = by = names_of(by)
    selected = select_events(events, attribute_kinds(opened), **options)
    require_groups(selected.carried_fields)
    schema = schemas.counts(
        selected.carried_fields, expression_id, expression_id_type(opened), nullable=on_error == "keep"
    )
    shared = shared_documents(selected.frame.sparkSession, opened, documents, document_order, document_time, at)
    parts = []
    for number, group in enumerate(shard_groups(chosen, memory)):
        # An event that cannot be read is told once.
        own: OnError = "reject" if on_error == "keep" and number else on_error
        function = partial(
            _count_batches, group=group, source=selected.source, names=schema.names, on_error=own, documents=shared
        )
        parts.append(in_workers(spread_events(selected, partitions), function, schema))
    keys = [F.col(quoted(name)) for name in [*by, expression_id]]
    counted = reduce(DataFrame.unionAll, parts).groupBy(*keys).agg(F.sum("matches").alias("matches"))
    return counted


@on_task_cores
def _count_batches(
    batches: Iterator[pa.RecordBatch],
    *,
    group: ShardGroup,
    source: EventSource,
    names: list[str],
    on_error: OnError,
    documents: SharedDocuments | None,
) -> Iterator[pa.RecordBatch]:
    index, view = group.open()
    counts = GroupCounts(view, names, options_of(documents))
    for block in EventBlocks(batches, index, source, on_error, starts_large=True):
        if on_error == "keep" and block.rejects:
            num_bad = len(block.rejects)
            columns = [as_spark_takes(column) for column in block.rejected_carried]
            columns.append(pa.nulls(num_bad, as_spark_takes(view.ids.slice(0, 0)).type))
            yield pa.record_batch([*columns, pa.array(np.ones(num_bad, np.int64))], names=names)
        yield from counts.add(block)
    yield from counts.rows()
