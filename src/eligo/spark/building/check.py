"""Which rows of a table are expressions? Every row is parsed in parallel; none is dropped, and bad ones say why."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StringType

from eligo.data.expressions.checked_texts import check_texts, reject_columns
from eligo.data.schema.schema import Schema
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.spark.call_arguments import checked_arguments
from eligo.spark.tables import schemas
from eligo.spark.tables.tables import quoted


class Checked(NamedTuple):
    """The outcome of a check. `rows` has all rows in their order; the others are parts of it."""

    rows: DataFrame
    """`schemas.checked`: id, expression, error, help, line, column."""
    good: DataFrame
    """id and expression of the rows that are expressions."""
    rejects: DataFrame
    """The rows that are not, with the error and its line and column in the expression."""


@checked_arguments
def check(
    expressions: DataFrame,
    *,
    id: str = "id",
    expression: str = "expression",
    schema: Schema | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Checked:
    """Parse every row; with a schema, also check attributes and values against it.

    Nothing runs yet. `good` and `rejects` each parse when they are used: persist `rows` first to use both.
    """
    schemas.require_columns("expressions", expressions.schema, (id, expression), "check(…, id=…, expression=…)")
    id_type = schemas.id_type_of(id, expressions.schema[id].dataType)
    unreadable = schemas.UNREADABLE_ROW
    named = expressions.select(
        F.col(quoted(id)).cast(id_type).alias("id"),
        F.col(quoted(expression)).cast("string").alias("expression"),
        (F.col(unreadable) if unreadable in expressions.columns else F.lit(None).cast(StringType())).alias(unreadable),
    )
    rows = named.mapInArrow(partial(_checked_batches, schema=schema, limits=limits), schemas.checked(id_type))
    return Checked(
        rows,
        rows.where(F.col("error").isNull()).select(*schemas.EXPRESSION_COLUMNS),
        rows.where(F.col("error").isNotNull()).select(*schemas.REJECT_COLUMNS),
    )


def _checked_batches(
    batches: Iterator[pa.RecordBatch], *, schema: Schema | None, limits: Limits
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        ids, texts, unreadable = batch.columns
        checked = check_texts(ids, texts, unreadable, schema=schema, limits=limits)
        columns = reject_columns(checked.texts, checked.errors, list(range(batch.num_rows)))
        yield pa.record_batch([ids, *columns.values()], names=list(schemas.REJECT_COLUMNS))
