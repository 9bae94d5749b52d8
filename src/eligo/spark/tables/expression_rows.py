"""Which columns of a table does a build take, and as what? Named and cast once, before any row is looked at."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, MapType, NumericType, StringType, StructType

from eligo.data.events.parquet_pieces import ParquetColumn, RowRange, read_pieces
from eligo.errors import InputError
from eligo.index.guard import GuardColumns
from eligo.index.shard_rows import EXPRESSION, ID, ORDER, UNREADABLE, WEIGHTS
from eligo.spark.building.guard_types import cast_types
from eligo.spark.call_arguments import checked_arguments
from eligo.spark.session.worker_calls import in_workers
from eligo.spark.tables import schemas
from eligo.spark.tables.parquet_events import ParquetEvents, parquet_events
from eligo.spark.tables.parquet_schemas import require_one_type
from eligo.spark.tables.tables import quoted

POSITION = "_position"
"""As `order_by`: the order in which the table has its rows, which is defined for one file or one partition."""

Batches = Iterator[pa.RecordBatch]
ParquetExpressions: TypeAlias = ParquetEvents
Expressions: TypeAlias = DataFrame | ParquetExpressions
_ARROW_TYPES = {
    "bigint": pa.int64(),
    "string": pa.large_string(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}


class ExpressionRows(NamedTuple):
    """A table of expressions with the names and types that executors take."""

    source: DataFrame | _ParquetSource
    guard_types: dict[str, str]
    """Guard to the type of its column."""
    has_number_ids: bool

    @property
    def spark(self) -> SparkSession:
        return self.source.sparkSession if isinstance(self.source, DataFrame) else self.source.files.spark

    @property
    def num_rows(self) -> int | None:
        """Where it is known before they are read."""
        return self.source.files.num_rows if isinstance(self.source, _ParquetSource) else None

    def map_batches(self, function: Callable[[Batches], Batches], schema: str) -> DataFrame:
        """What the function makes of the rows, in executors."""
        if not isinstance(self.source, _ParquetSource):
            return in_workers(self.source, function, schema)
        read = partial(_read_then, pieces=self.source.files.pieces, columns=self.source.columns, function=function)
        return in_workers(self.source.files.numbered(), read, schema)


class _ParquetSource(NamedTuple):
    files: ParquetExpressions
    columns: tuple[ParquetColumn, ...]


@checked_arguments
def parquet_expressions(spark: SparkSession, path: str | os.PathLike[str]) -> ParquetExpressions:
    """A table of expressions in Parquet that workers read themselves, without passing through Java.

    A file or a directory that every worker can read. To give to `build` and `update` in the place of a DataFrame.
    """
    return parquet_events(spark, os.fspath(path))


def named_rows(
    expressions: Expressions,
    *,
    id: str,
    expression: str,
    order_by: str | None,
    guards: GuardColumns,
    call: str,
    weights: str | None = None,
) -> ExpressionRows:
    """The columns that matter; `InputError` for one that is not there, or that has a type that does not fit."""
    if isinstance(expressions, ParquetEvents):
        expressions = expressions.with_text(guards.tenant)
    orders = () if order_by is None or (order_by == POSITION and POSITION not in expressions.columns) else (order_by,)
    weighing = () if weights is None else (weights,)
    needed = (id, expression, *guards.given.values(), *orders, *weighing)
    schemas.require_columns("expressions", expressions.schema, needed, f"{call}(…, id=…, expression=…)")
    types = {field.name: field.dataType for field in expressions.schema}
    id_type = schemas.id_type_of(id, types[id])
    guard_types = cast_types(guards, types)
    is_number = id_type.typeName() == "long"
    if weights is not None:
        _require_weights(weights, types[weights])
    if isinstance(expressions, ParquetEvents):
        require_one_type(expressions.conflicts, (), needed)
    if isinstance(expressions, ParquetEvents) and expressions.is_legacy:
        expressions = expressions.frame(needed)
    if isinstance(expressions, ParquetEvents):
        columns = _parquet_columns(id, expression, order_by, guards, guard_types, weights, is_number=is_number)
        return ExpressionRows(_ParquetSource(expressions, columns), guard_types, is_number)
    selected = [
        F.col(quoted(id)).cast(id_type).alias(ID),
        F.col(quoted(expression)).cast("string").alias(EXPRESSION),
    ]
    if schemas.UNREADABLE_ROW in expressions.columns:
        selected.append(F.col(schemas.UNREADABLE_ROW).alias(UNREADABLE))
    if order_by is not None:
        selected.append((F.col(quoted(order_by)) if orders else F.monotonically_increasing_id()).alias(ORDER))
    selected += [F.col(quoted(name)).cast(guard_types[field]).alias(field) for field, name in guards.given.items()]
    if weights is not None:
        given = F.col(quoted(weights))
        selected.append((given if isinstance(types[weights], StringType) else F.to_json(given)).alias(WEIGHTS))
    return ExpressionRows(expressions.select(*selected), guard_types, is_number)


def _require_weights(name: str, kind: DataType) -> None:
    if isinstance(kind, MapType) and isinstance(kind.keyType, StringType) and isinstance(kind.valueType, NumericType):
        return
    if isinstance(kind, (StringType, StructType)):
        return
    raise InputError(
        f"column {name!r} is {kind.simpleString()}, and weights are maps from attributes to numbers",
        help="make it map<string,double>, or text with a JSON object",
    )


def _parquet_columns(
    id: str,
    expression: str,
    order_by: str | None,
    guards: GuardColumns,
    guard_types: dict[str, str],
    weights: str | None,
    *,
    is_number: bool,
) -> tuple[ParquetColumn, ...]:
    columns = [
        ParquetColumn(id, ID, pa.int64() if is_number else pa.large_string()),
        ParquetColumn(expression, EXPRESSION, pa.large_string()),
    ]
    if order_by is not None:
        columns.append(ParquetColumn(order_by, ORDER))
    columns += [ParquetColumn(name, field, _ARROW_TYPES[guard_types[field]]) for field, name in guards.given.items()]
    if weights is not None:
        columns.append(ParquetColumn(weights, WEIGHTS))
    return tuple(columns)


def _read_then(
    numbers: Batches,
    *,
    pieces: Sequence[Sequence[RowRange]],
    columns: Sequence[ParquetColumn],
    function: Callable[[Batches], Batches],
) -> Batches:
    yield from function(_with_positions(numbers, pieces, columns))


def _with_positions(numbers: Batches, pieces: Any, columns: Sequence[ParquetColumn]) -> Batches:
    """The rows of pieces; where the order is that of the table, with the place of each row in it."""
    by_position = any(column.given == POSITION for column in columns)
    for batch in numbers:
        for row in range(batch.num_rows):
            place = int(batch.column(0)[row].as_py()) << 32
            for rows in read_pieces(iter([batch.slice(row, 1)]), pieces, columns):
                if by_position and pa.types.is_null(rows.schema.field(ORDER).type):
                    positions = pa.array(np.arange(place, place + rows.num_rows))
                    rows = rows.set_column(rows.schema.get_field_index(ORDER), ORDER, positions)
                place += rows.num_rows
                yield _with_text_weights(rows)


def _with_text_weights(rows: pa.RecordBatch) -> pa.RecordBatch:
    """The rows with maps of weights as JSON texts, which can be sorted and compared as the other columns can."""
    place = rows.schema.get_field_index(WEIGHTS)
    if place < 0 or not pa.types.is_nested(rows.column(place).type):
        return rows
    texts = [
        None if weights is None else json.dumps(dict(weights), default=float)
        for weights in rows.column(place).to_pylist()
    ]
    return rows.set_column(place, WEIGHTS, pa.array(texts, pa.large_string()))
