"""How often does each node of a growing tree occur in its expressions? The counts behind A-Tree 2021's Figure 7.

A node occurs once for each expression that it is, and once for each occurrence of each node that has it as a member.
Levels here are those of the expressions as they are written, with nothing reorganised: predicates are at level 1.
"""

from __future__ import annotations

import numpy as np

from eligo.engines.growing_tree.kernels.growing_search import SearchArrays, members_of
from eligo.kernels.codes import LITERAL
from eligo.kernels.compiled import kernel
from eligo.kernels.parameter_types import Float64s, UInt32s


@kernel
def count_occurrences(
    order: UInt32s, expression_count: UInt32s, occurrences: Float64s, levels: UInt32s, tree: SearchArrays
) -> None:
    """Write how often each node occurs, and its level; `order` has the nodes with children before parents."""
    for node in order:
        levels[node] = 1
        if tree.kind_of_node[node] != LITERAL:
            for member in members_of(node, tree):
                levels[node] = max(levels[node], levels[member] + np.uint32(1))
    for place in range(len(order) - 1, -1, -1):
        node = order[place]
        occurrences[node] += np.float64(expression_count[node])
        if tree.kind_of_node[node] != LITERAL:
            for member in members_of(node, tree):
                occurrences[member] += occurrences[node]
