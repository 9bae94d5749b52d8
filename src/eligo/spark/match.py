"""Which expressions does each event of a table satisfy? One Arrow function over the events' partitions.

Workers open the index themselves, memory-mapped. Matches leave as Arrow columns made from the engine's arrays: there
is no Python object for a match.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, LongType, StringType, StructField

from eligo.data.event_batch import EventBatch
from eligo.errors import InputError
from eligo.index import Index, Matches
from eligo.spark import schemas
from eligo.spark.opened_index import live_version, opened_index
from eligo.spark.tables import quoted

MATCHES_AT_ONCE = 1 << 20
"""About so many matches are held, and at most so many are sent, at a time."""
FIRST_EVENTS = 1024
"""How many events are matched before it is known how many matches an event has."""


class EventSource(NamedTuple):
    """Where the events of a table are: in one column, or, when neither is named, in a column for each attribute."""

    event_id: str
    json: str | None = None
    attributes: str | None = None


def match(
    events: DataFrame,
    index: str | os.PathLike[str],
    *,
    event_id: str = "event_id",
    expression_id: str = "expression_id",
    json: str | None = None,
    attributes: str | None = None,
) -> DataFrame:
    """A row for each match, with the columns `event_id` and `expression_id`, named as the arguments say.

    `index` is the path of a saved index that every worker can read. Of the events, the columns that the expressions
    name are attributes; or the column `json` has each event as JSON text, or the column `attributes` as a map.
    `event_id` is copied. The version of the index is the one that is live now, also for tasks that run later or again.
    """
    path = os.path.abspath(index)
    manifest = live_version(path)
    opened = opened_index(path, manifest, verify=True)
    if json is not None and attributes is not None:
        raise InputError("events come as JSON texts or as maps, not as both", help="give json= or attributes=")
    whole = json or attributes
    needed = (event_id,) if whole is None else (event_id, whole)
    schemas.require_columns("events", events.schema, needed, "match(…, event_id=…)")
    used = [whole] if whole is not None else [name for name in events.columns if _is_used(name, opened)]
    id_field = StructField(event_id, events.schema[event_id].dataType, events.schema[event_id].nullable)
    schema = schemas.matches(id_field, expression_id, _id_type(opened))
    source = EventSource(event_id, json, attributes)
    function = partial(_match_batches, path=path, manifest=manifest, source=source, names=schema.names)
    columns = dict.fromkeys((event_id, *used))
    return events.select(*(F.col(quoted(name)) for name in columns)).mapInArrow(function, schema)


def _is_used(column: str, index: Index) -> bool:
    """Whether expressions name the column, or a field of it if it is a struct."""
    return any(name == column or name.startswith(f"{column}.") for name in index.vocabulary.attribute_names)


def _id_type(index: Index) -> DataType:
    return LongType() if pa.types.is_integer(index.ids_array().type) else StringType()


def _match_batches(
    batches: Iterator[pa.RecordBatch], *, path: str, manifest: bytes, source: EventSource, names: list[str]
) -> Iterator[pa.RecordBatch]:
    index = opened_index(path, manifest)
    num_events = FIRST_EVENTS
    for batch in batches:
        start = 0
        while start < batch.num_rows:
            events = batch.slice(start, num_events)
            start += events.num_rows
            matches = index.match_batch(_encoded(events, index, source))
            yield from _rows(events.column(source.event_id), matches, index.ids_array(), names)
            num_events = _next_num_events(num_events, events.num_rows, len(matches.positions))


def _encoded(events: pa.RecordBatch, index: Index, source: EventSource) -> EventBatch:
    if source.json is not None:
        return EventBatch.from_json_lines(events.column(source.json).to_pylist(), index.vocabulary, schema=index.schema)
    if source.attributes is not None:
        return EventBatch.from_map_column(events.column(source.attributes), index.vocabulary, schema=index.schema)
    # An attribute may serve as the id as well.
    return index.encode(events, exclude=() if _is_used(source.event_id, index) else (source.event_id,))


def _next_num_events(current: int, num_events: int, num_matches: int) -> int:
    """How many events to take next, so that they have about `MATCHES_AT_ONCE` matches; at most doubled at a time."""
    affordable = MATCHES_AT_ONCE * num_events // max(num_matches, 1)
    return max(1, min(affordable, 2 * current))


def _rows(
    event_ids: pa.Array, matches: Matches, expression_ids: pa.Array, names: list[str]
) -> Iterator[pa.RecordBatch]:
    positions = matches.positions
    num_matches_of_event = (matches.offsets[1:] - matches.offsets[:-1]).astype(np.int64)
    event_rows = np.repeat(np.arange(len(event_ids)), num_matches_of_event)
    for first in range(0, len(positions), MATCHES_AT_ONCE):
        chosen = slice(first, first + MATCHES_AT_ONCE)
        columns = [event_ids.take(pa.array(event_rows[chosen])), expression_ids.take(pa.array(positions[chosen]))]
        yield pa.record_batch([_as_spark_takes(column) for column in columns], names=names)


def _as_spark_takes(column: pa.Array) -> pa.Array:
    """Strings with 32-bit offsets, which is what Spark's string type is."""
    return column.cast(pa.string()) if pa.types.is_large_string(column.type) else column
