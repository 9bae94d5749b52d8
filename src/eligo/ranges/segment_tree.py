"""How does a cell find the ranges that hold it? Each range lies in a few nodes of a tree, and the cell is below those.

The cells of an axis are the leaves of a binary tree that is stored nowhere: the node of cell c is `size + c`, where
`size` is the number of cells, rounded up to a power of two, and the parent of a node is half of it. Node 0 is not used.

    node                1                      cells 1 to 5 are covered by 9, 5 and 6
              2                   3
         4         5         6         7       cell 4 climbs 12, 6, 3, 1: it meets that range in 6, and only there
       8   9    10   11    12  13    14  15
    cell
       0   1     2   3      4   5     -   -    a tree of six cells has eight leaves, two of them empty

A range is covered by the fewest nodes, at most two on each level and none above another; what covers it and the climb
of a cell have exactly one node in common if the range holds the cell, and none if not. So a range is registered under
its cover, and an event asks along its climb (`segment_tree_walks`). The trees of all axes are numbered one behind
another: node n of an axis is number `base + n`.

An axis may do without a tree: its cells stand alone, as the elementary intervals of Tatbul 2001's Interval Index. Its
size is 1, so the node of cell c is `1 + c`; that is all that a cell climbs, and a range is covered by each of its
cells. A tree of one leaf is the same. `list_choice` says which axes do.

    node   1   2   3   4   5   6               cells 1 to 5 are covered by 2, 3, 4, 5 and 6; cell 4 climbs 5
    cell   0   1   2   3   4   5
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from eligo.ranges.kernels.segment_tree_walks import ALONE


def tree_sizes(num_cells: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """For each axis: the leaves of its tree, which are its cells, rounded up to a power of two."""
    return np.array([1 << (number - 1).bit_length() for number in num_cells.tolist()], np.int64)


def tree_bases(sizes: npt.NDArray[np.int64], num_cells: npt.NDArray[np.int64], first: int) -> npt.NDArray[np.int64]:
    """For each axis: the number of its node 0, if the nodes of all axes are numbered from `first` on.

    The last item is the number after them.
    """
    num_nodes = np.where(sizes == ALONE, num_cells + 1, 2 * sizes)
    return np.concatenate([np.full(1, first, np.int64), first + np.cumsum(num_nodes)])


def cells_of_node(node: int, size: int) -> range:
    """The cells below a node of an axis of this size."""
    if size == ALONE:
        return range(node - 1, node)
    width = size >> (node.bit_length() - 1)
    return range(node * width - size, (node + 1) * width - size)
