"""How are documents read? As events are: mappings one by one, tables column by column, all their attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.arguments import items
from eligo.data.encoded_value import MICROSECONDS_IN_DAY
from eligo.data.events.event import OnError
from eligo.data.events.event_tables import frame_columns
from eligo.data.foreign_tables import is_pandas, read_once
from eligo.errors import EligoError, EventError, InputError, Reject, shown
from eligo.joins.document_columns import ColumnsReader, check_name
from eligo.joins.segment import Attributes, ColumnKind, Segment, merged, stored_value
from eligo.language.limits import Limits
from eligo.language.value import event_attributes, event_values

DOCUMENTS_HELP = "give a list of mappings, an Arrow table, a pandas frame, or a mapping from attributes to columns"


class ReadBatch(NamedTuple):
    """Documents that were read: a segment whose numbers are their places in what was given."""

    segment: Segment
    rejects: tuple[Reject, ...]


def read_document(document: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    """The attributes of one document, whose names can be written down."""
    attributes = event_attributes(document, limits=limits)
    for name in attributes:
        check_name(name)
    return attributes


def read_documents(documents: Any, on_error: OnError, limits: Limits) -> ReadBatch:
    """The good documents, and the rejected ones; with `on_error="raise"` the first bad one is an error."""
    documents = read_once(documents)
    if isinstance(documents, pa.RecordBatch):
        documents = pa.Table.from_batches([documents])
    if isinstance(documents, pa.Table):
        return _read_columns(dict(_named(documents)), {}, documents.num_rows, on_error, limits)
    if is_pandas(documents):
        names = list(documents.columns)
        if wrong := [name for name in names if not isinstance(name, str)]:
            raise InputError(f"an attribute's name is a string, and a column is called {shown(wrong[0])}")
        columns, objects = frame_columns(documents, names)
        return _read_columns(columns, objects, len(documents), on_error, limits)
    if isinstance(documents, Mapping):
        return _read_mapping(documents, on_error, limits)
    if not isinstance(documents, Iterable) or isinstance(documents, str | bytes):
        raise InputError(f"these are no documents: {shown(documents)}", help=DOCUMENTS_HELP)
    return _read_rows(items(documents, "documents"), on_error, limits)


def _named(table: pa.Table) -> list[tuple[str, pa.ChunkedArray]]:
    names = table.column_names
    if len(set(names)) < len(names):
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise InputError(f"two columns give the attribute {twice!r}", help="rename or drop one of them")
    return list(zip(names, table.columns, strict=True))


def _read_mapping(documents: Mapping[Any, Any], on_error: OnError, limits: Limits) -> ReadBatch:
    """Columns by attribute: Arrow arrays, numpy arrays or lists, of one length."""
    columns: dict[str, Any] = {}
    objects: dict[str, Any] = {}
    for name, column in documents.items():
        if not isinstance(name, str):
            raise InputError(f"an attribute's name is a string, and a column is called {shown(name)}")
        check_name(name)
        if isinstance(column, pa.Array | pa.ChunkedArray):
            columns[name] = column
        elif isinstance(column, str | bytes | Mapping) or not isinstance(column, Iterable):
            raise InputError(
                f"the column {name!r} is not a list of values but {shown(column)}",
                help="add(document) takes one document; add_batch a list of them, or a table",
            )
        else:
            objects[name] = items(column, f"the column {name!r}")
    lengths = {len(column) for column in (*columns.values(), *objects.values())}
    if len(lengths) > 1:
        raise InputError(f"the columns have different lengths: {', '.join(map(str, sorted(lengths)))}")
    return _read_columns(columns, objects, lengths.pop() if lengths else 0, on_error, limits)


def _read_rows(documents: Sequence[Any], on_error: OnError, limits: Limits) -> ReadBatch:
    read: list[Attributes] = []
    places: list[int] = []
    rejects: list[Reject] = []
    for row, document in enumerate(documents):
        try:
            read.append(read_document(document, limits))
            places.append(row)
        except EligoError as error:
            rejects.append(_reject(row, lambda row: shown(documents[row], 1000), error, on_error))
    return ReadBatch(Segment.of(read, places, [0] * len(places)), tuple(rejects))


def _read_columns(
    columns: Mapping[str, Any], objects: Mapping[str, Sequence[Any]], num_rows: int, on_error: OnError, limits: Limits
) -> ReadBatch:
    reader = ColumnsReader(num_rows, limits)
    for name, column in columns.items():
        reader.add(name, column.chunks if isinstance(column, pa.ChunkedArray) else [column])
    for name, cells in objects.items():
        reader.add_objects(name, cells)
    found = reader.finish()
    nothing = np.zeros(num_rows, np.int64)
    segment = Segment(np.arange(num_rows, dtype=np.int64), nothing, found)

    def text(row: int) -> str:
        cells = {name: _cell(column[row]) for name, column in (columns | objects).items()}  # type: ignore[operator]
        return shown(cells, 1000)

    rejects = tuple(_reject(row, text, error, on_error) for row, error in sorted(reader.errors.items()))
    if rejects:
        is_good = np.ones(num_rows, np.bool_)
        is_good[list(reader.errors)] = False
        segment = merged([(segment, is_good)])
    return ReadBatch(segment, rejects)


def _cell(cell: Any) -> Any:
    try:
        return cell.as_py() if isinstance(cell, pa.Scalar) else cell
    except (OverflowError, ValueError, ArithmeticError):
        return f"a {cell.type} beyond Python's range"


def _reject(row: int, text: Callable[[int], str], error: EligoError, on_error: OnError) -> Reject:
    if isinstance(error, EventError) and error.row is None:
        error.row = row
    if on_error == "raise":
        raise error
    return Reject(row, text(row), error)


def time_of(given: Any, name: str = "time") -> int:
    """A moment that a caller gives, in microseconds since 1970; a date is its midnight in UTC."""
    values = event_values(given, name)
    kind, stored = stored_value(values[0]) if len(values) == 1 else (ColumnKind.BOOL, 0)
    if kind not in (ColumnKind.DATE, ColumnKind.TIMESTAMP):
        raise InputError(f"{name} is a date or timestamp, not {shown(given)}", help="give a datetime, in UTC")
    return int(stored) * (MICROSECONDS_IN_DAY if kind is ColumnKind.DATE else 1)


def times_from(segment: Segment, attribute: str) -> tuple[npt.NDArray[np.int64], dict[int, EventError]]:
    """For each document the time that an attribute says, and by row what is wrong with it."""
    times = np.zeros(segment.num_documents, np.int64)
    found = np.zeros(segment.num_documents, np.int64)
    for kind, column in segment.columns(attribute).items():
        found += np.bincount(column.rows, minlength=segment.num_documents)
        if kind is ColumnKind.TIMESTAMP:
            times[column.rows] = column.values
        elif kind is ColumnKind.DATE:
            times[column.rows] = column.values * MICROSECONDS_IN_DAY
        else:
            found[column.rows] += 2
    return times, {row: bad_time(attribute) for row in np.flatnonzero(found != 1).tolist()}


def bad_time(attribute: str) -> EventError:
    """The error for a document whose time cannot be had."""
    return EventError(
        "the document's time is one date or timestamp",
        attribute=attribute,
        help="give the attribute, or time= when adding, or a DocumentBase without time=",
    )
