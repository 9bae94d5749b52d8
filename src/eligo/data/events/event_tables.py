"""How is a whole table of events taken in? Its columns go to a `ColumnReader`; a bad row can be shown to people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import pyarrow as pa

from eligo.arguments import texts
from eligo.data.events.encoded_events import EncodedEvents, encoded_values
from eligo.data.events.event_columns import ColumnReader
from eligo.data.sound_arrays import require_sound
from eligo.errors import InputError, Reject, shown

Shown = Callable[[int], str]
"""A row of the table as text."""


def add_table(
    reader: ColumnReader, table: pa.Table | pa.RecordBatch, exclude: Iterable[str], weights_column: str | None
) -> Shown:
    """Read an Arrow table whose columns are attributes."""
    whole = pa.Table.from_batches([table]) if isinstance(table, pa.RecordBatch) else table
    reader.add_table(whole, left_out(exclude), weights_column)
    return _rows_shown(whole.column_names, whole.columns)


def add_maps(reader: ColumnReader, column: pa.Array | pa.ChunkedArray) -> Shown:
    """Read a column of maps."""
    reader.add_maps(column.chunks if isinstance(column, pa.ChunkedArray) else [column])
    return _rows_shown(["event"], [column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])])


def add_frame(reader: ColumnReader, frame: Any, exclude: Iterable[str], weights_column: str | None) -> Shown:
    """Read a pandas frame whose columns are attributes."""
    names = [name for name in frame.columns if name not in left_out(exclude)]
    if wrong := [name for name in names if not isinstance(name, str)]:
        raise InputError(f"an attribute's name is a string, and a column is called {shown(wrong[0])}")
    wanted = [name for name in names if reader.may_want(name) or name == weights_column]
    columns, objects = frame_columns(frame, wanted, weights_column)
    if weights_column is not None and weights_column in objects:
        reader.add_weights(objects.pop(weights_column), weights_column)
        weights_column = None
    reader.add_table(pa.table(columns), (), weights_column)
    for name, cells in objects.items():
        reader.add_objects(name, cells)
    return lambda row: repr(frame.iloc[row].to_dict())


def encoded_rows(reader: ColumnReader, shown: Shown) -> EncodedEvents:
    """The events of all that a reader was given."""
    encoded = encoded_values(reader.num_good_rows, reader.values(), reader.vocabulary)
    return encoded._replace(rejects=bad_rows(reader, shown))


def bad_rows(reader: ColumnReader, shown: Shown) -> tuple[Reject, ...]:
    """The rows that a reader could not read."""
    return tuple(Reject(row, shown(row), error) for row, error in sorted(reader.errors.items()))


def left_out(exclude: Iterable[str]) -> tuple[str, ...]:
    """The excluded names; one name may stand for itself."""
    return texts(exclude, "exclude")


def frame_columns(
    frame: Any, names: Iterable[str], weights_column: str | None = None
) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """Columns of a pandas frame: those that Arrow takes as they are, and those that stay Python objects.

    Of objects Arrow gets those that are all strings or all bools: it cuts nanoseconds, makes numbers of numpy's bools,
    and crashes on objects that are nested deep.
    """
    columns: dict[str, pa.Array] = {}
    objects: dict[str, list[Any]] = {}
    for name in names:
        series = frame[name]
        if getattr(series, "ndim", 1) != 1:
            raise InputError(f"two columns give the attribute {name!r}", help="rename or drop one of them")
        # Of a weights column Arrow would make 1.0 of True without a word.
        if series.dtype == object and (name == weights_column or not _is_for_arrow(series)):
            objects[name] = series.tolist()
            continue
        try:
            columns[name] = pa.array(series, from_pandas=True)
        except (pa.ArrowException, OverflowError, UnicodeError, TypeError, ValueError):
            objects[name] = series.tolist()
    return columns, objects


def _is_for_arrow(series: Any) -> bool:
    """Whether Arrow reads a column of objects as what they are."""
    from pandas.api.types import infer_dtype

    return infer_dtype(series, skipna=True) in ("string", "boolean", "empty")


def _rows_shown(names: Sequence[str], columns: Sequence[pa.ChunkedArray]) -> Shown:
    """Rows for people; Python cannot hold every value that Arrow can, such as the year 20,000."""

    @cache
    def is_sound(place: int) -> bool:
        """Whether a column can be looked into: columns that are no attributes were not read."""
        try:
            require_sound(columns[place].chunks, names[place])
        except InputError:
            return False
        return True

    def shown_row(row: int) -> str:
        cells: dict[str, Any] = {}
        for place, (name, column) in enumerate(zip(names, columns, strict=True)):
            try:
                cells[name] = column[row].as_py() if is_sound(place) else f"a damaged {column.type}"
            except (OverflowError, ValueError, ArithmeticError, IndexError):
                cells[name] = f"a {column.type} beyond Python's range"
        return repr(cells)

    return shown_row
