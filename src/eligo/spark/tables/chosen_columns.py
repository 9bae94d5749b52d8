"""Which columns of a table of events are needed, and as what? Chosen by its schema alone: no table is looked at.

So the same choice is made for a DataFrame, for files that workers read, and for a table that SQL names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    IntegralType,
    LongType,
    MapType,
    NullType,
    NumericType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from eligo.data.events.parquet_pieces import ParquetColumn
from eligo.data.lint.absent_columns import GivenColumn, tell_absent
from eligo.data.schema.guards import TENANT, TIME, tenant_kind
from eligo.errors import InputError
from eligo.index.events.event_source import JSON_COLUMN, MAP_COLUMN, ROWS_COLUMN, WEIGHTS_COLUMN, EventSource
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.language.value import Kind
from eligo.spark.spark_versions import arrow_type
from eligo.spark.tables import schemas
from eligo.spark.tables.event_checks import names_of, require_copied, require_json, require_map, require_weights
from eligo.spark.tables.tables import quoted


class ChosenEvents(NamedTuple):
    """The columns that workers get, in the order of the layout that `index/events/event_source.py` draws."""

    columns: tuple[ChosenColumn, ...]
    source: EventSource
    carried_fields: list[StructField]
    """The columns that are copied to the output."""


def choose_columns(
    schema: StructType,
    kinds: Mapping[str, Collection[Kind]],
    *,
    keep: Sequence[str] = (),
    weights: str | None = None,
    event_id: str | Sequence[str] = "event_id",
    json: str | None = None,
    attributes: str | None = None,
    tenant: str | None = None,
    time: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> ChosenEvents:
    """The columns of a table that are needed; `InputError` for one that is not there or not of a type that fits.

    `kinds` has the attributes that expressions name, with the kinds of values that they compare each with.
    """
    if json is not None and attributes is not None:
        raise InputError("events come as JSON texts or as maps, not as both", help="give json= or attributes=")
    carried = list(dict.fromkeys([*names_of(event_id), *names_of(keep)]))
    given: dict[str, Sequence[str | None]]
    given = {"event_id=": carried, "json=": [json], "attributes=": [attributes], "tenant=": [tenant], "time=": [time]}
    for option, names in {**given, "weights=": [weights]}.items():
        needed = tuple(name for name in names if name is not None)
        schemas.require_columns("events", schema, needed, _OPTIONS[option])
    require_copied(schema[name] for name in carried)
    guards = {TENANT: tenant, TIME: time}
    chosen = [ChosenColumn(schema[name], f"_eligo_{place}") for place, name in enumerate(carried)]
    chosen += _guard_columns(schema, guards)
    if json is not None:
        require_json(schema[json])
        chosen.append(ChosenColumn(schema[json], JSON_COLUMN))
    elif attributes is not None:
        require_map(schema[attributes])
        chosen.append(ChosenColumn(schema[attributes], MAP_COLUMN))
    else:
        chosen += _attribute_columns(schema, kinds, guards)
    if weights is not None:
        require_weights(schema[weights])
        chosen.append(ChosenColumn(schema[weights], WEIGHTS_COLUMN))
    roles = (*carried, *(name for name in (tenant, time, weights) if name is not None))
    # Of an index that declares no kind of tenants; what is declared is for each index to say, also of two.
    kind = None if tenant is None else tenant_kind(None, [kinds.get(TENANT, ())])
    source = EventSource(
        tuple(carried),
        json is not None,
        attributes is not None,
        weights is not None,
        None if kind == "mixed" else kind,
        roles,
        limits=limits,
    )
    sent = tuple(column.name for column in chosen) if chosen else (ROWS_COLUMN,)
    return ChosenEvents(tuple(chosen), source._replace(names=sent), [schema[name] for name in carried])


def _guard_columns(schema: StructType, guards: Mapping[str, str | None]) -> list[ChosenColumn]:
    """The columns of tenants and times, under the names that guards ask for."""
    chosen = []
    tenant, time = guards[TENANT], guards[TIME]
    if tenant is not None:
        _require_tenants(schema[tenant])
        chosen.append(ChosenColumn(schema[tenant], TENANT))
    if time is not None:
        chosen.append(ChosenColumn(schema[time], TIME, _moment_type(schema[time])))
    return chosen


def _attribute_columns(
    schema: StructType, kinds: Mapping[str, Collection[Kind]], guards: Mapping[str, str | None]
) -> list[ChosenColumn]:
    """The columns of attributes that some expression names, but for those that a guard has a column of its own for."""
    _require_named(schema.names, kinds, guards)
    tell_absent(kinds, _given(schema))
    used = [field for field in schema if guards.get(field.name) is None and is_used(field.name, kinds)]
    return [ChosenColumn(field, field.name, value_type(field, kinds)) for field in used]


def _given(schema: StructType) -> tuple[GivenColumn, ...]:
    """The columns as all tables of events have them."""
    return tuple(
        GivenColumn(
            field.name,
            _given(field.dataType) if isinstance(field.dataType, StructType) else (),
            isinstance(field.dataType, MapType),
        )
        for field in schema
    )


_OPTIONS = {
    "event_id=": "event_id=… or keep=… (--event-id-column, --keep, --by)",
    "json=": "json=…",
    "attributes=": "attributes=…",
    "tenant=": "tenant=… (--tenant-column)",
    "time=": "time=… (--time-column)",
    "weights=": "weights=… (--weights-column)",
}
"""How each column is named in Python, and on the command line."""


class ChosenColumn(NamedTuple):
    """A column of the events, and what it becomes in the layout for workers."""

    field: StructField
    name: str
    cast: DataType | None = None
    """The type in which it is needed; as it is unless given."""
    is_told: bool = False
    """Whether its type is what a caller says, so that the table may have it in another."""

    def as_told(self) -> ChosenColumn:
        """The same column, of a table that is not asked for its types."""
        return self._replace(is_told=True)

    def of_frame(self) -> Column:
        """As Spark selects it; what is copied goes back to Spark, and so has to have the type that it is told."""
        column = F.col(quoted(self.field.name))
        wanted = self.cast or self.field.dataType
        if self.is_told and self.name.startswith("_eligo_"):
            return column.cast(wanted)
        return column if wanted == self.field.dataType else column.cast(wanted)

    @property
    def sql_type(self) -> DataType:
        """The type in which SQL selects it: as it is needed, unless that has names that would have to be quoted."""
        if self.cast is None or isinstance(self.cast, (ArrayType, MapType, StructType)):
            return self.field.dataType
        return self.cast

    def of_parquet(self) -> ParquetColumn | None:
        """As a worker reads it; None for what only Spark can read or convert."""
        given, wanted = self.field.dataType, self.cast or self.field.dataType
        kind = arrow_type(given)
        if given == wanted:
            # What is copied goes back to Spark, and so has to be as Spark has it.
            cast = kind if self.name.startswith("_eligo_") else None
            return ParquetColumn(self.field.name, self.name, cast, kind)
        if isinstance(given, DecimalType | DateType):
            return ParquetColumn(self.field.name, self.name, arrow_type(wanted), kind)
        return None


def is_used(column: str, attribute_names: Iterable[str]) -> bool:
    """Whether expressions name the column, or a field of it if it is a struct."""
    return any(name == column or name.startswith(f"{column}.") for name in attribute_names)


def value_type(field: StructField, attribute_names: Collection[str]) -> DataType:
    """The type in which a column's values are matched; a type that has no values is refused.

    Of a struct, the fields that are attributes are looked at; the others are not even read.
    """
    pending = [field]
    while pending:
        own = pending.pop()
        if isinstance(own.dataType, StructType):
            inner = (StructField(f"{own.name}.{below.name}", below.dataType) for below in own.dataType)
            pending += [below for below in inner if is_used(below.name, attribute_names)]
        elif _value_type(own.dataType) is None:
            raise InputError(
                f"column {own.name!r} of the events is of type {own.dataType.simpleString()}, which has no values",
                help="use booleans, numbers, strings, dates, timestamps, arrays, structs or maps of them; or drop it",
            )
    return _value_type(field.dataType) or field.dataType


def _value_type(given: DataType) -> DataType | None:
    """The type in which values are matched; None where there are none."""
    if isinstance(given, DecimalType):
        # Others stay as they are: what has a fraction becomes the nearest float, and what is whole stays exact.
        return LongType() if given.scale == 0 and given.precision <= 18 else given
    if isinstance(given, (BooleanType, NumericType, StringType, DateType, TimestampType, TimestampNTZType, NullType)):
        return given
    if isinstance(given, ArrayType):
        is_nested = isinstance(given.elementType, (ArrayType, MapType, StructType))
        inner = None if is_nested else _value_type(given.elementType)
        return None if inner is None else ArrayType(inner, given.containsNull)
    if isinstance(given, MapType):
        inner = _value_type(given.valueType)
        return None if inner is None else MapType(given.keyType, inner, given.valueContainsNull)
    if isinstance(given, StructType):
        # A field without values is no attribute, and so stays as it is.
        fields = [(field, _value_type(field.dataType) or field.dataType) for field in given]
        return StructType([StructField(field.name, kind, field.nullable) for field, kind in fields])
    return None


def _require_tenants(field: StructField) -> None:
    """Refuse a column that has no tenants; workers bring them to the kind that the index has, as `guards` says."""
    if not isinstance(field.dataType, (StringType, IntegralType)):
        raise InputError(
            f"the tenant column {field.name!r} is of type {field.dataType.simpleString()}",
            help="use strings or integers, as for the tenants of expressions",
        )


def _moment_type(field: StructField) -> DataType:
    """The type in which an event's time is needed; a day is its midnight, and a text is read by the worker."""
    if isinstance(field.dataType, (TimestampType, TimestampNTZType, StringType)):
        return field.dataType
    if isinstance(field.dataType, DateType):
        return TimestampNTZType()
    raise InputError(
        f"the time column {field.name!r} is of type {field.dataType.simpleString()}",
        help="use a timestamp, a date, or text such as 2026-03-01T12:00:00Z",
    )


def _require_named(columns: Sequence[str], known: Collection[str], named: Mapping[str, str | None]) -> None:
    """Refuse events without a tenant or a time when the index asks for one: they would silently match nothing."""
    for attribute, option in ((TENANT, "tenant"), (TIME, "time")):
        if attribute in known and named[attribute] is None and attribute not in columns:
            what = "belong to tenants" if attribute == TENANT else "have validity windows"
            raise InputError(
                f"expressions of this index {what}, and no column of the events says which {option} an event has",
                help=f"name the column: {option}=… (--{option}-column)",
            )
