"""Where on an axis does a value lie? By halving among its points; `axis` draws the cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Integer, UInt8s, UInt32s, UInt64s

Numbers = npt.NDArray[np.int64] | npt.NDArray[np.float64]


@hot_loop
def find_number(points: Numbers, value: Any) -> Any:
    """The cell of a number: that of a point, or of the gap before the first larger one."""
    first, size = np.uint64(0), np.uint64(len(points))
    # The answer stays in first .. first + size; no jump depends on what was read.
    while size > np.uint64(1):
        half = size >> np.uint64(1)
        first += half if points[first + half - np.uint64(1)] < value else np.uint64(0)
        size -= half
    if size != np.uint64(0) and points[first] < value:
        first += np.uint64(1)
    is_point = first < np.uint64(len(points)) and points[first] == value
    return np.uint32(first + first + (np.uint64(1) if is_point else np.uint64(0)))


@hot_loop
def find_numbers(points: Numbers, values: Numbers, cells: UInt32s) -> None:
    """The cell of each number."""
    for place in range(len(values)):
        cells[place] = find_number(points, values[place])


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
