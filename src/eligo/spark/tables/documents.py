"""Which documents do the tasks of a job compare events with? The same for all: as they were when the job was made.

path of a base, table of documents ──▶ driver: what expressions name of them ──▶ broadcast ──▶ each worker, once
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import Broadcast
from pyspark.sql import DataFrame, SparkSession

from eligo.errors import InputError, shown
from eligo.index.document_questions import IndexJoins
from eligo.index.index import Index
from eligo.joins.document_base import DocumentBase
from eligo.joins.segment import Segment, Snapshot, merged
from eligo.language.document_truth import checked_moment, documents_needed
from eligo.language.quantified import Quantified
from eligo.spark.tables import schemas
from eligo.spark.tables.chosen_columns import is_used
from eligo.spark.tables.tables import quoted

MOST_BYTES = 2_000_000_000
"""Of documents that are sent to workers."""

TableDocuments: TypeAlias = DataFrame | DocumentBase | Snapshot | str | os.PathLike[str]
"""A table of documents, a document base or the path of one."""


class ShippedSnapshot:
    """A snapshot that can be sent to other processes."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    def __reduce__(self) -> tuple[Any, ...]:
        [(segment, _)] = self.snapshot.segments
        columns = {name: dict(segment.columns(name)) for name in segment.attributes}
        return _received, (segment.numbers, segment.times, columns)


def _received(numbers: Any, times: Any, columns: Any) -> ShippedSnapshot:
    return ShippedSnapshot(Snapshot([(Segment(numbers, times, columns), None)], 0))


class SharedDocuments(NamedTuple):
    """Documents that all tasks see."""

    shipped: Broadcast[ShippedSnapshot]
    at: datetime

    def options(self) -> dict[str, Any]:
        """What a question to an index is given."""
        return {"documents": self.shipped.value.snapshot, "at": self.at}


def options_of(documents: SharedDocuments | None) -> dict[str, Any]:
    """What a question to an index is given; nothing when it needs no documents."""
    return {} if documents is None else documents.options()


def shared_documents(
    spark: SparkSession,
    index: Index,
    documents: TableDocuments | None,
    order: str | None,
    time: str | None,
    at: datetime | None,
) -> SharedDocuments | None:
    """The documents of a job; None when no expression of the index is about any.

    Of a table, `order` names the column by which documents stand in order, and `time` that of when they came.
    """
    joins = index.view().joins
    part = joins.tables.first_part
    if part is None:
        return None
    if documents is None:
        raise documents_needed(part)
    snapshot = _snapshot(joins, documents, order, time)
    names = {name for part in _parts(joins) for name in part.document_attributes()}
    segment = merged(snapshot.segments)
    needed = {name: segment.columns(name) for name in segment.attributes if name in names}
    small = Segment(segment.numbers, segment.times, needed)
    if small.nbytes > MOST_BYTES:
        raise InputError(
            f"the documents take {small.nbytes:,} bytes, and at most {MOST_BYTES:,} are sent to workers",
            help="keep fewer documents: DocumentBase(…, keep_last=…) or a table of the last ones",
        )
    shipped = spark.sparkContext.broadcast(ShippedSnapshot(Snapshot([(small, None)], 0)))
    return SharedDocuments(shipped, checked_moment(at))


def refuse_documents(index: Index, verb: str) -> None:
    """Refuse an index that must be asked about documents, where that cannot be done."""
    part = index.view().joins.tables.first_part
    if part is not None:
        raise InputError(
            f"{verb} does not compare events with documents, and an expression asks for it: {shown(repr(part))}",
            help="use match with documents=",
        )


def _parts(joins: IndexJoins) -> list[Quantified]:
    return [part for table in joins.tables.tables for part in table.parts]


def _snapshot(joins: IndexJoins, documents: TableDocuments, order: str | None, time: str | None) -> Snapshot:
    if isinstance(documents, DataFrame):
        return _table_snapshot(joins, documents, order, time)
    if order is not None or time is not None:
        raise InputError(
            "document_order and document_time are columns of a table of documents",
            help="a document base has its own order and times",
        )
    if isinstance(documents, Snapshot):
        return documents
    if isinstance(documents, DocumentBase):
        return documents.snapshot()
    with DocumentBase(documents, read_only=True) as base:
        return base.snapshot()


def _table_snapshot(joins: IndexJoins, documents: DataFrame, order: str | None, time: str | None) -> Snapshot:
    """The documents of a table, of which only the columns are read that expressions name."""
    parts = _parts(joins)
    counted = next((part for part in parts if isinstance(part.last, int)), None)
    if order is None and counted is not None:
        raise InputError(
            f"the documents of a table have no order, and it is asked for: {shown(repr(counted))}",
            help="name a column by which they are sorted: document_order=",
        )
    if time is None and joins.tables.first_timed is not None:
        raise InputError(
            f"the documents of a table have no times, and these are asked for: {shown(repr(joins.tables.first_timed))}",
            help="name the column that says when they came: document_time=",
        )
    extra = tuple(name for name in (order, time) if name is not None)
    schemas.require_columns("documents", documents.schema, extra, "name another column, or none")
    names = {name for part in parts for name in part.document_attributes()}
    used = [name for name in documents.columns if is_used(name, names)]
    table: pa.Table = documents.select(*(quoted(name) for name in dict.fromkeys([*used, *extra]))).toArrow()
    if order is not None:
        table = _sorted(table, order, has_to_be_strict=counted is not None)
    base = DocumentBase()
    times = None if time is None else _times(table[time], time)
    columns: pa.Table | list[Mapping[str, Any]] = table.select(used) if used else [{}] * table.num_rows
    base.add_batch(columns, times=times)
    return base.snapshot()


def _sorted(table: pa.Table, order: str, *, has_to_be_strict: bool) -> pa.Table:
    values = table[order]
    if values.null_count:
        raise InputError(f"{values.null_count:,} documents have no {order}, by which they are to stand in order")
    if has_to_be_strict and len(pc.unique(values)) < len(values):
        raise InputError(
            f"some documents have the same {order}, so which is the last is not said",
            help="name a column in which all values differ",
        )
    return table.take(pc.sort_indices(values))


def _times(values: pa.ChunkedArray, name: str) -> list[Any]:
    if values.null_count or not (pa.types.is_timestamp(values.type) or pa.types.is_date(values.type)):
        problem = f"{values.null_count:,} documents have none" if values.null_count else f"it is of type {values.type}"
        raise InputError(f"{name} has to say when each document came, and {problem}", help="timestamps or dates")
    kind = pa.timestamp("us", values.type.tz if pa.types.is_timestamp(values.type) else None)
    return list(values.cast(kind).to_pylist())
