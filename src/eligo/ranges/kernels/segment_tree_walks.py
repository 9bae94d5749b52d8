"""How is a segment tree climbed, and how is a range covered? By halving; `segment_tree` draws both.

An axis whose cells stand alone is climbed and covered by the same loops: nothing is above a cell.

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
ALONE = 1
"""The size of an axis whose cells stand alone: nothing is above any of them."""
TO_NO_NODE = np.uint64(63)
"""By so many bits every node is shifted out."""
MOST_COVERING = 64
"""No range is covered by more nodes of a tree: two on each level below the root, of trees with up to 2^32 leaves."""


def longest_climb(sizes: npt.NDArray[np.uint32]) -> int:
    """How many nodes the climb from a leaf of the largest tree has."""
    return int(sizes.max(initial=1)).bit_length()


@hot_loop
def leaf_of(cell: Integer, size: Integer) -> Any:
    """The node of a cell."""
    return np.uint64(size) + np.uint64(cell)


@hot_loop
def _step(size: Integer) -> Any:
    """By how many bits a node is shifted to become what is above it."""
    return TO_NO_NODE if np.int64(size) == ALONE else ONE


@hot_loop
def most_covering(low: Integer, high: Integer, size: Integer) -> Any:
    """No fewer nodes than `cover` gives; for cells that stand alone, as many."""
    return np.int64(high) - np.int64(low) + 1 if np.int64(size) == ALONE else np.int64(MOST_COVERING)


@generator
def climb(cell: Integer, size: Integer, base: Integer) -> Iterator[Any]:
    """The numbers of the nodes from a cell's leaf up to the root; node n has number `base + n`."""
    step = _step(size)
    node = leaf_of(cell, size)
    while node != NO_NODE:
        yield np.uint64(base) + node
        node >>= step


@generator
def climb_apart(leaf: Integer, other: Integer, size: Integer, base: Integer) -> Iterator[Any]:
    """The numbers of the nodes from a leaf up to below the first that is also above another; to the root if none is.

    `other` is a leaf of the same tree, or NO_NODE.
    """
    step = _step(size)
    node = leaf
    while node != other:
        yield np.uint64(base) + node
        node >>= step
        other >>= step


@generator
def cover(low: Integer, high: Integer, size: Integer, base: Integer) -> Iterator[Any]:
    """The numbers of the fewest nodes that have the cells from `low` to `high` below them, and no others."""
    first, last = leaf_of(low, size), leaf_of(high, size) + ONE
    while first < last and np.int64(size) == ALONE:
        yield np.uint64(base) + first
        first += ONE
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
