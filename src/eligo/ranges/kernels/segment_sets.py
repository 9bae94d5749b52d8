"""How are the nodes of a segment tree filled with ranges, and found again? By the cover and the climb of its walks."""

from __future__ import annotations

import numpy as np

from eligo.kernels.compiled import hot_loop, kernel
from eligo.kernels.parameter_types import Integer, UInt32s, UInt64s
from eligo.ranges.kernels.segment_tree_walks import climb, cover

NO_BASE = np.uint64(0)
"""One tree alone: its nodes are numbered from 0."""


@kernel
def count_covers(lows: UInt32s, highs: UInt32s, size: int) -> int:
    """How many nodes cover all ranges together."""
    total = 0
    for number in range(len(lows)):
        if lows[number] <= highs[number]:
            for _ in cover(lows[number], highs[number], np.uint64(size), NO_BASE):
                total += 1
    return total


@kernel
def fill_nodes(lows: UInt32s, highs: UInt32s, size: int) -> tuple[UInt64s, UInt32s]:
    """For each node the ranges that it helps to cover, ascending: offsets and numbers."""
    offsets = np.zeros(2 * size + 2, np.uint64)
    for number in range(len(lows)):
        if lows[number] <= highs[number]:
            for node in cover(lows[number], highs[number], np.uint64(size), NO_BASE):
                offsets[node + np.uint64(2)] += np.uint64(1)
    for node in range(2 * size):
        offsets[node + 2] += offsets[node + 1]
    numbers = np.empty(offsets[2 * size + 1], np.uint32)
    for number in range(len(lows)):
        if lows[number] <= highs[number]:
            for node in cover(lows[number], highs[number], np.uint64(size), NO_BASE):
                numbers[offsets[node + np.uint64(1)]] = number
                offsets[node + np.uint64(1)] += np.uint64(1)
    return offsets[: 2 * size + 1].copy(), numbers


@hot_loop
def locate_nodes(
    size: Integer, offsets: UInt32s, cells: UInt32s, span_offsets: UInt64s, begins: UInt64s, ends: UInt64s
) -> None:
    """For each cell: where the sets of the nodes above it begin and end, those of empty nodes left out."""
    num_spans = np.uint64(0)
    for place in range(len(cells)):
        for node in climb(cells[place], np.uint64(size), NO_BASE):
            begin, end = offsets[node], offsets[node + np.uint64(1)]
            begins[num_spans], ends[num_spans] = begin, end
            num_spans += np.uint64(begin != end)
        span_offsets[place + 1] = num_spans
