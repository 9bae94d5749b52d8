"""How does a leaf become an interval? Fontoura 2010, Algorithm 4, without recursion, and its three invariants.

The root has 1 to M. An OR gives every child its own interval; an AND parts its interval among its children:

    (A and B) or C or (D and E and F), M = 10             A 1–1  B 2–10      C 1–10      D 1–4  E 5–5  F 6–10

Where an AND is cut depends on the leaves before it, so that no two children begin at the same place unless they are the
first ones of their ANDs (Invariant 3): otherwise B and D could cover 1 to M together. A single child of an AND is first
and last, and has the whole interval, which the paper's text leaves open.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.engines.fontoura.kernels.alternating_trees import Forest
from eligo.kernels.codes import AND, OR
from eligo.kernels.compiled import kernel
from eligo.kernels.parameter_types import Int64s, Integer, UInt32s


class IntervalLabels(NamedTuple):
    """The intervals of all leaves; those of one expression ascend by where they begin."""

    label_begin: npt.NDArray[Any]
    """For each leaf: where its interval begins, from 1 on; in 16 bits when M fits into them."""
    label_end: npt.NDArray[Any]
    """For each leaf: where its interval ends, which belongs to it; at most M."""
    most_leaves: npt.NDArray[np.uint32]
    """M, the most leaves that an expression has: one number."""


@kernel
def label_nodes(
    forest: Forest,
    numbers: UInt32s,
    num_children: UInt32s,
    num_leaves: UInt32s,
    most_leaves: Integer,
    begins: Int64s,
    ends: Int64s,
) -> None:
    """Write the interval of every node; the other arrays are those of `measure_trees`."""
    for tree in range(len(forest.tree_offsets) - 1):
        first, last = forest.tree_offsets[tree], forest.tree_offsets[tree + 1]
        left_leaves = np.zeros(last - first, np.int64)  # leaves before each node
        cursor = np.zeros(last - first, np.int64)  # of an AND: where its next child begins
        leaves_seen = 0
        for node in range(first, last):
            left_leaves[node - first] = leaves_seen
            if num_children[node] == 0:
                leaves_seen += 1
            if node == first:
                begins[node], ends[node] = 1, most_leaves
                continue
            above = np.int64(forest.parents[node])
            parent = first + above
            size = np.int64(num_leaves[node])
            is_first, is_last = numbers[node] == 1, numbers[node] == num_children[parent]
            if forest.kinds[parent] == OR or (is_first and is_last):
                begins[node], ends[node] = begins[parent], ends[parent]
                continue
            begins[node] = begins[parent] if is_first else cursor[above]
            if is_first:
                ends[node] = left_leaves[above] + size
            elif is_last:
                ends[node] = ends[parent]
            else:
                ends[node] = cursor[above] + size - 1
            cursor[above] = ends[node] + 1


@kernel
def broken_invariant(forest: Forest, numbers: UInt32s, begins: Int64s, ends: Int64s) -> int:
    """The first of the paper's three invariants that a labelling breaks, by its number; 0 when it is valid."""
    for tree in range(len(forest.tree_offsets) - 1):
        first, last = forest.tree_offsets[tree], forest.tree_offsets[tree + 1]
        if first == last:
            continue
        reached = begins[first:last] - 1  # of each AND: how far its children have parted its interval
        is_taken = np.zeros(np.int64(ends[first:last].max()) + 2, np.bool_)
        broken = 0
        for node in range(first + 1, last):
            above = np.int64(forest.parents[node])
            parent = first + above
            if forest.kinds[parent] == OR:
                if begins[node] != begins[parent] or ends[node] != ends[parent]:
                    return 1
                continue
            if begins[node] != reached[above] + 1 or ends[node] < begins[node] or ends[node] > ends[parent]:
                return 2
            reached[above] = ends[node]
            if numbers[node] > 1:
                if is_taken[begins[node]]:
                    broken = 3
                is_taken[begins[node]] = True
        for node in range(first, last):
            if forest.kinds[node] == AND and reached[node - first] != ends[node]:
                return 2
        if broken:
            return broken
    return 0
