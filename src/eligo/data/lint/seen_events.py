"""What did events have? For each attribute what was seen of it, in some of the events: enough to tell what never comes.

A table's columns are looked at by Arrow; mappings, JSON and CSV value by value. A map column may have any key, so
nothing is said of attributes below it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from eligo.data.events.column_values import as_scalars, is_list, plain
from eligo.data.events.column_wrappings import decoded_words
from eligo.data.events.event_tables import frame_columns
from eligo.data.foreign_tables import arrow_table, is_pandas
from eligo.data.lint.seen_attribute import MOST_VALUES, Readings, SeenAttribute
from eligo.data.schema.schema import Schema
from eligo.errors import EventError, InputError, shown
from eligo.language.event_size import is_several
from eligo.language.limits import DEFAULT_LIMITS
from eligo.language.value import Kind, Scalar, event_values, flat

SAMPLE = 100_000
"""So many events are looked at unless another number is asked for."""


class SeenEvents:
    """Events that were looked at."""

    def __init__(self) -> None:
        self.num_events = 0
        self.attributes: dict[str, SeenAttribute] = {}
        self.open_prefixes: tuple[str, ...] = ()
        """Beginnings of names of which nothing is known: those below maps."""

    @classmethod
    def of(cls, events: Any, *, sample: int = SAMPLE) -> SeenEvents:
        """The first of some events: a table that Arrow can read, a pandas frame, or mappings."""
        seen = cls()
        if is_pandas(events):
            seen.add_frame(events.head(sample))
        elif (table := arrow_table(events)) is not None:
            seen.add_table(table.slice(0, sample))
        else:
            seen.add_mappings(islice(_iterated(events), sample))
        return seen

    def get(self, name: str) -> SeenAttribute | None:
        """What was seen of an attribute; None for one that no event and no column has."""
        return self.attributes.get(name)

    def is_open(self, name: str) -> bool:
        """Whether an attribute may be there although it was not seen."""
        return name.startswith(self.open_prefixes)

    def is_single(self, name: str) -> bool:
        """Whether no event had several values of the attribute."""
        seen = self.attributes.get(name)
        return seen is not None and not seen.several

    def schema(self, *, bounds: bool = False, values: int = 0, exclude: Iterable[str] = ()) -> Schema:
        """The schema that they keep to; attributes of several kinds, or without a value, are not in it."""
        left_out = set(exclude)
        own = (seen.attribute(bounds=bounds, values=values) for seen in self.attributes.values())
        return Schema([attribute for attribute in own if attribute is not None and attribute.name not in left_out])

    def _attribute(self, name: str) -> SeenAttribute:
        return self.attributes.setdefault(name, SeenAttribute(name))

    def add_names(self, names: Iterable[str]) -> None:
        """Take note of attributes that events may have, whether or not one has a value."""
        for name in names:
            self._attribute(name)

    def add_value(self, name: str, value: Scalar, readings: Readings) -> None:
        """Take note of a value that some events have."""
        self._attribute(name).add(value, readings)

    def add_table(self, table: pa.Table | pa.RecordBatch) -> None:
        """Look at all rows of a table."""
        self.num_events += table.num_rows
        for path, kind in _leaves(table.schema):
            if pt.is_map(kind):
                self.open_prefixes += (f"{path}.",)
            else:
                self._add_type(path, kind)
        for batch in [table] if isinstance(table, pa.RecordBatch) else table.to_batches():
            for path, array in _arrays(batch):
                self._add_array(self._attribute(path), array)

    def _add_type(self, path: str, kind: pa.DataType) -> None:
        attribute = self._attribute(path)
        if is_list(kind):
            attribute.several, kind = True, kind.value_type
        value_kind = _kind_of_type(kind)
        if value_kind is not None:
            attribute.add_kind(value_kind)
            attribute.is_whole = pt.is_integer(kind)

    def _add_array(self, attribute: SeenAttribute, array: pa.Array) -> None:
        scalars, _ = as_scalars(array)
        if pt.is_dictionary(scalars.type):
            scalars = decoded_words(scalars)
        scalars = scalars.drop_null()
        if _kind_of_type(scalars.type) is None or not len(scalars):
            return
        if pt.is_timestamp(scalars.type):
            scalars = scalars.cast(pa.timestamp("us", scalars.type.tz), safe=False)
        distinct = scalars.unique()
        if len(distinct) <= MOST_VALUES:
            for value in _values(distinct):
                attribute.add(value)
        else:
            extent = pc.min_max(distinct)
            attribute.add_extent(_values([extent["min"], extent["max"]]))

    def add_frame(self, frame: Any) -> None:
        """Look at all rows of a pandas frame, whose objects may be of several kinds."""
        columns, objects = frame_columns(frame, [name for name in frame.columns if isinstance(name, str)])
        self.add_table(pa.table(columns) if columns else pa.table({}))
        self.num_events = len(frame)
        for name, cells in objects.items():
            for cell in cells:
                self._add_mapping({name: cell}, None)

    def add_mappings(self, events: Iterable[Any], readings: Readings | None = None) -> None:
        """Look at events one by one; one that cannot be read is passed over."""
        for event in events:
            if not isinstance(event, Mapping):
                raise EventError(f"an event is a mapping from attributes to values, not {shown(event)}")
            self.num_events += 1
            self._add_mapping(event, readings)

    def _add_mapping(self, event: Mapping[Any, Any], readings: Readings | None) -> None:
        with suppress(EventError):
            for name, raw in flat(event, DEFAULT_LIMITS):
                attribute = self._attribute(name)
                attribute.several |= is_several(raw)
                for value in event_values(raw, name):
                    attribute.add(value, readings)


def _iterated(events: Any) -> Iterator[Any]:
    try:
        if not isinstance(events, str | bytes | Mapping | type):
            return iter(events)
    except TypeError:
        pass
    raise InputError(
        f"events are a table or mappings, not {shown(events)}", help="give a table, a frame or a list of dicts"
    )


def _values(scalars: Iterable[pa.Scalar]) -> Iterator[Scalar]:
    """The canonical values of Arrow's; what an event cannot hold is passed over."""
    for scalar in scalars:
        with suppress(EventError, ValueError, OverflowError):
            yield from event_values(scalar.as_py())


def _leaves(schema: pa.Schema) -> Iterator[tuple[str, pa.DataType]]:
    """The dotted names of a table's columns, structs taken apart, and what is in them."""
    pending = [(field.name, field.type) for field in reversed(list(schema))]
    while pending:
        path, kind = pending.pop()
        while pt.is_dictionary(kind) or pt.is_run_end_encoded(kind) or isinstance(kind, pa.BaseExtensionType):
            kind = kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind.value_type
        if pt.is_struct(kind):
            pending += [(f"{path}.{field.name}", field.type) for field in reversed(list(kind))]
        else:
            yield path, kind


def _arrays(batch: pa.RecordBatch) -> Iterator[tuple[str, pa.Array]]:
    """The arrays of the same columns, but for maps."""
    pending = list(zip(batch.schema.names, batch.columns, strict=True))
    while pending:
        path, array = pending.pop()
        array = plain(array)
        if pt.is_struct(array.type):
            names = [f"{path}.{field.name}" for field in array.type]
            pending += zip(names, array.flatten(), strict=True)
        elif not pt.is_map(array.type):
            yield path, array


def _kind_of_type(kind: pa.DataType) -> Kind | None:
    """The kind of value that a type of Arrow holds; None for what holds none."""
    if pt.is_boolean(kind):
        return Kind.BOOL
    if pt.is_integer(kind) or pt.is_floating(kind) or pt.is_decimal(kind):
        return Kind.NUMBER
    if pt.is_string(kind) or pt.is_large_string(kind) or pt.is_string_view(kind):
        return Kind.STRING
    if pt.is_date(kind):
        return Kind.DATE
    return Kind.TIMESTAMP if pt.is_timestamp(kind) else None
