"""Which promises of a file can only be checked by going through it? Those of trees and words in which places follow."""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.kernels.compiled import kernel
from eligo.kernels.parameter_types import Int64s, Integer, UInt32s, UInt64s


@kernel
def first_bad_nesting(node_next: UInt32s, leaf: Integer, depths: Int64s) -> Any:
    """The first node of a tree in the order of a walk that does not end within the node above it, or -1.

    Writes how many nodes are above each. A node ends where it says to go on, a leaf behind itself.
    """
    num_nodes = len(node_next)
    ends = np.empty(num_nodes + 1, np.int64)  # of the nodes above the current one
    depth = 0
    for node in range(num_nodes):
        while depth > 0 and ends[depth - 1] <= node:
            depth -= 1
        end = np.int64(node_next[node])
        depths[node] = depth
        if node_next[node] >= leaf:
            continue
        if end <= node or end > num_nodes or (depth > 0 and end > ends[depth - 1]):
            return node
        ends[depth] = end
        depth += 1
    return -1


@kernel
def first_bad_words(word_offsets: UInt64s, words: UInt32s, num_facts: Integer) -> Any:
    """The first item whose words are no disjunctions of references to facts, or -1."""
    for item in range(len(word_offsets) - 1):
        place, last = np.int64(word_offsets[item]), np.int64(word_offsets[item + 1])
        while place < last:
            end = place + np.int64(words[place]) + 1
            if end > last:
                return item
            place += 1
            while place < end:
                kind = words[place] & 3
                if kind == 3 or np.int64(words[place] >> 2) >= num_facts:
                    return item
                if kind == 2:
                    place += 1
                    if place >= end or np.int64(words[place]) >= num_facts:
                        return item
                place += 1
    return -1
