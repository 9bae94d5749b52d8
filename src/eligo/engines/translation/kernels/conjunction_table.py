"""How do conjunctions become expressions again? Each is an AND over literals, one literal for each different atom.

atoms     4p  p is hit          literal  p, positive
          4p + 1, 4p + 2        literal  p, negated, and holding when missing or not
          attribute a missing   literal  a in (), positive, holding when missing
          attribute a present   literal  a in (), negated, not holding when missing

conjunctions  x z | y z | z     nodes  x z AND | y z AND | z
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.kernels.codes import AND, LITERAL, TRUE
from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import NONE
from eligo.kernels.parameter_types import Int64s, UInt32s


class ConjunctionNodes(NamedTuple):
    """The nodes of conjunctions, as an expression table has them."""

    node_kind: npt.NDArray[np.uint8]
    node_literal: npt.NDArray[np.uint32]
    child_offsets: npt.NDArray[np.uint64]
    children: npt.NDArray[np.uint32]
    expression_offsets: npt.NDArray[np.uint64]


def room_for(offsets: npt.NDArray[np.int64]) -> ConjunctionNodes:
    """Room for conjunctions that have their literals at these offsets."""
    sizes = np.diff(offsets)
    num_nodes = int(np.where(sizes == 1, 1, sizes + 1).sum())
    return ConjunctionNodes(
        np.zeros(num_nodes, np.uint8),
        np.full(num_nodes, NONE, np.uint32),
        np.zeros(num_nodes + 1, np.uint64),
        np.zeros(int(sizes[sizes > 1].sum()), np.uint32),
        np.zeros(len(offsets), np.uint64),
    )


@kernel
def write_conjunctions(offsets: Int64s, literals: UInt32s, nodes: ConjunctionNodes) -> None:
    """Write the nodes of each conjunction: its literals, and an AND of them unless there is one; none is TRUE."""
    node, num_children = 0, 0
    for conjunction in range(len(offsets) - 1):
        first, last = offsets[conjunction], offsets[conjunction + 1]
        begin = node
        for place in range(first, last):
            nodes.node_kind[node] = LITERAL
            nodes.node_literal[node] = literals[place]
            node += 1
            nodes.child_offsets[node] = num_children
        if last - first != 1:
            nodes.node_kind[node] = AND if last > first else TRUE
            for child in range(begin, node):
                nodes.children[num_children] = child
                num_children += 1
            node += 1
            nodes.child_offsets[node] = num_children
        nodes.expression_offsets[conjunction + 1] = node
