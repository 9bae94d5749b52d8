"""In which columns does a reader of events get them? In one layout, whatever their names in the table.

_eligo_0 … _eligo_k   columns that are copied to the output: the event's id, and those to keep
@tenant, @time        the event's tenant and time, where they are named
age, state, …         a column for each attribute; or _eligo_json, or _eligo_map
_eligo_weights        weights of the event's attributes, where they are named
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import pyarrow as pa

from eligo.data.events.parquet_pieces import ParquetColumn, RowRange, read_pieces
from eligo.data.schema.attribute import AttributeKind
from eligo.language.limits import DEFAULT_LIMITS, Limits

JSON_COLUMN, MAP_COLUMN, WEIGHTS_COLUMN = "_eligo_json", "_eligo_map", "_eligo_weights"
ROWS_COLUMN = "_eligo_rows"
"""Stands for events of which no column is needed: a table without columns would have no rows."""
OTHERS = ("_eligo_", "@")
"""How the names of columns begin that are no attributes."""
OnError = Literal["reject", "raise", "keep"]
"""What to do with an event that cannot be read, such as a text that is not JSON."""


@dataclass(frozen=True)
class EventColumns:
    """Which columns, or JSON fields, of a file mean something other than an attribute."""

    event_id: str = "event_id"
    tenant: str | None = None
    time: str | None = None
    keep: tuple[str, ...] = ()


class EventSource(NamedTuple):
    """What a worker needs to know of the columns that it gets."""

    carried: tuple[str, ...]
    """The names of the columns that are copied, the ids first."""
    is_json: bool = False
    is_map: bool = False
    is_weighted: bool = False
    tenant_kind: AttributeKind | None = None
    """What tenants are brought to where the index itself does not say; None where no column has them."""
    roles: tuple[str, ...] = ()
    """The names of all columns that are no attributes: those that are copied, of the tenant, the time, the weights."""
    pieces: tuple[tuple[RowRange, ...], ...] = ()
    """Where the worker reads the columns itself: what it may read, …"""
    columns: tuple[ParquetColumn, ...] = ()
    """… and which columns."""
    limits: Limits = DEFAULT_LIMITS
    """How large an event may be."""
    names: tuple[str, ...] = ()
    """Else the names of the layout: Spark sends columns by number, because it reads a dot in a name as a field."""

    def batches(self, given: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The events in the layout for workers."""
        if self.columns:
            attributes = {column.name for column in self.columns if not column.name.startswith(OTHERS)}
            return read_pieces(given, self.pieces, self.columns, attributes)
        return (batch.rename_columns(list(self.names)) for batch in given)
