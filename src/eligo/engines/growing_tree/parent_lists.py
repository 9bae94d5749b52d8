"""Who hears of a node's result? Its parents, kept in three parts, so that one list serves matching and updates.

    ANCHORED      the node is the parent's access child; a parent is anchored at one child only
    HEARD         the node's result is propagated to the parent
    SILENT        the parent asks for the node's result when it needs it (A-Tree 2021, 5.2.2)

    parents of P4     15 17 | 18 | 21 20          anchored 2, heard 3 (the anchored hear too), 5 in all

Matching propagates to the first two parts; the search for covers walks the first; updates walk all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.engines.growing_tree.list_pool import ListPool, grown, number_view

ANCHORED, HEARD, SILENT = range(3)
"""The parts of a list of parents, in their order."""


class ParentLists(ListPool):
    """The parents of each node; a parent stands as often as the node is its child."""

    def __init__(self) -> None:
        super().__init__()

    def _look(self) -> None:
        if not hasattr(self, "num_anchored"):
            self.num_anchored = np.zeros(len(self.start), np.uint32)
            """For each node: how many parents are anchored at it."""
            self.num_heard = np.zeros(len(self.start), np.uint32)
            """For each node: how many parents are anchored or hear it."""
        size = len(self.start)
        if len(self.num_heard) < size:
            self.num_anchored, self.num_heard = grown(self.num_anchored, size), grown(self.num_heard, size)
        super()._look()
        self.anchored, self.heard = number_view(self.num_anchored), number_view(self.num_heard)

    def add(self, child: int, parent: int, part: int) -> None:
        """Add a parent; one row of each later part moves to that part's end to make way."""
        self.append(child, parent)
        if part == SILENT:
            return
        rows, start = self.places, self.starts[child]
        heard = self.heard[child]
        rows[start + self.counts[child] - 1] = rows[start + heard]
        if part == ANCHORED:
            anchored = self.anchored[child]
            rows[start + heard] = rows[start + anchored]
            rows[start + anchored] = parent
            self.anchored[child] = anchored + 1
        else:
            rows[start + heard] = parent
        self.heard[child] = heard + 1

    def discard(self, child: int, parent: int, part: int) -> None:
        """Take a parent out of its part."""
        anchored, heard, count = self.anchored[child], self.heard[child], self.counts[child]
        first, last = ((0, anchored), (anchored, heard), (heard, count))[part]
        rows, start = self.places, self.starts[child]
        hole = start + self.find(child, parent, first, last)
        if part == ANCHORED:
            rows[hole] = rows[start + anchored - 1]
            hole = start + anchored - 1
            self.anchored[child] = anchored - 1
        if part != SILENT:
            rows[hole] = rows[start + heard - 1]
            hole = start + heard - 1
            self.heard[child] = heard - 1
        self.drop(child, hole - start)

    def anchored_at(self, child: int) -> list[int]:
        """The parents whose access child this node is."""
        return self.values(child)[: self.anchored[child]]

    def arrays(self) -> list[npt.NDArray[Any]]:
        return [*super().arrays(), self.num_anchored, self.num_heard]
