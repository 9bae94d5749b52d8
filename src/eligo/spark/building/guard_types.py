"""Which columns of a table can guard expressions, and as what does Spark read them?"""

from __future__ import annotations

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

from eligo.errors import InputError
from eligo.index.guard import GuardColumns

_TENANTS = (StringType, LongType, IntegerType, ShortType, ByteType)
_MOMENTS = (TimestampType, TimestampNTZType, DateType, StringType)


def cast_types(columns: GuardColumns, types: dict[str, DataType]) -> dict[str, str]:
    """Field to the Spark type that its column is brought to; refuses columns that cannot guard."""
    found = {}
    for field, name in columns.given.items():
        kind = types[name]
        allowed = _TENANTS if field == "tenant" else _MOMENTS
        if not isinstance(kind, allowed):
            wanted = "strings or integers" if field == "tenant" else "timestamps, dates or texts of them"
            raise InputError(
                f"column {name!r} is {kind.simpleString()}, and {field} takes {wanted}",
                help=f"cast it: expressions.withColumn({name!r}, …)",
            )
        if isinstance(kind, StringType):
            found[field] = "string"  # a moment is read by the worker, which rejects what is none
        elif field == "tenant":
            found[field] = "bigint"
        else:
            # A day begins at its midnight in UTC, as it does for events, whatever the zone of the session.
            found[field] = "timestamp" if isinstance(kind, TimestampType) else "timestamp_ntz"
    return found
