"""How does a file of expressions become a table? Ids keep their type, and what is unreadable is told."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, StringType, StructField, StructType

from eligo.data.file_format import FileFormat, format_of
from eligo.errors import InputError
from eligo.spark.schemas import BAD_MOMENT, UNREADABLE_ROW, require_columns
from eligo.spark.tables import CSV_OPTIONS, UNREADABLE_OPTION, json_id_type, load, quoted

EXPRESSION_OPTIONS = "--id-column or --expression-column"
MORE_OPTIONS = "--weights-column, --order-by, --tenant-column, --valid-from or --valid-to"


def read_expressions(
    spark: SparkSession,
    path: str,
    *,
    format: FileFormat | None = None,
    id: str = "id",
    expression: str = "expression",
    more: Sequence[str] = (),
    moments: Sequence[str] = (),
    texts: Sequence[str] = (),
    tenant: str | None = None,
) -> DataFrame:
    """A table of expressions with its two columns; ids of CSV are text, since CSV has no types.

    `more` names other columns to keep, with types that are inferred, `moments` those that hold timestamps, and `texts`
    those that stay text, also where JSON has an object. A moment that is none comes with `BAD_MOMENT`. `tenant` is one
    of `more`, and text in CSV: a type that each file gives it would make 007 and 7 one tenant.

    An expression that is a JSON object is given as the text of that object. A line that is not JSON comes as a row
    with `UNREADABLE_ROW`.
    """
    format = format or format_of(path)
    for name in (*moments, *texts):
        if name in (id, expression):
            raise InputError(f"column {name!r} is named twice, for different things", help=f"see {MORE_OPTIONS}")
    more = [name for name in dict.fromkeys(more) if name not in (id, expression, *moments, *texts)]
    types: dict[str, DataType] = {}
    if format is FileFormat.CSV:
        rows = load(spark.read.options(**CSV_OPTIONS), format, path)
        inferred = [name for name in more if name != tenant]
        types = _inferred(spark.read.options(**CSV_OPTIONS, inferSchema="true"), format, path, inferred)
    elif format is FileFormat.JSON_LINES:
        id_type = json_id_type(spark, path, "expressions", (id, expression), EXPRESSION_OPTIONS)
        as_texts = dict.fromkeys((*moments, *texts), StringType())
        reader = spark.read.option(UNREADABLE_OPTION, UNREADABLE_ROW)
        types = _inferred(reader, format, path, more, needed=tuple(as_texts))
        names = {id: id_type, expression: StringType(), UNREADABLE_ROW: StringType(), **as_texts, **types}
        schema = StructType([StructField(name, kind) for name, kind in names.items()])
        rows = load(spark.read.schema(schema).option(UNREADABLE_OPTION, UNREADABLE_ROW), format, path)
        return _with_moments(rows, moments)
    else:
        rows = load(spark.read, format, path)
    others = tuple(dict.fromkeys((*more, *moments, *texts)))
    require_columns("expressions", rows.schema, (id, expression), EXPRESSION_OPTIONS)
    require_columns("expressions", rows.schema, others, MORE_OPTIONS)
    columns = {name: F.col(quoted(name)) for name in others}
    typed = [column.cast(types[name]) if name in types else column for name, column in columns.items()]
    named = [column.alias(name) for column, name in zip(typed, columns, strict=True)]
    return _with_moments(rows.select(F.col(quoted(id)), F.col(quoted(expression)), *named), moments)


def read_ids(spark: SparkSession, path: str, *, format: FileFormat | None = None, id: str = "id") -> DataFrame:
    """A table of ids, of which the other columns are not read; ids of CSV are text."""
    format = format or format_of(path)
    if format is FileFormat.JSON_LINES:
        id_type = json_id_type(spark, path, "ids", (id,), EXPRESSION_OPTIONS)
        return load(spark.read.schema(StructType([StructField(id, id_type)])), format, path)
    reader = spark.read.options(**CSV_OPTIONS) if format is FileFormat.CSV else spark.read
    rows = load(reader, format, path)
    require_columns("ids", rows.schema, (id,), EXPRESSION_OPTIONS)
    return rows.select(F.col(quoted(id)))


def _inferred(
    reader: DataFrameReader, format: FileFormat, path: str, more: Sequence[str], needed: tuple[str, ...] = ()
) -> dict[str, DataType]:
    """The types of columns of a file that has none; others that are needed must be there as well."""
    if not more and not needed:
        return {}
    schema = load(reader, format, path).schema
    require_columns("expressions", schema, (*more, *needed), MORE_OPTIONS)
    return {name: schema[name].dataType for name in more}


def _with_moments(rows: DataFrame, moments: Sequence[str]) -> DataFrame:
    """Texts of moments as timestamps; what is none is told beside, since a null would be a window without end."""
    texts = [name for name in moments if isinstance(rows.schema[name].dataType, StringType)]
    if not texts:
        return rows
    read = {name: F.col(quoted(name)).try_cast("timestamp") for name in texts}
    told = [
        F.when(
            F.col(quoted(name)).isNotNull() & read[name].isNull(),
            F.concat(F.lit("'"), F.col(quoted(name)), F.lit(f"' in column {name!r}")),
        )
        for name in texts
    ]
    return rows.withColumns({BAD_MOMENT: F.coalesce(*told), **read})
