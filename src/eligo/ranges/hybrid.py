r"""Which ranges hold a value, by keys first and by pieces then? Tatbul 2001's Hybrid Index, 4.1.3.

    keys of `cluster`           key 45
                              /        \
                        key 35          …
                       /      \
                  key 30       35 (35,40) 40 (40,45)         nodes of `elementary`, those whose intervals lie among the
                 /      \                                    values that come to this leaf
               …          30 (30,35)

Clusters of more than `min_cluster` ranges are split, as long as a key splits them. A leaf with one range has one node,
the part of that range which lies there. A search stops at the node that holds the value; nothing is checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt

from eligo.ranges.cluster import FEW_COPIES, MOST_COPIES
from eligo.ranges.kernels.cluster_walks import ClusterTree, leaf_of_cell, split, walk_cluster
from eligo.ranges.kernels.elementary_walks import (
    IntervalNodes,
    count_in_leaves,
    fill_intervals,
    locate_in_leaves,
    walk_intervals,
)
from eligo.ranges.kernels.set_loops import Spans
from eligo.ranges.range_cells import Cells, RangeCells
from eligo.ranges.range_sets import Form, RangeSets, keep
from eligo.ranges.structure import Structure, one_span_each, refuse_large

MIN_CLUSTER = 8
"""Ranges of a cluster that is not split, unless the caller says otherwise."""


@dataclass(frozen=True)
class Hybrid(Structure):
    """A tree of keys with elementary intervals below its leaves."""

    name: ClassVar[str] = "hybrid"

    tree: ClusterTree
    leaf_nodes: npt.NDArray[np.uint32]
    """Leaf l has the intervals from `leaf_nodes[l]` to before `leaf_nodes[l + 1]`."""
    nodes: IntervalNodes
    sets: RangeSets
    """For each interval: the ranges in which it lies."""
    held: RangeCells

    @classmethod
    def build(
        cls, ranges: RangeCells, *, sets: Form | Literal["auto"] = "auto", min_cluster: int = MIN_CLUSTER, **_: Any
    ) -> Self:
        """The index; clusters of `min_cluster` ranges are not split."""
        refuse_large(cls.name, ranges.num_held)
        counts = ranges.running_counts()
        most_copies = max(MOST_COPIES * len(ranges.lows), FEW_COPIES)
        tree, leaf_cells = split(counts, ranges.num_points, min_cluster, most_copies)
        depths = counts.begun[1:] - counts.ended[:-1]
        cells = np.flatnonzero(depths)
        leaves = np.searchsorted(leaf_cells, cells, side="right") - 1
        # In a leaf of one range, only the first cell of that range is the beginning of a node.
        of_one = (counts.begun[leaf_cells[1:]] - counts.ended[leaf_cells[:-1]] == 1)[leaves]
        is_first = np.append(True, leaves[1:] != leaves[:-1]) if len(cells) else np.zeros(0, np.bool_)
        is_last = np.append(leaves[1:] != leaves[:-1], True) if len(cells) else np.zeros(0, np.bool_)
        firsts, lasts = cells[~of_one | is_first].astype(np.uint32), cells[~of_one | is_last].astype(np.uint32)
        nodes = IntervalNodes(firsts, lasts)
        offsets, numbers = fill_intervals(nodes, ranges.lows, ranges.highs)
        leaf_nodes = np.searchsorted(firsts, leaf_cells).astype(np.uint32)
        return cls(tree, leaf_nodes, nodes, keep(len(ranges.lows), offsets, numbers, sets), ranges)

    @property
    def ranges(self) -> RangeCells:
        return self.held

    @property
    def num_nodes(self) -> int:
        return len(self.tree.keys) + len(self.nodes.firsts)

    def locate(self, cells: Cells) -> Spans:
        spans = one_span_each(len(cells))
        locate_in_leaves(self.tree, self.leaf_nodes, self.nodes, self.sets.offsets, cells, spans.begins, spans.ends)
        return spans

    def evaluations(self, cells: Cells) -> npt.NDArray[np.int64]:
        evaluations = np.zeros(len(cells), np.int64)
        count_in_leaves(self.tree, self.leaf_nodes, self.nodes, cells, evaluations)
        return evaluations

    def path(self, cell: int) -> list[int]:
        """Nodes of the tree of keys, then intervals, which are numbered behind them."""
        keys: list[int] = walk_cluster(self.tree, cell).tolist()
        leaf = int(leaf_of_cell(self.tree, np.uint32(cell))[0])
        intervals = walk_intervals(self.nodes, cell, int(self.leaf_nodes[leaf]), int(self.leaf_nodes[leaf + 1]))
        return [*keys, *(len(self.tree.keys) + interval for interval in intervals.tolist())]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        tree = {"keys": self.tree.keys, "children": self.tree.children, "leaf_nodes": self.leaf_nodes}
        nodes = {"interval_firsts": self.nodes.firsts, "interval_lasts": self.nodes.lasts}
        return {**tree, **nodes, "lows": self.held.lows, "highs": self.held.highs, **self.sets.arrays()}
