"""What do engines match? Events as lists of keys and of cells, encoded once, however many shards they meet.

The events {"age": 20, "state": "NY"} and {"state": ["CA", "NY"]}, with the vocabulary drawn in `vocabulary`:

    key_offsets   0 3 6      keys  0 1 3   1 2 3
    cell_offsets  0 1 1      cell_axes 0   cells 2

The ways to make a batch of the same events give the same arrays, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.arguments import flag, instance, text
from eligo.data.encoded_value import read_only, read_only_arrays
from eligo.data.events.direct.arrow_tables import encode_table
from eligo.data.events.direct.column_plan import column_plan
from eligo.data.events.direct.joined_events import events_in_order
from eligo.data.events.direct.json_scratch import JsonScratch, roles_of
from eligo.data.events.direct.json_texts import JsonTexts, encode_json
from eligo.data.events.encoder.event_encoder import encoder_of
from eligo.data.events.encoder.event_rows import RowWriter, laid_out
from eligo.data.events.event import NO_READERS, OnError, Reader, check_on_error, read_each, read_events, with_weights
from eligo.data.events.event_columns import ColumnReader
from eligo.data.events.event_json import JsonLines, all_lines, line_parser
from eligo.data.events.event_tables import Shown, add_frame, add_maps, add_table, left_out
from eligo.data.events.event_values import NO_WEIGHTS, EventValues, unless_all_one
from eligo.data.events.event_weights import Weights
from eligo.data.events.kernels.keys_and_cells import (
    Hits,
    encode_events,
    find_cell_hits,
    find_key_hits,
    find_node_hits,
    find_presences,
    lay_out,
)
from eligo.data.events.text_values import inferred_readers, with_lists
from eligo.data.foreign_tables import arrow_table
from eligo.data.schema.schema import Schema
from eligo.data.vocabulary import Vocabulary
from eligo.errors import EligoError, EventError, InputError, Reject
from eligo.language.limits import DEFAULT_LIMITS, Limits, checked_limits
from eligo.language.value import Kind


class EventArrays(NamedTuple):
    """Encoded events as kernels take them; all arrays are read-only."""

    key_offsets: npt.NDArray[np.uint64]
    """Event e has the keys key_offsets[e] : key_offsets[e + 1]."""
    keys: npt.NDArray[np.uint32]
    """For each event: its keys, ascending and distinct."""
    key_weights: npt.NDArray[np.float64]
    """For each of these keys: its weight in the event; empty when all are 1."""
    cell_offsets: npt.NDArray[np.uint64]
    """Event e has the cells cell_offsets[e] : cell_offsets[e + 1]."""
    cell_axes: npt.NDArray[np.uint32]
    """For each event's cells: their axes, ascending."""
    cells: npt.NDArray[np.uint32]
    """For each event: its cells, ascending on each axis, each (axis, cell) once."""
    cell_weights: npt.NDArray[np.float64]
    """For each of these cells: the largest weight of a value in it; empty when all are 1."""


class EventBatch(EventArrays):
    """Encoded events, and those that could not be. `len` counts the arrays, `num_events` the events."""

    rejects: tuple[Reject, ...] = ()
    """With `on_error="reject"`, the events that could not be read; their ids are their places among all that came.

    No field of the tuple: kernels take the arrays alone.
    """
    values: tuple[EventValues, ...] = ()
    """The values that it was made of, with a vocabulary that `keeps_values`."""

    @property
    def num_events(self) -> int:
        return len(self.key_offsets) - 1

    @classmethod
    def from_dicts(
        cls,
        events: Iterable[Mapping[str, Any]],
        vocabulary: Vocabulary,
        *,
        weights: Weights | Iterable[Weights | None] | None = None,
        schema: Schema | None = None,
        from_text: bool = False,
        on_error: OnError = "raise",
        limits: Limits = DEFAULT_LIMITS,
    ) -> EventBatch:
        """Events as mappings from attributes to a value or a list of values.

        `weights` is one mapping for all events, or one for each. A schema brings values to its kinds, or refuses them.
        With `from_text`, as for CSV, strings are read by their attribute's kind (see `text_values`). With
        `on_error="reject"` the batch has the good events, and the bad ones are its `rejects`. An event beyond the
        `limits` is a bad one.
        """
        _check_arguments(vocabulary, schema, on_error, from_text=from_text)
        return batch_of_mappings(
            with_weights(events, weights),
            vocabulary,
            with_lists(inferred_readers(vocabulary, schema, from_text=True)) if from_text else NO_READERS,
            schema=schema,
            from_text=from_text,
            on_error=on_error,
            shown=lambda event_and_weights: repr(event_and_weights[0]),
            limits=limits,
        )

    @classmethod
    def from_json_lines(
        cls,
        source: JsonLines,
        vocabulary: Vocabulary,
        *,
        weights: Weights | None = None,
        weights_field: str | None = None,
        schema: Schema | None = None,
        on_error: OnError = "raise",
        limits: Limits = DEFAULT_LIMITS,
    ) -> EventBatch:
        """Events as JSON objects, one a line: a text, its bytes, a `Path`, or lines. Blank lines are passed over.

        `weights` is for all events; `weights_field` names the field of an object that has its own. JSON has no dates,
        so ISO strings are read as `text_values` says.
        """
        _check_arguments(vocabulary, schema, on_error, weights_column=weights_field)
        lines, problem = all_lines(source)
        is_plain = schema is None and weights is None and weights_field is None
        batch = cls.from_json_texts(
            JsonTexts.of([line.text for line in lines]) if is_plain else None,
            lines,
            vocabulary,
            vocabulary.temporal_kinds,
            parse=line_parser(weights, weights_field, limits),
            readers=with_lists(inferred_readers(vocabulary, schema, from_text=False)),
            schema=schema,
            on_error=on_error,
            limits=limits,
        )
        if problem is not None:
            raise problem
        return batch

    @classmethod
    def from_json_texts(
        cls,
        texts: JsonTexts | None,
        given: Sequence[Any],
        vocabulary: Vocabulary,
        moments: Mapping[str, Kind],
        *,
        parse: Callable[[Any], tuple[Any, Any]],
        readers: Mapping[str, Reader],
        schema: Schema | None = None,
        on_error: OnError = "raise",
        shown: Callable[[Any], str] = repr,
        limits: Limits = DEFAULT_LIMITS,
    ) -> EventBatch:
        """Events as JSON texts in memory; what is unusual, or all where there are none, is parsed from `given`.

        `moments` says which attributes have texts that are dates or timestamps; `readers` are how these are read. For
        all else see `read_events`.
        """
        is_left, direct = np.ones(len(given), np.bool_), None
        if texts is not None and not vocabulary.keeps_values:
            scratch = JsonScratch(vocabulary, roles_of(vocabulary, moments))
            room, is_left = encode_json(texts, vocabulary, scratch, checked_limits(limits))
            direct = cls.of_unweighted(*room.arrays())
            if not is_left.any():
                return direct
        places = np.flatnonzero(is_left).tolist()
        try:
            batch = batch_of_mappings(
                (given[place] for place in places),
                vocabulary,
                readers,
                parse=parse,
                schema=schema,
                on_error=on_error,
                shown=shown,
                limits=limits,
            )
        except EventError as error:
            raise _at_place(error, places) from None
        told = [Reject(places[int(each.id)], each.text, _at_place(each.error, places)) for each in batch.rejects]
        if direct is not None:
            is_good = np.ones(len(given), np.bool_)
            is_good[[int(reject.id) for reject in told]] = False
            batch = cls.of_unweighted(*events_in_order(direct.unweighted(), batch.unweighted(), is_left[is_good]))
        return with_rejects(batch, told)

    @classmethod
    def from_arrow(
        cls,
        table: pa.Table | pa.RecordBatch,
        vocabulary: Vocabulary,
        *,
        exclude: Iterable[str] = (),
        weights: Weights | None = None,
        weights_column: str | None = None,
        schema: Schema | None = None,
        from_text: bool = False,
        on_error: OnError = "raise",
        limits: Limits = DEFAULT_LIMITS,
    ) -> EventBatch:
        """Events as rows, attributes as columns, without an object for each value; see `event_columns`.

        A table is whatever has the Arrow PyCapsule interface, such as a Polars frame or a DuckDB relation. `exclude`
        names columns that are not attributes, such as an event's id; `weights` is for all events, and `weights_column`
        names a map or struct column from attributes to numbers.
        """
        known = arrow_table(table)
        if known is None:
            raise InputError(f"events are an Arrow table or record batch, not {type(table).__name__}")
        table = known
        _check_arguments(vocabulary, schema, on_error, from_text, weights_column=weights_column)
        is_plain = schema is None and weights is None and weights_column is None and not from_text
        if is_plain and not vocabulary.keeps_values:
            direct = cls._direct(table, vocabulary, left_out(exclude), on_error, checked_limits(limits))
            if direct is not None:
                return direct
        reader = ColumnReader(vocabulary, table.num_rows, schema, weights, from_text, on_error, limits)
        shown = add_table(reader, table, exclude, weights_column)
        return cls._from_reader(reader, shown)

    @classmethod
    def _direct(
        cls,
        table: pa.Table | pa.RecordBatch,
        vocabulary: Vocabulary,
        exclude: tuple[str, ...],
        on_error: OnError,
        limits: Limits,
    ) -> EventBatch | None:
        """A table's columns of plain types in one pass, the others beside them; None for what takes the long way."""
        plan = column_plan(vocabulary, table.schema, exclude)
        if plan is None or not table.num_rows:
            return None
        batches = [table] if isinstance(table, pa.RecordBatch) else table.to_batches()
        reader, more, shown = None, None, None
        while True:
            if plan.apart:
                reader = ColumnReader(vocabulary, table.num_rows, None, None, False, on_error, limits)
                others = [name for name in table.schema.names if name not in plan.apart]
                shown = add_table(reader, table, (*exclude, *others), None)
                more = cls.from_values(reader.num_good_rows, reader.values(), vocabulary)
            skipped = reader.errors if reader is not None else ()
            room, bad = encode_table(batches, plan, vocabulary, more and more.unweighted(), skipped)
            if not bad:
                break
            plan = plan.without(bad)
        most_values, most_bytes = reader.most_sizes() if reader is not None else (0, 0)
        if room.most_values + most_values > limits.event_values or room.most_bytes + most_bytes > limits.event_bytes:
            return None
        batch = cls.of_unweighted(*room.arrays())
        return batch if reader is None or shown is None else with_rejects(batch, _rejects(reader, shown))

    @classmethod
    def from_map_column(
        cls,
        column: pa.Array | pa.ChunkedArray,
        vocabulary: Vocabulary,
        *,
        weights: Weights | None = None,
        schema: Schema | None = None,
        from_text: bool = False,
        on_error: OnError = "raise",
        limits: Limits = DEFAULT_LIMITS,
    ) -> EventBatch:
        """Events as maps from attribute to a value or a list, or as lists of (key, value) structs; null has none.

        A key that stands in a row twice gives several values. Where all values are text, `from_text` reads them.
        """
        if not isinstance(column, pa.Array | pa.ChunkedArray):
            raise InputError(f"a map column is an Arrow array, not {type(column).__name__}")
        _check_arguments(vocabulary, schema, on_error, from_text)
        reader = ColumnReader(vocabulary, len(column), schema, weights, from_text, on_error, limits)
        return cls._from_reader(reader, add_maps(reader, column))

    @classmethod
    def from_pandas(
        cls,
        frame: Any,
        vocabulary: Vocabulary,
        *,
        exclude: Iterable[str] = (),
        weights: Weights | None = None,
        weights_column: str | None = None,
        schema: Schema | None = None,
        from_text: bool = False,
        on_error: OnError = "raise",
        limits: Limits = DEFAULT_LIMITS,
    ) -> EventBatch:
        """Events as rows of a pandas frame; its index says nothing. A column may hold objects of several kinds."""
        if not (hasattr(frame, "columns") and hasattr(frame, "iloc")):
            raise InputError(f"events are a pandas frame, not {type(frame).__name__}")
        _check_arguments(vocabulary, schema, on_error, from_text, weights_column=weights_column)
        reader = ColumnReader(vocabulary, len(frame), schema, weights, from_text, on_error, limits)
        shown = add_frame(reader, frame, exclude, weights_column)
        return cls._from_reader(reader, shown)

    @classmethod
    def _from_reader(cls, reader: ColumnReader, shown: Shown) -> EventBatch:
        batch = cls.from_values(reader.num_good_rows, reader.values(), reader.vocabulary)
        return with_rejects(batch, _rejects(reader, shown))

    @classmethod
    def from_values(cls, num_events: int, parts: Sequence[EventValues], vocabulary: Vocabulary) -> EventBatch:
        """Events from their values, in parts, which are laid out fastest in the order of attributes."""
        batch = cls._of_values(num_events, parts, vocabulary)
        if vocabulary.keeps_values:
            batch.values = tuple(parts)
        return batch

    @classmethod
    def _of_values(cls, num_events: int, parts: Sequence[EventValues], vocabulary: Vocabulary) -> EventBatch:
        if len(parts) == 1:
            return cls._from_kernel(encode_events(vocabulary.data, num_events, *parts[0]))
        presences = [find_presences(part.values.attributes, part.rows, part.present_weights) for part in parts]
        keys, nodes, cells = (
            [find(vocabulary.data, part.values, part.rows, part.weights) for part in parts]
            for find in (find_key_hits, find_node_hits, find_cell_hits)
        )
        return cls._from_kernel(lay_out(num_events, _joined([*presences, *keys, *nodes]), _joined(cells)))

    @classmethod
    def _from_kernel(cls, arrays: tuple[npt.NDArray[Any], ...]) -> EventBatch:
        key_offsets, keys, key_weights, cell_offsets, cell_axes, cells, cell_weights = arrays
        return cls(
            read_only(key_offsets),
            read_only(keys),
            unless_all_one(key_weights),
            read_only(cell_offsets),
            read_only(cell_axes),
            read_only(cells),
            unless_all_one(cell_weights),
        )

    @classmethod
    def of_unweighted(
        cls,
        key_offsets: npt.NDArray[np.uint64],
        keys: npt.NDArray[np.uint32],
        cell_offsets: npt.NDArray[np.uint64],
        cell_axes: npt.NDArray[np.uint32],
        cells: npt.NDArray[np.uint32],
    ) -> EventBatch:
        """Events whose weights are all 1, over read-only arrays."""
        return cls(key_offsets, keys, NO_WEIGHTS, cell_offsets, cell_axes, cells, NO_WEIGHTS)

    def unweighted(self) -> tuple[npt.NDArray[Any], ...]:
        """The arrays that `of_unweighted` takes."""
        return self.key_offsets, self.keys, self.cell_offsets, self.cell_axes, self.cells

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The named arrays that `from_arrays` takes back."""
        return self._asdict()

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> EventBatch:
        """A batch over arrays as they are."""
        if not isinstance(arrays, Mapping) or not all(isinstance(arrays.get(name), np.ndarray) for name in cls._fields):
            raise InputError(f"the arrays of a batch are {', '.join(cls._fields)}", help="they come from arrays()")
        return cls(*read_only_arrays(arrays[name] for name in cls._fields))


def _rejects(reader: ColumnReader, shown: Shown) -> Iterator[Reject]:
    return (Reject(row, shown(row), error) for row, error in sorted(reader.errors.items()))


def encoded_event(event: Mapping[str, Any], vocabulary: Vocabulary, limits: Limits = DEFAULT_LIMITS) -> EventBatch:
    """One event without weights, as `EventBatch.from_dicts` has it; quicker."""
    return batch_of_items(encoder_of(vocabulary).items(event, limits))


def batch_of_items(items: list[int]) -> EventBatch:
    """One event by the items that an `EventEncoder` gives."""
    return EventBatch._from_kernel(laid_out(items))


def batch_of_mappings(
    events: Iterable[Any], vocabulary: Vocabulary, readers: Mapping[str, Reader], *, limits: Limits, **options: Any
) -> EventBatch:
    """Events that `parse` makes mappings of, with their weights; the options are those of `event.read_each`."""
    if vocabulary.keeps_values:
        values, num_events, rejects = read_events(events, vocabulary, readers=readers, limits=limits, **options)
        return with_rejects(EventBatch.from_values(num_events, [values], vocabulary), rejects)
    rows = RowWriter(vocabulary, readers, limits)
    rejects = read_each(events, rows.read, limits=limits, **options)
    return with_rejects(EventBatch._from_kernel(rows.arrays()), rejects)


def with_rejects(batch: EventBatch, rejects: Iterable[Reject]) -> EventBatch:
    """The same events, beside those that could not be read."""
    same = EventBatch(*batch)
    same.rejects, same.values = tuple(rejects), batch.values
    return same


def _at_place(error: EligoError, places: Sequence[int]) -> EligoError:
    """The error of one of some events, with its place among all."""
    if isinstance(error, EventError) and error.row is not None:
        error.row = places[error.row]
    return error


def _check_arguments(
    vocabulary: Any, schema: Any, on_error: Any, from_text: Any = False, *, weights_column: Any = None
) -> None:
    """Refuse what no way of reading events can take."""
    instance(vocabulary, "vocabulary", Vocabulary, "that of an index", help="pass index.vocabulary")
    if schema is not None:
        instance(schema, "schema", Schema, "a Schema", help="make one with Schema.from_dict")
    check_on_error(on_error)
    flag(from_text, "from_text")
    if weights_column is not None:
        text(weights_column, "weights_column")


def _joined(parts: Sequence[Hits]) -> Hits:
    """Hits one after another; where only some parts have weights, the others' are 1."""
    rows = np.concatenate([np.zeros(0, np.uint32), *(part.rows for part in parts)])
    items = np.concatenate([np.zeros(0, np.uint64), *(part.items for part in parts)])
    if not any(len(part.weights) for part in parts):
        return Hits(rows, items, np.zeros(0, np.float64))
    weights = [part.weights if len(part.weights) else np.ones(len(part.rows)) for part in parts]
    return Hits(rows, items, np.concatenate(weights))
