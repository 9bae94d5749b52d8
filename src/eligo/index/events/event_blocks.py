"""How does a worker take events in? In blocks that are worth a call of the engine, with bad events put aside.

What Spark sends may be small batches; they are gathered. Once it is known how many matches an event has, a block is as
many events as have about a million, so that memory stays bounded whatever the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.data.encoded_value import read_only
from eligo.data.events.event_batch import EventBatch, with_rejects
from eligo.data.events.event_columns import ColumnReader
from eligo.data.events.event_times import with_times
from eligo.data.events.event_values import of_rows
from eligo.data.schema.attribute import Attribute
from eligo.data.schema.guards import TENANT
from eligo.data.schema.schema import Schema
from eligo.data.vocabulary import Vocabulary
from eligo.errors import EligoError, EventError, Reject
from eligo.index.events.event_source import JSON_COLUMN, MAP_COLUMN, ROWS_COLUMN, WEIGHTS_COLUMN, EventSource, OnError
from eligo.index.events.json_events import moment_kinds, read_json_texts
from eligo.index.index import Index
from eligo.index.part import Encoder
from eligo.language.value import Kind

MATCHES_AT_ONCE = 1 << 20
"""About so many matches are held, and at most so many are sent, at a time."""
FIRST_EVENTS = 1024
"""How many events are matched before it is known how many matches an event has."""
MOST_EVENTS = 1 << 16
SHOWN_EVENT = 10_000
"""Characters of a bad event that are kept."""


_num_events_of: dict[int, int] = {}
"""The size of blocks that the last task of this process came to, by the `id` of the index: the next starts with it."""


class RejectedEvent(NamedTuple):
    """An event that cannot be read."""

    text: str
    error: EligoError


class EventBlock(NamedTuple):
    """Events that were read, and those of the same rows that could not be."""

    carried: list[pa.Array]
    """The columns to copy, of the good events only."""
    events: Encoder
    """Gives the good events as each part of the index takes them."""
    rejects: list[RejectedEvent]
    rejected_carried: list[pa.Array]
    """The columns to copy of the rejected events."""
    rows: pa.Table
    """The good events as they came, the columns to copy first."""

    @property
    def table(self) -> pa.Table:
        """The good events as they came, without the columns to copy."""
        return self.rows.select(range(len(self.carried), self.rows.num_columns))

    def of_rows(self, rows: npt.NDArray[np.int64]) -> Encoder:
        """Some of the good events, as each part of the index takes them."""
        return lambda vocabulary: events_of_rows(self.events(vocabulary), rows)


class EventBlocks:
    """The events of a partition, block by block: `for block in blocks: …; blocks.matched(n)`."""

    def __init__(
        self,
        batches: Iterator[pa.RecordBatch],
        index: Index,
        source: EventSource,
        on_error: OnError = "reject",
        *,
        starts_large: bool = False,
    ) -> None:
        """`starts_large` is for who makes nothing for a match, and so need not know how many there are."""
        self._batches = source.batches(batches)
        self._index = index
        self._source = source
        self._on_error = on_error
        self._known_by = id(index)
        self._num_events = MOST_EVENTS if starts_large else _num_events_of.get(self._known_by, FIRST_EVENTS)
        self._last = 0

    def __iter__(self) -> Iterator[EventBlock]:
        for rows in self._gathered():
            start = 0
            while start < rows.num_rows:
                part = rows.slice(start, self._num_events)
                start += part.num_rows
                self._last = part.num_rows
                yield read_block(part, self._index, self._source, self._on_error)

    def matched(self, num_matches: int) -> None:
        """Say how many matches the last block had, for the size of the next; at most doubled at a time."""
        affordable = MATCHES_AT_ONCE * self._last // max(num_matches, 1)
        self._num_events = max(1, min(affordable, 2 * self._num_events, MOST_EVENTS))
        _num_events_of[self._known_by] = self._num_events

    def _gathered(self) -> Iterator[pa.Table]:
        """The batches, several together while they are small."""
        waiting: list[pa.RecordBatch] = []
        num_rows = 0
        for batch in self._batches:
            if waiting and batch.schema != waiting[0].schema:  # files may differ in the types of columns
                yield pa.Table.from_batches(waiting)
                waiting, num_rows = [], 0
            waiting.append(batch)
            num_rows += batch.num_rows
            if num_rows >= self._num_events:
                yield pa.Table.from_batches(waiting)
                waiting, num_rows = [], 0
        if num_rows:
            yield pa.Table.from_batches(waiting)


def read_block(rows: pa.Table, index: Index, source: EventSource, on_error: OnError) -> EventBlock:
    """Encode events; those that cannot be read are put aside, or raise an error that says which event it is."""
    joins = index.view().joins
    vocabularies = [part.vocabulary for part in index.parts]
    if joins:
        vocabularies.append(joins.tables.vocabulary)
    moments = moment_kinds(index) if source.is_json else {}
    given = rows
    rows, bad_times = with_times(rows)
    schema = event_schema(index, source)
    encoded = [_encoded(rows, vocabulary, schema, source, moments) for vocabulary in vocabularies]
    rejects = {int(reject.id): reject for batch in encoded for reject in batch.rejects}
    for row, error in bad_times.items():
        rejects[row] = Reject(row, _shown_event(given, row, source), error)
    good, bad = rows, rows.slice(0, 0)
    if rejects:
        bad_rows = sorted(rejects)
        bad = rows.take(pa.array(bad_rows, pa.int64()))
        if on_error == "raise":
            raise _named(rejects[bad_rows[0]].error, source, bad)
        is_good = np.ones(rows.num_rows, np.bool_)
        is_good[bad_rows] = False
        good = rows.filter(pa.array(is_good))
        if len(vocabularies) > 1 or bad_times:  # what one part cannot read, or has no time, is not for the others
            encoded = [_encoded(good, vocabulary, schema, source, moments) for vocabulary in vocabularies]
    batches = {id(vocabulary): batch for vocabulary, batch in zip(vocabularies, encoded, strict=True)}

    def events(vocabulary: Vocabulary) -> EventBatch:
        found = batches.get(id(vocabulary))  # else it is one of some parts of the index
        return _encoded(good, vocabulary, schema, source, moments) if found is None else found

    num_carried = len(source.carried)
    return EventBlock(
        [_whole(column) for column in good.columns[:num_carried]],
        events,
        [RejectedEvent(rejects[row].text[:SHOWN_EVENT], _without_row(rejects[row].error)) for row in sorted(rejects)],
        [_whole(column) for column in bad.columns[:num_carried]],
        good,
    )


def event_schema(index: Index, source: EventSource) -> Schema | None:
    """The schema by which events are read: the index's, with the kind of tenants if it does not say it itself."""
    kind = source.tenant_kind
    if kind is None or (index.schema is not None and TENANT in index.schema):
        return index.schema
    known = Schema([]) if index.schema is None else index.schema
    return Schema([*known, Attribute(TENANT, kind)], closed=known.closed)


def events_of_rows(events: EventBatch, rows: npt.NDArray[np.int64]) -> EventBatch:
    """Some events of a batch, ascending."""
    key_offsets, keys = _gathered(events.key_offsets, rows)
    cell_offsets, cells = _gathered(events.cell_offsets, rows)
    chosen = EventBatch(
        read_only(key_offsets),
        read_only(events.keys[keys]),
        read_only(events.key_weights[keys] if len(events.key_weights) else events.key_weights),
        read_only(cell_offsets),
        read_only(events.cell_axes[cells]),
        read_only(events.cells[cells]),
        read_only(events.cell_weights[cells] if len(events.cell_weights) else events.cell_weights),
    )
    if events.values:
        is_chosen = np.zeros(events.num_events, np.bool_)
        is_chosen[rows] = True
        chosen.values = tuple(of_rows(part, is_chosen) for part in events.values)
    return chosen


def _gathered(
    offsets: npt.NDArray[np.uint64], rows: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """Where the lists of these rows begin when they stand one after another, and where their items are now."""
    lengths = (offsets[1:] - offsets[:-1]).astype(np.int64)[rows]
    ends = np.cumsum(lengths)
    places = np.arange(int(lengths.sum())) + np.repeat(offsets[:-1].astype(np.int64)[rows] - (ends - lengths), lengths)
    return np.concatenate([[0], ends]).astype(np.uint64), places


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _encoded(
    rows: pa.Table,
    vocabulary: Vocabulary,
    schema: Schema | None,
    source: EventSource,
    moments: Mapping[str, Kind],
) -> EventBatch:
    given = rows.select(range(len(source.carried), rows.num_columns))
    weights = WEIGHTS_COLUMN if source.is_weighted else None
    if source.is_json:
        return read_json_texts(given, vocabulary, schema, weights, moments, source.roles, source.limits)
    if source.is_map:
        reader = ColumnReader(vocabulary, rows.num_rows, schema, None, False, "reject", source.limits)
        columns = given.drop_columns([MAP_COLUMN])
        reader.add_table(columns, (), weights)
        maps = given[MAP_COLUMN]
        # A tenant or time in a column of its own is the event's, whatever else its map says.
        reader.add_maps(maps.chunks, without=columns.column_names)
        batch = EventBatch.from_values(reader.num_good_rows, reader.values(), vocabulary)
        shown = ((row, _shown_value(maps[row]), error) for row, error in sorted(reader.errors.items()))
        return with_rejects(batch, (Reject(row, repr(event), error) for row, event, error in shown))
    # With the copied columns, because a table without a column would have no rows.
    copied = [*rows.column_names[: len(source.carried)], ROWS_COLUMN]
    batch = EventBatch.from_arrow(
        rows,
        vocabulary,
        exclude=copied,
        schema=schema,
        weights_column=weights,
        on_error="reject",
        limits=source.limits,
    )
    rejects = (Reject(reject.id, _shown(given, int(reject.id)), reject.error) for reject in batch.rejects)
    return with_rejects(batch, rejects)


def _shown_event(rows: pa.Table, row: int, source: EventSource) -> str:
    """An event as it came, as text."""
    given = rows.select(range(len(source.carried), rows.num_columns))
    if source.is_json:
        text = given[JSON_COLUMN][row].cast(pa.binary()).as_py()
        return "" if text is None else text.decode("utf-8", "replace")
    return _shown(given, row)


def _shown(given: pa.Table, row: int) -> str:
    """The attributes that an event has, as text."""
    found = {name: given[name][row] for name in given.column_names if name != WEIGHTS_COLUMN}
    return repr({name: _shown_value(value) for name, value in found.items() if value.is_valid})


def _shown_value(value: pa.Scalar) -> Any:
    try:
        return value.as_py()
    except (ArithmeticError, ValueError):  # a year after 9999, or text that is not UTF-8
        return f"<{value.type}>"


def _without_row(error: EligoError) -> EligoError:
    """The error without the row in the block, which says nothing to anyone."""
    if isinstance(error, EventError):
        error.row = None
    return error


def _named(error: EligoError, source: EventSource, bad: pa.Table) -> EventError:
    ids = ", ".join(f"{name} {bad.column(place)[0].as_py()!r}" for place, name in enumerate(source.carried))
    plain = _without_row(error)
    help = plain.help or 'pass on_error="reject" to put bad events aside'
    return EventError(f"the event with {ids} cannot be read: {_told(plain)}", help=help)


def reject_columns(rejects: Iterable[RejectedEvent]) -> list[pa.Array]:
    """The columns `event`, `error` and `help` of rejected events."""
    listed = list(rejects)
    return [
        pa.array([reject.text for reject in listed], pa.string()),
        pa.array([_told(reject.error) for reject in listed], pa.string()),
        pa.array([reject.error.help or None for reject in listed], pa.string()),
    ]


def _told(error: EligoError) -> str:
    attribute = error.attribute if isinstance(error, EventError) else None
    if attribute == WEIGHTS_COLUMN:
        return f"weights: {error.message}"
    return f"attribute {attribute!r}: {error.message}" if attribute is not None else error.message
