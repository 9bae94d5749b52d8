"""How is an interval tree built and searched? Tatbul 2001, 4.1.4; `interval_tree` draws one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from eligo.kernels.compiled import hot_loop, kernel
from eligo.kernels.parameter_types import Int64s, Integer, UInt32s, UInt64s
from eligo.ranges.kernels.axis_search import ONE, SAMPLED, SAMPLED_BITS

LAST_SAMPLED = np.uint64(SAMPLED - 1)
DEEPEST = 72
"""Levels of a tree at most: each halves the ends, of which there are fewer than 2^33."""


class TreeNodes(NamedTuple):
    """The nodes of an interval tree, each before its left subtree and that before its right one."""

    keys: UInt32s
    """For each node: the cell at which it splits."""
    rights: UInt32s
    """For each node: the first node behind its left subtree, which is its right child if it has one."""
    offsets: UInt32s
    """Node n has the ranges from `offsets[n]` to before `offsets[n + 1]` of either half of the lists."""


class TreeLists(NamedTuple):
    """The ranges of each node twice: first all by where they begin, then all by where they end."""

    bounds: UInt32s
    """In the first half: first cells, ascending at a node. In the second: last cells, descending."""
    numbers: UInt32s
    """For each bound: whose it is."""
    samples: UInt32s
    """Every 64th bound, beginning with the first; see `axis_search`."""


@kernel
def build_tree(lows: UInt32s, highs: UInt32s, ends: UInt32s) -> tuple[TreeNodes, TreeLists]:
    """The tree of ranges whose ends are given in order: 2 * number for a first cell, 2 * number + 1 for a last."""
    num_ranges = len(ends) // 2
    keys, rights = np.empty(num_ranges, np.uint32), np.empty(num_ranges, np.uint32)
    offsets = np.zeros(num_ranges + 1, np.uint32)
    bounds, numbers = np.empty(2 * num_ranges, np.uint32), np.empty(2 * num_ranges, np.uint32)
    scratch = np.empty(len(ends), np.uint32)
    # Parts of the ends of which nodes are to be made, the next one last, with the node on whose right they stand.
    begins, stops = np.empty(2 * DEEPEST, np.int64), np.empty(2 * DEEPEST, np.int64)
    parents = np.empty(2 * DEEPEST, np.int64)
    begins[0], stops[0], parents[0] = 0, len(ends), -1
    pending, node, placed = 1, 0, 0
    while pending > 0:
        pending -= 1
        begin, stop = begins[pending], stops[pending]
        if parents[pending] >= 0:
            rights[parents[pending]] = node
        if begin == stop:
            continue
        key = middle_cell(lows, highs, ends[begin:stop])
        num_left, num_right, num_here = part_ends(lows, highs, ends[begin:stop], key, scratch)
        list_at_node(
            lows, highs, scratch[num_left + num_right : num_left + num_right + num_here], bounds, numbers, placed
        )
        ends[begin : begin + num_left + num_right] = scratch[: num_left + num_right]
        keys[node] = key
        placed += num_here // 2
        offsets[node + 1] = placed
        begins[pending], stops[pending] = begin + num_left, begin + num_left + num_right
        parents[pending] = node
        pending += 1
        if num_left > 0:
            begins[pending], stops[pending], parents[pending] = begin, begin + num_left, -1
            pending += 1
        node += 1
    nodes = TreeNodes(keys[:node].copy(), rights[:node].copy(), offsets[: node + 1].copy())
    return nodes, TreeLists(bounds, numbers, bounds[::SAMPLED].copy())


@hot_loop
def cell_of_end(lows: UInt32s, highs: UInt32s, end: Integer) -> Any:
    """The cell of an end."""
    number = end >> np.uint32(1)
    return highs[number] if end & np.uint32(1) else lows[number]


@hot_loop
def middle_cell(lows: UInt32s, highs: UInt32s, ends: UInt32s) -> Any:
    """The cell in the middle of the distinct ones at which ranges begin or end; the later of two."""
    distinct, before = 0, np.int64(-1)
    for end in ends:
        cell = np.int64(cell_of_end(lows, highs, end))
        distinct += cell != before
        before = cell
    wanted, before = distinct // 2 + 1, np.int64(-1)
    for end in ends:
        cell = np.int64(cell_of_end(lows, highs, end))
        wanted -= cell != before
        before = cell
        if wanted == 0:
            break
    return np.uint32(before)


@hot_loop
def part_ends(lows: UInt32s, highs: UInt32s, ends: UInt32s, key: Integer, parted: UInt32s) -> Any:
    """Put the ends of ranges left of a key first, then of those right of it, then of those that hold it, in order."""
    num_left, num_right = 0, 0
    for end in ends:
        num_left += highs[end >> np.uint32(1)] < key
        num_right += lows[end >> np.uint32(1)] > key
    left, right, here = 0, num_left, num_left + num_right
    for end in ends:
        if highs[end >> np.uint32(1)] < key:
            parted[left] = end
            left += 1
        elif lows[end >> np.uint32(1)] > key:
            parted[right] = end
            right += 1
        else:
            parted[here] = end
            here += 1
    return num_left, num_right, here - num_left - num_right


@hot_loop
def list_at_node(
    lows: UInt32s, highs: UInt32s, ends: UInt32s, bounds: UInt32s, numbers: UInt32s, placed: Integer
) -> None:
    """Write the two lists of a node, from the ends of its ranges in order."""
    first, last = placed, len(bounds) // 2 + placed + len(ends) // 2
    for end in ends:
        number = end >> np.uint32(1)
        if end & np.uint32(1):
            last -= 1
            bounds[last], numbers[last] = highs[number], number
        else:
            bounds[first], numbers[first] = lows[number], number
            first += 1


@hot_loop
def begun_among(bounds: UInt32s, begin: Integer, end: Integer, cell: Integer) -> Any:
    """Behind the last of ascending bounds, from one to before another, that is at a cell or before it."""
    first, size = np.uint64(begin), np.uint64(end) - np.uint64(begin)
    while size != np.uint64(0):  # as among points, no jump depends on what was read
        half = (size + ONE) >> ONE
        first += half if bounds[first + half - ONE] <= cell else np.uint64(0)
        size -= half
    return first


@hot_loop
def ending_among(bounds: UInt32s, begin: Integer, end: Integer, cell: Integer) -> Any:
    """Behind the last of descending bounds, from one to before another, that is at a cell or behind it."""
    first, size = np.uint64(begin), np.uint64(end) - np.uint64(begin)
    while size != np.uint64(0):
        half = (size + ONE) >> ONE
        first += half if bounds[first + half - ONE] >= cell else np.uint64(0)
        size -= half
    return first


@hot_loop
def begun_until(lists: TreeLists, begin: Integer, end: Integer, cell: Integer) -> Any:
    """Behind the last of ascending bounds that is at a cell or before it: among the samples first."""
    first, last = (np.uint64(begin) + LAST_SAMPLED) >> SAMPLED_BITS, (np.uint64(end) + LAST_SAMPLED) >> SAMPLED_BITS
    sample = begun_among(lists.samples, first, last, cell)
    low = np.uint64(begin) if sample == first else ((sample - ONE) << SAMPLED_BITS) + ONE
    return begun_among(lists.bounds, low, np.uint64(end) if sample == last else sample << SAMPLED_BITS, cell)


@hot_loop
def ending_from(lists: TreeLists, begin: Integer, end: Integer, cell: Integer) -> Any:
    """Behind the last of descending bounds that is at a cell or behind it: among the samples first."""
    first, last = (np.uint64(begin) + LAST_SAMPLED) >> SAMPLED_BITS, (np.uint64(end) + LAST_SAMPLED) >> SAMPLED_BITS
    sample = ending_among(lists.samples, first, last, cell)
    low = np.uint64(begin) if sample == first else ((sample - ONE) << SAMPLED_BITS) + ONE
    return ending_among(lists.bounds, low, np.uint64(end) if sample == last else sample << SAMPLED_BITS, cell)


@hot_loop
def locate_lists(
    nodes: TreeNodes, lists: TreeLists, cells: UInt32s, span_offsets: UInt64s, begins: UInt64s, ends: UInt64s
) -> None:
    """For each cell: which beginnings of lists hold the ranges that it is in."""
    half = np.uint64(len(lists.bounds) >> 1)
    num_spans = np.uint64(0)
    for place in range(len(cells)):
        cell = cells[place]
        node, stop = np.uint64(0), np.uint64(len(nodes.keys))
        while node < stop:
            begin, end = np.uint64(nodes.offsets[node]), np.uint64(nodes.offsets[node + np.uint64(1)])
            key = nodes.keys[node]
            if cell > key:
                begin += half
                end = ending_from(lists, begin, end + half, cell)
            elif cell < key:
                end = begun_until(lists, begin, end, cell)
            begins[num_spans], ends[num_spans] = begin, end
            num_spans += np.uint64(begin != end)
            if cell == key:
                break
            right = np.uint64(nodes.rights[node])
            if cell < key:
                node, stop = node + np.uint64(1), right
            else:
                node = right
        span_offsets[place + 1] = num_spans


@kernel
def walk_tree(nodes: TreeNodes, cell: int) -> Int64s:
    """The nodes that a cell is compared with, in order."""
    path = np.empty(DEEPEST, np.int64)
    node, stop, length = 0, len(nodes.keys), 0
    while node < stop:
        path[length] = node
        length += 1
        if cell == nodes.keys[node]:
            break
        if cell < nodes.keys[node]:
            node, stop = node + 1, nodes.rights[node]
        else:
            node = nodes.rights[node]
    return path[:length].copy()


@hot_loop
def count_tree(nodes: TreeNodes, lists: TreeLists, cells: UInt32s, evaluations: Int64s) -> None:
    """For each cell: the keys that it is compared with, and of lists the ranges up to the first that fails."""
    half = len(lists.bounds) // 2
    for place in range(len(cells)):
        cell, counted = cells[place], 0
        node, stop = 0, len(nodes.keys)
        while node < stop:
            counted += 1
            key, begin, end = nodes.keys[node], nodes.offsets[node], nodes.offsets[node + 1]
            if cell == key:
                break
            if cell < key:
                held = begun_until(lists, begin, end, cell) - begin
                node, stop = node + 1, nodes.rights[node]
            else:
                held = ending_from(lists, half + begin, half + end, cell) - half - begin
                node = nodes.rights[node]
            counted += min(np.int64(held) + 1, np.int64(end) - np.int64(begin))
        evaluations[place] = counted
