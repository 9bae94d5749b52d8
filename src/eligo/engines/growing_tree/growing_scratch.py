"""What does one match in a growing tree need? The tree's arrays, ready to be read, and scratch to write to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.engines.growing_tree.kernels.growing_arrays import MatchState, PredicateArrays, TreeArrays
from eligo.engines.growing_tree.list_pool import grown
from eligo.kernels.hashing import NONE


class ReadyTree(NamedTuple):
    """What matching reads, until the tree changes."""

    nodes: TreeArrays
    tests: PredicateArrays
    always: npt.NDArray[np.uint32]
    """The positions of expressions that are true of every event."""
    sizes: dict[str, int]
    """The least length of each array of the scratch."""


class MatchScratch:
    """What one match of an event writes to; the next one may use it again."""

    def __init__(self) -> None:
        self.signature = 0
        self.sizes: dict[str, int] = {}
        """What it was made long enough for."""
        self.state = MatchState(
            test_signature=np.zeros(0, np.uint32),
            attribute_signature=np.zeros(0, np.uint32),
            nodes=np.zeros((0, 4), np.uint32),
            queues=np.full((2, 2), NONE, np.uint32),
            hits=np.zeros(0, np.uint32),
            matched=np.zeros(0, np.uint32),
            counters=np.zeros(4, np.int64),
        )

    def fit(self, sizes: dict[str, int]) -> None:
        """Make arrays longer where a tree has outgrown them."""
        self.state = MatchState(
            **{
                name: array
                if len(array) >= sizes[name]
                else grown(array, 2 * sizes[name], int(NONE) if name == "queues" else 0)
                for name, array in self.state._asdict().items()
            }
        )
        self.sizes = sizes

    def next_signature(self) -> int:
        """Another number for each event; when there are no more, all begins anew."""
        self.signature += 1
        if self.signature == 2**32:
            for signatures in (self.state.test_signature, self.state.attribute_signature, self.state.nodes):
                signatures[:] = 0
            self.signature = 1
        return self.signature
