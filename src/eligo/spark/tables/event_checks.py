"""Which tables of events are refused before any task runs? Those whose columns are not what the arguments say.

What a worker would find out after a minute, in the words of Java or Arrow, is found here at once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, get_args

from pyspark.errors import PySparkException
from pyspark.sql.types import (
    ArrayType,
    DataType,
    MapType,
    NumericType,
    StringType,
    StructField,
    StructType,
)

from eligo.errors import InputError
from eligo.spark.spark_versions import arrow_type


def names_of(given: str | Sequence[str]) -> list[str]:
    """The names of columns, where one name may stand for itself."""
    return [given] if isinstance(given, str) else list(given)


def require_choice(option: str, given: Any, choices: Any) -> None:
    """Refuse what is none of the values of a `Literal`."""
    allowed = get_args(choices)
    if given not in allowed:
        raise InputError(f"{option}={given!r} is none of its values", help=", ".join(map(repr, allowed)))


def require_table(events: Any) -> None:
    """Refuse what is no table of Spark's."""
    if not isinstance(getattr(events, "schema", None), StructType):
        raise InputError(
            f"events are a Spark table or parquet_events(…), not {type(events).__name__}",
            help="make a table of them: spark.createDataFrame(…)",
        )


def read_columns(text: str) -> StructType:
    """Columns as SQL writes them, such as `event_id long, age int`."""
    try:
        columns = StructType.fromDDL(text)
    except (PySparkException, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
    else:
        if isinstance(columns, StructType):
            return columns
        reason = f"it is {columns.simpleString()}"
    raise InputError(
        f"schema={text!r} names no columns: {reason}", help='write "event_id long, age int", or give a StructType'
    )


def require_distinct_columns(names: Sequence[str], used: Collection[str], *, is_case_sensitive: bool) -> None:
    """Refuse a column that is used and that Spark could not tell from another one."""

    def folded(name: str) -> str:
        return name if is_case_sensitive else name.lower()

    wanted = {folded(name) for name in used}
    seen: dict[str, str] = {}
    for name in names:
        if folded(name) in wanted and folded(name) in seen:
            other = seen[folded(name)]
            told = f"two columns {name!r}" if other == name else f"columns {other!r} and {name!r}, alike but for case,"
            raise InputError(f"the events have {told} and Spark cannot tell them apart", help="rename or drop one")
        seen[folded(name)] = name


def require_distinct_output(fields: Iterable[StructField]) -> StructType:
    """The schema of an output, unless two of its columns have one name."""
    schema = StructType(list(fields))
    seen: set[str] = set()
    for name in schema.names:
        if name in seen:
            raise InputError(
                f"the output would have two columns {name!r}: one copied from the events, and one of its own",
                help="rename the column of the events, or that of the ids: expression_id=… (--expression-id-column)",
            )
        seen.add(name)
    return schema


def require_json(field: StructField) -> None:
    """Refuse a column that cannot have JSON texts."""
    if not isinstance(field.dataType, StringType):
        raise InputError(
            f"column {field.name!r} is {field.dataType.simpleString()}, and events as JSON are strings",
            help="use a column of strings; attributes=… takes maps, and columns of their own need no argument",
        )


def require_map(field: StructField) -> None:
    """Refuse a column that cannot have maps from attributes to values."""
    kind = field.dataType
    is_map = isinstance(kind, MapType) and isinstance(kind.keyType, StringType) and _is_plain(kind.valueType)
    if not (is_map or _is_entries(kind)):
        raise InputError(
            f"column {field.name!r} is {kind.simpleString()}, and not maps from attributes to values",
            help="use map<string, …> of booleans, numbers, strings, dates or timestamps, or of arrays of them",
        )


def require_weights(field: StructField) -> None:
    """Refuse a column that cannot have the weights of events."""
    kind = field.dataType
    if isinstance(kind, MapType) and isinstance(kind.keyType, StringType) and isinstance(kind.valueType, NumericType):
        return
    if isinstance(kind, StructType) and all(isinstance(own.dataType, NumericType) for own in kind):
        return
    raise InputError(
        f"column {field.name!r} is {kind.simpleString()}, and not maps from attributes to weights",
        help="use map<string, double>",
    )


def require_copied(fields: Iterable[StructField]) -> None:
    """Refuse columns to copy that cannot pass through Arrow."""
    for field in fields:
        try:
            arrow_type(field.dataType)
        except (PySparkException, ValueError, TypeError, NotImplementedError):
            raise InputError(
                f"column {field.name!r} is {field.dataType.simpleString()}, which cannot be copied to the output",
                help=f"cast it: events.withColumn({field.name!r}, events[{field.name!r}].cast('string'))",
            ) from None


def require_groups(fields: Iterable[StructField]) -> None:
    """Refuse columns whose values cannot be groups."""
    for field in fields:
        if isinstance(field.dataType, (ArrayType, MapType, StructType)):
            raise InputError(
                f"column {field.name!r} is {field.dataType.simpleString()}, and by= takes columns of plain values",
                help="count by a field of it, or by to_json of it: events.withColumn(…)",
            )


def _is_plain(kind: DataType) -> bool:
    inner = kind.elementType if isinstance(kind, ArrayType) else kind
    return not isinstance(inner, (ArrayType, MapType, StructType))


def _is_entries(kind: DataType) -> bool:
    """An array of structs of a key and a value."""
    return isinstance(kind, ArrayType) and isinstance(kind.elementType, StructType) and len(kind.elementType) == 2
