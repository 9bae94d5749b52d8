"""Where does a value stand among the ranks of a column? One binary search."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.joins.kernels.column_arrays import ColumnView
from eligo.kernels.codes import NUMBER, STRING
from eligo.kernels.compiled import hot_loop
from eligo.kernels.loads import float64_at, int64_at, uint8_at
from eligo.kernels.parameter_types import Int64s, Integer, UInt8s


class Values(NamedTuple):
    """Values of an event, or constants, as `data.encoded_value` writes them."""

    kinds: npt.NDArray[np.uint8]
    highs: npt.NDArray[np.int64]
    lows: npt.NDArray[np.float64]
    text_offsets: npt.NDArray[np.int64]
    """The text of value i is `texts[text_offsets[i]:text_offsets[i + 1]]`; empty for all but strings."""
    texts: npt.NDArray[np.uint8]


@hot_loop
def find_rank(column: ColumnView, values: Values, place: Integer, counters: Int64s) -> Any:
    """The first rank of its kind whose value is not below one of the values, and 1 when they are equal, else 0."""
    kind = values.kinds[place]
    if kind == STRING:
        return _find_text(column, values, place, counters)
    high, low = values.highs[place], values.lows[place]
    # Strings stand in the middle of the ranks, and have no numbers.
    skipped = int64_at(column.kind_offsets, STRING + 1) - int64_at(column.kind_offsets, STRING) if kind > STRING else 0
    first = int64_at(column.kind_offsets, kind)
    end = int64_at(column.kind_offsets, kind + 1)
    has_lows = kind == NUMBER and column.has_lows
    left, right = first, end
    while left < right:
        counters[0] += 1
        middle = (left + right) >> 1
        other = int64_at(column.highs, middle - skipped)
        other_low = float64_at(column.lows, middle - first) if has_lows else 0.0
        if other < high or (other == high and other_low < low):
            left = middle + 1
        else:
            right = middle
    if left == end or int64_at(column.highs, left - skipped) != high:
        return left, 0
    return left, 1 if (float64_at(column.lows, left - first) if has_lows else 0.0) == low else 0


@hot_loop
def _find_text(column: ColumnView, values: Values, place: Integer, counters: Int64s) -> Any:
    start: Any = values.text_offsets[place]
    stop: Any = values.text_offsets[place + 1]
    first = int64_at(column.kind_offsets, STRING)
    end = int64_at(column.kind_offsets, STRING + 1)
    left, right = first, end
    while left < right:
        counters[0] += 1
        middle = (left + right) >> 1
        if _compare(column, middle - first, values.texts, start, stop) < 0:
            left = middle + 1
        else:
            right = middle
    if left == end:
        return left, 0
    return left, 1 if _compare(column, left - first, values.texts, start, stop) == 0 else 0


@hot_loop
def _compare(column: ColumnView, string: Integer, others: UInt8s, start: Integer, stop: Integer) -> Any:
    """Below 0, 0 or above 0, by bytes: in UTF-8 that is the order of code points."""
    begin = int64_at(column.text_offsets, string)
    length = int64_at(column.text_offsets, string + 1) - begin
    for offset in range(min(length, stop - start)):
        difference = np.int64(uint8_at(column.texts, begin + offset)) - np.int64(others[start + offset])
        if difference != 0:
            return difference
    return np.int64(length - (stop - start))
