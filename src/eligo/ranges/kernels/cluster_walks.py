"""How does a Cluster Index choose its keys, and how is it walked? Tatbul 2001, 4.1.1; `cluster` draws one.

How many ranges lie on either side of a key is read from two running counts over all cells, because the ranges of a
cluster are those that reach into its cells: nothing is sorted or counted again at a node.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from eligo.kernels.compiled import hot_loop, kernel
from eligo.kernels.parameter_types import Int64s, Integer, UInt32s, UInt64s

LEAF = np.uint32(0)
"""In place of a key: the node is a leaf. The cell of a point is odd."""


class ClusterTree(NamedTuple):
    """The nodes of a Cluster Index, level by level."""

    keys: UInt32s
    """For each node: the cell of its key, or LEAF."""
    children: UInt32s
    """For each node: its left child, the right one being the next; for a leaf: which one it is, from left to right."""


class RunningCounts(NamedTuple):
    """How many ranges begin and end before each cell; one item more than there are cells."""

    begun: Int64s
    ended: Int64s


@hot_loop
def score(counts: RunningCounts, key: Integer, low: Integer, high: Integer) -> Any:
    """Of a key that splits the cells from `low` to before `high`: ranges on its left, on its right, and the score."""
    total = counts.begun[high] - counts.ended[low]
    left, right = counts.begun[key] - counts.ended[low], counts.begun[high] - counts.ended[key]
    return left, right, abs(left - right) + (left + right - total)


@hot_loop
def best_point(counts: RunningCounts, first: Integer, last: Integer, low: Integer, high: Integer) -> Any:
    """The point from `first` to before `last` that splits best, or -1 if none splits.

    The paper's binary search: from the middle towards the side with more ranges. Where it meets no point that splits,
    all are looked at.
    """
    total = counts.begun[high] - counts.ended[low]
    best, best_score = np.int64(-1), np.int64(0)
    begin, end = first, last
    while begin < end:
        point = begin + (end - begin - 1) // 2
        left, right, found = score(counts, 2 * point + 1, low, high)
        if left < total and right < total and (best < 0 or found < best_score):
            best, best_score = point, found
        if right > left:
            begin = point + 1
        else:
            end = point
    if best >= 0:
        return best
    for point in range(first, last):
        left, right, found = score(counts, 2 * point + 1, low, high)
        if left < total and right < total and (best < 0 or found < best_score):
            best, best_score = point, found
    return best


@kernel
def split(counts: RunningCounts, num_points: int, min_cluster: int, most_copies: int) -> tuple[ClusterTree, UInt32s]:
    """The tree, and for each leaf from left to right its first cell; then the number of cells.

    A cluster is split while it has more than `min_cluster` ranges and some key splits it, and while ranges that stand
    on both sides have made no more than `most_copies`.
    """
    room = 2 * num_points + 1
    keys, children = np.zeros(room, np.uint32), np.zeros(room, np.uint32)
    # For each node: its points and its cells.
    firsts, lasts = np.zeros(room, np.int64), np.full(room, num_points, np.int64)
    lows, highs = np.zeros(room, np.int64), np.full(room, room, np.int64)
    num_nodes, copies, node = 1, 0, 0
    while node < num_nodes:
        first, last, low, high = firsts[node], lasts[node], lows[node], highs[node]
        total = counts.begun[high] - counts.ended[low]
        point = best_point(counts, first, last, low, high) if total > max(1, min_cluster) else np.int64(-1)
        if point >= 0:
            left, right, _ = score(counts, 2 * point + 1, low, high)
            copies += left + right - total
            if copies > most_copies:
                point = np.int64(-1)
        if point >= 0:
            keys[node] = 2 * point + 1
            children[node] = num_nodes
            firsts[num_nodes], lasts[num_nodes] = first, point
            lows[num_nodes], highs[num_nodes] = low, 2 * point + 1
            firsts[num_nodes + 1], lasts[num_nodes + 1] = point + 1, last
            lows[num_nodes + 1], highs[num_nodes + 1] = 2 * point + 1, high
            num_nodes += 2
        node += 1
    leaves = np.flatnonzero(keys[:num_nodes] == LEAF)
    leaves = leaves[np.argsort(lows[leaves])]
    leaf_cells = np.empty(len(leaves) + 1, np.uint32)
    for number in range(len(leaves)):
        children[leaves[number]] = number
        leaf_cells[number] = lows[leaves[number]]
    leaf_cells[len(leaves)] = room
    return ClusterTree(keys[:num_nodes].copy(), children[:num_nodes].copy()), leaf_cells


@hot_loop
def leaf_of_cell(tree: ClusterTree, cell: Integer) -> Any:
    """The leaf of a cell, and how many keys were compared on the way."""
    node, num_keys = np.uint32(0), 0
    while tree.keys[node] != LEAF:
        node = tree.children[node] + np.uint32(cell >= tree.keys[node])
        num_keys += 1
    return tree.children[node], num_keys


@kernel
def walk_cluster(tree: ClusterTree, cell: int) -> Int64s:
    """The nodes from the root to the leaf of a cell."""
    path = np.empty(len(tree.keys), np.int64)
    node, length = np.uint32(0), 1
    path[0] = 0
    while tree.keys[node] != LEAF:
        node = tree.children[node] + np.uint32(cell >= tree.keys[node])
        path[length] = node
        length += 1
    return path[:length].copy()


@hot_loop
def locate_leaves(tree: ClusterTree, offsets: UInt32s, cells: UInt32s, begins: UInt64s, ends: UInt64s) -> None:
    """For each cell: where its leaf's set begins and ends."""
    for place in range(len(cells)):
        leaf, _ = leaf_of_cell(tree, cells[place])
        begins[place], ends[place] = offsets[leaf], offsets[leaf + np.uint32(1)]


@hot_loop
def count_keys(tree: ClusterTree, cells: UInt32s, leaves: Int64s, evaluations: Int64s) -> None:
    """For each cell: its leaf, and how many keys it is compared with."""
    for place in range(len(cells)):
        leaves[place], evaluations[place] = leaf_of_cell(tree, cells[place])


@hot_loop
def leaf_before(leaf_cells: UInt32s, cell: Integer) -> Any:
    """The last leaf that begins at a cell or before it."""
    first, last = 0, len(leaf_cells) - 1
    while last - first > 1:
        middle = (first + last) // 2
        if leaf_cells[middle] <= cell:
            first = middle
        else:
            last = middle
    return first


@kernel
def fill_leaves(leaf_cells: UInt32s, lows: UInt32s, highs: UInt32s) -> tuple[UInt64s, UInt32s]:
    """For each leaf the ranges that reach into it, ascending: offsets and numbers."""
    num_leaves = len(leaf_cells) - 1
    offsets = np.zeros(num_leaves + 2, np.uint64)
    firsts, lasts = np.zeros(len(lows), np.uint32), np.zeros(len(lows), np.uint32)
    for number in range(len(lows)):
        if lows[number] <= highs[number]:
            firsts[number], lasts[number] = (
                leaf_before(leaf_cells, lows[number]),
                leaf_before(leaf_cells, highs[number]),
            )
            for leaf in range(firsts[number], lasts[number] + 1):
                offsets[leaf + 2] += np.uint64(1)
    for leaf in range(num_leaves):
        offsets[leaf + 2] += offsets[leaf + 1]
    numbers = np.empty(offsets[num_leaves + 1], np.uint32)
    for number in range(len(lows)):
        if lows[number] <= highs[number]:
            for leaf in range(firsts[number], lasts[number] + 1):
                numbers[offsets[leaf + 1]] = number
                offsets[leaf + 1] += np.uint64(1)
    return offsets[: num_leaves + 1].copy(), numbers
