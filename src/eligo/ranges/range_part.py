"""What is built once and asked often? Some ranges with their axis and their structure; only deaths are noted in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.ranges.axis import Axis, axis_of, joined
from eligo.ranges.choose import Wish, choose_structure
from eligo.ranges.column import Column, Kind
from eligo.ranges.range_cells import NO_CELL, Cells, RangeCells, drawn_cells, moved_cells
from eligo.ranges.range_sets import Rows
from eligo.ranges.structure import NOBODY_DEAD, Structure
from eligo.ranges.structures import STRUCTURES

Numbers = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class GivenRanges:
    """Ranges as callers give them: a start and an end for each, and whether these belong to it."""

    kind: Kind | None
    starts: Column
    ends: Column
    is_start_closed: npt.NDArray[np.bool_]
    is_end_closed: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.starts)

    def on_axis(self) -> tuple[Axis, RangeCells]:
        """The axis of their ends, and their cells on it."""
        axis = axis_of(self.kind, (self.starts, self.ends))
        ranks = axis.ranks(self.starts), axis.ranks(self.ends)
        return axis, drawn_cells(*ranks, self.is_start_closed, self.is_end_closed, axis.num_points)


@dataclass
class RangePart:
    """Ranges that were built together."""

    axis: Axis
    structure: Structure
    why: str
    """Why it is this structure."""
    numbers: Numbers | None
    """For each range its number in the index, ascending; None where they are the same."""
    is_dead: npt.NDArray[np.bool_] = field(default_factory=lambda: NOBODY_DEAD)
    """For each range: whether it was deleted; empty as long as none was."""

    @property
    def num_ranges(self) -> int:
        return self.structure.sets.num_ranges

    @property
    def num_dead(self) -> int:
        return int(self.is_dead.sum())

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What is held, by name."""
        held = {**self.axis.arrays(), **self.structure.arrays()}
        if self.numbers is not None:
            held["numbers"] = self.numbers
        return {**held, "is_dead": self.is_dead} if len(self.is_dead) else held

    def containing(self, cells: Cells) -> Rows:
        """The ranges that hold each cell, by their numbers in the index, ascending; a missing value lies in none."""
        is_there = cells != NO_CELL
        if is_there.all():
            offsets, rows = self.structure.containing(cells, self.is_dead)
        else:
            some, rows = self.structure.containing(cells[is_there], self.is_dead)
            lengths = np.zeros(len(cells), np.uint64)
            lengths[is_there] = np.diff(some)
            offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.uint64)
        return offsets, rows if self.numbers is None else self.numbers[rows]

    def counts(self, cells: Cells) -> npt.NDArray[np.int64]:
        """How many ranges hold each cell."""
        return self._where_there(cells, self.structure.counts(cells[cells != NO_CELL], self.is_dead))

    def evaluations(self, cells: Cells) -> npt.NDArray[np.int64]:
        """Predicate evaluations for each cell, none for a missing value."""
        return self._where_there(cells, self.structure.evaluations(cells[cells != NO_CELL]))

    def _where_there(self, cells: Cells, counted: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        spread = np.zeros(len(cells), np.int64)
        spread[cells != NO_CELL] = counted
        return spread

    def places(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """For each number in the index its place here, -1 if it has none."""
        if self.numbers is None:
            return np.where(numbers < self.num_ranges, numbers, -1)
        places = np.searchsorted(self.numbers, numbers)
        found = np.append(self.numbers, np.uint32(0))[places] == numbers
        return np.where(found & (places < len(self.numbers)), places, -1)

    def kill(self, places: npt.NDArray[np.int64]) -> None:
        """Note that ranges are deleted."""
        if not len(self.is_dead):
            self.is_dead = np.zeros(self.num_ranges, np.bool_)
        self.is_dead[places] = True


def build_part(axis: Axis, ranges: RangeCells, numbers: Numbers | None, wish: Wish) -> RangePart:
    """A part with the structure that is wished for, or the one that suits it."""
    name, why = choose_structure(ranges, wish)
    options = {"sets": wish.sets} | ({} if wish.min_cluster is None else {"min_cluster": wish.min_cluster})
    return RangePart(axis, STRUCTURES[name].build(ranges, **options), why, numbers)


def merged(parts: Sequence[RangePart], wish: Wish) -> RangePart:
    """One part of several, without what was deleted."""
    axis, ranks = joined([part.axis for part in parts])
    lows, highs, numbers = [], [], []
    for part, places in zip(parts, ranks, strict=True):
        moved = moved_cells(part.structure.ranges, places, axis.num_points)
        is_live = ~part.is_dead if len(part.is_dead) else np.ones(part.num_ranges, np.bool_)
        lows.append(moved.lows[is_live])
        highs.append(moved.highs[is_live])
        known = np.arange(part.num_ranges, dtype=np.uint32) if part.numbers is None else part.numbers
        numbers.append(known[is_live])
    everyone = np.concatenate(numbers)
    order = np.argsort(everyone, kind="stable")
    ranges = RangeCells(np.concatenate(lows)[order], np.concatenate(highs)[order], axis.num_points)
    everyone = everyone[order]
    is_same = len(everyone) == 0 or int(everyone[-1]) == len(everyone) - 1
    return build_part(axis, ranges, None if is_same else everyone, wish)
