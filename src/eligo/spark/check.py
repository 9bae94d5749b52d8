"""Which rows of a table are expressions? Every row is parsed in parallel; none is dropped, and bad ones say why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StringType

from eligo.data.schema import Schema
from eligo.errors import EligoError, ExpressionError, InputError
from eligo.language.canonical import canonical_text
from eligo.language.json_form import from_json
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.language.parse import ParsedBatch, parse_all
from eligo.spark import schemas
from eligo.spark.tables import quoted


class Checked(NamedTuple):
    """The outcome of a check. `rows` has all rows in their order; the others are parts of it."""

    rows: DataFrame
    """`schemas.checked`: id, expression, error, help, line, column."""
    good: DataFrame
    """id and expression of the rows that are expressions."""
    rejects: DataFrame
    """The rows that are not, with the error and its line and column in the expression."""


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
        readable = pa.array(["" if text is None else text for text in texts.to_pylist()], pa.string())
        parsed = parse_all(readable, limits=limits)
        errors: dict[int, EligoError] = dict(parsed.errors())
        converted = _json_forms(texts, errors, limits)
        _check_rows(ids, texts, unreadable, errors)
        if schema is not None:
            _check_schema(parsed, batch.num_rows, errors, skip=converted, schema=schema)
        yield _with_errors(ids, _replaced(texts, unreadable, converted), errors)


def _json_forms(texts: pa.Array, errors: dict[int, EligoError], limits: Limits) -> dict[int, str]:
    """The canonical texts of rows that hold the JSON form, which no text of an expression can look like."""
    converted: dict[int, str] = {}
    for row in list(errors):
        text = texts[row].as_py()
        if text is None or not text.lstrip().startswith("{"):
            continue
        try:
            converted[row] = canonical_text(from_json(json.loads(text), limits=limits))
            del errors[row]
        except EligoError as error:
            errors[row] = error
        except (ValueError, RecursionError) as error:
            errors[row] = InputError(f"the expression begins like the JSON form but is not JSON: {error}")
    return converted


def _check_rows(ids: pa.Array, texts: pa.Array, unreadable: pa.Array, errors: dict[int, EligoError]) -> None:
    for row in _rows_where(texts.is_null()):
        errors[row] = InputError("the expression is missing")
    for row in _rows_where(ids.is_null()):
        errors[row] = InputError("the id is missing", help="give every expression an id")
    for row in _rows_where(unreadable.is_valid()):
        errors[row] = InputError("the row cannot be read: it is not JSON")


def _rows_where(mask: pa.Array) -> list[int]:
    rows: list[int] = mask.to_numpy(zero_copy_only=False).nonzero()[0].tolist()
    return rows


def _check_schema(
    parsed: ParsedBatch, num_rows: int, errors: dict[int, EligoError], *, skip: dict[int, str], schema: Schema
) -> None:
    for row in range(num_rows):
        if row in errors or row in skip:
            continue
        found = schema.check(parsed.source(row))
        if found:
            errors[row] = found[0]


def _replaced(texts: pa.Array, unreadable: pa.Array, converted: dict[int, str]) -> pa.Array:
    shown = pa.compute.coalesce(texts, unreadable)
    if not converted:
        return shown
    return pa.array([converted.get(row, text) for row, text in enumerate(shown.to_pylist())], pa.string())


def _with_errors(ids: pa.Array, texts: pa.Array, errors: dict[int, EligoError]) -> pa.RecordBatch:
    messages: list[str | None] = [None] * len(ids)
    helps: list[str | None] = [None] * len(ids)
    lines: list[int | None] = [None] * len(ids)
    columns: list[int | None] = [None] * len(ids)
    for row, error in errors.items():
        messages[row], helps[row] = error.message, error.help or None
        if isinstance(error, ExpressionError) and error.position is not None:
            lines[row], columns[row] = error.position.line, error.position.column
    return pa.record_batch(
        [
            ids,
            texts,
            pa.array(messages, pa.string()),
            pa.array(helps, pa.string()),
            pa.array(lines, pa.int32()),
            pa.array(columns, pa.int32()),
        ],
        names=list(schemas.REJECT_COLUMNS),
    )
