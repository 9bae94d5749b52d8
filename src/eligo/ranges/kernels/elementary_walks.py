"""How is an Interval Index filled and searched? Tatbul 2001, 4.1.2; `elementary` draws one.

A list of elementary intervals is a search tree that is stored nowhere: its root is the ⌈n/2⌉-th, and the lists before
and behind it are its children. Here a node may span several cells, which the leaves of `hybrid` need.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from eligo.kernels.compiled import hot_loop, kernel
from eligo.kernels.parameter_types import Int64s, Integer, UInt32s, UInt64s
from eligo.ranges.kernels.cluster_walks import ClusterTree, leaf_of_cell


class IntervalNodes(NamedTuple):
    """Intervals that do not overlap, ascending."""

    firsts: UInt32s
    """For each interval: its first cell."""
    lasts: UInt32s
    """And its last: an elementary interval is one cell."""


@hot_loop
def find_interval(nodes: IntervalNodes, cell: Integer, begin: Integer, end: Integer) -> Any:
    """The interval from `begin` to before `end` that holds a cell, or -1; and how many were evaluated."""
    first, last, evaluations = np.int64(begin), np.int64(end), 0
    while first < last:
        middle = first + (last - first - 1) // 2
        evaluations += 1
        if cell < nodes.firsts[middle]:
            last = middle
        elif cell > nodes.lasts[middle]:
            first = middle + 1
        else:
            return middle, evaluations
    return np.int64(-1), evaluations


@kernel
def walk_intervals(nodes: IntervalNodes, cell: int, begin: int, end: int) -> Int64s:
    """The intervals that are evaluated for a cell, in order."""
    path = np.empty(64, np.int64)
    first, last, length = begin, end, 0
    while first < last:
        middle = first + (last - first - 1) // 2
        path[length] = middle
        length += 1
        if cell < nodes.firsts[middle]:
            last = middle
        elif cell > nodes.lasts[middle]:
            first = middle + 1
        else:
            break
    return path[:length].copy()


@hot_loop
def locate_intervals(nodes: IntervalNodes, offsets: UInt32s, cells: UInt32s, begins: UInt64s, ends: UInt64s) -> None:
    """For each cell: where the set of its interval begins and ends; nowhere if it is in none."""
    for place in range(len(cells)):
        found, _ = find_interval(nodes, cells[place], 0, len(nodes.firsts))
        begins[place] = offsets[found] if found >= 0 else np.uint64(0)
        ends[place] = offsets[found + 1] if found >= 0 else np.uint64(0)


@hot_loop
def count_intervals(nodes: IntervalNodes, cells: UInt32s, evaluations: Int64s) -> None:
    """For each cell: how many intervals are evaluated."""
    for place in range(len(cells)):
        _, evaluations[place] = find_interval(nodes, cells[place], 0, len(nodes.firsts))


@hot_loop
def locate_in_leaves(
    tree: ClusterTree,
    leaf_nodes: UInt32s,
    nodes: IntervalNodes,
    offsets: UInt32s,
    cells: UInt32s,
    begins: UInt64s,
    ends: UInt64s,
) -> None:
    """The same below a tree of keys: leaf l has the intervals from `leaf_nodes[l]` to before `leaf_nodes[l + 1]`."""
    for place in range(len(cells)):
        leaf, _ = leaf_of_cell(tree, cells[place])
        found, _ = find_interval(nodes, cells[place], leaf_nodes[leaf], leaf_nodes[leaf + np.uint32(1)])
        begins[place] = offsets[found] if found >= 0 else np.uint64(0)
        ends[place] = offsets[found + 1] if found >= 0 else np.uint64(0)


@hot_loop
def count_in_leaves(
    tree: ClusterTree, leaf_nodes: UInt32s, nodes: IntervalNodes, cells: UInt32s, evaluations: Int64s
) -> None:
    """For each cell: how many keys and intervals are evaluated."""
    for place in range(len(cells)):
        leaf, num_keys = leaf_of_cell(tree, cells[place])
        _, more = find_interval(nodes, cells[place], leaf_nodes[leaf], leaf_nodes[leaf + np.uint32(1)])
        evaluations[place] = num_keys + more


@kernel
def fill_intervals(nodes: IntervalNodes, lows: UInt32s, highs: UInt32s) -> tuple[UInt64s, UInt32s]:
    """For each interval the ranges that hold it, ascending: offsets and numbers.

    An interval of several cells lies in one range only, which begins at its first cell or before.
    """
    num_nodes = len(nodes.firsts)
    offsets = np.zeros(num_nodes + 2, np.uint64)
    begins, ends = np.searchsorted(nodes.firsts, lows), np.searchsorted(nodes.firsts, highs, side="right")
    for number in range(len(lows)):
        if lows[number] <= highs[number]:
            for node in range(begins[number], ends[number]):
                offsets[node + 2] += np.uint64(1)
    for node in range(num_nodes):
        offsets[node + 2] += offsets[node + 1]
    numbers = np.empty(offsets[num_nodes + 1], np.uint32)
    for number in range(len(lows)):
        if lows[number] <= highs[number]:
            for node in range(begins[number], ends[number]):
                numbers[offsets[node + 1]] = number
                offsets[node + 1] += np.uint64(1)
    return offsets[: num_nodes + 1].copy(), numbers
