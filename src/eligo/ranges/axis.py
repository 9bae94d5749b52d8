"""In which cell does a value lie? In that of a point, or of a gap between points; `range_cells` draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eligo.errors import InputError, shown
from eligo.language.value import event_values
from eligo.ranges.column import Column, Kind, as_floats, read_values
from eligo.ranges.kernels.axis_search import SAMPLED, find_number, find_numbers, find_texts
from eligo.ranges.range_cells import NO_CELL, Cells

Ranks = npt.NDArray[np.int64]

_FIRST_DAY = date(1970, 1, 1)
_FIRST_MOMENT = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True)
class Axis:
    """The points of one kind, ascending and distinct."""

    kind: Kind | None
    """None for an axis without points, on which every value lies in the one cell."""
    points: Any
    """Numbers as a numpy array, texts as an Arrow array of large strings."""

    @property
    def num_points(self) -> int:
        return len(self.points)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What is held, by name."""
        if self.kind != "string":
            return {"points": self.points, "samples": self._samples}
        return {"point_bytes": self._texts[0], "point_offsets": self._texts[1]}

    @cached_property
    def _samples(self) -> npt.NDArray[Any]:
        sampled: npt.NDArray[Any] = self.points[::SAMPLED].copy()
        return sampled

    @cached_property
    def _texts(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint64]]:
        return text_arrays(self.points)

    def ranks(self, column: Column) -> Ranks:
        """For each value the place of its point, -1 where it is missing; every one is a point."""
        cells = self.cells(column)
        return np.where(column.is_there, cells.astype(np.int64) // 2, -1)

    def cells(self, column: Column) -> Cells:
        """The cell of each value, NO_CELL where it is missing; NaN is missing, too."""
        column = self._of_this_kind(column)
        cells = np.zeros(len(column), np.uint32)
        if column.kind is None or self.kind is None:
            pass
        elif self.kind == "string":
            find_texts(*self._texts, *text_arrays(column.values.fill_null("")), cells)
        elif (self.kind == "float") == (column.kind == "float"):
            find_numbers(self.points, self._samples, column.values, cells)
        else:
            cells = self._cells_of_other_numbers(column.values)
        cells[~column.is_there] = NO_CELL
        if column.kind == "float":
            cells[np.isnan(column.values)] = NO_CELL
        return cells

    def _of_this_kind(self, column: Column) -> Column:
        if column.kind == self.kind or column.kind is None or self.kind is None:
            return column
        if {column.kind, self.kind} == {"int", "float"}:
            return column
        raise wrong_kind(self.kind, column.kind)

    def _cells_of_other_numbers(self, values: npt.NDArray[Any]) -> Cells:
        """Cells of floats among whole points, or of whole numbers among floats: exactly, as both are numbers."""
        cells = np.zeros(len(values), np.uint32)
        if self.kind == "int":
            floors = np.floor(np.nan_to_num(values, nan=0.0, posinf=np.inf, neginf=-np.inf))
            is_inside = (floors >= -(2.0**63)) & (floors < 2.0**63)
            whole = np.where(is_inside, floors, 0).astype(np.int64)
            find_numbers(self.points, self._samples, whole, cells)
            is_between = is_inside & (floors != values)
            cells[is_between] = (cells[is_between] + 1) & ~np.uint32(1)
            cells[~is_inside] = np.where(values[~is_inside] < 0, 0, 2 * self.num_points)
            return cells
        floats = values.astype(np.float64)
        find_numbers(self.points, self._samples, floats, cells)
        is_beyond = floats >= 2.0**63
        back = np.where(is_beyond, 0, floats).astype(np.int64)
        is_above = ~is_beyond & (back < values)  # the float was rounded down
        is_below = is_beyond | (back > values)
        cells[is_above] = (cells[is_above] + 1) & ~np.uint32(1)
        cells[is_below] &= ~np.uint32(1)
        return cells

    def cell_of(self, value: Any) -> int:
        """The cell of one value, NO_CELL where it is None or NaN."""
        if type(value) is int and self.kind == "int" and -(2**63) <= value < 2**63:
            return int(find_number(self.points, self._samples, value))
        if type(value) is float and self.kind == "float" and value == value:
            return int(find_number(self.points, self._samples, value))
        return int(self.cells(column_of_one(value))[0])


def column_of_one(value: Any) -> Column:
    """One value as a column."""
    if hasattr(value, "as_py"):  # an Arrow scalar
        value = value.as_py()
    found = () if isinstance(value, list | tuple | set | frozenset) else event_values(value)
    if isinstance(value, list | tuple | set | frozenset) or len(found) > 1:
        raise InputError(f"one value is asked for, not {shown(value)}", help="containing_batch takes several")
    if not found:
        return Column(None, np.zeros(1, np.int64), np.zeros(1, np.bool_))
    scalar, there = found[0], np.ones(1, np.bool_)
    if isinstance(scalar, bool):
        raise InputError("true and false lie in no range")
    if isinstance(scalar, str):
        return Column("string", pa.array([scalar], pa.large_string()), there)
    if isinstance(scalar, datetime):
        return Column("timestamp", np.array([(scalar - _FIRST_MOMENT) // _MICROSECOND]), there)
    if isinstance(scalar, date):
        return Column("date", np.array([(scalar - _FIRST_DAY).days]), there)
    is_whole = isinstance(scalar, int)
    return Column("int" if is_whole else "float", np.array([scalar], np.int64 if is_whole else np.float64), there)


def wrong_kind(kind: str, other: str) -> InputError:
    """The error for a value that cannot lie in these ranges."""
    return InputError(
        f"a {other} lies in no range of kind {kind}", help="kinds do not mix, but whole numbers and floats"
    )


def text_arrays(texts: pa.Array) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint64]]:
    """The bytes of texts without nulls, one behind another, and where each begins."""
    _, offsets, letters = texts.buffers()
    if not len(texts):
        return np.zeros(0, np.uint8), np.zeros(1, np.uint64)
    begins = np.frombuffer(offsets, np.uint64)[texts.offset : texts.offset + len(texts) + 1]
    everything = np.frombuffer(letters, np.uint8) if letters is not None else np.zeros(0, np.uint8)
    begins = begins.astype(np.uint64)
    return everything[int(begins[0]) : int(begins[-1])], begins - begins[0]


def axis_of(kind: Kind | None, columns: Sequence[Column]) -> Axis:
    """The axis whose points are all values of some columns, which are of one kind."""
    if kind is None:
        return Axis(None, np.zeros(0, np.int64))
    present = [column.present() for column in columns if column.kind is not None]
    if kind == "string":
        distinct = pc.unique(pa.concat_arrays(present))
        return Axis(kind, distinct.take(pc.sort_indices(distinct)))
    return Axis(kind, np.unique(np.concatenate(present)))


def joined(axes: Sequence[Axis]) -> tuple[Axis, list[Ranks]]:
    """The axis with the points of several, and for each of these where its points stand on it."""
    kinds = {axis.kind for axis in axes} - {None}
    columns = [Column(axis.kind, axis.points, np.ones(axis.num_points, np.bool_)) for axis in axes]
    if kinds == {"int", "float"}:
        columns = [as_floats(column, "the index") if column.kind == "int" else column for column in columns]
    kind: Any = "float" if kinds == {"int", "float"} else next(iter(kinds), None)
    axis = axis_of(kind, columns)
    return axis, [axis.ranks(column) for column in columns]


def read_asked(values: Any) -> Column:
    """The values that a caller asks for, several at once."""
    return read_values(values, "values")
