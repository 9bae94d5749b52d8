"""Which columns do the tables have?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    ByteType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructField,
    StructType,
)

from eligo.errors import InputError
from eligo.index.index import Index
from eligo.spark.tables.event_checks import require_distinct_output

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


def matches(carried: Sequence[StructField], expression_id: str, expression_id_type: DataType) -> StructType:
    """One row for each match: the id of the event, of whatever type it is, what else is kept, and the expression's."""
    return require_distinct_output([*copied(carried), _never_null(expression_id, expression_id_type)])


def matches_or_rejects(matches: StructType) -> StructType:
    """Matches, and a row for each event that cannot be read, whose expression id is null."""
    *carried, expression_id = matches.fields
    return require_distinct_output([*carried, StructField(expression_id.name, expression_id.dataType), *_EVENT_ERROR])


def event_rejects(carried: Sequence[StructField]) -> StructType:
    """One row for each event that cannot be read."""
    return require_distinct_output([*copied(carried), *_EVENT_ERROR])


def counts(
    by: Sequence[StructField], expression_id: str, expression_id_type: DataType, *, nullable: bool = False
) -> StructType:
    """One row for each expression, and each group of events: how many of these events it matches."""
    id = StructField(expression_id, expression_id_type, nullable)
    return require_distinct_output([*copied(by), id, _never_null("matches", LongType())])


def top(carried: Sequence[StructField], expression_id: str, expression_id_type: DataType) -> StructType:
    """One row for each of the best matches of an event."""
    return require_distinct_output(
        [
            *copied(carried),
            _never_null("rank", IntegerType()),
            _never_null(expression_id, expression_id_type),
            _never_null("score", DoubleType()),
        ]
    )


def top_or_rejects(best: StructType) -> StructType:
    """Best matches, and a row for each event that cannot be read, which has no rank, expression and score."""
    *carried, rank, expression_id, score = best.fields
    nullable = [StructField(field.name, field.dataType) for field in (rank, expression_id, score)]
    return require_distinct_output([*carried, *nullable, *_EVENT_ERROR])


def explanations(carried: Sequence[StructField], expression_id: str, expression_id_type: DataType) -> StructType:
    """One row for each event and expression that is asked about."""
    return require_distinct_output(
        [
            *copied(carried),
            _never_null(expression_id, expression_id_type),
            _never_null("matches", BooleanType()),
            _never_null("why", StringType()),
            _never_null("explanation", StringType()),
        ]
    )


def differences(expression_id: str, expression_id_type: DataType, event_id_type: DataType) -> StructType:
    """One row for each expression that an index gains or loses matches of."""
    events = ArrayType(event_id_type)
    return StructType(
        [
            _never_null(expression_id, expression_id_type),
            _never_null("change", StringType()),
            _never_null("gained", LongType()),
            _never_null("lost", LongType()),
            _never_null("gained_events", events),
            _never_null("lost_events", events),
        ]
    )


def differences_or_rejects(differences: StructType) -> StructType:
    """Differences, and rows that say how many events could not be read, whose expression id and change are null."""
    nullable = [StructField(field.name, field.dataType) for field in differences.fields]
    return StructType([*nullable, _never_null("rejected", LongType())])


def _never_null(name: str, kind: DataType) -> StructField:
    return StructField(name, kind, nullable=False)


def copied(carried: Sequence[StructField]) -> list[StructField]:
    """Fields of the events as they stand in an output, without what else Spark keeps of a column."""
    return [StructField(field.name, field.dataType, field.nullable) for field in carried]


_EVENT_ERROR = [
    StructField("event", StringType()),
    StructField("error", StringType()),
    StructField("help", StringType()),
]


def is_integer(arrow_type: pa.DataType) -> bool:
    """Whether ids of this Arrow type are numbers."""
    return bool(pa.types.is_integer(arrow_type))


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


def as_spark_takes(column: pa.Array) -> pa.Array:
    """Strings with 32-bit offsets, which is what Spark's string type is."""
    return column.cast(pa.string()) if pa.types.is_large_string(column.type) else column


def repeated(column: pa.Array, rows: npt.NDArray[np.int64]) -> pa.Array:
    """A column to copy, for each output row that belongs to these events."""
    return as_spark_takes(column.take(pa.array(rows)))


def expression_id_type(index: Index) -> DataType:
    """The Spark type of the ids of an index."""
    return LongType() if is_integer(index.ids_array().type) else StringType()
