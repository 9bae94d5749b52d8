"""Which columns of a file of events are read, and as what? Told once for every format, as Spark's reading tells it.

What only Spark can read is refused with the words that say so: nothing is read in another way here than there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.types as pt

from eligo.data.events.column_values import can_have_values
from eligo.data.lint.absent_columns import GivenColumn, tell_absent
from eligo.data.schema.guards import TENANT, TIME, tenant_kind
from eligo.errors import InputError
from eligo.index.events.event_source import EventColumns, EventSource
from eligo.language.value import Kind

Kinds = Mapping[str, Collection[Kind]]
"""The attributes that expressions name, with the kinds of values that they compare each with."""

SPARK_CAN = "leave out --local: Spark can read it"


class LocalEvents(NamedTuple):
    """Events that are about to be matched."""

    source: EventSource
    carried: tuple[pa.Field, ...]
    """The columns that are copied to each match."""
    batches: Callable[[], Iterator[pa.RecordBatch]]
    """Reads them from the beginning, as `source` takes them."""


class ChosenColumn(NamedTuple):
    """A column of the file, and its name in the layout."""

    given: str
    name: str


def carried_names(columns: EventColumns) -> list[str]:
    """What is copied to each match: the event's id, unless none is named, and what else is kept."""
    return list(dict.fromkeys(name for name in (columns.event_id, *columns.keep) if name))


def event_source(columns: EventColumns, kinds: Kinds, *, is_json: bool = False) -> EventSource:
    """What a reader has to know of the layout."""
    carried = carried_names(columns)
    kind = None if columns.tenant is None else tenant_kind(None, [kinds.get(TENANT, ())])
    roles = (*carried, *(name for name in (columns.tenant, columns.time) if name is not None))
    return EventSource(tuple(carried), is_json, tenant_kind=None if kind == "mixed" else kind, roles=roles)


def chosen_columns(path: str, fields: Sequence[GivenColumn], columns: EventColumns, kinds: Kinds) -> list[ChosenColumn]:
    """The columns of a table that are needed: those to copy, the tenant and the time, and attributes."""
    names = [field.name for field in fields]
    guards = {TENANT: columns.tenant, TIME: columns.time}
    for name in (*carried_names(columns), *filter(None, guards.values())):
        if name not in names:
            raise InputError(
                f"{path} has no column {name!r}; it has {', '.join(map(repr, names))}",
                help="name the column: --event-id-column, --keep, --tenant-column or --time-column",
            )
    for attribute, given in guards.items():
        if attribute in kinds and given is None and attribute not in names:
            option = attribute.removeprefix("@")
            raise InputError(
                f"expressions of this index ask for the {option} of an event, and no column says it",
                help=f"name the column: --{option}-column",
            )
    tell_absent(kinds, fields)
    chosen = [ChosenColumn(name, f"_eligo_{place}") for place, name in enumerate(carried_names(columns))]
    chosen += [ChosenColumn(given, attribute) for attribute, given in guards.items() if given is not None]
    return chosen + [ChosenColumn(name, name) for name in names if _is_used(name, kinds) and guards.get(name) is None]


def require_values(field: pa.Field, path: str, kinds: Kinds) -> None:
    """Refuse a column of a type that no event can have, as Spark's reading does: else each event would be a bad one.

    Of a struct, the fields that are attributes are looked at.
    """
    pending = [field]
    while pending:
        own = pending.pop()
        if pt.is_map(own.type):
            own = own.with_type(own.type.item_type)
            if pt.is_struct(own.type) or pt.is_map(own.type):
                continue  # what may be below any key is for each event
        if pt.is_struct(own.type):
            inner = (pa.field(f"{own.name}.{below.name}", below.type) for below in own.type)
            pending += [below for below in inner if _is_used(below.name, kinds)]
        elif not can_have_values(own.type):
            raise InputError(
                f"column {own.name!r} of {path} is of type {own.type}, which has no values",
                help="use booleans, numbers, strings, dates, timestamps, or lists, structs or maps of them; or drop it",
            )


def _is_used(column: str, kinds: Kinds) -> bool:
    """Whether expressions name the column, or a field of it if it is a struct."""
    return any(name == column or name.startswith(f"{column}.") for name in kinds)


def copied_field(field: pa.Field, path: str) -> pa.Field:
    """A column as it stands in the output; one that only Spark knows how to copy is refused."""
    kind = field.type
    if pt.is_large_string(kind) or pt.is_string_view(kind):
        return field.with_type(pa.string())
    is_plain = pt.is_boolean(kind) or pt.is_signed_integer(kind) or pt.is_float32(kind) or pt.is_float64(kind)
    is_zoned = pt.is_timestamp(kind) and kind.tz is not None and kind.unit in ("ms", "us")
    if is_plain or is_zoned or pt.is_string(kind) or pt.is_date32(kind) or pt.is_decimal128(kind):
        return field
    raise InputError(f"column {field.name!r} of {path} is of type {kind}, which is not copied here", help=SPARK_CAN)
