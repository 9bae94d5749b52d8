"""How do tables get in and out? Reads of events, and writes of all: Parquet, JSON lines and CSV.

Spark writes a table as a directory of files. JSON lines are put together into one file, because that is what a shell
pipeline can use; Parquet stays a directory, which every reader of Parquet takes as one table. Tables of expressions
have rules of their own, in `expression_tables`.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamReader
from pyspark.sql.types import DataType, DateType, LongType, StringType, StructField, StructType, TimestampType
from pyspark.sql.utils import is_remote

from eligo.data.file_format import TABLES, FileFormat, format_of
from eligo.data.file_places import require_writable
from eligo.data.schema.guards import TENANT
from eligo.errors import InputError
from eligo.index.written.table_files import DELIMITER
from eligo.language.value import Kind
from eligo.spark.session.session import parallelism
from eligo.spark.tables.csv_tables import directory_columns, first_line, read_csv
from eligo.spark.tables.csv_types import as_type, infer_types
from eligo.spark.tables.line_files import put_lines, write_lines
from eligo.spark.tables.parquet_events import parquet_events
from eligo.spark.tables.schemas import UNREADABLE_ROW, require_columns
from eligo.spark.tables.spark_addresses import ELSEWHERE, spark_address
from eligo.stores.address import Address, is_address, named, place

TASKS_PER_CORE = 4
EVENT_OPTION = "--event-id-column"
OTHER_OPTIONS = "--tenant-column, --time-column or --keep"
UNREADABLE_OPTION = "columnNameOfCorruptRecord"
JSON_EVENT = "_json_event"
"""The column of `read_json_events` with the events' texts."""


def read_events(
    spark: SparkSession,
    path: str,
    *,
    format: FileFormat | None = None,
    event_id: str = "event_id",
    kinds: Mapping[str, Collection[Kind]] | None = None,
    tenant: str | None = None,
    needs_id: bool = True,
    delimiter: str = DELIMITER,
) -> DataFrame:
    """A table of events with a column for each attribute, from Parquet or CSV; of CSV, the types are inferred.

    With `kinds` (those that expressions compare each attribute with), a column of CSV that is only ever compared with
    strings stays text, so that a code such as 02139 keeps its zero, and days become timestamps where those are needed.
    The column of tenants, which `tenant` names, stays text as well.
    """
    format = format or format_of(path, TABLES)
    if format is FileFormat.JSON_LINES:
        raise InputError(
            f"{path} has JSON lines", help="read them with read_json_events, which keeps every value's kind"
        )
    if format is FileFormat.CSV:
        texts = {event_id, tenant, TENANT}
        events = _csv_events(spark, path, (event_id,) if needs_id else (), texts, kinds or {}, delimiter)
    elif format is FileFormat.PARQUET:
        events = parquet_events(spark, path).with_text(tenant).frame()
    else:
        events = load(spark.read, format, path)
    if needs_id:
        require_columns("events", events.schema, (event_id,), EVENT_OPTION)
    return events


def read_json_events(
    spark: SparkSession, path: str, *, event_id: str = "event_id", others: Sequence[str] = (), needs_id: bool = True
) -> DataFrame:
    """JSON lines as a table: the id of each event, other fields as text, and the event as the text that it is.

    Spark's own reading would give a whole column one type, and so make a number text where another row has text.
    """
    fields = [StructField(name, StringType()) for name in others]
    if needs_id:
        id_type = json_id_type(spark, path, "events", (event_id,), EVENT_OPTION, others)
        fields.insert(0, StructField(event_id, id_type))
    schema = _lines_of(spark, path)
    with spark_address(path) as known:
        return _json_rows(spark.read.schema(schema).text(known), fields)


def stream_json_events(
    spark: SparkSession, reader: DataStreamReader, directory: str, event_id: str, others: Sequence[str] = ()
) -> DataFrame:
    """A stream of JSON lines as `read_json_events` gives it; ids are text, since no type can be inferred."""
    schema = _lines_of(spark, directory)
    with spark_address(directory, ELSEWHERE) as known:
        lines = reader.schema(schema).text(known)
    return _json_rows(lines, [StructField(name, StringType()) for name in (event_id, *others)])


def _lines_of(spark: SparkSession, path: str) -> StructType:
    """Lines, and the texts that stand in the names of directories."""
    return StructType([StructField(name, StringType()) for name in ("value", *directory_columns(spark, path))])


def _json_rows(lines: DataFrame, fields: Sequence[StructField]) -> DataFrame:
    """The fields of each line, or of the name of its directory, and the line."""
    in_directories = lines.columns[1:]
    inside = [field for field in fields if field.name not in in_directories]
    read = F.from_json(F.col("value"), StructType(inside or [StructField("_", StringType())]))
    columns = [
        (F.col(quoted(field.name)).cast(field.dataType) if field.name in in_directories else read[field.name]).alias(
            field.name
        )
        for field in fields
    ]
    return lines.where(F.trim(F.col("value")) != "").select(*columns, F.col("value").alias(JSON_EVENT))


def spread(frame: DataFrame) -> DataFrame:
    """A table read from files, in enough parts that all cores have work and that progress can be seen."""
    if is_remote():  # where parts cannot be counted
        return frame
    cores = parallelism(frame.sparkSession)
    return frame.repartition(cores * TASKS_PER_CORE) if frame.rdd.getNumPartitions() < cores else frame


def write(
    frame: DataFrame,
    path: str,
    *,
    format: FileFormat | None = None,
    overwrite: bool = False,
    partition_by: Sequence[str] = (),
    delimiter: str = DELIMITER,
) -> None:
    """Write a table, which must not be there yet unless `overwrite`; `partition_by` is for Parquet only."""
    path = named(path, "the output")
    format = require_writable(path, format, overwrite=overwrite)
    if partition_by and format is not FileFormat.PARQUET:
        raise InputError(f"{path} cannot be partitioned: only Parquet can", help="end the path in .parquet")
    require_columns("matches", frame.schema, tuple(partition_by), "--partition-by and --keep")
    if format is FileFormat.PARQUET:
        if not is_address(path) and os.path.isfile(path):
            os.unlink(path)
        writer = frame.write.mode("overwrite" if overwrite else "errorifexists")
        with spark_address(path) as known:
            (writer.partitionBy(*partition_by) if partition_by else writer).parquet(known)
        return
    found = place(path, "the output")
    if isinstance(found, Address):
        put_lines(frame, found, format, delimiter)
        return
    path = os.fspath(found)
    parent = Path(path).absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    if os.path.isdir(path):
        shutil.rmtree(path)
    with tempfile.TemporaryDirectory(dir=parent, prefix=f".{Path(path).name}.") as scratch:
        whole = Path(scratch) / "whole"
        with whole.open("wb") as file:
            write_lines(frame, file, Path(scratch) / "parts", format, delimiter)
        os.replace(whole, path)


def quoted(name: str) -> str:
    """A column's name as Spark takes it literally, dots and all."""
    return f"`{name.replace('`', '``')}`"


def load(reader: DataFrameReader, format: FileFormat, path: str) -> DataFrame:
    """A file as Spark reads it."""
    if format is FileFormat.TEXT:
        raise InputError(
            f"{path} is plain text, and a table is needed",
            help="give JSON lines, CSV or Parquet with a column for the ids",
        )
    names = {FileFormat.PARQUET: "parquet", FileFormat.JSON_LINES: "json", FileFormat.CSV: "csv"}
    try:
        with spark_address(path) as known:
            return reader.format(names[format]).load(known)
    except (PySparkException, Py4JError) as error:
        raise InputError(f"{path} cannot be read as {format}: {first_line(error)}") from error


def json_id_type(
    spark: SparkSession, path: str, table: str, needed: tuple[str, ...], option: str, others: Sequence[str] = ()
) -> LongType | StringType:
    """Integers when all ids (the first field needed) are, else text.

    Of the fields needed, and of those that other options name, some line must have each, unless there is no line.
    """
    directory_columns(spark, path)  # refuses files that Spark would leave out
    reader = spark.read.option(UNREADABLE_OPTION, UNREADABLE_ROW)
    inferred = load(reader, FileFormat.JSON_LINES, path).schema
    if not set(inferred.names) - {UNREADABLE_ROW}:
        return StringType()
    require_columns(table, inferred, needed, option)
    require_columns(table, inferred, tuple(others), OTHER_OPTIONS)
    return LongType() if isinstance(inferred[needed[0]].dataType, LongType) else StringType()


def _csv_events(
    spark: SparkSession,
    path: str,
    needed: Sequence[str],
    texts: Collection[str | None],
    kinds: Mapping[str, Collection[Kind]],
    delimiter: str,
) -> DataFrame:
    rows = read_csv(spark, path, needed=needed, option=EVENT_OPTION, delimiter=delimiter)
    stays_text = {*texts, *(name for name, own in kinds.items() if set(own) == {Kind.STRING})}
    types = infer_types(rows, [field.name for field in rows.schema if _is_text(field) and field.name not in stays_text])
    for name, kind in types.items():
        if isinstance(kind, DateType) and set(kinds.get(name, ())) == {Kind.TIMESTAMP}:
            types[name] = TimestampType()
    return typed(rows, types)


def _is_text(field: StructField) -> bool:
    return isinstance(field.dataType, StringType)


def typed(texts: DataFrame, types: Mapping[str, DataType]) -> DataFrame:
    """A table of texts with the values that columns of these types have; the others stay as they are."""
    columns = {name: F.col(quoted(name)) for name in texts.columns}
    return texts.select(
        *(as_type(column, types[name]).alias(name) if name in types else column for name, column in columns.items())
    )
