"""How is a segment tree climbed, and how is a range covered? By halving; `segment_tree` draws both.

These are generators, which are compiled into the loops that go through them: nothing is called, and nothing is stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.kernels.compiled import generator, hot_loop
from eligo.kernels.parameter_types import Integer

ONE = np.uint64(1)
NO_NODE = np.uint64(0)
"""Above the root, which is node 1."""
MOST_COVERING = 64
"""No range is covered by more nodes: two on each level below the root, of trees with up to 2^32 leaves."""


def longest_climb(sizes: npt.NDArray[np.uint32]) -> int:
    """How many nodes the climb from a leaf of the largest tree has."""
    return int(sizes.max(initial=1)).bit_length()


@hot_loop
def leaf_of(cell: Integer, size: Integer) -> Any:
    """The node of a cell."""
    return np.uint64(size) + np.uint64(cell)


@generator
def climb(cell: Integer, size: Integer, base: Integer) -> Iterator[Any]:
    """The numbers of the nodes from a cell's leaf up to the root; node n has number `base + n`."""
    node = leaf_of(cell, size)
    while node != NO_NODE:
        yield np.uint64(base) + node
        node >>= ONE


@generator
def climb_apart(leaf: Integer, other: Integer, base: Integer) -> Iterator[Any]:
    """The numbers of the nodes from a leaf up to below the first that is also above another; to the root if none is.

    `other` is a leaf of the same tree, or NO_NODE.
    """
    node = leaf
    while node != other:
        yield np.uint64(base) + node
        node >>= ONE
        other >>= ONE


@generator
def cover(low: Integer, high: Integer, size: Integer, base: Integer) -> Iterator[Any]:
    """The numbers of the fewest nodes that have the cells from `low` to `high` below them, and no others."""
    first, last = leaf_of(low, size), leaf_of(high, size) + ONE
    while first < last:
        # A node that is the second below its parent stands alone at the low end, one before the first at the high end.
        if first & ONE:
            yield np.uint64(base) + first
            first += ONE
        if last & ONE:
            last -= ONE
            yield np.uint64(base) + last
        first >>= ONE
        last >>= ONE
