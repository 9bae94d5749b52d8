"""How is a column of tenants or times brought to the index's kind? As `guards` says, each distinct text once."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from eligo.data.events.column_text import is_text, read_text
from eligo.data.events.column_values import (
    NO_FLOATS,
    NO_INTS,
    ColumnValues,
    Refuse,
    plain,
    read_scalars,
    refuse_nothing,
)
from eligo.data.events.text_values import TextReader
from eligo.data.schema.attribute import Attribute
from eligo.data.schema.guards import TENANT, TIME, no_tenant
from eligo.kernels import codes
from eligo.language.value import INT64_MAX, Kind

MICROSECONDS_IN_DAY = 86_400_000_000
MOST_DAYS = INT64_MAX // MICROSECONDS_IN_DAY


def read_guard(attribute: Attribute, array: pa.Array, reader: TextReader | None, refuse: Refuse) -> ColumnValues:
    """The values of a column of the attribute `@tenant` or `@time`; `reader` reads its texts, where they need it."""
    if reader is not None and is_text(array.type):
        return read_text(array, reader, refuse)
    array = plain(array)
    if attribute.name == TIME and attribute.kind == "timestamp" and pt.is_date(array.type):
        return _midnights(read_scalars(array, refuse))
    values = read_scalars(array, refuse)
    if attribute.name == TENANT and attribute.kind in ("string", "int"):
        return _tenants(attribute, values, refuse)
    return values


def _midnights(days: ColumnValues) -> ColumnValues:
    """No expression tells days apart that are further away than timestamps go."""
    near = np.clip(days.highs, -MOST_DAYS, MOST_DAYS)
    return days._replace(kind=codes.TIMESTAMP, highs=near * MICROSECONDS_IN_DAY)


def _tenants(attribute: Attribute, values: ColumnValues, refuse: Refuse) -> ColumnValues:
    """Strings as they are, and whole numbers as they are or as they are written; all else is refused."""
    if not len(values.places) or (values.kind == codes.STRING and attribute.kind == "string"):
        return values
    if values.kind != codes.NUMBER:
        error = no_tenant(attribute.kind, f"a {Kind(values.kind).name.lower()}")
        refuse(values.places, error.message, error.help)
        return ColumnValues(codes.NUMBER, NO_INTS, NO_INTS, NO_FLOATS)
    is_whole = values.lows == 0.0
    if not is_whole.all():
        error = no_tenant(attribute.kind, "a number that is not whole")
        refuse(values.places[~is_whole], error.message, error.help)
    numbers = values.highs[is_whole]
    if attribute.kind == "int":
        return values._replace(places=values.places[is_whole], highs=numbers, lows=values.lows[is_whole])
    texts = read_scalars(pa.array(numbers, pa.int64()).cast(pa.large_string()), refuse_nothing)
    return texts._replace(places=np.ascontiguousarray(values.places[is_whole]))
