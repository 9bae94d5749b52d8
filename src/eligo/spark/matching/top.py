"""Which expressions suit an event best? The n best matches of each event by score, exact however many shards there are.

A task asks each shard for its own n best and merges them: an expression that is among the n best of all is among the n
best of its shard.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Unpack

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyspark.sql import DataFrame

from eligo.errors import InputError
from eligo.index.events.event_blocks import EventBlocks, reject_columns
from eligo.index.events.event_source import EventSource, OnError
from eligo.index.matches import row_lengths
from eligo.index.stored.opened_version import IndexPath, IndexVersion, attribute_kinds, index_version
from eligo.index.stored.shard_groups import ShardGroup
from eligo.spark.call_arguments import checked_arguments
from eligo.spark.matching.match import spread_events
from eligo.spark.session.task_cores import on_task_cores
from eligo.spark.session.worker_calls import in_workers
from eligo.spark.tables import schemas
from eligo.spark.tables.documents import SharedDocuments, TableDocuments, options_of, shared_documents
from eligo.spark.tables.event_checks import require_choice
from eligo.spark.tables.events import EventOptions, Events, select_events
from eligo.spark.tables.schemas import as_spark_takes, expression_id_type, repeated


@checked_arguments
def top(
    events: Events,
    index: IndexPath,
    n: int,
    *,
    weights: str | None = None,
    version: int | None = None,
    expression_id: str = "expression_id",
    keep: Sequence[str] = (),
    on_error: OnError = "reject",
    partitions: int | None = None,
    documents: TableDocuments | None = None,
    document_order: str | None = None,
    document_time: str | None = None,
    at: datetime | None = None,
    **options: Unpack[EventOptions],
) -> DataFrame:
    """The n best matches of each event: its id, `rank` from 1, the expression's id and the `score`.

    Equal scores are ranked in the order of the index. `weights` names a column of maps from attributes to numbers, by
    which the event weighs them. Other arguments are as in `match`.
    """
    if not isinstance(n, int) or n < 1:
        raise InputError(f"the {n} best matches are none", help="ask for 1 or more")
    require_choice("on_error", on_error, OnError)
    chosen = index_version(index, version)
    opened = chosen.open()
    selected = select_events(events, attribute_kinds(opened), keep=keep, weights=weights, **options)
    schema = schemas.top(selected.carried_fields, expression_id, expression_id_type(opened))
    if on_error == "keep":
        schema = schemas.top_or_rejects(schema)
    shared = shared_documents(selected.frame.sparkSession, opened, documents, document_order, document_time, at)
    function = partial(
        top_batches,
        version=chosen,
        source=selected.source,
        n=n,
        names=schema.names,
        on_error=on_error,
        documents=shared,
    )
    return in_workers(spread_events(selected, partitions), function, schema)


@on_task_cores
def top_batches(
    batches: Iterator[pa.RecordBatch],
    *,
    version: IndexVersion,
    source: EventSource,
    n: int,
    names: list[str],
    on_error: OnError,
    documents: SharedDocuments | None = None,
) -> Iterator[pa.RecordBatch]:
    """What a worker makes of events in the layout of `source`: the rows of `top`."""
    index, view = ShardGroup(version).open()
    blocks = EventBlocks(batches, index, source, on_error)
    for block in blocks:
        found = view.top_batch(block.events, n, **options_of(documents))
        lengths = row_lengths(found.offsets)
        event_rows = np.repeat(np.arange(len(lengths)), lengths)
        columns = [repeated(column, event_rows) for column in block.carried]
        ids = as_spark_takes(view.ids.take(pa.array(found.positions)))
        columns += [pa.array(_ranks(lengths)), ids, pa.array(found.scores)]
        if on_error == "keep":
            columns += [pa.nulls(len(ids), pa.string())] * 3
        yield pa.record_batch(columns, names=names)
        if on_error == "keep" and block.rejects:
            carried = [as_spark_takes(column) for column in block.rejected_carried]
            nothing = [pa.nulls(len(block.rejects), kind) for kind in (pa.int32(), ids.type, pa.float64())]
            yield pa.record_batch([*carried, *nothing, *reject_columns(block.rejects)], names=names)
        blocks.matched(len(found.positions))


def _ranks(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """1, 2, … for each event."""
    starts = np.cumsum(lengths) - lengths
    return (np.arange(int(lengths.sum())) - np.repeat(starts, lengths) + 1).astype(np.int32)
