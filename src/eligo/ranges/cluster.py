r"""Which ranges may hold a value? Those of a small cluster, found by keys: Tatbul 2001's Cluster Index, 4.1.1.

    x of Example 4               key 45                      a value before the key goes left, any other right
                              /          \
                        key 35            key 55             a range stands in every leaf that it reaches into
                       /      \          /      \
                  key 30   {1 2 4 6 7} {1 3 6}   key 60
                 /      \                       /      \
           {0 1 4 6}  {1 2 4 6}               {5}      {8}

A key is one of the ends. It is chosen by a score, the smaller the better: by how much the two sides differ in size,
plus how many ranges stand on both. The search for it goes from the middle of the ends towards the side with more
ranges. A cluster is split until it has one range, or until every key would leave one side as large as the whole.

A leaf has those that may hold the value, and each of them is checked. Where many ranges overlap, leaves are large, and
ranges stand in many of them: from `MOST_COPIES` times on, no cluster is split any more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt

from eligo.ranges.kernels.cluster_walks import (
    ClusterTree,
    count_keys,
    fill_leaves,
    locate_leaves,
    split,
    walk_cluster,
)
from eligo.ranges.kernels.set_loops import Spans
from eligo.ranges.range_cells import Cells, RangeCells
from eligo.ranges.range_sets import Form, RangeSets, keep
from eligo.ranges.structure import Structure, one_span_each

MOST_COPIES = 16
"""How often a range stands in leaves on average, at most."""
FEW_COPIES = 1_000_000
"""Copies that are always allowed."""


@dataclass(frozen=True)
class Cluster(Structure):
    """A tree of keys with sets of candidates as leaves."""

    name: ClassVar[str] = "cluster"
    is_checked: ClassVar[bool] = True

    tree: ClusterTree
    leaf_cells: npt.NDArray[np.uint32]
    """For each leaf, from left to right: its first cell; then the number of cells."""
    sets: RangeSets
    """For each leaf: the ranges that reach into it."""
    held: RangeCells

    @classmethod
    def build(
        cls, ranges: RangeCells, *, sets: Form | Literal["auto"] = "auto", min_cluster: int = 1, **_: Any
    ) -> Self:
        """The index; clusters of `min_cluster` ranges are not split."""
        most_copies = max(MOST_COPIES * len(ranges.lows), FEW_COPIES)
        tree, leaf_cells = split(ranges.running_counts(), ranges.num_points, min_cluster, most_copies)
        offsets, numbers = fill_leaves(leaf_cells, ranges.lows, ranges.highs)
        return cls(tree, leaf_cells, keep(len(ranges.lows), offsets, numbers, sets), ranges)

    @property
    def ranges(self) -> RangeCells:
        return self.held

    @property
    def num_nodes(self) -> int:
        return len(self.tree.keys)

    def locate(self, cells: Cells) -> Spans:
        spans = one_span_each(len(cells))
        locate_leaves(self.tree, self.sets.offsets, cells, spans.begins, spans.ends)
        return spans

    def leaves(self, cells: Cells) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """For each cell: its leaf, and how many keys it is compared with."""
        leaves, evaluations = np.zeros(len(cells), np.int64), np.zeros(len(cells), np.int64)
        count_keys(self.tree, cells, leaves, evaluations)
        return leaves, evaluations

    def evaluations(self, cells: Cells) -> npt.NDArray[np.int64]:
        leaves, evaluations = self.leaves(cells)
        return evaluations + self.sets.sizes()[leaves]

    def path(self, cell: int) -> list[int]:
        found: list[int] = walk_cluster(self.tree, cell).tolist()
        return found

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        tree = {"keys": self.tree.keys, "children": self.tree.children, "leaf_cells": self.leaf_cells}
        return {**tree, "lows": self.held.lows, "highs": self.held.highs, **self.sets.arrays()}
