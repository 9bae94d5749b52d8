"""What would change? The matches that a new index gains and loses against an old one, for each expression.

Expressions that stand in both indexes with the same text match the same events, if both treat missing attributes
alike and have the same schema and hierarchies. Then only the others are asked; when they are few, workers build two
small indexes of them instead of opening the large ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from typing import NamedTuple, Unpack

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from eligo import index as indexes
from eligo.errors import InputError
from eligo.index import Index
from eligo.live_index import STORED_LIMITS
from eligo.matches import row_lengths
from eligo.spark import schemas
from eligo.spark.event_blocks import EventBlock, EventBlocks, as_spark_takes, read_block
from eligo.spark.events import EventOptions, Events, EventSource, OnError, select_events
from eligo.spark.match import spread_events
from eligo.spark.opened_index import IndexPath, IndexVersion, attribute_kinds, expression_id_type, index_version
from eligo.spark.shard_groups import ShardGroup
from eligo.spark.tables import quoted
from eligo.view import View

FEW_CHANGED = 20_000
"""Up to so many changed expressions are sent to the workers and indexed there."""


class Side(NamedTuple):
    """What one of the two indexes is asked for."""

    version: IndexVersion
    changed: bytes | None
    """An Arrow stream of the ids and texts to ask; None for the whole index."""

    def open(self) -> tuple[Index, View]:
        """The index, and what to ask."""
        return ShardGroup(self.version).open() if self.changed is None else _built(self)


@lru_cache(maxsize=4)
def _built(side: Side) -> tuple[Index, View]:
    whole = side.version.open()
    index = indexes.build(
        pa.ipc.open_stream(side.changed).read_all(),
        missing=whole.missing,
        engine=whole.engine_name,
        hierarchies=whole.hierarchies,
        limits=STORED_LIMITS,
    )
    index.schema = whole.schema
    return index, index._live.view()


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
    """
    event_id = options.get("event_id", "event_id")
    if not isinstance(event_id, str):
        raise InputError("samples of events are shown by one id", help="give one column as event_id=")
    before, after = index_version(old, old_version), index_version(new, new_version)
    sides = _sides(before, after)
    opened = before.open(), after.open()
    if expression_id_type(opened[0]) != expression_id_type(opened[1]) and len(opened[0]) and len(opened[1]):
        raise InputError("the two indexes have ids of different types, and so no expression in common")
    kinds = attribute_kinds(sides[0].open()[0])
    for name, own in attribute_kinds(sides[1].open()[0]).items():
        kinds[name] = kinds.get(name, frozenset()) | own
    selected = select_events(events, kinds, **options)
    id_type = expression_id_type(opened[1] if len(opened[1]) else opened[0])
    schema = schemas.differences(expression_id, id_type, selected.carried_fields[0].dataType)
    function = partial(
        _diff_batches,
        old=sides[0],
        new=sides[1],
        source=selected.source,
        samples=samples,
        names=schema.names,
        on_error=on_error,
    )
    parts = spread_events(selected, partitions).mapInArrow(function, schema)
    few = {
        name: F.slice(F.array_sort(F.flatten(F.collect_list(name))), 1, samples).alias(name)
        for name in ("gained_events", "lost_events")
    }
    return parts.groupBy(F.col(quoted(expression_id)), "change").agg(
        F.sum("gained").alias("gained"), F.sum("lost").alias("lost"), few["gained_events"], few["lost_events"]
    )


def _sides(before: IndexVersion, after: IndexVersion) -> tuple[Side, Side]:
    """What to ask of each index: all, or only what changed."""
    old, new = before.open(verify=True), after.open(verify=True)
    first, second = before.opened_manifest(), after.opened_manifest()
    meanings = [(side.missing, side.schema, side.hierarchies) for side in (first, second)]
    old_view, new_view = old._live.view(), new._live.view()
    if meanings[0] != meanings[1] or old_view.ids.type != new_view.ids.type:
        return Side(before, None), Side(after, None)
    old_texts, new_texts = old_view.texts, new_view.texts
    places = pc.index_in(new_view.ids, value_set=old_view.ids)
    is_same = pc.fill_null(pc.equal(new_texts, old_texts.take(places)), False)
    same_in_old = np.zeros(len(old_view.ids), np.bool_)
    same_in_old[places.filter(is_same).to_numpy(zero_copy_only=False).astype(np.int64)] = True
    changed_old = pa.table({"id": old_view.ids, "expression": old_texts}).filter(pa.array(~same_in_old))
    changed_new = pa.table({"id": new_view.ids, "expression": new_texts}).filter(pc.invert(is_same))
    if max(changed_old.num_rows, changed_new.num_rows) > FEW_CHANGED:
        return Side(before, None), Side(after, None)
    return Side(before, _stream(changed_old)), Side(after, _stream(changed_new))


def _stream(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    data: bytes = sink.getvalue().to_pybytes()
    return data


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
    for block in blocks:
        before = read_block(block.rows, old_index, source, on_error)
        after = block if not before.rejects else read_block(before.rows, new_index, source, on_error)
        pairs = [
            _pairs(view, read, code, len(ids))
            for view, read, code in ((old_view, before, codes[0]), (new_view, after, codes[1]))
        ]
        gained = np.setdiff1d(pairs[1], pairs[0], assume_unique=True)
        lost = np.setdiff1d(pairs[0], pairs[1], assume_unique=True)
        yield _rows(ids, changes, gained, lost, before.carried[0], samples, names)
        blocks.matched(len(pairs[0]) + len(pairs[1]))


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


def _rows(
    ids: pa.Array,
    changes: npt.NDArray[np.object_],
    gained: npt.NDArray[np.int64],
    lost: npt.NDArray[np.int64],
    event_ids: pa.Array,
    samples: int,
    names: list[str],
) -> pa.RecordBatch:
    num_ids = max(len(ids), 1)
    counts = [np.bincount(pairs % num_ids, minlength=num_ids) for pairs in (gained, lost)]
    concerned = np.flatnonzero(counts[0] + counts[1])
    return pa.record_batch(
        [
            as_spark_takes(ids.take(pa.array(concerned))),
            pa.array(changes[concerned], pa.string()),
            *(pa.array(count[concerned].astype(np.int64)) for count in counts),
            *(_samples(pairs, num_ids, concerned, event_ids, samples) for pairs in (gained, lost)),
        ],
        names=names,
    )


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
