"""Where on an axis does a value lie? By halving among its points; `range_cells` draws the cells.

The points of a million ranges do not fit into a processor's cache, and nearly every step of the search would wait for
memory. So one point in 64 is copied: the search is among these first, which do fit, and then among the 64 between two.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Integer, UInt8s, UInt32s, UInt64s

SAMPLED_BITS = np.uint64(6)
SAMPLED = 64
"""One in so many is copied."""
ONE = np.uint64(1)

Numbers = npt.NDArray[np.int64] | npt.NDArray[np.float64]
Number = int | float | np.int64 | np.float64


@hot_loop
def first_from(points: Numbers, begin: Integer, end: Integer, value: Number) -> Any:
    """The first of ascending points, from one to before another, that is not below a value."""
    first, size = np.uint64(begin), np.uint64(end) - np.uint64(begin)
    # No jump depends on what was read; where the half is passed over in vain, its last point is looked at again.
    while size != np.uint64(0):
        half = (size + np.uint64(1)) >> np.uint64(1)
        first += half if points[first + half - np.uint64(1)] < value else np.uint64(0)
        size -= half
    return first


@hot_loop
def find_number(points: Numbers, samples: Numbers, value: Number) -> Any:
    """The cell of a number: that of a point, or of the gap before the first larger one.

    `samples` has every 64th point, beginning with the first.
    """
    behind = first_from(samples, 0, len(samples), value)
    num_points = np.uint64(len(points))
    # The sample before `behind` is below the value, and that one is not.
    begin = ((behind - ONE) << SAMPLED_BITS) + ONE if behind != np.uint64(0) else behind
    first = first_from(points, begin, min(behind << SAMPLED_BITS, num_points), value)
    is_point = first < num_points and points[first] == value
    return np.uint32(first + first + (ONE if is_point else np.uint64(0)))


@hot_loop
def find_numbers(points: Numbers, samples: Numbers, values: Numbers, cells: UInt32s) -> None:
    """The cell of each number."""
    for place in range(len(values)):
        cells[place] = find_number(points, samples, values[place])


@hot_loop
def is_before(texts: UInt8s, begin: Integer, end: Integer, others: UInt8s, other: Integer, other_end: Integer) -> Any:
    """-1, 0 or 1: whether a text stands before another, is the same, or stands after it, by their bytes."""
    place, size = np.uint64(0), np.uint64(min(end - begin, other_end - other))
    while place < size:
        byte, other_byte = texts[np.uint64(begin) + place], others[np.uint64(other) + place]
        if byte != other_byte:
            return -1 if byte < other_byte else 1
        place += np.uint64(1)
    return np.sign(np.int64(end - begin) - np.int64(other_end - other))


@hot_loop
def find_texts(
    point_bytes: UInt8s, point_offsets: UInt64s, texts: UInt8s, text_offsets: UInt64s, cells: UInt32s
) -> None:
    """The cell of each text among points that are texts; both are UTF-8, one behind another."""
    for number in range(len(cells)):
        begin, end = text_offsets[number], text_offsets[number + 1]
        first, last = np.uint64(0), np.uint64(len(point_offsets) - 1)
        is_point = np.uint64(0)
        while first < last:
            middle = (first + last) >> np.uint64(1)
            order = is_before(
                point_bytes, point_offsets[middle], point_offsets[middle + np.uint64(1)], texts, begin, end
            )
            if order == 0:
                first, last, is_point = middle, middle, np.uint64(1)
            elif order < 0:
                first = middle + np.uint64(1)
            else:
                last = middle
        cells[number] = np.uint32(first + first + is_point)
