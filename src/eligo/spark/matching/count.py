"""How many events does each expression match? Reach, counted by the engine: no pair of event and expression is made.

Each task adds up its own events, and sends a row for each expression that matched; Spark adds up the tasks' rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial, reduce
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from eligo.index.events.event_blocks import EventBlock, EventBlocks
from eligo.index.events.event_source import EventSource, OnError
from eligo.index.matches import row_lengths
from eligo.index.stored.opened_version import IndexPath, attribute_kinds, index_version
from eligo.index.stored.shard_groups import ShardGroup, shard_groups
from eligo.index.view import View
from eligo.spark.call_arguments import checked_arguments
from eligo.spark.matching.match import spread_events
from eligo.spark.session.task_cores import on_task_cores
from eligo.spark.tables import schemas
from eligo.spark.tables.documents import SharedDocuments, TableDocuments, options_of, shared_documents
from eligo.spark.tables.event_checks import names_of, require_choice, require_groups
from eligo.spark.tables.events import EventOptions, Events, select_events
from eligo.spark.tables.schemas import as_spark_takes, expression_id_type
from eligo.spark.tables.tables import quoted

GROUPS_AT_ONCE = 64
"""So many groups of events are counted before what is known goes to Spark."""
FEW_GROUPS = 16
"""Up to so many groups in a block are counted by the engine; more would each be too few events to be worth a call."""
PAIRED_EVENTS = 1024
"""So many events at a time have their matches written out, where groups are many."""


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
        parts.append(spread_events(selected, partitions).mapInArrow(function, schema))
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
    counts = TaskCounts(view, names, options_of(documents))
    for block in EventBlocks(batches, index, source, on_error, starts_large=True):
        if on_error == "keep" and block.rejects:
            num_bad = len(block.rejects)
            columns = [as_spark_takes(column) for column in block.rejected_carried]
            columns.append(pa.nulls(num_bad, as_spark_takes(view.ids.slice(0, 0)).type))
            yield pa.record_batch([*columns, pa.array(np.ones(num_bad, np.int64))], names=names)
        yield from counts.add(block)
    yield from counts.rows()


class TaskCounts:
    """What the events of a task add up to, by the values of the columns that come first in a block."""

    def __init__(self, view: View, names: list[str], about: Mapping[str, Any]) -> None:
        self._view = view
        self._names = names
        self._about = about
        self._totals: dict[tuple[Any, ...], npt.NDArray[np.int64]] = {}
        self._types: list[pa.DataType] = []

    def add(self, block: EventBlock) -> Iterator[pa.RecordBatch]:
        """Count a block; rows come out where groups are so many that they cannot all be held."""
        self._types = [column.type for column in block.carried]
        if not block.carried:
            self._add((), self._view.count_batch(block.events, **self._about))
            return
        groups = list(_rows_by_group(block.carried))
        if len(groups) > FEW_GROUPS:
            yield from _pairs_counted(block, groups, self._view, self._names, self._about)
            return
        for key, rows in groups:
            self._add(key, self._view.count_batch(block.of_rows(rows), **self._about))
        if len(self._totals) >= GROUPS_AT_ONCE:
            yield from self.rows()

    def _add(self, key: tuple[Any, ...], counts: npt.NDArray[np.int64]) -> None:
        known = self._totals.get(key)
        self._totals[key] = counts if known is None else known + counts

    def rows(self) -> Iterator[pa.RecordBatch]:
        """A row for each expression and group with a match, of what was added since the last time."""
        yield from _rows(self._totals, self._types, self._view.ids, self._names)
        self._totals = {}


def _pairs_counted(
    block: EventBlock,
    groups: list[tuple[tuple[Any, ...], npt.NDArray[np.int64]]],
    view: View,
    names: list[str],
    about: Mapping[str, Any],
) -> Iterator[pa.RecordBatch]:
    """Counts by way of the matches themselves."""
    num_events = len(block.carried[0])
    group_of_event = np.empty(num_events, np.int64)
    for number, (_, rows) in enumerate(groups):
        group_of_event[rows] = number
    num_expressions = np.int64(len(view.ids))
    for first in range(0, num_events, PAIRED_EVENTS):
        rows = np.arange(first, min(first + PAIRED_EVENTS, num_events))
        matches = view.match_batch(block.of_rows(rows), **about)
        pairs = np.repeat(group_of_event[rows], row_lengths(matches.offsets)) * num_expressions + matches.positions
        found, counts = np.unique(pairs, return_counts=True)
        if len(found):
            keys = [groups[number][0] for number in (found // num_expressions).tolist()]
            columns = [
                pa.array([key[place] for key in keys], column.type) for place, column in enumerate(block.carried)
            ]
            ids = as_spark_takes(view.ids.take(pa.array(found % num_expressions)))
            yield pa.record_batch([*columns, ids, pa.array(counts.astype(np.int64))], names=names)


def _rows_by_group(columns: Sequence[pa.Array]) -> Iterator[tuple[tuple[Any, ...], npt.NDArray[np.int64]]]:
    """The rows of each combination of values, as numbers."""
    names = [f"g{number}" for number in range(len(columns))]
    table = pa.table([*columns, pa.array(np.arange(len(columns[0])))], names=[*names, "row"])
    grouped = table.group_by(names).aggregate([("row", "list")])
    for values in grouped.to_pylist():
        yield tuple(values[name] for name in names), np.sort(np.array(values["row_list"], np.int64))


def _rows(
    totals: Mapping[tuple[Any, ...], npt.NDArray[np.int64]],
    types: Sequence[pa.DataType],
    ids: pa.Array,
    names: list[str],
) -> Iterator[pa.RecordBatch]:
    for key, counts in totals.items():
        matched = np.flatnonzero(counts)
        if not len(matched):
            continue
        group = [pa.repeat(pa.scalar(value, kind), len(matched)) for value, kind in zip(key, types, strict=True)]
        found = as_spark_takes(ids.take(pa.array(matched)))
        yield pa.record_batch([*group, found, pa.array(counts[matched])], names=names)
