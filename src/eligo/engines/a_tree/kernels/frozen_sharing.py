"""How often does each shared node occur in the expressions as they were written? Counted from the roots downwards."""

from __future__ import annotations

import numpy as np

from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.a_tree.kernels.shared_nodes import CONNECTIVE
from eligo.kernels.compiled import kernel
from eligo.kernels.parameter_types import Float64s, Int64s


@kernel
def count_occurrences(
    tree: FrozenTree, downwards: Int64s, node_occurrences: Float64s, literal_occurrences: Float64s
) -> None:
    """Add up how often nodes and literals occur; `downwards` has parents before children.

    The counts are floats: an expression that uses one part twice, and that part another twice, may occur any number of
    times.
    """
    for node in downwards:
        node_occurrences[node] += np.float64(tree.match_offsets[node + 1] - tree.match_offsets[node])
        for place in range(tree.child_offsets[node], tree.child_offsets[node + 1]):
            child = tree.children[place]
            if child < CONNECTIVE:
                literal_occurrences[child] += node_occurrences[node]
            else:
                node_occurrences[child - CONNECTIVE] += node_occurrences[node]
