"""How are a few numbers sorted? By Shell's sort, which compiles in a fraction of the seconds that numpy's sorts take.

What is sorted in the middle of a kernel is mostly some children or matches, for which it is insertion sort. With more
of them it compares over wide gaps first, so that no order in which they come takes a square of their number:

    gap 4    7 3 9 1 2 8        gap 1    2 3 9 1 7 8    1 2 3 7 8 9
"""

from __future__ import annotations

from typing import Any

from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Float64s, Int64s, Integer, UInt32s


@hot_loop
def _widest_gap(count: Integer) -> Any:
    """Of Knuth's gaps, 1, 4, 13, 40 and so on, the one to begin with; each is a third of the next, rounded down."""
    gap = 1
    while 9 * gap < count:
        gap = 3 * gap + 1
    return gap


@hot_loop
def sort_numbers(numbers: UInt32s, first: Integer, last: Integer) -> None:
    """Sort numbers[first:last]."""
    gap = _widest_gap(last - first)
    while gap > 0:
        for place in range(first + gap, last):
            number = numbers[place]
            at = place
            while at >= first + gap and numbers[at - gap] > number:
                numbers[at] = numbers[at - gap]
                at -= gap
            numbers[at] = number
        gap //= 3


@hot_loop
def sort_by_rank(ranks: Float64s, places: Int64s, count: Integer) -> None:
    """Sort the first so many ranks, and with them the places that they belong to; of equal ranks by the place."""
    gap = _widest_gap(count)
    while gap > 0:
        for step in range(gap, count):
            rank, place = ranks[step], places[step]
            at = step
            while at >= gap:
                before = ranks[at - gap]
                if before < rank or (before == rank and places[at - gap] < place):
                    break
                ranks[at], places[at] = before, places[at - gap]
                at -= gap
            ranks[at], places[at] = rank, place
        gap //= 3
