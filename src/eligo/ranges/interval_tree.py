r"""Which ranges hold a value, if each is stored in one node? Tatbul 2001's Interval Tree, 4.1.4.

    x of Example 4                 key 35                        by begin: 4 6 1 2 7        by end: 6 1 4 2 7
                                 /        \
                           key 25          key 60                0            0             8            8
                                          /
                                    key 55                       5            5
                                   /
                             key (45, 50)                        3            3

A node has the ranges that hold its key, in two lists: by where they begin, ascending, and by where they end,
descending. Ranges before the key are in its left subtree, those behind it in the right one. A value before the key is
held by the ranges at the beginning of the first list, up to the first that begins behind it; then the search goes left.
So it is with the other list on the right. At the key itself, all ranges of the node hold the value, and no others do.

The key is the middle one of the cells at which the ranges of a subtree begin or end, sides without an end among them.
Each range is stored twice whatever the overlap: no other structure is as small. As the order of lists matters, they are
never bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from eligo.ranges.kernels.interval_tree_walks import (
    DEEPEST,
    TreeLists,
    TreeNodes,
    build_tree,
    count_tree,
    locate_lists,
    walk_tree,
)
from eligo.ranges.kernels.set_loops import Spans
from eligo.ranges.range_cells import EMPTY, Cells, RangeCells
from eligo.ranges.range_sets import RangeSets
from eligo.ranges.structure import Structure, many_spans_each


@dataclass(frozen=True)
class IntervalTree(Structure):
    """The nodes of an interval tree and their lists."""

    name: ClassVar[str] = "interval_tree"

    nodes: TreeNodes
    lists: TreeLists
    sets: RangeSets
    """The numbers of the lists, of which searches find pieces."""
    num_points: int

    @classmethod
    def build(cls, ranges: RangeCells, **_: Any) -> Self:
        nodes, lists = build_tree(ranges.lows, ranges.highs, ends_in_order(ranges))
        sets = RangeSets(len(ranges.lows), np.zeros(1, np.uint32), lists.numbers)
        return cls(nodes, lists, sets, ranges.num_points)

    @property
    def ranges(self) -> RangeCells:
        lows, highs = (np.full(self.sets.num_ranges, end, np.uint32) for end in EMPTY)
        half = len(self.lists.numbers) // 2
        lows[self.lists.numbers[:half]] = self.lists.bounds[:half]
        highs[self.lists.numbers[half:]] = self.lists.bounds[half:]
        return RangeCells(lows, highs, self.num_points)

    @property
    def num_nodes(self) -> int:
        return len(self.nodes.keys)

    @property
    def most_spans(self) -> int:
        return min(DEEPEST, max(1, self.num_nodes))

    def locate(self, cells: Cells) -> Spans:
        spans = many_spans_each(len(cells), self.most_spans)
        locate_lists(self.nodes, self.lists, cells, spans.offsets, spans.begins, spans.ends)
        return spans

    def evaluations(self, cells: Cells) -> npt.NDArray[np.int64]:
        evaluations = np.zeros(len(cells), np.int64)
        count_tree(self.nodes, self.lists, cells, evaluations)
        return evaluations

    def path(self, cell: int) -> list[int]:
        found: list[int] = walk_tree(self.nodes, cell).tolist()
        return found

    def node_lists(self, node: int) -> tuple[list[int], list[int]]:
        """The ranges of a node by where they begin, and by where they end."""
        half = len(self.lists.numbers) // 2
        begin, end = int(self.nodes.offsets[node]), int(self.nodes.offsets[node + 1])
        return self.lists.numbers[begin:end].tolist(), self.lists.numbers[half + begin : half + end].tolist()

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        nodes = {"keys": self.nodes.keys, "rights": self.nodes.rights, "list_offsets": self.nodes.offsets}
        lists = {"bounds": self.lists.bounds, "bound_samples": self.lists.samples, "numbers": self.lists.numbers}
        return {**nodes, **lists}


def ends_in_order(ranges: RangeCells) -> npt.NDArray[np.uint32]:
    """The ends of all ranges that hold something, by cell: 2 * number for a first cell, 2 * number + 1 for a last."""
    held = np.flatnonzero(ranges.is_held).astype(np.uint32)
    ends = np.concatenate((2 * held, 2 * held + 1))
    cells = np.concatenate((ranges.lows[held], ranges.highs[held]))
    return ends[np.argsort(cells, kind="stable")]
