"""How do tenants and validity windows get into an index? As predicates in front of the expression; engines see no more.

    "@tenant" = 'acme'^0 and "@time" >= timestamp '2026-01-01 00:00:00Z'^0 and (
    age > 18
    )

The weight 0 leaves scores as they were. The expression has lines of its own, so that a comment at its end cannot
swallow the parenthesis; it has been parsed alone before, so its own parentheses are even. Columns are put together by
Arrow: no object is made for a row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import (
    ByteType,
    DataType,
    DateType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    TimestampNTZType,
    TimestampType,
)

from eligo.data.attribute import Attribute
from eligo.data.schema import Schema
from eligo.errors import InputError

TENANT = "@tenant"
"""The attribute of an event with its tenant."""
TIME = "@time"
"""The attribute of an event with its time, which decides whether an expression is in force."""

_TENANTS = (StringType, LongType, IntegerType, ShortType, ByteType)
_MOMENTS = (TimestampType, TimestampNTZType, DateType)


class GuardColumns(NamedTuple):
    """Names of the columns that guard expressions; None where there is none."""

    tenant: str | None = None
    valid_from: str | None = None
    """From this moment on the expression is in force; null: always has been."""
    valid_to: str | None = None
    """From this moment on it no longer is; null: for ever."""

    @property
    def given(self) -> dict[str, str]:
        """Field to column, of those that there are."""
        return {field: name for field, name in self._asdict().items() if name is not None}

    def __bool__(self) -> bool:
        return bool(self.given)

    def cast_types(self, types: dict[str, DataType]) -> dict[str, str]:
        """Field to the Spark type that its column is brought to; refuses columns that cannot guard."""
        found = {}
        for field, name in self.given.items():
            kind = types[name]
            allowed = _TENANTS if field == "tenant" else _MOMENTS
            if not isinstance(kind, allowed):
                wanted = "strings or integers" if field == "tenant" else "timestamps or dates"
                raise InputError(
                    f"column {name!r} is {kind.simpleString()}, and {field} takes {wanted}",
                    help=f"cast it: expressions.withColumn({name!r}, …)",
                )
            if field != "tenant":
                # A day begins at its midnight in UTC, as it does for events, whatever the zone of the session.
                found[field] = "timestamp" if isinstance(kind, TimestampType) else "timestamp_ntz"
            else:
                found[field] = "string" if isinstance(kind, StringType) else "bigint"
        return found


def missing_guard(columns: dict[str, pa.Array]) -> pa.Array | None:
    """Which rows lack a tenant though there is a column of them; None when none can."""
    return columns["tenant"].is_null() if "tenant" in columns else None


def guarded(texts: pa.Array, columns: dict[str, pa.Array]) -> pa.Array:
    """The texts with their guards in front; `columns` has the columns by field, tenants without nulls."""
    guards = []
    if "tenant" in columns:
        guards.append(_joined(f'"{TENANT}" = ', _literal(columns["tenant"]), "^0 and "))
    for field, comparison in (("valid_from", ">="), ("valid_to", "<")):
        if field in columns:
            moments = _moments(columns[field])
            guard = _joined(f'"{TIME}" {comparison} timestamp \'', moments, "'^0 and ")
            guards.append(pc.fill_null(guard, ""))
    head = _joined(*guards)
    is_open = pc.equal(head, "")
    return pc.if_else(is_open, texts, _joined(head, "(\n", texts, "\n)"))


def guarded_schema(schema: Schema | None, columns: GuardColumns, types: dict[str, str]) -> Schema | None:
    """The schema that events with the attributes of guards satisfy."""
    if schema is None or not columns:
        return schema
    added = []
    if columns.tenant is not None and TENANT not in schema:
        added.append(Attribute(TENANT, "string" if types["tenant"] == "string" else "int"))
    if (columns.valid_from or columns.valid_to) and TIME not in schema:
        added.append(Attribute(TIME, "timestamp"))
    return Schema([*schema, *added], closed=schema.closed)


def _literal(tenants: pa.Array) -> pa.Array:
    if pa.types.is_integer(tenants.type):
        return tenants.cast(pa.large_string())
    escaped = pc.replace_substring(tenants.cast(pa.large_string()), pattern="'", replacement="''")
    return _joined("'", escaped, "'")


def _moments(moments: pa.Array) -> pa.Array:
    """Such as 2026-01-31 10:00:00.000000Z; the language takes a moment without a zone as UTC."""
    in_utc = moments.cast(pa.timestamp("us", "UTC") if moments.type.tz is not None else pa.timestamp("us"))
    return in_utc.cast(pa.large_string())


def _joined(*pieces: Any) -> pa.Array:
    texts = [pa.scalar(piece, pa.large_string()) if isinstance(piece, str) else piece for piece in pieces]
    return pc.binary_join_element_wise(*texts, pa.scalar("", pa.large_string()))
