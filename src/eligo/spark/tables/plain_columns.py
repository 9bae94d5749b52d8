"""Of which Parquet files need Spark not be asked for the columns? Of those that can be read in one way only.

To look into a file, Spark runs a job, which is the first of a session and takes seconds. Where all files have the same
columns, each of a type that Arrow and Spark read alike, the types follow from Arrow's. All else is Spark's to say:
timestamps without a zone or of 96 bits, unsigned numbers, bytes, structs, columns in the names of directories.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.types as pt
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

SPARK_COLUMNS = b"org.apache.spark.sql.parquet.row.metadata"
"""Where a file that Spark wrote says what its columns are to Spark."""

_SCALARS: dict[pa.DataType, DataType] = {
    pa.bool_(): BooleanType(),
    pa.int8(): ByteType(),
    pa.int16(): ShortType(),
    pa.int32(): IntegerType(),
    pa.int64(): LongType(),
    pa.float32(): FloatType(),
    pa.float64(): DoubleType(),
    pa.string(): StringType(),
    pa.large_string(): StringType(),
    pa.date32(): DateType(),
}


def plain_columns(fragments: Sequence[ds.ParquetFileFragment]) -> StructType | None:
    """The columns of all files as Spark has them; None where only Spark can tell."""
    if not fragments:
        return None
    first = fragments[0].physical_schema
    if len({name.lower() for name in first.names}) < len(first.names):
        return None
    fields = []
    for field in first:
        kind = plain_type(field.type)
        if kind is None:
            return None
        fields.append(StructField(field.name, kind))
    found = StructType(fields)
    return found if all(_agrees(fragment, first, found) for fragment in fragments) else None


def _agrees(fragment: ds.ParquetFileFragment, schema: pa.Schema, columns: StructType) -> bool:
    """Whether a file has just these columns, also by what Spark wrote into it."""
    if ds.get_partition_keys(fragment.partition_expression) or not fragment.physical_schema.equals(schema):
        return False
    said = (fragment.metadata.metadata or {}).get(SPARK_COLUMNS)
    if said is None:
        return True
    try:
        own = StructType.fromJson(json.loads(said))
    except (ValueError, KeyError, TypeError, AttributeError):
        return False
    return own.names == columns.names and own.simpleString() == columns.simpleString()


def plain_type(given: pa.DataType) -> DataType | None:
    """The type that Spark gives a column of this type; None where that does not follow from it."""
    if given in _SCALARS:
        return _SCALARS[given]
    if pt.is_decimal128(given):
        return DecimalType(given.precision, given.scale) if 0 <= given.scale <= given.precision else None
    if pt.is_timestamp(given):
        return TimestampType() if given.tz is not None and given.unit in ("ms", "us") else None
    if pt.is_list(given):
        inner = _SCALARS.get(given.value_type)
        return None if inner is None else ArrayType(inner)
    if pt.is_map(given):
        key, value = _SCALARS.get(given.key_type), _SCALARS.get(given.item_type)
        return None if key is None or value is None else MapType(key, value)
    return None
