"""How does a file of expressions become a table? Ids keep their type, and what is unreadable is told."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, StringType, StructField, StructType

from eligo.data.file_format import TABLES, FileFormat, format_of
from eligo.errors import InputError
from eligo.index.written.table_files import DELIMITER
from eligo.spark.tables.csv_tables import directory_columns, read_csv
from eligo.spark.tables.csv_types import infer_types
from eligo.spark.tables.parquet_events import parquet_events
from eligo.spark.tables.schemas import UNREADABLE_ROW, require_columns
from eligo.spark.tables.tables import UNREADABLE_OPTION, json_id_type, load, quoted, typed

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
    delimiter: str = DELIMITER,
) -> DataFrame:
    """A table of expressions with its two columns; ids of CSV are text, since CSV has no types.

    `more` names other columns to keep, with types that are inferred, `moments` those that hold timestamps or texts of
    them, and `texts` those that stay text, also where JSON has an object. `tenant` is one of `more`, and text in CSV: a
    type would make 007 and 7 one tenant.

    An expression that is a JSON object is given as the text of that object. A line that is not JSON comes as a row
    with `UNREADABLE_ROW`.
    """
    format = format or format_of(path, TABLES)
    for name in (*moments, *texts):
        if name in (id, expression):
            raise InputError(f"column {name!r} is named twice, for different things", help=f"see {MORE_OPTIONS}")
    more = [name for name in dict.fromkeys(more) if name not in (id, expression, *moments, *texts)]
    types: dict[str, DataType] = {}
    if format is FileFormat.CSV:
        rows = read_csv(spark, path, needed=(id, expression), option=EXPRESSION_OPTIONS, delimiter=delimiter)
        types = infer_types(rows, [name for name in more if name in rows.columns and name != tenant])
    elif format is FileFormat.JSON_LINES:
        id_type = json_id_type(spark, path, "expressions", (id, expression), EXPRESSION_OPTIONS)
        as_texts = dict.fromkeys((*moments, *texts), StringType())
        reader = spark.read.option(UNREADABLE_OPTION, UNREADABLE_ROW)
        types = _inferred(reader, format, path, more, needed=tuple(as_texts))
        if tenant in directory_columns(spark, path):
            types[tenant] = StringType()
        names = {id: id_type, expression: StringType(), UNREADABLE_ROW: StringType(), **as_texts, **types}
        schema = StructType([StructField(name, kind) for name, kind in names.items()])
        return load(spark.read.schema(schema).option(UNREADABLE_OPTION, UNREADABLE_ROW), format, path)
    elif format is FileFormat.PARQUET:
        rows = parquet_events(spark, path).with_text(tenant).frame((id, expression, *more, *moments, *texts))
    else:
        rows = load(spark.read, format, path)
    others = tuple(dict.fromkeys((*more, *moments, *texts)))
    require_columns("expressions", rows.schema, (id, expression), EXPRESSION_OPTIONS)
    require_columns("expressions", rows.schema, others, MORE_OPTIONS)
    return typed(rows.select(*(F.col(quoted(name)) for name in dict.fromkeys((id, expression, *others)))), types)


def read_ids(
    spark: SparkSession, path: str, *, format: FileFormat | None = None, id: str = "id", delimiter: str = DELIMITER
) -> DataFrame:
    """A table of ids, of which the other columns are not read; ids of CSV are text."""
    format = format or format_of(path, TABLES)
    if format is FileFormat.JSON_LINES:
        id_type = json_id_type(spark, path, "ids", (id,), EXPRESSION_OPTIONS)
        return load(spark.read.schema(StructType([StructField(id, id_type)])), format, path)
    if format is FileFormat.CSV:
        rows = read_csv(spark, path, needed=(id,), option=EXPRESSION_OPTIONS, delimiter=delimiter)
        return rows.select(F.col(quoted(id)))
    rows = parquet_events(spark, path).frame((id,)) if format is FileFormat.PARQUET else load(spark.read, format, path)
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
