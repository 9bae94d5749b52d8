"""Which ranges do several date nodes of one predicate make together? Such that no cell is in two of them.

    day under ('2024', '2024/01'^3)     cells 1 to 7, weight 1      ─▶     cells 1 to 3, weight 3
                                        cells 1 to 3, weight 3             cells 4 to 7, weight 1

The largest weight counts, as it does in the score. So a predicate is registered under no node of an axis twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush

Span = tuple[int, int, int, float]
"""Axis, first and last cell, and weight."""


def disjoint_ranges(spans: Sequence[Span]) -> list[Span]:
    """The same cells with the largest weight of each, in order; neighbours of one weight are one range."""
    found: list[Span] = []
    for axis, low, high, weight in _pieces(sorted(spans)):
        if found and found[-1][0] == axis and found[-1][2] + 1 == low and found[-1][3] == weight:
            found[-1] = (axis, found[-1][1], high, weight)
        else:
            found.append((axis, low, high, weight))
    return found


def _pieces(spans: Sequence[Span]) -> Iterator[Span]:
    """Each run of cells that the same spans hold, with the largest weight of these; `spans` are in order."""
    open_spans: list[tuple[float, int]] = []
    """The spans that hold the cell, as (-weight, last cell), the heaviest first; some end before it."""
    cell = 0
    for place, (axis, low, high, weight) in enumerate(spans):
        if not open_spans:
            cell = low
        heappush(open_spans, (-weight, high))
        next_axis, next_low = spans[place + 1][:2] if place + 1 < len(spans) else (-1, 0)
        while open_spans and (next_axis != axis or cell < next_low):
            heaviest, last = open_spans[0]
            if last < cell:
                heappop(open_spans)
                continue
            end = last if next_axis != axis else min(last, next_low - 1)
            yield axis, cell, end, -heaviest
            cell = end + 1
