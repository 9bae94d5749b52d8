"""What do engines match? Events as lists of keys and of cells, encoded once, however many shards they meet.

The events {"age": 20, "state": "NY"} and {"state": ["CA", "NY"]}, with the vocabulary drawn in `vocabulary`:

    key_offsets   0 3 6      keys  0 1 3   1 2 3
    cell_offsets  0 1 1      cell_axes 0   cells 2

The ways to make a batch of the same events give the same arrays, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.arguments import flag, instance, text
from eligo.data.encoded_value import read_only_arrays
from eligo.data.events.direct.encoded_json import encoded_texts
from eligo.data.events.direct.encoded_tables import encoded_table
from eligo.data.events.direct.json_texts import JsonTexts
from eligo.data.events.encoded_events import EncodedEvents, EventArrays, arrays_of_kernel, encoded_values
from eligo.data.events.encoder.event_encoder import encoder_of
from eligo.data.events.encoder.event_rows import encoded_mappings, laid_out
from eligo.data.events.encoder.hits import Items
from eligo.data.events.event import NO_READERS, OnError, check_on_error, with_weights
from eligo.data.events.event_columns import ColumnReader
from eligo.data.events.event_json import JsonLines, all_lines, line_parser
from eligo.data.events.event_tables import add_frame, add_maps, add_table, encoded_rows, left_out
from eligo.data.events.event_values import EventValues
from eligo.data.events.event_weights import Weights
from eligo.data.events.text_values import inferred_readers, with_lists
from eligo.data.foreign_tables import arrow_table
from eligo.data.schema.schema import Schema
from eligo.data.vocabulary import Vocabulary
from eligo.errors import InputError, Reject
from eligo.language.limits import DEFAULT_LIMITS, Limits, checked_limits
from eligo.language.value import Kind


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
        encoded = encoded_mappings(
            with_weights(events, weights),
            vocabulary,
            with_lists(inferred_readers(vocabulary, schema, from_text=True)) if from_text else NO_READERS,
            schema=schema,
            from_text=from_text,
            on_error=on_error,
            shown=lambda event_and_weights: repr(event_and_weights[0]),
            limits=limits,
        )
        return cls._of(encoded)

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
        **options: Any,
    ) -> EventBatch:
        """Events as JSON texts in memory; see `encoded_texts`, also for the options."""
        return cls._of(encoded_texts(texts, given, vocabulary, moments, **options))

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
            direct = encoded_table(table, vocabulary, left_out(exclude), on_error, checked_limits(limits))
            if direct is not None:
                return cls._of(direct)
        reader = ColumnReader(vocabulary, table.num_rows, schema, weights, from_text, on_error, limits)
        shown = add_table(reader, table, exclude, weights_column)
        return cls._of(encoded_rows(reader, shown))

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
        return cls._of(encoded_rows(reader, add_maps(reader, column)))

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
        return cls._of(encoded_rows(reader, shown))

    @classmethod
    def from_values(cls, num_events: int, parts: Sequence[EventValues], vocabulary: Vocabulary) -> EventBatch:
        """Events from their values, in parts, which are laid out fastest in the order of attributes."""
        return cls._of(encoded_values(num_events, parts, vocabulary))

    @classmethod
    def _of(cls, encoded: EncodedEvents) -> EventBatch:
        batch = cls(*encoded.arrays)
        batch.rejects, batch.values = tuple(encoded.rejects), encoded.values
        return batch

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The named arrays that `from_arrays` takes back."""
        return self._asdict()

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> EventBatch:
        """A batch over arrays as they are."""
        if not isinstance(arrays, Mapping) or not all(isinstance(arrays.get(name), np.ndarray) for name in cls._fields):
            raise InputError(f"the arrays of a batch are {', '.join(cls._fields)}", help="they come from arrays()")
        return cls(*read_only_arrays(arrays[name] for name in cls._fields))


def encoded_event(event: Mapping[str, Any], vocabulary: Vocabulary, limits: Limits = DEFAULT_LIMITS) -> EventBatch:
    """One event without weights, as `EventBatch.from_dicts` has it; quicker."""
    return batch_of_items(encoder_of(vocabulary).items(event, limits))


def batch_of_items(items: Items) -> EventBatch:
    """One event by the items that an `EventEncoder` gives."""
    return EventBatch(*arrays_of_kernel(laid_out(items)))


def with_rejects(batch: EventBatch, rejects: Iterable[Reject]) -> EventBatch:
    """The same events, beside those that could not be read."""
    same = EventBatch(*batch)
    same.rejects, same.values = tuple(rejects), batch.values
    return same


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
