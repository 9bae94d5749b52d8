"""How are documents held so that many of them are compared at once? In columns, a block of documents at a time.

    0: {"price": 10, "author": "Smith"}      price   INT     rows 0 1   values 10 25
    1: {"price": 25, "tags": ["a", "b"]}     author  STRING  rows 0     values Smith
                                             tags    STRING  rows 1 1   values a b

A segment never changes. What dies of it is said by a mask beside it, and segments of like size are merged, without
their dead, into larger ones. A snapshot is a base at one moment: its segments from the oldest to the newest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from enum import IntEnum
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.data.encoded_value import EPOCH, EPOCH_ORDINAL, MICROSECOND, read_only
from eligo.language.value import Scalar
from eligo.sharing import once

Mask = npt.NDArray[np.bool_]
Attributes = Mapping[str, tuple[Scalar, ...]]
"""What `event_attributes` makes of a document."""


class ColumnKind(IntEnum):
    """What the values of a column are. Ints and floats are one kind of value; they stand apart to be compared exactly.

    A float is never whole within 64 bits: that would be an int.
    """

    BOOL = 0
    INT = 1
    FLOAT = 2
    STRING = 3
    DATE = 4
    TIMESTAMP = 5


class Column(NamedTuple):
    """The values of one kind that documents of a segment give an attribute; several values are several rows."""

    rows: npt.NDArray[np.int32]
    """For each value: the row of its document, ascending."""
    values: Any
    """BOOL 0 and 1, INT, DATE days and TIMESTAMP microseconds since 1970 as int64; FLOAT as float64; STRING as a
    large_string array of Arrow."""

    @property
    def nbytes(self) -> int:
        return int(self.rows.nbytes) + int(self.values.nbytes)


Columns = Mapping[str, Mapping[ColumnKind, Column]]


class Segment:
    """Documents in columns; nothing of it changes but what others keep with it."""

    def __init__(self, numbers: npt.NDArray[np.int64], times: npt.NDArray[np.int64], columns: Columns) -> None:
        self.numbers = read_only(numbers)
        """For each document: its number in the base, ascending."""
        self.times = read_only(times)
        """For each document: when it came, in microseconds since 1970 in UTC."""
        self.attributes: tuple[str, ...] = tuple(sorted(columns))
        self._columns = columns
        self.memo: dict[Any, Any] = {}
        """What others derive from the segment and keep with it; it goes with the segment."""

    @classmethod
    def of(cls, documents: Sequence[Attributes], numbers: Sequence[int], times: Sequence[int]) -> Self:
        """The segment of documents as `event_attributes` gives them."""
        found: dict[str, dict[ColumnKind, tuple[list[int], list[Any]]]] = {}
        for row, document in enumerate(documents):
            for name, values in document.items():
                of_name = found.setdefault(name, {})
                for value in values:
                    kind, stored = stored_value(value)
                    rows, column = of_name.setdefault(kind, ([], []))
                    rows.append(row)
                    column.append(stored)
        columns = {
            name: {kind: _column(kind, *found[name][kind]) for kind in sorted(found[name])} for name in sorted(found)
        }
        return cls(np.array(numbers, np.int64), np.array(times, np.int64), columns)

    @property
    def num_documents(self) -> int:
        return len(self.numbers)

    @once
    def nbytes(self) -> int:
        """Bytes of its arrays, without what others keep with it."""
        of_columns = (column.nbytes for columns in self._columns.values() for column in columns.values())
        return int(self.numbers.nbytes) + int(self.times.nbytes) + sum(of_columns)

    @property
    def nbytes_kept(self) -> int:
        """Bytes of what others keep with it, as far as they say."""
        return sum(int(getattr(kept, "nbytes", 0)) for kept in list(self.memo.values()))

    def columns(self, attribute: str) -> Mapping[ColumnKind, Column]:
        """The columns of an attribute, by kind; none when no document has it."""
        return self._columns.get(attribute, {})

    def document(self, row: int) -> dict[str, tuple[Scalar, ...]]:
        """The document of a row; its values stand in the order of their kinds, and as given within a kind."""
        found: dict[str, tuple[Scalar, ...]] = {}
        for name in self.attributes:
            values: list[Scalar] = []
            for kind, column in self._columns[name].items():
                first, end = np.searchsorted(column.rows, [row, row + 1]).tolist()
                values += [read_value(kind, stored) for stored in _listed(column.values, first, end)]
            if values:
                found[name] = tuple(values)
        return found

    def documents(self) -> list[dict[str, tuple[Scalar, ...]]]:
        """All documents, as `document` gives each, in one pass over the columns."""
        found: list[dict[str, tuple[Scalar, ...]]] = [{} for _ in range(self.num_documents)]
        for name in self.attributes:
            for kind, column in self._columns[name].items():
                values = _listed(column.values, 0, len(column.rows))
                for row, stored in zip(column.rows.tolist(), values, strict=True):
                    of_row = found[row]
                    of_row[name] = (*of_row.get(name, ()), read_value(kind, stored))
        return found

    def rows_of(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The rows of those of the numbers that the segment has."""
        rows: npt.NDArray[np.int64] = np.searchsorted(self.numbers, numbers)
        is_inside = rows < len(self.numbers)
        rows, wanted = rows[is_inside], numbers[is_inside]
        found: npt.NDArray[np.int64] = rows[self.numbers[rows] == wanted]
        return found


def stored_value(value: Scalar) -> tuple[ColumnKind, Any]:
    """The kind of a canonical value, and what a column has for it."""
    if isinstance(value, str):
        return ColumnKind.STRING, value
    if isinstance(value, bool):
        return ColumnKind.BOOL, int(value)
    if isinstance(value, int):
        return ColumnKind.INT, value
    if isinstance(value, float):
        return ColumnKind.FLOAT, value
    if isinstance(value, datetime):
        return ColumnKind.TIMESTAMP, microseconds_of(value)
    return ColumnKind.DATE, value.toordinal() - EPOCH_ORDINAL


def read_value(kind: ColumnKind, stored: Any) -> Scalar:
    """The value that `stored_value` was given."""
    if kind is ColumnKind.BOOL:
        return bool(stored)
    if kind is ColumnKind.DATE:
        return date.fromordinal(stored + EPOCH_ORDINAL)
    if kind is ColumnKind.TIMESTAMP:
        return moment_of(stored)
    value: Scalar = stored
    return value


def microseconds_of(moment: datetime) -> int:
    """A moment in microseconds since 1970 in UTC; one without a zone is in UTC."""
    return ((moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)) - EPOCH) // MICROSECOND


def moment_of(microseconds: int) -> datetime:
    """The moment, in UTC, of microseconds since 1970."""
    return EPOCH + microseconds * MICROSECOND


def _column(kind: ColumnKind, rows: Sequence[int], values: Sequence[Any]) -> Column:
    if kind is ColumnKind.STRING:
        stored: Any = pa.array(values, pa.large_string())
    else:
        stored = read_only(np.array(values, np.float64 if kind is ColumnKind.FLOAT else np.int64))
    return Column(read_only(np.array(rows, np.int32)), stored)


def _listed(values: Any, first: int, end: int) -> list[Any]:
    found: list[Any]
    if isinstance(values, np.ndarray):
        found = values[first:end].tolist()
    else:
        found = values.slice(first, end - first).to_pylist()
    return found


def merged(parts: Sequence[tuple[Segment, Mask | None]]) -> Segment:
    """One segment of what lives of several, whose numbers follow each other."""
    numbers, times, pieces, start = [], [], dict[tuple[str, ColumnKind], list[Column]](), 0
    for segment, is_alive in parts:
        numbers.append(segment.numbers if is_alive is None else segment.numbers[is_alive])
        times.append(segment.times if is_alive is None else segment.times[is_alive])
        for name in segment.attributes:
            for kind, column in segment.columns(name).items():
                kept = _kept(column, is_alive, start)
                if len(kept.rows):
                    pieces.setdefault((name, kind), []).append(kept)
        start += len(numbers[-1])
    columns: dict[str, dict[ColumnKind, Column]] = {}
    for name, kind in sorted(pieces):
        columns.setdefault(name, {})[kind] = _joined(pieces[name, kind])
    nothing = np.zeros(0, np.int64)
    return Segment(np.concatenate([nothing, *numbers]), np.concatenate([nothing, *times]), columns)


def _kept(column: Column, is_alive: Mask | None, start: int) -> Column:
    """What lives of a column, with rows counted from `start`."""
    if is_alive is None:
        return Column(column.rows + np.int32(start), column.values)
    new_row = np.cumsum(is_alive, dtype=np.int32) + np.int32(start - 1)
    is_kept = is_alive[column.rows]
    values = column.values
    kept = values[is_kept] if isinstance(values, np.ndarray) else values.filter(pa.array(is_kept))
    return Column(new_row[column.rows[is_kept]], kept)


def _joined(pieces: Sequence[Column]) -> Column:
    rows = read_only(np.concatenate([piece.rows for piece in pieces]))
    values = [piece.values for piece in pieces]
    if isinstance(values[0], np.ndarray):
        return Column(rows, read_only(np.concatenate(values)))
    return Column(rows, pa.concat_arrays(values))


class Snapshot:
    """A base at one moment; it stays as it is whatever comes and goes."""

    def __init__(self, segments: Sequence[tuple[Segment, Mask | None]], version: int) -> None:
        self.segments: tuple[tuple[Segment, Mask | None], ...] = tuple(segments)
        """From the oldest documents to the newest, each with a mask of those that live; None when all do."""
        self.version = version
        """Another after every change of the base."""

    @once
    def num_documents(self) -> int:
        """Those that live."""
        return sum(_num_alive(segment, is_alive) for segment, is_alive in self.segments)

    def place(self, number: int) -> tuple[Segment, int] | None:
        """The segment and row of a document that lives."""
        for segment, is_alive in reversed(self.segments):
            row = int(np.searchsorted(segment.numbers, number))
            if row < segment.num_documents and segment.numbers[row] == number:
                return (segment, row) if is_alive is None or is_alive[row] else None
        return None

    def numbers(self) -> npt.NDArray[np.int64]:
        """The numbers of all documents, ascending."""
        living = [_alive(segment.numbers, is_alive) for segment, is_alive in self.segments]
        return np.concatenate([np.zeros(0, np.int64), *living])

    def times(self) -> npt.NDArray[np.int64]:
        """When each of them came, in microseconds since 1970."""
        living = [_alive(segment.times, is_alive) for segment, is_alive in self.segments]
        return np.concatenate([np.zeros(0, np.int64), *living])

    def documents(self) -> Iterator[tuple[int, dict[str, tuple[Scalar, ...]]]]:
        """Each document with its number."""
        for segment, is_alive in self.segments:
            numbers, documents = segment.numbers.tolist(), segment.documents()
            rows = range(segment.num_documents) if is_alive is None else np.flatnonzero(is_alive).tolist()
            for row in rows:
                yield numbers[row], documents[row]

    def in_scope(self, last: int | timedelta | None, at: datetime) -> Snapshot:
        """What 'in last' narrows it to: the documents with the highest numbers, or those not older than so much."""
        if last is None:
            return self
        if isinstance(last, timedelta):
            return Snapshot(self._since(microseconds_of(at) - last // MICROSECOND), self.version)
        return Snapshot(self._newest(last), self.version)

    def _since(self, earliest: int) -> list[tuple[Segment, Mask | None]]:
        found: list[tuple[Segment, Mask | None]] = []
        for segment, is_alive in self.segments:
            is_new = segment.times >= earliest
            if is_new.all():
                found.append((segment, is_alive))
            elif is_new.any():
                found.append((segment, is_new if is_alive is None else is_new & is_alive))
        return found

    def _newest(self, wanted: int) -> list[tuple[Segment, Mask | None]]:
        found: list[tuple[Segment, Mask | None]] = []
        for segment, is_alive in reversed(self.segments):
            num_alive = _num_alive(segment, is_alive)
            if num_alive <= wanted:
                found.append((segment, is_alive))
            elif wanted:
                rows = np.arange(segment.num_documents) if is_alive is None else np.flatnonzero(is_alive)
                is_newest = np.zeros(segment.num_documents, np.bool_)
                is_newest[rows[-wanted:]] = True
                found.append((segment, is_newest))
            wanted = max(0, wanted - num_alive)
        return found[::-1]


def _num_alive(segment: Segment, is_alive: Mask | None) -> int:
    return segment.num_documents if is_alive is None else int(np.count_nonzero(is_alive))


def _alive(column: npt.NDArray[np.int64], is_alive: Mask | None) -> npt.NDArray[np.int64]:
    return column if is_alive is None else column[is_alive]
