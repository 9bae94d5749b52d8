"""How does a file of events become a table of events? By its format, so that every value keeps its kind.

Parquet      workers read parts of the files themselves (`parquet_events`)
JSON lines   the lines go to the workers as they are
CSV          Spark reads it; what expressions compare with strings only stays text
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType, DataType, DateType, DoubleType, StringType, TimestampType

from eligo.data.file_format import TABLES, FileFormat, format_of
from eligo.data.file_places import require_there
from eligo.data.schema.guards import TENANT, TIME
from eligo.errors import InputError
from eligo.index.events.event_source import EventColumns
from eligo.index.stored.opened_version import IndexVersion, attribute_kinds
from eligo.index.written.table_files import DELIMITER
from eligo.language.value import Kind
from eligo.spark.tables import tables
from eligo.spark.tables.csv_tables import directory_columns, stream_csv
from eligo.spark.tables.events import EventOptions, Events
from eligo.spark.tables.parquet_events import ParquetEvents, parquet_events
from eligo.spark.tables.spark_addresses import ELSEWHERE, spark_address


@dataclass(frozen=True)
class EventFile:
    """A file of events that is ready to be matched."""

    events: Events
    options: EventOptions
    seen: Observation | None
    """Counts the events on their way, where their number is not known before."""

    def num_events(self) -> int:
        """How many events there are; of most formats, known when they have been read."""
        if isinstance(self.events, ParquetEvents):
            return self.events.num_rows
        return int(self.seen.get["rows"]) if self.seen is not None else 0


def open_event_file(
    spark: SparkSession,
    path: str,
    version: IndexVersion,
    columns: EventColumns,
    *,
    format: FileFormat | None = None,
    needs_id: bool = True,
    delimiter: str = DELIMITER,
) -> EventFile:
    """Find out what is in a file of events; nothing is matched yet. Without `needs_id`, it may have no id column."""
    format = format or format_of(path, TABLES)
    options = _options(columns)
    if format is FileFormat.PARQUET:
        return EventFile(parquet_events(spark, path), options, None)
    if format is FileFormat.JSON_LINES:
        others = _others(columns)
        rows = tables.read_json_events(spark, path, event_id=columns.event_id, others=others, needs_id=needs_id)
        options["json"] = tables.JSON_EVENT
    else:
        kinds = attribute_kinds(version.open())
        rows = tables.read_events(
            spark,
            path,
            format=format,
            event_id=columns.event_id,
            kinds=kinds,
            tenant=columns.tenant,
            needs_id=needs_id,
            delimiter=delimiter,
        )
    return _counted(tables.spread(rows), options)


def _options(columns: EventColumns) -> EventOptions:
    """As `match` takes them."""
    return {"event_id": columns.event_id, "tenant": columns.tenant, "time": columns.time}


def _others(columns: EventColumns) -> Sequence[str]:
    named = [columns.tenant, columns.time, *columns.keep]
    return [name for name in dict.fromkeys(named) if name is not None and name != columns.event_id]


def _counted(rows: DataFrame, options: EventOptions) -> EventFile:
    seen = Observation()
    return EventFile(rows.observe(seen, F.count(F.lit(1)).alias("rows")), options, seen)


def _type_of(kinds: Collection[Kind]) -> DataType:
    """The type of a column of CSV that is not there yet: that of the only kind that expressions compare it with."""
    (kind, *others) = kinds or {Kind.STRING}
    return StringType() if others else _TYPES[kind]


_TYPES: dict[Kind, DataType] = {
    Kind.BOOL: BooleanType(),
    Kind.NUMBER: DoubleType(),
    Kind.STRING: StringType(),
    Kind.DATE: DateType(),
    Kind.TIMESTAMP: TimestampType(),
}


def require_stream_source(directory: str) -> None:
    """Refuse what files cannot come into."""
    require_there(directory)
    if os.path.isfile(directory):
        raise InputError(
            f"{directory} is a file, and a stream reads the files that come into a directory",
            help="give the directory, or use eligo match for one file",
        )


def open_event_stream(
    spark: SparkSession,
    directory: str,
    version: IndexVersion,
    columns: EventColumns,
    *,
    format: FileFormat | None = None,
    files_per_batch: int | None = None,
    delimiter: str = DELIMITER,
) -> tuple[DataFrame, EventOptions]:
    """A streaming table of the files that come into a directory, and how its events are found.

    JSON lines unless told otherwise. Of Parquet and CSV, at least one file has to be there, to know the columns.
    """
    format = format or FileFormat.JSON_LINES
    require_stream_source(directory)
    options = _options(columns)
    reader = spark.readStream
    if files_per_batch is not None:
        reader = reader.option("maxFilesPerTrigger", files_per_batch)
    if format is FileFormat.JSON_LINES:
        options["json"] = tables.JSON_EVENT
        return tables.stream_json_events(spark, reader, directory, columns.event_id, _others(columns)), options
    if format is FileFormat.CSV:
        kinds = attribute_kinds(version.open())
        found = tables.read_events(
            spark,
            directory,
            format=format,
            event_id=columns.event_id,
            kinds=kinds,
            tenant=columns.tenant,
            delimiter=delimiter,
        )
        types = {field.name: field.dataType for field in found.schema}
        later = {name: _type_of(own) for name, own in kinds.items() if name not in (*types, TENANT, TIME)}
        in_directories = directory_columns(spark, directory)
        with spark_address(directory, ELSEWHERE) as known:
            texts = stream_csv(reader, known, [*types, *later], in_directories, delimiter)
        return tables.typed(texts, {**types, **later}), options
    static = tables.read_events(spark, directory, format=format, event_id=columns.event_id, tenant=columns.tenant)
    with spark_address(directory, ELSEWHERE) as known:
        return reader.schema(static.schema).parquet(known), options
