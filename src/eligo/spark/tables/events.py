"""Where are the events of a table? In a column for each attribute, in one of JSON texts, or in one of maps.

Whatever their names in the table, a worker gets the columns in the layout that `index/events/event_source.py` draws.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, TypeAlias, TypedDict, Unpack

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType

from eligo.index.events.event_source import ROWS_COLUMN, EventSource
from eligo.language.limits import Limits
from eligo.language.value import Kind
from eligo.spark.spark_versions import with_columns
from eligo.spark.tables.chosen_columns import ChosenEvents, choose_columns
from eligo.spark.tables.event_checks import read_columns, require_distinct_columns, require_table
from eligo.spark.tables.parquet_events import ParquetEvents
from eligo.spark.tables.parquet_schemas import require_one_type

Events: TypeAlias = DataFrame | ParquetEvents
"""A table of events, or files of them that workers read themselves."""


class EventColumnOptions(TypedDict, total=False):
    """Which columns of a table have what of an event."""

    event_id: str | Sequence[str]
    """The column, or columns, that say which event it is; copied to the output. `event_id` unless given."""
    json: str | None
    """The column that has each event as a JSON object."""
    attributes: str | None
    """The column that has each event as a map from attribute to value."""
    tenant: str | None
    """The column of the event's tenant; it meets the expressions of that tenant, and those of none."""
    time: str | None
    """The column of the event's time, which decides what expressions with a validity window are valid."""
    limits: Limits
    """How large an event may be; one that is larger is a bad event."""


class EventOptions(EventColumnOptions, total=False):
    """How to find the events of a table; the same for everything that takes events."""

    schema: StructType | str | None
    """The columns of the table with their types, where it must not be asked for them, as in a declarative pipeline."""


class SelectedEvents(NamedTuple):
    """A table of events in the layout for workers."""

    frame: DataFrame
    source: EventSource
    carried_fields: list[StructField]


def select_events(
    events: Events,
    kinds: Mapping[str, Collection[Kind]],
    *,
    keep: Sequence[str] = (),
    weights: str | None = None,
    schema: StructType | str | None = None,
    **options: Unpack[EventColumnOptions],
) -> SelectedEvents:
    """The columns that are needed, in the layout for workers; all others are not even read.

    `kinds` has the attributes that expressions name, with the kinds of values that they compare each with.
    """
    columns = event_columns(events, schema)
    if isinstance(events, ParquetEvents):
        events = events.with_text(options.get("tenant"))
        columns = events.schema
    chosen = choose_columns(columns, kinds, keep=keep, weights=weights, **options)
    if schema is not None:
        chosen = chosen._replace(columns=tuple(column.as_told() for column in chosen.columns))
    return _sent(events, columns.names, chosen)


def event_columns(events: Events, schema: StructType | str | None) -> StructType:
    """The columns of a table of events: as they are given, or else as Spark says, which has to look at the table."""
    if schema is None or isinstance(events, ParquetEvents):
        require_table(events)
        return events.schema
    return read_columns(schema) if isinstance(schema, str) else schema


def _sent(events: Events, names: Sequence[str], chosen: ChosenEvents) -> SelectedEvents:
    """What Spark sends to workers: rows, or, of Parquet files that workers can read, which parts of them to read."""
    needed, source, carried = chosen
    if isinstance(events, ParquetEvents):
        attribute_columns = [column.field.name for column in needed if column.name == column.field.name]
        others = [column.field.name for column in needed if column.name != column.field.name]
        require_one_type(events.conflicts, attribute_columns, others)
        columns = [column.of_parquet() for column in needed]
        if columns and not events.is_legacy and all(column is not None for column in columns):
            read = source._replace(pieces=events.pieces, columns=tuple(column for column in columns if column))
            return SelectedEvents(events.numbered(), read, carried)
        events = events.frame([column.field.name for column in needed])
    is_case_sensitive = events.sparkSession.conf.get("spark.sql.caseSensitive") == "true"
    require_distinct_columns(names, [c.field.name for c in needed], is_case_sensitive=is_case_sensitive)
    if not needed:
        rows = events.select(F.lit(True).alias(ROWS_COLUMN))
        return SelectedEvents(with_columns(rows, [ROWS_COLUMN]), source, carried)
    named = {f"_eligo_{place}": column for place, column in enumerate(needed)}
    sent = events.select(*(column.of_frame().alias(name) for name, column in named.items()))
    return SelectedEvents(with_columns(sent, list(named)), source, carried)
