"""Where is a range that has just come? In a short list that is read through, until enough have come to build anew."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.ranges.column import Column, Kind
from eligo.ranges.range_part import GivenRanges

MOST_FRESH = 64
"""Ranges of the list; reading through it costs about as much as asking another part."""


class Fresh(NamedTuple):
    """One range with plain values, None for a side without end."""

    number: int
    start: Any
    end: Any
    is_start_closed: bool
    is_end_closed: bool

    def contains(self, value: Any) -> bool:
        """Whether it holds a value of its kind."""
        if self.start is not None and (value < self.start or (value == self.start and not self.is_start_closed)):
            return False
        return self.end is None or value < self.end or (value == self.end and self.is_end_closed)


@dataclass
class FreshRanges:
    """Ranges that came one by one, in order."""

    ranges: list[Fresh] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.ranges)

    def numbers(self) -> list[int]:
        """Their numbers, ascending."""
        return [each.number for each in self.ranges]

    def add(self, number: int, given: GivenRanges) -> None:
        """Take one range."""
        ends = plain_value(given.starts), plain_value(given.ends)
        self.ranges.append(Fresh(number, *ends, bool(given.is_start_closed[0]), bool(given.is_end_closed[0])))

    def remove(self, numbers: set[int]) -> None:
        """Forget some."""
        self.ranges = [each for each in self.ranges if each.number not in numbers]

    def containing(self, value: Any) -> list[int]:
        """The numbers of those that hold a value, which is None if it is missing."""
        return [] if value is None else [each.number for each in self.ranges if each.contains(value)]

    def take_all(self, kind: Kind | None) -> tuple[GivenRanges, npt.NDArray[np.uint32]]:
        """All of them, with their numbers, to be built; none is left."""
        taken, self.ranges = self.ranges, []
        columns = [column_of(kind, [each[side] for each in taken]) for side in (1, 2)]
        closed = [np.array([each[side] for each in taken], np.bool_) for side in (3, 4)]
        return GivenRanges(kind, *columns, *closed), np.array([each.number for each in taken], np.uint32)  # type: ignore[arg-type]


def plain_value(column: Column) -> Any:
    """The one value of a column as Python's number or text; None if it is missing."""
    if column.kind is None or not column.is_there[0]:
        return None
    value = column.values[0]
    return value.as_py() if isinstance(value, pa.Scalar) else value.item()


def column_of(kind: Kind | None, values: list[Any]) -> Column:
    """A column of such values."""
    is_there = np.array([value is not None for value in values], np.bool_)
    if kind == "string":
        return Column(kind, pa.array(values, pa.large_string()), is_there)
    filled = [0 if value is None else value for value in values]
    return Column(kind, np.array(filled, np.float64 if kind == "float" else np.int64), is_there)
