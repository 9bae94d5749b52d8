"""How are matches collected that come in any order, some twice? As bits, one for each expression."""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.kernels.bits import count_ones, lowest_one, without_lowest
from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Integer, UInt32s, UInt64s
from eligo.kernels.prefetch import prefetch

ONE = np.uint64(1)
FOUR = np.uint64(4)
NEAR, FAR = np.uint64(12), np.uint64(24)
"""How many items ahead lists are asked for, and where they lie."""


@hot_loop
def mark_item(item: Integer, match_offsets: UInt32s, matches: UInt32s, marks: UInt64s) -> None:
    """Mark the expressions that an item belongs to."""
    for place in range(match_offsets[item], match_offsets[np.int64(item) + 1]):
        expression = np.uint64(matches[place])
        marks[expression >> np.uint64(6)] |= ONE << (expression & np.uint64(63))


@hot_loop
def mark_items(items: UInt32s, count: Integer, match_offsets: UInt32s, matches: UInt32s, marks: UInt64s) -> None:
    """Mark the expressions that the first so many items belong to."""
    end = np.uint64(count)
    for number in range(count):
        # Their lists lie here and there, and a list that ends unforeseen would make the next one wait for memory.
        prefetch(match_offsets, np.uint64(items[min(np.uint64(number) + FAR, end - ONE)]))
        prefetch(matches, np.uint64(match_offsets[items[min(np.uint64(number) + NEAR, end - ONE)]]))
        item = np.uint64(items[number])
        for place in range(match_offsets[item], match_offsets[item + ONE]):
            expression = np.uint64(matches[place])
            marks[expression >> np.uint64(6)] |= ONE << (expression & np.uint64(63))


@hot_loop
def write_marks(count: Integer, marks: UInt64s, positions: UInt32s) -> Any:
    """Write the marked expressions from `count` on, ascending, and unmark them; returns where they end.

    Four are written at a time, whether or not there are so many, because when a word is used up cannot be foreseen; so
    `positions` has room for 64 a word.
    """
    end = np.uint64(count)
    for number in range(len(marks)):
        rest = marks[number]
        if rest == 0:
            continue
        marks[number] = 0
        base = np.uint64(64 * number)
        at = end
        end += count_ones(rest)
        while True:
            for place in range(4):
                positions[at + np.uint64(place)] = base + lowest_one(rest)
                rest = without_lowest(rest)
            at += FOUR
            if rest == 0:
                break
    return np.int64(end)
