"""What do the texts of a CSV column stand for? One type for the whole column, from all its values in all files.

| all values are | type |
|---|---|
| whole numbers | int, bigint, or decimal(38,0) if one has more than 64 bits |
| numbers, NaN or infinities | double |
| `true`, `false` | boolean |
| dates | date |
| dates or timestamps, as expressions write them | timestamp |
| none of these, or there are none | string |

So 007 among numbers is 7, and 10:00 is a text: a time without a day is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    TimestampType,
)

from eligo.data.csv_texts import MOST_DIGITS, Seen, seen_in
from eligo.spark.tables.moment_columns import date_of_text, moment_of_text

_TYPES: tuple[tuple[Seen, DataType], ...] = (
    (Seen(0), StringType()),
    (Seen.INT, IntegerType()),
    (Seen.INT | Seen.LONG, LongType()),
    (Seen.INT | Seen.LONG | Seen.WHOLE, DecimalType(MOST_DIGITS, 0)),
    (Seen.INT | Seen.LONG | Seen.WHOLE | Seen.NUMBER, DoubleType()),
    (Seen.BOOL, BooleanType()),
    (Seen.DATE, DateType()),
    (Seen.DATE | Seen.TIMESTAMP, TimestampType()),
)
"""The first that allows all that was seen."""


def infer_types(texts: DataFrame, names: Sequence[str]) -> dict[str, DataType]:
    """The type of each of these columns of texts, found in one pass."""
    if not names:
        return {}
    columns = [F.col(f"`{name.replace('`', '``')}`").cast("binary").alias(str(n)) for n, name in enumerate(names)]
    found = texts.select(*columns).mapInArrow(_seen_in_rows, "number int, seen int").toArrow().to_pylist()
    seen = [Seen(0)] * len(names)
    for row in found:
        seen[row["number"]] |= Seen(row["seen"])
    return {name: type_of(own) for name, own in zip(names, seen, strict=True)}


def type_of(seen: Seen) -> DataType:
    """The type of a column in which this was seen."""
    return next((kind for allowed, kind in _TYPES if not seen & ~allowed), StringType())


def as_type(text: Column, kind: DataType) -> Column:
    """The values that texts stand for; null where one stands for none."""
    if isinstance(kind, StringType):
        return text
    if isinstance(kind, TimestampType):
        return moment_of_text(text)
    if isinstance(kind, DateType):
        return date_of_text(text)
    return text.try_cast(kind)


def _seen_in_rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    seen: list[Seen] = []
    for batch in batches:
        seen = seen or [Seen(0)] * batch.num_columns
        for number, column in enumerate(batch.columns):
            if Seen.TEXT not in seen[number]:
                seen[number] |= seen_in(column)
    numbers = pa.array(range(len(seen)), pa.int32())
    yield pa.record_batch([numbers, pa.array([int(own) for own in seen], pa.int32())], names=["number", "seen"])
