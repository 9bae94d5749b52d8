"""Which expressions does each event satisfy, compared with those before it? What "new" means in a table.

Events are sorted by a column, within each combination of values of others if these are named; a task goes through its
events in that order, and each is a document for those behind it. Without such columns there is one order, and one task.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time, timedelta
from functools import partial
from typing import Any, Literal, Unpack

import pyarrow as pa
import pyarrow.types as pt
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from eligo.errors import InputError, shown
from eligo.index.events.event_blocks import EventBlocks
from eligo.index.events.event_source import EventSource, OnError
from eligo.index.in_order import InOrder, window_argument
from eligo.index.matches import Matches
from eligo.index.stored.opened_version import IndexPath, IndexVersion, attribute_kinds, index_version
from eligo.index.stored.shard_groups import ShardGroup
from eligo.spark.call_arguments import checked_arguments
from eligo.spark.matching.match import match_rows
from eligo.spark.session.task_cores import on_task_cores
from eligo.spark.session.worker_calls import in_workers
from eligo.spark.tables import schemas
from eligo.spark.tables.event_checks import names_of, require_choice
from eligo.spark.tables.events import EventOptions, select_events
from eligo.spark.tables.schemas import expression_id_type


@checked_arguments
def match_in_order(
    events: DataFrame,
    index: IndexPath,
    *,
    order_by: str,
    partition_by: Sequence[str] = (),
    window: int | timedelta | None = None,
    version: int | None = None,
    expression_id: str = "expression_id",
    keep: Sequence[str] = (),
    on_error: OnError = "reject",
    **options: Unpack[EventOptions],
) -> DataFrame:
    """A row for each match, as `match` gives them; the documents of an event are the events before it.

    `order_by` names the column by which they stand in order. Where it has timestamps or dates, these say when events
    came. Two events that are equal there are an error, and so is one that has none. With `partition_by` there is an
    order for each combination of values of these columns. `window` narrows the events before to so many, or to so much
    time.
    """
    if not isinstance(events, DataFrame):
        raise InputError("events in order are a DataFrame of Spark", help="read them with spark.read.parquet(…)")
    require_choice("on_error", on_error, Literal["reject", "raise"])
    window_argument(window)
    chosen = index_version(index, version)
    opened = chosen.open()
    keys, kept = list(names_of(partition_by)), list(names_of(keep))
    selected = select_events(events, attribute_kinds(opened), keep=[*kept, *keys, order_by], **options)
    names = list(selected.source.carried)
    written = [*names_of(options.get("event_id", "event_id")), *kept]
    fields = [field for field in selected.carried_fields if field.name in written]
    order = next(field for field in selected.carried_fields if field.name == order_by)
    InOrder(opened.view(), window, has_times=_has_times(order.dataType))
    schema = schemas.matches(fields, expression_id, expression_id_type(opened))
    key_columns = [F.col(f"_eligo_{names.index(name)}") for name in keys]
    spread = selected.frame.repartition(*key_columns) if keys else selected.frame.repartition(1)
    ordered = spread.sortWithinPartitions(*key_columns, F.col(f"_eligo_{names.index(order_by)}"))
    function = partial(
        _match_in_order,
        version=chosen,
        source=selected.source,
        places=([names.index(name) for name in keys], names.index(order_by), [names.index(f.name) for f in fields]),
        window=window,
        names=schema.names,
        on_error=on_error,
    )
    return in_workers(ordered, function, schema)


@on_task_cores
def _match_in_order(
    batches: Iterator[pa.RecordBatch],
    *,
    version: IndexVersion,
    source: EventSource,
    places: tuple[list[int], int, list[int]],
    window: int | timedelta | None,
    names: list[str],
    on_error: OnError,
) -> Iterator[pa.RecordBatch]:
    keys, order, written = places
    index, view = ShardGroup(version).open()
    in_order: InOrder | None = None
    last: tuple[Any, Any] | None = None
    blocks = EventBlocks(batches, index, source, on_error)
    for block in blocks:
        ordering = block.carried[order]
        in_order = in_order or InOrder(view, window, has_times=_has_arrow_times(ordering.type))
        groups = list(zip(*(block.carried[key].to_pylist() for key in keys), strict=True)) if keys else None
        begins: set[int] = set()
        for row, value in enumerate(ordering.to_pylist()):
            group = None if groups is None else groups[row]
            if value is None:
                raise InputError(f"an event has no {source.carried[order]}, by which it is to stand in order")
            if last is None or last[0] != group:
                begins.add(row)
            elif last[1] == value:
                name = source.carried[order]
                raise InputError(
                    f"two events have the same {name}, {shown(value)}, so which of them came first is not said",
                    help="order them by a column in which all values differ",
                )
            last = (group, value)
        found = in_order.match(block.events, _times(ordering), begins)
        matches = Matches(found.offsets, found.positions, lambda: view.ids)
        shown_block = block._replace(carried=[block.carried[place] for place in written])
        yield from match_rows(shown_block, matches, view.ids, names, with_errors=False)
        blocks.matched(len(found.positions))


def _has_times(kind: Any) -> bool:
    return type(kind).__name__ in ("TimestampType", "TimestampNTZType", "DateType")


def _has_arrow_times(kind: pa.DataType) -> bool:
    return bool(pt.is_timestamp(kind) or pt.is_date(kind))


def _times(ordering: pa.Array) -> list[datetime] | None:
    if not _has_arrow_times(ordering.type):
        return None
    moments = ordering.to_pylist()
    if pt.is_date(ordering.type):
        return [datetime.combine(moment, time.min, UTC) for moment in moments]
    return [moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC) for moment in moments]
