"""Which expressions does the event of this row satisfy? As a value of a query: an array of ids.

    SELECT *, eligo_matches(struct(*), 'ads.index') AS ads FROM events

Spark sends batches of structs, and gets arrays that are made from the engine's own. Of what a query is told when it is
analysed a scalar function hears nothing, so each task asks the version that is live when it starts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext

from eligo.errors import InputError
from eligo.index.events.event_blocks import EventBlocks
from eligo.index.events.event_source import EventSource, OnError
from eligo.index.matches import row_lengths
from eligo.index.stored.opened_version import IndexVersion, attribute_kinds, index_version
from eligo.index.stored.shard_groups import ShardGroup
from eligo.spark.session.reachable import require_reachable
from eligo.spark.session.task_cores import keep_to_task_cores
from eligo.spark.spark_versions import spark_schema
from eligo.spark.sql.call_constants import checked_constant
from eligo.spark.tables.chosen_columns import choose_columns
from eligo.spark.tables.documents import refuse_documents
from eligo.spark.tables.events import EventColumnOptions

MATCHES = "eligo_matches"
ROW, EVENT = "_eligo_row", "_eligo_event"
MOST_MATCHES = 2**31 - 1
"""Of the events of one batch: offsets of arrays are 32-bit integers."""

_asked: dict[tuple[int | None, str, int | None], IndexVersion] = {}
"""The version that this task asks, by the task, the path and the number."""


def eligo_matches(
    event: pa.Array,
    index: pa.Array,
    version: pa.Array = None,
    tenant: pa.Array = None,
    time: pa.Array = None,
    on_error: pa.Array = None,
) -> pa.Array:
    """The ids of the expressions that match, as text; null for an event that is null or cannot be read."""
    given = {"index": index, "version": version, "tenant": tenant, "time": time, "on_error": on_error}
    constants = {name: _constant(name, column) for name, column in given.items() if column is not None}
    if constants["index"] is None:
        raise InputError(f"{MATCHES} is not told its index", help=f"{MATCHES}(struct(*), 'ads.index')")
    if constants.get("on_error") == "keep":
        raise InputError(
            f"{MATCHES} has no rows for bad events", help="on_error => 'reject' gives null, 'raise' an error"
        )
    keep_to_task_cores()
    chosen = _version(constants["index"], constants.get("version"))
    on_error_: OnError = constants.get("on_error") or "reject"
    return matches_of(event, chosen, constants.get("tenant"), constants.get("time"), on_error_)


def matches_of(
    events: pa.Array, version: IndexVersion, tenant: str | None, time: str | None, on_error: OnError
) -> pa.ListArray:
    """A list of ids for each event: structs with a field for each attribute, JSON texts, or maps."""
    index, view = ShardGroup(version).open()
    refuse_documents(index, MATCHES)
    rows = np.flatnonzero(np.asarray(pc.is_valid(events)))
    batch, source = _laid_out(events.take(pa.array(rows)), rows, attribute_kinds(index), tenant, time)
    lengths = np.zeros(len(events), np.int64)
    is_null = np.ones(len(events), np.bool_)
    found = [view.ids.slice(0, 0)]
    blocks = EventBlocks(iter([batch]), index, source, on_error)
    for block in blocks:
        matches = view.match_batch(block.events)
        good = np.asarray(block.carried[0])
        is_null[good] = False
        lengths[good] = row_lengths(matches.offsets)
        found.append(view.ids.take(pa.array(matches.positions)))
        blocks.matched(len(matches.positions))
    if lengths.sum() > MOST_MATCHES:
        raise InputError(
            f"{int(lengths.sum()):,} matches are too many for one batch of {len(events):,} events",
            help="lower spark.sql.execution.arrow.maxRecordsPerBatch, or use eligo_match, which has a row for each",
        )
    ids = pa.concat_arrays(found).cast(pa.string())
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), ids, mask=pa.array(is_null))


def _laid_out(
    events: pa.Array, rows: Any, kinds: Any, tenant: str | None, time: str | None
) -> tuple[pa.RecordBatch, EventSource]:
    """The events in the layout for workers, with their places among all."""
    kind = events.type
    options = EventColumnOptions(event_id=ROW, tenant=tenant, time=time)
    if pa.types.is_struct(kind):
        columns = dict(zip(kind.names, events.flatten(), strict=True))
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        columns = {EVENT: events}
        options["json"] = EVENT
    elif pa.types.is_map(kind):
        columns = {EVENT: events}
        options["attributes"] = EVENT
    else:
        raise InputError(
            f"the event of {MATCHES} is {kind}, which has no attributes",
            help="give struct(*), a JSON text, or a map from attributes to values",
        )
    if len(columns) != (kind.num_fields if pa.types.is_struct(kind) else 1):
        raise InputError(
            f"two fields of the event have one name: {', '.join(map(repr, kind.names))}", help="rename one"
        )
    schema = spark_schema(pa.schema([pa.field(name, column.type) for name, column in columns.items()]))
    schema.add(ROW, "long")
    columns[ROW] = pa.array(rows, pa.int64())
    chosen = choose_columns(schema, kinds, **options)
    # The names of the layout are those of the columns, so they are renamed as they would be by Spark.
    sent = [columns[column.field.name] for column in chosen.columns]
    return pa.record_batch(sent, names=[f"_eligo_{place}" for place in range(len(sent))]), chosen.source


def _constant(name: str, column: pa.Array) -> Any:
    """The one value that an argument has for all rows."""
    values = column.unique()
    if len(values) > 1:
        raise InputError(f"{name} of {MATCHES} is a constant, and not of several values", help=f"{name} => 'x'")
    return checked_constant(name, values[0].as_py() if len(values) else None)


def _version(path: str, number: int | None) -> IndexVersion:
    context = TaskContext.get()
    key = (None if context is None else context.taskAttemptId(), path, number)
    if context is None:
        return index_version(path, number)
    if key not in _asked:
        require_reachable(path, "index")
        _asked.clear()
        _asked[key] = index_version(path, number)
    return _asked[key]
