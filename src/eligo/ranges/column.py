"""Of what are the ends of ranges made? Numbers, dates, timestamps or texts, from numpy, Arrow or a list.

| given | kind | kept as |
|---|---|---|
| integers | `int` | int64 |
| floats, or both | `float` | float64 |
| days | `date` | int64, days since 1970 |
| moments | `timestamp` | int64, microseconds since 1970 in UTC |
| texts | `string` | UTF-8, in the order of its bytes, which is that of code points |

Nothing is cut or rounded: what does not fit is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.errors import InputError, shown

Kind = Literal["int", "float", "date", "timestamp", "string"]
Values = npt.NDArray[np.int64] | npt.NDArray[np.float64]

HELP = "give numbers, dates, timestamps or strings, in a numpy array, an Arrow array or a list"

_SEVERAL = (list, tuple, set, frozenset, dict, np.ndarray, pa.Array)
"""What is no value; Arrow would go into a list that holds itself without end."""


@dataclass(frozen=True)
class Column:
    """Values of one kind, some of which may be missing."""

    kind: Kind | None
    """None where all are missing."""
    values: Any
    """Numbers as a numpy array, texts as an Arrow array of large strings; anything where one is missing."""
    is_there: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.is_there)

    def present(self) -> Any:
        """Only the values that are there."""
        return self.values.filter(pa.array(self.is_there)) if self.kind == "string" else self.values[self.is_there]


def read_column(given: Any, name: str) -> Column:
    """A column from what a caller gives; NaN is refused."""
    column = read_values(given, name)
    if column.kind == "float" and np.isnan(column.present()).any():
        row = int(np.flatnonzero(column.is_there & np.isnan(column.values))[0])
        raise InputError(f"{name} has NaN at row {row:,}, which is in no order", help="None stands for no end")
    return column


def read_values(given: Any, name: str) -> Column:
    """A column from what a caller gives."""
    if isinstance(given, Column):
        return given
    if isinstance(given, np.ndarray) and given.ndim == 1 and given.dtype.kind in "iufM":
        return _from_numpy(given, name)
    array = _as_arrow(given, name)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    is_there = array.is_valid().to_numpy(zero_copy_only=False)
    try:
        return Column(*_from_arrow(array), is_there)
    except (pa.ArrowException, ValueError) as error:
        raise InputError(f"{name} cannot be taken as {array.type}: {str(error)[:200]}", help=HELP) from None


def _from_numpy(given: npt.NDArray[Any], name: str) -> Column:
    """A column of numpy's own numbers and moments."""
    everywhere = np.ones(len(given), np.bool_)
    if given.dtype.kind == "f":
        if given.dtype.itemsize > 8:
            raise InputError(f"{name} are floats of more than 64 bits", help="cast them to float64")
        return Column("float", given.astype(np.float64), everywhere)
    if given.dtype.kind in "iu":
        if given.dtype.kind == "u" and len(given) and int(given.max()) >= 2**63:
            raise InputError(f"{name} has {int(given.max())}, which does not fit in 64 bits with sign")
        return Column("int", given.astype(np.int64), everywhere)
    is_there = ~np.isnat(given)
    unit = "D" if np.datetime_data(given.dtype)[0] in ("Y", "M", "W", "D") else "us"
    ticks = given.astype(f"datetime64[{unit}]")
    if not np.array_equal(ticks.astype(given.dtype)[is_there], given[is_there]):
        raise InputError(f"{name} has a timestamp that is finer than a microsecond or too far away")
    return Column("date" if unit == "D" else "timestamp", ticks.astype(np.int64), is_there)


def _as_arrow(given: Any, name: str) -> pa.Array:
    if isinstance(given, pa.ChunkedArray):
        return given.combine_chunks()
    if isinstance(given, pa.Array):
        return given
    if hasattr(given, "to_numpy") and hasattr(given, "dtype"):  # a pandas Series
        return _as_arrow(given.to_numpy().tolist(), name)
    is_row = isinstance(given, list | tuple | range) or (isinstance(given, np.ndarray) and given.ndim == 1)
    if not is_row:
        raise InputError(f"{name} is a row of values, not {shown(given)}", help=HELP)
    items = given.tolist() if isinstance(given, np.ndarray) else list(given)
    if nested := next((item for item in items if isinstance(item, _SEVERAL)), None):
        raise InputError(f"each of {name} is one value, not {shown(nested)}", help=HELP)
    try:
        return pa.array(items)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} are not values of one kind: {str(error)[:200]}", help=HELP) from None


def _from_arrow(array: pa.Array) -> tuple[Kind | None, Any]:
    """The kind of an Arrow array and its values; raises ValueError for a type that has none."""
    types, kind = pa.types, array.type
    if types.is_null(kind):
        return None, np.zeros(len(array), np.int64)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return "string", array.cast(pa.large_string())
    if types.is_integer(kind):
        return "int", _ticks(array.cast(pa.int64()))
    if types.is_floating(kind):
        return "float", array.cast(pa.float64()).fill_null(0.0).to_numpy(zero_copy_only=False)
    if types.is_date(kind):
        return "date", _ticks(array.cast(pa.date32()).cast(pa.int32()).cast(pa.int64()))
    if types.is_timestamp(kind):
        return "timestamp", _ticks(array.cast(pa.timestamp("us", kind.tz)).cast(pa.int64()))
    raise ValueError("ranges have no such order")


def _ticks(array: pa.Array) -> npt.NDArray[np.int64]:
    whole: npt.NDArray[np.int64] = array.fill_null(0).to_numpy(zero_copy_only=False)
    return whole


def as_floats(column: Column, name: str) -> Column:
    """Whole numbers as floats, where every one of them is exactly a float; others as they are."""
    if column.kind != "int":
        return column
    floats = column.values.astype(np.float64)
    # 2^63 is beyond the largest whole number, and a float of it would come back as another.
    is_exact = (np.abs(floats) < 2.0**63) & (
        np.where(np.abs(floats) < 2.0**63, floats, 0).astype(np.int64) == column.values
    )
    if not is_exact[column.is_there].all():
        value = int(column.values[column.is_there & ~is_exact][0])
        raise InputError(f"{name} has {value}, which is not exactly a float, beside floats")
    return Column("float", floats, column.is_there)


def of_one_kind(columns: list[tuple[Column, str]]) -> tuple[Kind | None, list[Column]]:
    """Columns that share one kind: whole numbers become floats beside floats, and no others mix."""
    kinds = {column.kind for column, _ in columns} - {None}
    if kinds == {"int", "float"}:
        return "float", [as_floats(column, name) if column.kind == "int" else column for column, name in columns]
    if len(kinds) > 1:
        named = " and ".join(f"{name} of kind {column.kind}" for column, name in columns if column.kind)
        raise InputError(f"ranges have ends of one kind, not {named}")
    return next(iter(kinds), None), [column for column, _ in columns]
