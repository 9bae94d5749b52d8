"""Which cells does each range hold? From its first to its last, whatever its ends are and whatever they are made of.

The distinct ends of all ranges are the points of an axis. A point is a cell, and so is each gap before, between and
behind them. An end that belongs to its range is the cell of a point, one that does not is the gap inside of it; a side
without an end goes to the first or the last cell.

    points         2       5      18
    cells      0   1   2   3   4   5   6        [2, 5] holds 1 to 3, (2, 5) only 2, [5, …) 3 to 6

So a value is compared with a range as its cell is with two numbers, and what searches ranges knows of nothing else.
A range that holds no cell is written as 1 to 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.ranges.kernels.cluster_walks import RunningCounts

Cells = npt.NDArray[np.uint32]
NO_CELL = np.uint32(0xFFFFFFFF)
"""Where a missing value lies."""
EMPTY = (1, 0)
"""First and last cell of a range that holds none."""


class RangeCells(NamedTuple):
    """The first and the last cell of each range, on an axis of so many points."""

    lows: Cells
    highs: Cells
    num_points: int

    @property
    def num_cells(self) -> int:
        return 2 * self.num_points + 1

    @property
    def is_held(self) -> npt.NDArray[np.bool_]:
        """For each range: whether it holds anything."""
        return self.lows <= self.highs

    @property
    def num_held(self) -> int:
        """Cells of all ranges together: the entries of an Interval Index."""
        held = self.highs.astype(np.int64) - self.lows.astype(np.int64) + 1
        return int(held[held > 0].sum())

    def running_counts(self) -> RunningCounts:
        """How many ranges begin and end before each cell."""
        held = self.is_held
        before = [
            np.concatenate(([0], np.cumsum(np.bincount(ends[held], minlength=self.num_cells))))
            for ends in (self.lows, self.highs)
        ]
        return RunningCounts(before[0].astype(np.int64), before[1].astype(np.int64))

    def depths(self) -> npt.NDArray[np.int64]:
        """For each cell: how many ranges hold it."""
        counts = self.running_counts()
        return counts.begun[1:] - counts.ended[:-1]

    def overlap(self) -> float:
        """The share of pairs of ranges that have a value in common, from 0 to 1; 0 if there are no two."""
        held = self.is_held
        num_ranges = int(held.sum())
        if num_ranges < 2:
            return 0.0
        apart = int(self.running_counts().ended[self.lows[held]].sum())
        return 1.0 - apart / (num_ranges * (num_ranges - 1) / 2)


def drawn_cells(
    start_ranks: npt.NDArray[np.int64],
    end_ranks: npt.NDArray[np.int64],
    is_start_closed: npt.NDArray[np.bool_],
    is_end_closed: npt.NDArray[np.bool_],
    num_points: int,
) -> RangeCells:
    """The cells of ranges from the places of their ends among the points, -1 where a side has none."""
    lows = np.where(start_ranks < 0, 0, 2 * start_ranks + 2 - is_start_closed)
    highs = np.where(end_ranks < 0, 2 * num_points, 2 * end_ranks + is_end_closed)
    is_empty = lows > highs
    lows[is_empty], highs[is_empty] = EMPTY
    return RangeCells(lows.astype(np.uint32), highs.astype(np.uint32), num_points)


def moved_cells(cells: RangeCells, ranks: npt.NDArray[np.int64], num_points: int) -> RangeCells:
    """The same ranges on an axis with more points; `ranks` says where each old point stands there."""
    is_empty = ~cells.is_held
    lows, highs = cells.lows.astype(np.int64), cells.highs.astype(np.int64)
    padded = np.append(ranks, 0)  # for the sides without an end
    # The point of a low cell is its own, or the one before its gap; of a high cell the one behind its gap.
    moved_lows = np.where(lows == 0, 0, 2 * padded[(lows - 1) // 2] + 2 - lows % 2)
    moved_highs = np.where(highs == 2 * cells.num_points, 2 * num_points, 2 * padded[highs // 2] + highs % 2)
    moved_lows[is_empty], moved_highs[is_empty] = EMPTY
    return RangeCells(moved_lows.astype(np.uint32), moved_highs.astype(np.uint32), num_points)
