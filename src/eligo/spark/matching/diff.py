"""What would change? The matches that a new index gains and loses against an old one, for each expression.

What each of the two is asked is in `diff_sides`. An event that one of them cannot read counts for neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple, Unpack

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from eligo.errors import InputError
from eligo.index.events.event_blocks import EventBlock, EventBlocks, read_block, reject_columns
from eligo.index.events.event_source import EventSource, OnError
from eligo.index.matches import row_lengths
from eligo.index.stored.diff_sides import Side, asked_kinds, compared_sides
from eligo.index.stored.opened_version import IndexPath, index_version
from eligo.index.view import View
from eligo.spark.call_arguments import checked_arguments
from eligo.spark.matching.match import spread_events
from eligo.spark.session.task_cores import on_task_cores
from eligo.spark.session.worker_calls import in_workers
from eligo.spark.tables import schemas
from eligo.spark.tables.documents import refuse_documents
from eligo.spark.tables.events import EventOptions, Events, SelectedEvents, select_events
from eligo.spark.tables.schemas import as_spark_takes, expression_id_type
from eligo.spark.tables.tables import quoted


@checked_arguments
def diff(
    events: Events,
    old: IndexPath,
    new: IndexPath,
    *,
    old_version: int | None = None,
    new_version: int | None = None,
    samples: int = 5,
    expression_id: str = "expression_id",
    on_error: OnError = "reject",
    partitions: int | None = None,
    **options: Unpack[EventOptions],
) -> DataFrame:
    """A row for each expression whose matches differ, with how many events it gains and loses, and some of them.

    The columns are `expression_id`, `change` (added, removed, changed), `gained`, `lost`, `gained_events` and
    `lost_events`: the ids of at most `samples` events, the smallest ones. `old` and `new` may be one path with two
    versions. Other arguments are as in `match`; there is one `event_id` column.

    An event that one of the two cannot read counts for neither (`diff_rejects` lists such events). With
    `on_error="keep"` a column `rejected` is added, and a row with a null expression id has there how many they are.
    """
    asked = _asked(events, old, new, old_version, new_version, options)
    selected = asked.selected
    opened = asked.old.version.open(), asked.new.version.open()
    for index in opened:
        refuse_documents(index, "diff")
    if expression_id_type(opened[0]) != expression_id_type(opened[1]) and len(opened[0]) and len(opened[1]):
        raise InputError("the two indexes have ids of different types, and so no expression in common")
    id_type = expression_id_type(opened[1] if len(opened[1]) else opened[0])
    schema = schemas.differences(expression_id, id_type, selected.carried_fields[0].dataType)
    if on_error == "keep":
        schema = schemas.differences_or_rejects(schema)
    function = partial(
        _diff_batches,
        old=asked.old,
        new=asked.new,
        source=selected.source,
        samples=samples,
        names=schema.names,
        on_error=on_error,
    )
    parts = in_workers(spread_events(selected, partitions), function, schema)
    few = {
        name: F.slice(F.array_sort(F.flatten(F.collect_list(name))), 1, samples).alias(name)
        for name in ("gained_events", "lost_events")
    }
    rejected = [F.sum("rejected").alias("rejected")] if on_error == "keep" else []
    return parts.groupBy(F.col(quoted(expression_id)), "change").agg(
        F.sum("gained").alias("gained"), F.sum("lost").alias("lost"), *few.values(), *rejected
    )


@checked_arguments
def diff_rejects(
    events: Events,
    old: IndexPath,
    new: IndexPath,
    *,
    old_version: int | None = None,
    new_version: int | None = None,
    **options: Unpack[EventOptions],
) -> DataFrame:
    """The events that `diff` cannot read: their ids, the event as text, the error and what to do about it."""
    asked = _asked(events, old, new, old_version, new_version, options)
    schema = schemas.event_rejects(asked.selected.carried_fields)
    function = partial(_reject_batches, old=asked.old, new=asked.new, source=asked.selected.source, names=schema.names)
    return in_workers(asked.selected.frame, function, schema)


class _Asked(NamedTuple):
    """What is compared, for which events."""

    old: Side
    new: Side
    selected: SelectedEvents


def _asked(
    events: Events,
    old: IndexPath,
    new: IndexPath,
    old_version: int | None,
    new_version: int | None,
    options: EventOptions,
) -> _Asked:
    event_id = options.get("event_id", "event_id")
    if not isinstance(event_id, str):
        raise InputError("samples of events are shown by one id", help="give one column as event_id=")
    sides = compared_sides(index_version(old, old_version), index_version(new, new_version))
    return _Asked(*sides, select_events(events, asked_kinds(sides), **options))


@on_task_cores
def _diff_batches(
    batches: Iterator[pa.RecordBatch],
    *,
    old: Side,
    new: Side,
    source: EventSource,
    samples: int,
    names: list[str],
    on_error: OnError,
) -> Iterator[pa.RecordBatch]:
    (old_index, old_view), (new_index, new_view) = old.open(), new.open()
    ids = pc.unique(pa.concat_arrays([view.ids for view in (old_view, new_view) if len(view.ids)] or [new_view.ids]))
    codes = [pc.index_in(view.ids, value_set=ids).to_numpy(zero_copy_only=False) for view in (old_view, new_view)]
    changes = _changes(len(ids), *codes)
    blocks = EventBlocks(batches, new_index, source, on_error)
    num_rejected = 0
    for block in blocks:
        before = read_block(block.rows, old_index, source, on_error)
        after = block if not before.rejects else read_block(before.rows, new_index, source, on_error)
        num_rejected += len(block.rejects) + len(before.rejects)
        pairs = [
            _pairs(view, read, code, len(ids))
            for view, read, code in ((old_view, before, codes[0]), (new_view, after, codes[1]))
        ]
        gained = np.setdiff1d(pairs[1], pairs[0], assume_unique=True)
        lost = np.setdiff1d(pairs[0], pairs[1], assume_unique=True)
        columns = _columns(ids, changes, gained, lost, before.carried[0], samples)
        if on_error == "keep":
            columns.append(pa.array(np.zeros(len(columns[0]), np.int64)))
        yield pa.record_batch(columns, names=names)
        blocks.matched(len(pairs[0]) + len(pairs[1]))
    if on_error == "keep" and num_rejected:
        none = pa.array([[]], pa.list_(as_spark_takes(before.carried[0]).type))
        nulls = [pa.nulls(1, as_spark_takes(ids).type), pa.nulls(1, pa.string())]
        zero = pa.array([0], pa.int64())
        yield pa.record_batch([*nulls, zero, zero, none, none, pa.array([num_rejected], pa.int64())], names=names)


@on_task_cores
def _reject_batches(
    batches: Iterator[pa.RecordBatch], *, old: Side, new: Side, source: EventSource, names: list[str]
) -> Iterator[pa.RecordBatch]:
    old_index, new_index = old.open()[0], new.open()[0]
    for block in EventBlocks(batches, new_index, source):
        for read in (block, read_block(block.rows, old_index, source, "reject")):
            if read.rejects:
                carried = [as_spark_takes(column) for column in read.rejected_carried]
                yield pa.record_batch([*carried, *reject_columns(read.rejects)], names=names)


def _pairs(view: View, block: EventBlock, codes: npt.NDArray[np.int32], num_ids: int) -> npt.NDArray[np.int64]:
    """The matches, each as one number."""
    matches = view.match_batch(block.events)
    events = np.repeat(np.arange(len(matches)), row_lengths(matches.offsets))
    return events * num_ids + codes[matches.positions]


def _changes(
    num_ids: int, old_codes: npt.NDArray[np.int32], new_codes: npt.NDArray[np.int32]
) -> npt.NDArray[np.object_]:
    """What happened to each expression."""
    changes = np.full(num_ids, "changed", object)
    changes[np.setdiff1d(new_codes, old_codes)] = "added"
    changes[np.setdiff1d(old_codes, new_codes)] = "removed"
    return changes


def _columns(
    ids: pa.Array,
    changes: npt.NDArray[np.object_],
    gained: npt.NDArray[np.int64],
    lost: npt.NDArray[np.int64],
    event_ids: pa.Array,
    samples: int,
) -> list[pa.Array]:
    """Of the expressions that these pairs are about: the columns of a table of differences."""
    num_ids = max(len(ids), 1)
    counts = [np.bincount(pairs % num_ids, minlength=num_ids) for pairs in (gained, lost)]
    concerned = np.flatnonzero(counts[0] + counts[1])
    return [
        as_spark_takes(ids.take(pa.array(concerned))),
        pa.array(changes[concerned], pa.string()),
        *(pa.array(count[concerned].astype(np.int64)) for count in counts),
        *(_samples(pairs, num_ids, concerned, event_ids, samples) for pairs in (gained, lost)),
    ]


def _samples(
    pairs: npt.NDArray[np.int64],
    num_ids: int,
    concerned: npt.NDArray[np.int64],
    event_ids: pa.Array,
    samples: int,
) -> pa.Array:
    """For each of the expressions concerned: the ids of some of the events in its pairs, the smallest of this block."""
    ranks = np.argsort(np.asarray(pc.array_sort_indices(event_ids)))
    codes, events = pairs % num_ids, pairs // num_ids
    order = np.lexsort((ranks[events], codes))
    starts = np.searchsorted(codes[order], concerned)
    ends = np.searchsorted(codes[order], concerned, side="right")
    lengths = np.minimum(ends - starts, samples)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    places = np.arange(int(offsets[-1])) + np.repeat(starts - offsets[:-1], lengths)
    return pa.ListArray.from_arrays(
        pa.array(offsets, pa.int32()), as_spark_takes(event_ids.take(pa.array(events[order][places])))
    )
