"""Which ranges hold a value, while ranges come and go? Lists sorted by low ends, three for each attribute and kind.

    low and high end     18–24, 21–65          read from the last range that begins at or below the value down to where
                                               no range reaches the value any more
    low end only         >= 65                 all that begin at or below the value hold it
    high end only        < 30                  mirrored at zero into ranges with a low end only

Ends are pairs of floats, a number rounded and what rounding took away, so 2^53 + 1 is not 2^53. Dates and timestamps
are numbers of days and of microseconds. Strings are compared as they are.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable
from datetime import date, datetime
from typing import Any, Self

import numpy as np

from eligo.data.encoded_value import EPOCH, MICROSECOND
from eligo.engines.growing_tree.kernels.growing_arrays import FARTHEST, HIGH, HIGH_IN, LOW, LOW_IN
from eligo.engines.growing_tree.leaf_form import ValueRange
from eligo.engines.growing_tree.list_pool import ListPool, Numbers
from eligo.language.paths import date_node_range, timestamp_node_range
from eligo.language.value import Kind

LARGEST_EXACT = 2**53
INFINITY = float("inf")
FEW_VOID = 32
"""So many rows without a range are kept on any axis."""

Axes = tuple[int, int, int]
"""The axes of one attribute and kind: for ranges with two ends, with a low end, and with a high end."""


def pair_of(value: Any) -> tuple[float, float]:
    """A number, date or timestamp as a pair of floats with the same order."""
    if isinstance(value, datetime):
        value = (value - EPOCH) // MICROSECOND
    elif isinstance(value, date):
        return float(value.toordinal()), 0.0
    rounded = float(value)
    if isinstance(value, float) or -LARGEST_EXACT <= value <= LARGEST_EXACT:
        return rounded, 0.0
    return rounded, float(value - int(rounded))


class RangeLists(ListPool):
    """The ranges of each axis, as tests; beside each its bounds and which of its ends are in."""

    def __init__(self) -> None:
        super().__init__(np.zeros((0, 5), np.float64), np.zeros(0, np.uint8))
        self._numbers = Numbers()
        self._num_void: dict[int, int] = {}
        """For each axis: rows of ranges that were taken away; their high end is not a number."""

    def copy(self) -> Self:
        twin = super().copy()
        twin._numbers, twin._num_void = self._numbers.copy(), self._num_void.copy()
        return twin

    @property
    def num_axes(self) -> int:
        """One more than the largest number of an axis."""
        return self._numbers.end

    @property
    def num_used_axes(self) -> int:
        return len(self._numbers)

    def add(self, axes_of_kind: dict[Kind, Axes], test: int, ends: ValueRange) -> None:
        """Put a range on its attribute's axis, which is made when it is the first one of its kind."""
        axes = axes_of_kind.get(ends.kind)
        if axes is None:
            axes = axes_of_kind[ends.kind] = (self._numbers.take(), self._numbers.take(), self._numbers.take())
        axis, row = _row(axes, ends)
        self.cover(axis)
        place = self.insert(axis, self._place_of(axis, row[LOW], bisect_right), test)
        bounds, ends_in = self.beside
        bounds[place, :FARTHEST] = row[:FARTHEST]
        ends_in[place] = row[FARTHEST]
        self._reach(axis, place)

    def remove(self, axes_of_kind: dict[Kind, Axes], test: int, ends: ValueRange) -> None:
        """Take a range away, and the axes of its kind with the last one.

        Its row stays, as one that holds no value, until there are as many of these as others: so that what is behind it
        is moved once for many, and not for each.
        """
        axes = axes_of_kind[ends.kind]
        axis, row = _row(axes, ends)
        start = self.starts[axis]
        first, last = (start + self._place_of(axis, row[LOW], side) for side in (bisect_left, bisect_right))
        high = self.beside[0][first:last, HIGH]
        high[np.flatnonzero((self.items[first:last] == test) & ~np.isnan(high))[0]] = np.nan
        self._num_void[axis] = self._num_void.get(axis, 0) + 1
        if self._num_void[axis] > max(FEW_VOID, self.length(axis) // 2):
            self._drop_void(axis)
        if all(self.length(number) == self._num_void.get(number, 0) for number in axes):
            del axes_of_kind[ends.kind]
            for number in axes:
                self.clear(number)
                self._num_void.pop(number, None)
                self._numbers.give(number)

    def _place_of(self, axis: int, low: float, side: Callable[..., int]) -> int:
        """Before or behind which rows of an axis a low end belongs."""
        start, lows = self.starts[axis], self.beside[0]
        return side(range(self.counts[axis]), low, key=lambda place: lows[start + place, LOW])

    def _reach(self, axis: int, place: int) -> None:
        """Let the rows from a new one on know how far those before them reach."""
        start = self.starts[axis]
        farthest, high = self.beside[0][:, FARTHEST], self.beside[0][place, HIGH]
        farthest[place] = max(high, farthest[place - 1]) if place > start else high
        places = range(place + 1, start + self.counts[axis])
        nearer = bisect_left(places, high, key=lambda each: farthest[each])  # they ascend
        farthest[place + 1 : place + 1 + nearer] = high

    def _drop_void(self, axis: int) -> None:
        """Move the rows of an axis up into the places of those that hold no value."""
        start = self.starts[axis]
        rows = slice(start, start + self.counts[axis])
        is_kept = ~np.isnan(self.beside[0][rows, HIGH])
        num_kept = int(np.count_nonzero(is_kept))
        for array in (self.items, *self.beside):
            array[start : start + num_kept] = array[rows][is_kept]
        self.counts[axis] = num_kept
        self._num_void[axis] = 0
        bounds = self.beside[0][start : start + num_kept]
        np.maximum.accumulate(bounds[:, HIGH], out=bounds[:, FARTHEST])


def _row(axes: Axes, ends: ValueRange) -> tuple[int, tuple[float, float, float, float, int]]:
    """The axis of a range, and its ends there; a range with a high end only is mirrored at zero."""
    if ends.low is None:
        assert ends.high is not None
        rounded, rest = pair_of(ends.high)
        return axes[2], (-rounded, -rest, INFINITY, 0.0, (LOW_IN if ends.is_high_in else 0) | HIGH_IN)
    low, low_rest = pair_of(ends.low)
    low_in = LOW_IN if ends.is_low_in else 0
    if ends.high is None:
        return axes[1], (low, low_rest, INFINITY, 0.0, low_in | HIGH_IN)
    high, high_rest = pair_of(ends.high)
    return axes[0], (low, low_rest, high, high_rest, low_in | (HIGH_IN if ends.is_high_in else 0))


def date_ranges(node: str) -> list[ValueRange]:
    """The days and moments under a node that reads as a date."""
    days, moments = date_node_range(node), timestamp_node_range(node)
    if days is None or moments is None:
        return []
    return [
        ValueRange(Kind.DATE, days[0], True, days[1], True),
        ValueRange(Kind.TIMESTAMP, moments[0], True, moments[1], True),
    ]


class StringRanges:
    """Ranges of strings on one attribute, by their low ends."""

    def __init__(self) -> None:
        self._by_low: list[tuple[str, int]] = []
        self._ranges: dict[int, ValueRange] = {}

    def copy(self) -> StringRanges:
        twin = StringRanges()
        twin._by_low, twin._ranges = self._by_low.copy(), self._ranges.copy()
        return twin

    def add(self, test: int, ends: ValueRange) -> None:
        insort(self._by_low, (self._low(ends), test))
        self._ranges[test] = ends

    def remove(self, test: int) -> None:
        del self._by_low[bisect_left(self._by_low, (self._low(self._ranges.pop(test)), test))]

    @staticmethod
    def _low(ends: ValueRange) -> str:
        return ends.low if isinstance(ends.low, str) else ""

    def hit_by(self, value: str) -> list[int]:
        """The tests whose range holds the value."""
        hits = []
        for low, test in self._by_low[: bisect_right(self._by_low, (value, len(self._ranges) + 2**32))]:
            ends = self._ranges[test]
            is_in = low < value or ends.is_low_in
            if is_in and isinstance(ends.high, str):
                is_in = value < ends.high or (value == ends.high and ends.is_high_in)
            if is_in:
                hits.append(test)
        return hits

    def __len__(self) -> int:
        return len(self._ranges)
