"""Which ranges hold a value, if a range lies in few nodes of a tree? Tatbul 2001's Segment Tree, 4.1.4.

    x of Example 4, of which 20 is cell 5        level  0    1    2     3        4    5
                                                 node   1    2    4     9       18   37
                                                 has              {4}  {0, 6}        {1}

The elementary intervals are the leaves of the tree that `segment_tree` draws; a node stands for all intervals below it.
A range lies in the fewest nodes that cover it, at most two on each level. A search goes from the root to the leaf of
the value, and all ranges of the nodes on its way hold the value. Unlike `elementary`, it never stops earlier.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt

from eligo.ranges.kernels.segment_sets import count_covers, fill_nodes, locate_nodes
from eligo.ranges.kernels.set_loops import Spans
from eligo.ranges.range_cells import Cells, RangeCells
from eligo.ranges.range_sets import Form, RangeSets, keep
from eligo.ranges.segment_tree import tree_sizes
from eligo.ranges.structure import Structure, many_spans_each, refuse_large


@dataclass(frozen=True)
class SegmentIndex(Structure):
    """A segment tree of one axis with the ranges of its nodes."""

    name: ClassVar[str] = "segment_tree"

    size: int
    """Leaves of the tree."""
    sets: RangeSets
    """For each node, from 0, which there is not: the ranges that it helps to cover."""
    held: RangeCells

    @classmethod
    def build(cls, ranges: RangeCells, *, sets: Form | Literal["auto"] = "auto", **_: Any) -> Self:
        size = int(tree_sizes(np.array([ranges.num_cells]))[0])
        refuse_large(cls.name, count_covers(ranges.lows, ranges.highs, size))
        offsets, numbers = fill_nodes(ranges.lows, ranges.highs, size)
        return cls(size, keep(len(ranges.lows), offsets, numbers, sets), ranges)

    @property
    def ranges(self) -> RangeCells:
        return self.held

    @property
    def num_nodes(self) -> int:
        return 2 * self.size - 1

    @property
    def most_spans(self) -> int:
        return self.size.bit_length()

    def locate(self, cells: Cells) -> Spans:
        spans = many_spans_each(len(cells), self.most_spans)
        locate_nodes(self.size, self.sets.offsets, cells, spans.offsets, spans.begins, spans.ends)
        return spans

    def evaluations(self, cells: Cells) -> npt.NDArray[np.int64]:
        return np.full(len(cells), self.size.bit_length(), np.int64)

    def path(self, cell: int) -> list[int]:
        leaf = self.size + cell
        return [leaf >> level for level in range(leaf.bit_length() - 1, -1, -1)]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {"lows": self.held.lows, "highs": self.held.highs, **self.sets.arrays()}
