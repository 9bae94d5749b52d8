"""Which columns does a directory of Parquet files have? Those of all files, by name, with a type that fits them.

Spark alone would take the columns of one file and leave out what only others have. Here files with the same schema are
looked at once; integers of different widths become the widest, floats become doubles. Where no type fits, the column is
a conflict, which is told with both files when the column is used. Numbers of any types are no conflict for an
attribute: workers read each file as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pyarrow.dataset as ds
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import (
    ArrayType,
    ByteType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    NumericType,
    ShortType,
    StringType,
    StructField,
    StructType,
)

from eligo.errors import InputError
from eligo.spark.tables.plain_columns import plain_columns
from eligo.stores.address import is_address

MOST_DIGITS = 38
"""Of a decimal."""
_WIDTHS: tuple[type[DataType], ...] = (ByteType, ShortType, IntegerType, LongType)


class Conflict(NamedTuple):
    """A column that has types in two files which no type fits."""

    message: str
    are_numbers: bool
    """All types are numbers, so that each value has a meaning of its own."""


class FileColumns(NamedTuple):
    """What the files have together."""

    schema: StructType
    conflicts: Mapping[str, Conflict]


def file_columns(spark: SparkSession, path: str, fragments: Iterable[ds.ParquetFileFragment]) -> FileColumns:
    """The columns of all files, those in the names of directories last."""
    ordered = sorted(fragments, key=lambda one: str(one.path))
    plain = plain_columns(ordered)
    if plain is not None:
        return FileColumns(plain, {})
    if is_address(path):
        return _of_store(ordered)
    whole = spark.read.parquet(path).schema
    first_of: dict[str, str] = {}
    for fragment in ordered:
        first_of.setdefault(fragment.physical_schema.to_string(show_field_metadata=False), fragment.path)
    if len(first_of) < 2:
        return FileColumns(whole, {})
    schemas = {file: spark.read.parquet(_escaped(file)).schema for file in first_of.values()}
    found = merged(schemas)
    others = [field for field in whole if not any(field.name in own.names for own in schemas.values())]
    return found._replace(schema=StructType([*found.schema, *others]))


def _of_store(fragments: Iterable[ds.ParquetFileFragment]) -> FileColumns:
    """The columns of files that Spark may have no file system for, by Arrow's types."""
    own = {str(one.path): from_arrow_schema(one.physical_schema) for one in fragments}
    found = merged({file: StructType(schema.fields) for file, schema in own.items()})
    keys: dict[str, DataType] = {}
    for one in fragments:
        for name, value in ds.get_partition_keys(one.partition_expression).items():
            is_number = isinstance(value, int) and not isinstance(keys.get(name), StringType)
            keys[name] = LongType() if is_number else StringType()
    fields = [field for field in found.schema if field.name not in keys]
    return found._replace(schema=StructType([*fields, *(StructField(name, kind) for name, kind in keys.items())]))


def merged(schemas: Mapping[str, StructType]) -> FileColumns:
    """The columns of files with these schemas, in the order in which they come first."""
    types: dict[str, DataType] = {}
    first_with: dict[str, str] = {}
    conflicts: dict[str, Conflict] = {}
    for file, schema in schemas.items():
        for field in schema:
            name, kind = field.name, field.dataType
            if name not in types:
                types[name], first_with[name] = kind, file
                continue
            known = types[name]
            fitting = common_type(known, kind)
            if fitting is not None:
                types[name] = fitting
                continue
            are_numbers = isinstance(known, NumericType) and isinstance(kind, NumericType)
            told = f"{known.simpleString()} in {first_with[name]} and {kind.simpleString()} in {file}"
            earlier = conflicts.get(name)
            if earlier is None or earlier.are_numbers:
                conflicts[name] = Conflict(f"column {name!r} is {told}", are_numbers)
            if are_numbers:
                types[name] = DoubleType()
    return FileColumns(StructType([StructField(name, kind) for name, kind in types.items()]), conflicts)


def common_type(one: DataType, other: DataType) -> DataType | None:
    """A type that holds every value of both exactly; None where there is none."""
    if one == other or isinstance(other, NullType):
        return one
    if isinstance(one, NullType):
        return other
    if isinstance(one, _WIDTHS) and isinstance(other, _WIDTHS):
        return max(one, other, key=lambda kind: _WIDTHS.index(type(kind)))
    small = (ByteType, ShortType, IntegerType, FloatType, DoubleType)
    if isinstance(one, small) and isinstance(other, small):
        return DoubleType()
    if isinstance(one, DecimalType) and isinstance(other, DecimalType):
        scale = max(one.scale, other.scale)
        digits = max(one.precision - one.scale, other.precision - other.scale) + scale
        return DecimalType(digits, scale) if digits <= MOST_DIGITS else None
    if isinstance(one, ArrayType) and isinstance(other, ArrayType):
        inner = common_type(one.elementType, other.elementType)
        return None if inner is None else ArrayType(inner)
    if isinstance(one, MapType) and isinstance(other, MapType):
        keys, items = common_type(one.keyType, other.keyType), common_type(one.valueType, other.valueType)
        return None if keys is None or items is None else MapType(keys, items)
    if isinstance(one, StructType) and isinstance(other, StructType):
        found = merged({"one": one, "other": other})
        return None if found.conflicts else found.schema
    return None


def require_one_type(conflicts: Mapping[str, Conflict], attributes: Sequence[str], others: Sequence[str]) -> None:
    """Refuse columns whose types differ between files; attributes may be numbers of any types."""
    for name, conflict in conflicts.items():
        if name in others or (name in attributes and not conflict.are_numbers):
            raise InputError(conflict.message, help="write it with one type in all files, or give the files apart")


def _escaped(path: str) -> str:
    """A path in which nothing is a pattern."""
    return re.sub(r"([\[\]{}*?])", r"\\\1", path)
