"""Which columns do the tables have?"""

from __future__ import annotations

from pyspark.sql.types import (
    ByteType,
    DataType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructField,
    StructType,
)

from eligo.errors import InputError

UNREADABLE_ROW = "_unreadable_row"
"""A row of a file that is no row at all, such as a line that is not JSON; null in all others."""


def checked(id_type: DataType) -> StructType:
    """Expressions after the check: the row, and what is wrong with it. `error` is null in good rows."""
    return StructType(
        [
            StructField("id", id_type),
            StructField("expression", StringType()),
            StructField("error", StringType()),
            StructField("help", StringType()),
            StructField("line", IntegerType()),
            StructField("column", IntegerType()),
        ]
    )


EXPRESSION_COLUMNS = ("id", "expression")
REJECT_COLUMNS = ("id", "expression", "error", "help", "line", "column")


def matches(event_id: StructField, expression_id: str, expression_id_type: DataType) -> StructType:
    """One row for each match: the id of the event, of whatever type it is, and the id of the expression."""
    return StructType([event_id, StructField(expression_id, expression_id_type, nullable=False)])


def id_type_of(name: str, given: DataType) -> DataType:
    """The type in which ids of a column are kept: text, or 64-bit integers."""
    if isinstance(given, StringType):
        return StringType()
    if isinstance(given, (LongType, IntegerType, ShortType, ByteType)):
        return LongType()
    raise InputError(
        f"column {name!r} has ids of type {given.simpleString()}, and ids are strings or integers",
        help=f"cast it: expressions.withColumn({name!r}, expressions[{name!r}].cast('string'))",
    )


def require_columns(table: str, schema: StructType, names: tuple[str, ...], option: str) -> None:
    """Refuse a table that lacks a column."""
    for name in names:
        if name not in schema.names:
            raise InputError(
                f"the table of {table} has no column {name!r}; it has {', '.join(map(repr, schema.names))}",
                help=f"name the column: {option}",
            )
