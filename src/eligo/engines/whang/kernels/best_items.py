"""Which n expressions score best so far? A heap of them, the worst on top, each expression once.

Worse is a lower score, or an equal one at a higher position, so that the answer is that of a full sort. Scores are
counted in units (`score_units`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.engines.whang.kernels.list_heads import ANY_SCORE
from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Integer


class Best(NamedTuple):
    """The best expressions so far."""

    units: npt.NDArray[np.int64]
    positions: npt.NDArray[np.uint32]
    """For each place of the heap: a score in units, and its expression. As long as the answer may be."""
    place: npt.NDArray[np.uint32]
    """For each expression: 1 plus its place in the heap, or 0. Empty when the heap is small enough to be searched."""
    count: npt.NDArray[np.int64]
    """How many places are taken."""


SEARCHED = 64
"""A heap of so many is searched for an expression; memory for all expressions, new for each event, would cost more."""


def new_best(n: int, num_expressions: int) -> Best:
    """A heap for the n best, empty."""
    place = np.zeros(num_expressions if n > SEARCHED else 0, np.uint32)
    return Best(np.zeros(n, np.int64), np.zeros(n, np.uint32), place, np.zeros(1, np.int64))


@hot_loop
def worst_of_best(best: Best) -> Any:
    """The score that something must reach to be among the best."""
    return best.units[0] if best.count[0] == len(best.units) else ANY_SCORE


@hot_loop
def _is_worse(score: Integer, position: Integer, other: Integer, best: Best) -> Any:
    if score != best.units[other]:
        return score < best.units[other]
    return position > best.positions[other]


@hot_loop
def _put(score: Integer, position: Integer, at: Integer, best: Best) -> None:
    best.units[at], best.positions[at] = score, position
    if len(best.place) > 0:
        best.place[position] = at + 1


@hot_loop
def _find(position: Integer, best: Best) -> Any:
    """Where an expression is in the heap, or -1."""
    if len(best.place) > 0:
        return np.int64(best.place[position]) - 1
    for at in range(best.count[0]):
        if best.positions[at] == position:
            return at
    return -1


@hot_loop
def _sink(score: Integer, position: Integer, at: Integer, best: Best) -> None:
    """Put into the heap from a place downwards."""
    count = best.count[0]
    child = 2 * at + 1
    while child < count:
        if child + 1 < count and _is_worse(best.units[child + 1], best.positions[child + 1], child, best):
            child += 1
        if _is_worse(score, position, child, best):
            break
        _put(best.units[child], best.positions[child], at, best)
        at, child = child, 2 * child + 1
    _put(score, position, at, best)


@hot_loop
def offer(score: Integer, position: Integer, best: Best) -> None:
    """Take an expression with the score of one of its conjunctions, if that is among the best."""
    is_full = best.count[0] == len(best.units)
    if is_full and _is_worse(score, position, 0, best):
        return
    place = _find(position, best)
    if place >= 0:
        if score > best.units[place]:
            _sink(score, position, place, best)
        return
    if is_full:
        if len(best.place) > 0:
            best.place[best.positions[0]] = 0
        _sink(score, position, 0, best)
        return
    at = best.count[0]
    best.count[0] = at + 1
    while at > 0 and _is_worse(score, position, (at - 1) // 2, best):
        above = (at - 1) // 2
        _put(best.units[above], best.positions[above], at, best)
        at = above
    _put(score, position, at, best)
