"""Which ranges hold a value, if every piece of the axis knows? Tatbul 2001's Interval Index, 4.1.2.

The ends of ranges cut the axis into elementary intervals: single points, and the open intervals between them. Each
is a node that has the ranges in which it lies; intervals that lie in none are left out. The nodes are a search tree.

    ends [2, 5, 18, 30]     (-∞, 2) [2, 2] (2, 5) [5, 5] (5, 18) [18, 18] (18, 30) [30, 30] (30, +∞)
    range [2, 18]           holds   [2, 2] (2, 5) [5, 5] (5, 18) [18, 18]: five nodes, of which the third is the root

A search stops at the node whose interval holds the value, and its ranges are the answer. Where ranges overlap, each is
listed at many nodes: n ranges that all overlap are listed n² times. `MOST_ENTRIES` is the bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt

from eligo.ranges.kernels.elementary_walks import (
    IntervalNodes,
    count_intervals,
    fill_intervals,
    locate_intervals,
    walk_intervals,
)
from eligo.ranges.kernels.set_loops import Spans
from eligo.ranges.range_cells import Cells, RangeCells
from eligo.ranges.range_sets import Form, RangeSets, keep
from eligo.ranges.structure import Structure, one_span_each, refuse_large


@dataclass(frozen=True)
class Elementary(Structure):
    """The elementary intervals that lie in some range, in order."""

    name: ClassVar[str] = "elementary"

    cells: npt.NDArray[np.uint32]
    """For each interval: its cell, ascending."""
    sets: RangeSets
    """For each interval: the ranges in which it lies."""
    held: RangeCells

    @classmethod
    def build(cls, ranges: RangeCells, *, sets: Form | Literal["auto"] = "auto", **_: Any) -> Self:
        refuse_large(cls.name, ranges.num_held)
        cells = np.flatnonzero(ranges.depths()).astype(np.uint32)
        offsets, numbers = fill_intervals(IntervalNodes(cells, cells), ranges.lows, ranges.highs)
        return cls(cells, keep(len(ranges.lows), offsets, numbers, sets), ranges)

    @property
    def ranges(self) -> RangeCells:
        return self.held

    @property
    def num_nodes(self) -> int:
        return len(self.cells)

    @property
    def nodes(self) -> IntervalNodes:
        """Each interval is one cell."""
        return IntervalNodes(self.cells, self.cells)

    def locate(self, cells: Cells) -> Spans:
        spans = one_span_each(len(cells))
        locate_intervals(self.nodes, self.sets.offsets, cells, spans.begins, spans.ends)
        return spans

    def evaluations(self, cells: Cells) -> npt.NDArray[np.int64]:
        evaluations = np.zeros(len(cells), np.int64)
        count_intervals(self.nodes, cells, evaluations)
        return evaluations

    def path(self, cell: int) -> list[int]:
        found: list[int] = walk_intervals(self.nodes, cell, 0, len(self.cells)).tolist()
        return found

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        held = {"interval_cells": self.cells, "lows": self.held.lows, "highs": self.held.highs}
        return {**held, **self.sets.arrays()}
