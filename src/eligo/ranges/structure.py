"""What does every structure that holds ranges answer? Which ranges hold a cell, and what finding them took.

*Predicate evaluations* are counted as Tatbul 2001 does, one for each comparison of the value with a key, an interval
or a range, whatever ends these have:

| structure | counted |
|---|---|
| `cluster` | the keys on the way down, and every range of the leaf |
| `elementary` | the elementary intervals that are looked at until one holds the value |
| `hybrid` | the keys on the way down, then as `elementary`; the only range of a leaf once |
| `segment_tree` | the intervals on the way from the root to a leaf |
| `interval_tree` | the keys on the way down, and of each list the ranges up to the first that does not hold it |
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from eligo.errors import InputError
from eligo.ranges.kernels.set_loops import Checks, Spans
from eligo.ranges.range_cells import Cells, RangeCells
from eligo.ranges.range_sets import RangeSets, Rows

MOST_ENTRIES = 2**28
"""Entries of all sets of a structure; lists of more are refused, which would take more than a gigabyte."""
SPANS_AT_ONCE = 2**20
"""Spans that are looked up at a time, which bounds the memory for them."""

_NO_CELLS = np.zeros(0, np.uint32)
NOBODY_DEAD = np.zeros(0, np.bool_)


class Structure(ABC):
    """Ranges over the cells of one axis."""

    name: ClassVar[str]
    is_checked: ClassVar[bool] = False
    """Whether its sets hold ranges that only may hold the value."""
    sets: RangeSets

    @classmethod
    @abstractmethod
    def build(cls, ranges: RangeCells, **options: Any) -> Self:
        """The structure of some ranges."""

    @property
    @abstractmethod
    def ranges(self) -> RangeCells:
        """The cells of each range."""

    @property
    @abstractmethod
    def num_nodes(self) -> int: ...

    @abstractmethod
    def locate(self, cells: Cells) -> Spans:
        """Where the sets of the ranges of each cell lie."""

    @abstractmethod
    def evaluations(self, cells: Cells) -> npt.NDArray[np.int64]:
        """How many predicate evaluations finding the ranges of each cell takes."""

    @abstractmethod
    def path(self, cell: int) -> list[int]:
        """The nodes that a search looks at, in order."""

    @abstractmethod
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What is held, by name."""

    @property
    def most_spans(self) -> int:
        """Spans of one cell at most."""
        return 1

    def checks(self, is_dead: npt.NDArray[np.bool_]) -> Checks:
        """What the ranges of its sets must pass."""
        if not self.is_checked:
            return Checks(is_dead, _NO_CELLS, _NO_CELLS)
        return Checks(is_dead, self.ranges.lows, self.ranges.highs)

    def containing(self, cells: Cells, is_dead: npt.NDArray[np.bool_] = NOBODY_DEAD) -> Rows:
        """The ranges that hold each cell, ascending."""
        checks = self.checks(is_dead)
        block = max(1, SPANS_AT_ONCE // self.most_spans)
        if len(cells) <= block:
            return self.sets.rows(self.locate(cells), cells, checks)
        pieces = [cells[first : first + block] for first in range(0, len(cells), block)]
        rows = [self.sets.rows(self.locate(piece), piece, checks) for piece in pieces]
        lengths = np.concatenate([np.diff(offsets) for offsets, _ in rows])
        return np.concatenate(([0], np.cumsum(lengths))).astype(np.uint64), np.concatenate([row for _, row in rows])

    def counts(self, cells: Cells, is_dead: npt.NDArray[np.bool_] = NOBODY_DEAD) -> npt.NDArray[np.int64]:
        """How many ranges hold each cell; they are not written out unless they must be checked."""
        if self.is_checked or len(is_dead):
            return np.diff(self.containing(cells, is_dead)[0]).astype(np.int64)
        block = max(1, SPANS_AT_ONCE // self.most_spans)
        pieces = [cells[first : first + block] for first in range(0, len(cells), block)]
        counted = [self.sets.most(self.locate(piece)) for piece in pieces] or [np.zeros(0, np.uint64)]
        return np.concatenate(counted).astype(np.int64)


def one_span_each(num_cells: int) -> Spans:
    """Room for one span of each cell."""
    room = np.zeros(num_cells, np.uint64), np.zeros(num_cells, np.uint64)
    return Spans(np.arange(num_cells + 1, dtype=np.uint64), *room)


def many_spans_each(num_cells: int, most: int) -> Spans:
    """Room for up to so many spans of each cell; the last one may be written and not counted."""
    room = num_cells * most + 1
    return Spans(np.zeros(num_cells + 1, np.uint64), np.zeros(room, np.uint64), np.zeros(room, np.uint64))


def refuse_large(name: str, num_entries: int) -> None:
    """An error for sets that would be too large."""
    if num_entries > MOST_ENTRIES:
        raise InputError(
            f"a structure {name!r} would list its ranges {num_entries:,} times, because so many overlap",
            help=f'at most {MOST_ENTRIES:,} are listed; take "interval_tree", which lists each range twice, or "auto"',
        )
