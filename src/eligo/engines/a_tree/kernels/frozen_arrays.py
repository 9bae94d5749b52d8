"""What is a frozen tree made of? Flat arrays: nodes with their tests, and postings that lead to them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Integer, UInt32s


class FrozenTree(NamedTuple):
    """Nodes are the distinct connectives; a child is a literal, or CONNECTIVE plus a node."""

    node_is_and: npt.NDArray[np.uint8]
    """For each node: 1 for AND, 0 for OR."""
    node_level: npt.NDArray[np.uint16]
    """For each node: its distance from its farthest literal; A-Tree 2021, section 4.1."""
    child_offsets: npt.NDArray[np.uint32]
    """Node n has `children[child_offsets[n]:child_offsets[n + 1]]`."""
    children: npt.NDArray[np.uint32]
    """An AND's access child first, then what decides soonest."""
    test_offsets: npt.NDArray[np.uint32]
    """The tests of node n's children begin at `tests[test_offsets[n]]`; the last item is where all end."""
    tests: npt.NDArray[np.uint32]
    """For each node: the tests of its children in their order, and END; see `inline_tests`."""
    parent_offsets: npt.NDArray[np.uint32]
    """Node n passes its truth on to `parents[parent_offsets[n]:parent_offsets[n + 1]]`."""
    parents: npt.NDArray[np.uint32]
    """ANDs that have the node as their access child, and ORs that have it as a child: where to read on in `tests`."""
    match_offsets: npt.NDArray[np.uint32]
    """When node n is true, the expressions `matches[match_offsets[n]:match_offsets[n + 1]]` match."""
    matches: npt.NDArray[np.uint32]
    """Positions of expressions."""
    always: npt.NDArray[np.uint32]
    """Positions of the expressions that match every event."""
    list_offsets: npt.NDArray[np.uint32]
    """List l has the entries `list_offsets[l]:list_offsets[l + 1]`. A list for each key of the vocabulary, for each
    node of each axis, one that every event meets, and lists that entries refer to."""
    list_entries: npt.NDArray[np.uint32]
    """Four words an entry: where to read on in `tests`, once the next three words, a test, are passed."""
    plain_offsets: npt.NDArray[np.uint32]
    """List l also leads to `plain[plain_offsets[l]:plain_offsets[l + 1]]`, which no test stands before."""
    plain: npt.NDArray[np.uint32]
    """Where to read on in `tests`."""
    axis_base: npt.NDArray[np.uint32]
    """For each axis: the list of its node 0, which is not used; see `ranges.segment_tree`."""
    axis_size: npt.NDArray[np.uint32]
    """For each axis: the size of its segment tree, or 1 where lists are elementary."""
    universal: npt.NDArray[np.uint32]
    """One item: the list that every event meets."""
    num_expressions: npt.NDArray[np.uint32]
    """One item: how many expressions there are, those that never match among them."""


@hot_loop
def has_entries(number: Integer, list_offsets: UInt32s, plain_offsets: UInt32s) -> Any:
    """1 when a list has entries, tested or plain; otherwise 0."""
    tested = list_offsets[number + np.uint64(1)] - list_offsets[number]
    plain = plain_offsets[number + np.uint64(1)] - plain_offsets[number]
    return np.int64((tested | plain) != 0)
