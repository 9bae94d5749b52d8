"""Why do events satisfy expressions, or not? An explanation for each pair of an event and one of a few expressions."""

from __future__ import annotations

import json as json_module
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Unpack

import pyarrow as pa
from pyspark.sql import DataFrame

from eligo.data.event import Reader
from eligo.data.expression_source import ExpressionId
from eligo.data.text_values import text_readers, with_lists
from eligo.errors import UnknownIdError
from eligo.language.value import event_attributes
from eligo.spark import schemas
from eligo.spark.event_blocks import EventBlocks, as_spark_takes, parsed_event
from eligo.spark.events import JSON_COLUMN, MAP_COLUMN, EventOptions, Events, EventSource, select_events
from eligo.spark.opened_index import IndexPath, IndexVersion, attribute_kinds, expression_id_type, index_version


def explain(
    events: Events,
    index: IndexPath,
    ids: Sequence[ExpressionId],
    *,
    version: int | None = None,
    expression_id: str = "expression_id",
    keep: Sequence[str] = (),
    **options: Unpack[EventOptions],
) -> DataFrame:
    """A row for each event and each of the ids: whether it `matches`, `why` in words, and the whole truth as JSON.

    This is for a few events and expressions: every pair is evaluated on its own. Events that cannot be read are left
    out (see `rejects`).
    """
    chosen = index_version(index, version)
    opened = chosen.open(verify=True)
    if unknown := [id for id in ids if id not in opened]:
        raise UnknownIdError(f"there is no expression {unknown[0]!r} in {chosen.path}")
    selected = select_events(events, attribute_kinds(opened), keep=keep, **options)
    schema = schemas.explanations(selected.carried_fields, expression_id, expression_id_type(opened))
    function = partial(_explain_batches, version=chosen, source=selected.source, ids=list(ids), names=schema.names)
    return selected.frame.mapInArrow(function, schema)


def _explain_batches(
    batches: Iterator[pa.RecordBatch], *, version: IndexVersion, source: EventSource, ids: list[Any], names: list[str]
) -> Iterator[pa.RecordBatch]:
    index = version.open()
    readers: dict[str, Reader] = {}
    for part in index.parts if index.schema is None else ():
        readers.update(with_lists(text_readers(part.vocabulary, None, from_text=False)))
    id_type = as_spark_takes(index.ids_array().slice(0, 0)).type
    for block in EventBlocks(batches, index, source):
        rows = [place for place in range(block.table.num_rows) for _ in ids]
        explained = [index.explanation(id, event) for event in _events(block.table, source, readers) for id in ids]
        columns = [as_spark_takes(column.take(pa.array(rows, pa.int64()))) for column in block.carried]
        yield pa.record_batch(
            [
                *columns,
                pa.array(ids * block.table.num_rows, id_type),
                pa.array([explanation.matches for explanation in explained], pa.bool_()),
                pa.array([explanation.summary() for explanation in explained], pa.string()),
                pa.array([json_module.dumps(explanation.to_json()) for explanation in explained], pa.string()),
            ],
            names=names,
        )


def _events(table: pa.Table, source: EventSource, readers: dict[str, Reader]) -> Iterator[dict[str, Any]]:
    """The events as mappings, as the index would read them."""
    for row in table.to_pylist():
        if source.is_json:
            event = {**parsed_event(row.pop(JSON_COLUMN)), **row}
            read = {name: list(values) for name, values in event_attributes(event).items()}
            yield {name: readers[name](values) if name in readers else values for name, values in read.items()}
        elif source.is_map:
            yield {**dict(row.pop(MAP_COLUMN) or ()), **row}
        else:
            yield row
