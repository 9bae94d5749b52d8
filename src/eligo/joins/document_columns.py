"""How do the columns of a table become columns of a segment? Through views of Arrow's buffers, by their type.

age: int64    interests: list<string>    user: struct<vip: bool>    facts: map<string, double>
age           interests                  user.vip                   facts.<key>
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from eligo.arguments import is_unicode
from eligo.data.encoded_value import read_only
from eligo.data.events.column_values import ColumnValues, Ints, Refuse, as_scalars, is_list, plain, read_scalars, taken
from eligo.errors import EventError, shown
from eligo.joins.segment import Column, ColumnKind, stored_value
from eligo.kernels import codes
from eligo.language.event_size import check_size, exact_size, too_deep
from eligo.language.limits import Limits
from eligo.language.value import event_values, flat, given_twice

_KINDS = {codes.BOOL: ColumnKind.BOOL, codes.DATE: ColumnKind.DATE, codes.TIMESTAMP: ColumnKind.TIMESTAMP}
_WHOLE_BITS = 2.0**63


def check_name(name: str) -> None:
    """Refuse an attribute's name that is no text."""
    if not is_unicode(name):
        raise EventError(
            f"an attribute's name is not Unicode text: {shown(name)}", help="it holds half a surrogate pair"
        )


class ColumnsReader:
    """Reads the columns of one table, and remembers which rows are bad."""

    def __init__(self, num_rows: int, limits: Limits) -> None:
        self.num_rows = num_rows
        self.limits = limits
        self.errors: dict[int, EventError] = {}
        """For each bad row: its first error."""
        self._pieces: dict[tuple[str, ColumnKind], list[Column]] = {}
        self._is_given: dict[str, npt.NDArray[np.bool_]] = {}
        """For each attribute: the rows that have it."""
        self._num_values = np.zeros(num_rows, np.int64)
        self._num_bytes = np.zeros(num_rows, np.int64)

    def add(self, name: str, chunks: Sequence[pa.Array]) -> None:
        """Read a column; a struct gives dotted names, and so does a map."""
        pending = [(name, list(chunks), 0)]
        while pending:
            path, arrays, depth = pending.pop()
            arrays = [plain(array) for array in arrays]
            kind = arrays[0].type if arrays else pa.null()
            if pt.is_struct(kind):
                if depth >= self.limits.event_depth:
                    raise too_deep(self.limits)
                fields = zip(*(array.flatten() for array in arrays), strict=True)
                pending += [(f"{path}.{kind.field(i).name}", list(field), depth + 1) for i, field in enumerate(fields)]
            elif pt.is_map(kind):
                self.add_objects(path, [_mapping(cell) for array in arrays for cell in array.to_pylist()])
            else:
                self._add_scalars(path, arrays)

    def _add_scalars(self, name: str, arrays: Sequence[pa.Array]) -> None:
        start = 0
        is_given = np.zeros(self.num_rows, np.bool_)
        for array in arrays:
            scalars, places = as_scalars(array)
            rows = start + places
            values = read_scalars(scalars, self._refusing(name, rows))
            own = rows[values.places]
            is_given[own] = True
            for kind, column in _columns(scalars, values, own):
                self._count(kind, column)
                self._pieces.setdefault((name, kind), []).append(_distinct(column) if is_list(array.type) else column)
            start += len(array)
        self._note(name, is_given)

    def add_objects(self, name: str, cells: Iterable[Any]) -> None:
        """Read a column of Python objects, which may be of different kinds; mappings give dotted names."""
        found: dict[tuple[str, ColumnKind], tuple[list[int], list[Any]]] = {}
        is_given: dict[str, npt.NDArray[np.bool_]] = {}
        for row, raw in enumerate(cells):
            try:
                for path, own in list(flat({name: raw}, self.limits)):
                    check_name(path)
                    num_values, num_bytes = exact_size(own)
                    self._num_values[row] += num_values
                    self._num_bytes[row] += num_bytes
                    for value in event_values(own, path):
                        kind, stored = stored_value(value)
                        rows, values = found.setdefault((path, kind), ([], []))
                        rows.append(row)
                        values.append(stored)
                        is_given.setdefault(path, np.zeros(self.num_rows, np.bool_))[row] = True
            except EventError as error:
                error.row = row
                self.errors.setdefault(row, error)
        for (path, kind), (rows, values) in found.items():
            self._pieces.setdefault((path, kind), []).append(_stored(kind, np.array(rows, np.int64), values))
        for path, given in is_given.items():
            self._note(path, given)

    def _count(self, kind: ColumnKind, column: Column) -> None:
        self._num_values += np.bincount(column.rows, minlength=self.num_rows)
        if kind is ColumnKind.STRING and len(column.rows):
            borders = np.frombuffer(column.values.buffers()[1], np.int64)[column.values.offset :]
            lengths = np.diff(borders[: len(column.rows) + 1])
            self._num_bytes += np.bincount(column.rows, weights=lengths, minlength=self.num_rows).astype(np.int64)

    def _note(self, name: str, is_given: npt.NDArray[np.bool_]) -> None:
        """Note which rows have an attribute, and refuse those that another column has given it already."""
        before = self._is_given.get(name)
        if before is not None:
            for row in np.flatnonzero(before & is_given).tolist():
                self._refuse_row(row, given_twice(name))
            is_given = before | is_given
        self._is_given[name] = is_given

    def _refusing(self, name: str, rows: Ints) -> Refuse:
        def refuse(places: Ints, problem: str, help: str) -> None:
            for row in rows[places].tolist():
                self._refuse_row(row, EventError(problem, attribute=name, help=help))

        return refuse

    def _refuse_row(self, row: int, error: EventError) -> None:
        error.row = row
        self.errors.setdefault(row, error)

    def finish(self) -> dict[str, dict[ColumnKind, Column]]:
        """The columns of all rows, those of bad ones too."""
        limits = self.limits
        is_beyond = (self._num_values > limits.event_values) | (self._num_bytes > limits.event_bytes)
        for row in np.flatnonzero(is_beyond).tolist():
            try:
                check_size(int(self._num_values[row]), int(self._num_bytes[row]), limits)
            except EventError as error:
                self._refuse_row(row, error)
        columns: dict[str, dict[ColumnKind, Column]] = {}
        for name, kind in sorted(self._pieces):
            pieces = [piece for piece in self._pieces[name, kind] if len(piece.rows)]
            if pieces:
                columns.setdefault(name, {})[kind] = _in_order(pieces)
        return columns


def _mapping(cell: Any) -> Any:
    """A map as a mapping; a key that stands in it twice gives several values."""
    if cell is None:
        return None
    found: dict[str, list[Any]] = {}
    for key, value in cell:
        found.setdefault(key, []).extend(value if isinstance(value, list) else [value])
    return found


def _columns(scalars: pa.Array, values: ColumnValues, rows: Ints) -> list[tuple[ColumnKind, Column]]:
    """What was read of an array, whose values belong to the rows."""
    if values.kind == codes.STRING:
        texts = scalars.dictionary_decode() if pt.is_dictionary(scalars.type) else scalars
        chosen = texts if len(values.places) == len(texts) else taken(texts, values.places)
        return [(ColumnKind.STRING, Column(_rows(rows), _own(chosen.cast(pa.large_string()))))]
    if values.kind != codes.NUMBER:
        return [(_KINDS[values.kind], Column(_rows(rows), read_only(values.highs)))]
    is_whole = values.lows == 0.0
    whole = Column(_rows(rows[is_whole]), read_only(values.highs[is_whole]))
    highs, lows = values.highs[~is_whole], values.lows[~is_whole]
    floats = np.where(np.abs(lows) >= _WHOLE_BITS, lows, highs.astype(np.float64) + lows)
    return [(ColumnKind.INT, whole), (ColumnKind.FLOAT, Column(_rows(rows[~is_whole]), read_only(floats)))]


def _own(texts: pa.Array) -> pa.Array:
    """Strings without those of a larger array from which they were cut."""
    return texts if not texts.offset and not texts.null_count else pa.concat_arrays([texts, texts.slice(0, 0)])


def _rows(rows: Ints) -> npt.NDArray[np.int32]:
    return read_only(rows.astype(np.int32))


def _stored(kind: ColumnKind, rows: Ints, values: Sequence[Any]) -> Column:
    if kind is ColumnKind.STRING:
        return Column(_rows(rows), pa.array(values, pa.large_string()))
    return Column(_rows(rows), read_only(np.array(values, np.float64 if kind is ColumnKind.FLOAT else np.int64)))


def _distinct(column: Column) -> Column:
    """The first of the values of a document that are equal."""
    if len(column.rows) < 2:
        return column
    if isinstance(column.values, np.ndarray):
        _, codes_of = np.unique(column.values, return_inverse=True)
    else:
        codes_of = column.values.dictionary_encode().indices.to_numpy(zero_copy_only=False).astype(np.int64)
    both = column.rows.astype(np.int64) * (int(codes_of.max()) + 1) + codes_of
    _, first = np.unique(both, return_index=True)
    return column if len(first) == len(both) else _chosen(column, np.sort(first))


def _in_order(pieces: Sequence[Column]) -> Column:
    """One column of several, by rows."""
    rows = np.concatenate([piece.rows for piece in pieces])
    parts = [piece.values for piece in pieces]
    values = np.concatenate(parts) if isinstance(parts[0], np.ndarray) else pa.concat_arrays(parts)
    column = Column(read_only(rows), read_only(values) if isinstance(values, np.ndarray) else values)
    is_ordered = bool((rows[1:] >= rows[:-1]).all())
    return column if is_ordered else _chosen(column, np.argsort(rows, kind="stable"))


def _chosen(column: Column, places: Ints) -> Column:
    values = column.values
    own = read_only(values[places]) if isinstance(values, np.ndarray) else values.take(pa.array(places))
    return Column(read_only(column.rows[places]), own)
