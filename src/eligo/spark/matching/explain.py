"""Why do events satisfy expressions, or not? An explanation for each pair of an event and one of a few expressions."""

from __future__ import annotations

import json as json_module
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Unpack

import pyarrow as pa
import pyarrow.types as pt
from pyspark.sql import DataFrame

from eligo.data.events.column_text import is_text
from eligo.data.events.event import Reader
from eligo.data.events.event_json import parsed_event
from eligo.data.events.text_values import moment_readers
from eligo.data.expressions.expression_source import ExpressionId
from eligo.data.schema.attribute import Attribute
from eligo.data.schema.guards import TENANT
from eligo.data.schema.schema import Schema
from eligo.data.schema.schema_events import read_values, without_roles
from eligo.errors import UnknownIdError
from eligo.index.events.event_blocks import EventBlocks
from eligo.index.events.event_source import JSON_COLUMN, MAP_COLUMN, EventSource
from eligo.index.events.json_events import moment_kinds
from eligo.index.stored.opened_version import IndexPath, IndexVersion, attribute_kinds, index_version
from eligo.language.value import event_attributes
from eligo.spark.call_arguments import checked_arguments
from eligo.spark.session.task_cores import on_task_cores
from eligo.spark.session.worker_calls import in_workers
from eligo.spark.tables import schemas
from eligo.spark.tables.documents import SharedDocuments, TableDocuments, options_of, shared_documents
from eligo.spark.tables.events import EventOptions, Events, select_events
from eligo.spark.tables.schemas import as_spark_takes, expression_id_type


@checked_arguments
def explain(
    events: Events,
    index: IndexPath,
    ids: Sequence[ExpressionId] | ExpressionId,
    *,
    version: int | None = None,
    expression_id: str = "expression_id",
    keep: Sequence[str] = (),
    documents: TableDocuments | None = None,
    document_order: str | None = None,
    document_time: str | None = None,
    at: datetime | None = None,
    **options: Unpack[EventOptions],
) -> DataFrame:
    """A row for each event and each of the ids: whether it `matches`, `why` in words, and the whole truth as JSON.

    This is for a few events and expressions: every pair is evaluated on its own. Events that cannot be read are left
    out (see `rejects`).
    """
    asked = [ids] if isinstance(ids, str | int) else list(ids)
    chosen = index_version(index, version)
    opened = chosen.open()
    if unknown := [id for id in asked if id not in opened]:
        raise UnknownIdError(f"there is no expression {unknown[0]!r} in {chosen.path}")
    selected = select_events(events, attribute_kinds(opened), keep=keep, **options)
    schema = schemas.explanations(selected.carried_fields, expression_id, expression_id_type(opened))
    shared = shared_documents(selected.frame.sparkSession, opened, documents, document_order, document_time, at)
    function = partial(
        _explain_batches, version=chosen, source=selected.source, ids=asked, names=schema.names, documents=shared
    )
    return in_workers(selected.frame, function, schema)


@on_task_cores
def _explain_batches(
    batches: Iterator[pa.RecordBatch],
    *,
    version: IndexVersion,
    source: EventSource,
    ids: list[Any],
    names: list[str],
    documents: SharedDocuments | None,
) -> Iterator[pa.RecordBatch]:
    index = version.open()
    readers, about = moment_readers(moment_kinds(index)), options_of(documents)
    known = frozenset(index.attribute_names)
    id_type = as_spark_takes(index.ids_array().slice(0, 0)).type
    for block in EventBlocks(batches, index, source):
        rows = [place for place in range(block.table.num_rows) for _ in ids]
        told = _events(block.table, source, readers, index.schema, known)
        events = (_with_tenant(event, source) for event in told)
        explained = [index.explanation(id, event, **about) for event in events for id in ids]
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


def _events(
    table: pa.Table,
    source: EventSource,
    readers: dict[str, Reader],
    schema: Schema | None,
    known: frozenset[str],
) -> Iterator[dict[str, Any]]:
    """The events as mappings, as the index would read them."""
    columns = [
        column.cast(pa.binary()).to_pylist() if source.is_json and name == JSON_COLUMN else _readable(column)
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    for values in zip(*columns, strict=True) if columns else [()] * table.num_rows:
        row = {field.name: _plain(value, field.type) for field, value in zip(table.schema, values, strict=True)}
        if source.is_json:
            parsed = parsed_event(row.pop(JSON_COLUMN), source.limits)
            event = {**without_roles(parsed, source.roles, schema), **row}
            read = {name: list(values) for name, values in event_attributes(event, known).items()}
            yield {name: readers[name](values) if name in readers else values for name, values in read.items()}
        elif source.is_map:
            yield {**_all_of_each_name(row.pop(MAP_COLUMN)), **row}
        else:
            yield row


def _with_tenant(event: dict[str, Any], source: EventSource) -> dict[str, Any]:
    """The event with its tenant as `event_blocks.event_schema` has it."""
    if source.tenant_kind is None:
        return event
    attribute = Attribute(TENANT, source.tenant_kind)
    return {**event, TENANT: next(iter(read_values(attribute, event.get(TENANT))), None)}


def _all_of_each_name(entries: Any) -> dict[str, Any]:
    """The values of each name of a map, or of a list of (key, value) structs in which a name may stand twice."""
    if entries is None or isinstance(entries, dict):
        return entries or {}
    values: dict[str, list[Any]] = {}
    for entry in entries:
        name, value = (None, None) if entry is None else entry.values()
        values.setdefault(name or "", []).extend(value if isinstance(value, list) else [value])
    return values


def _readable(column: pa.ChunkedArray) -> list[Any]:
    """The values of a column, also of one with what Python has not: years after 9999, and text that is not UTF-8."""
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        texts = column.cast(pa.binary()).to_pylist() if is_text(column.type) else [None] * len(column)
        return [None if text is None else text.decode("utf-8", "replace") for text in texts]
    except OverflowError:
        return [_nearest(value) for value in column]


def _nearest(value: pa.Scalar) -> Any:
    """A moment, or the nearest one that Python has: no expression tells them apart."""
    try:
        return value.as_py()
    except OverflowError:
        number = value.cast(pa.int32() if pt.is_date32(value.type) else pa.int64()).as_py()
        nearest = datetime.max if number > 0 else datetime.min
        return nearest.date() if pt.is_date(value.type) else nearest.replace(tzinfo=UTC)


def _plain(value: Any, kind: pa.DataType) -> Any:
    """A value of an event for what Arrow gives: a map is a mapping."""
    if value is None:
        return None
    if pt.is_map(kind):
        return {"" if name is None else name: _plain(item, kind.item_type) for name, item in value}
    if pt.is_list(kind) or pt.is_large_list(kind):
        return [_plain(item, kind.value_type) for item in value]
    if pt.is_struct(kind):
        return {field.name: _plain(value[field.name], field.type) for field in kind}
    return value
