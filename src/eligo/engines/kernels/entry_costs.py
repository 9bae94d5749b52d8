"""How often would an expression be entered? For each node the share of events that could make it true, from below.

a and b     as rare as the rarer of a and b: the others are asked only when that one holds
a or b      as often as a and as often as b
"""

from __future__ import annotations

import numpy as np

from eligo.data.kernels.tables import Expressions
from eligo.kernels.codes import AND, LITERAL, OR, TRUE
from eligo.kernels.compiled import kernel
from eligo.kernels.parameter_types import Float64s


@kernel
def entry_shares(table: Expressions, likely: Float64s, entered: Float64s) -> None:
    """Write for each expression in what share of events it is entered; `likely` says how likely each literal holds."""
    num_expressions = len(table.expression_offsets) - 1
    most = 1
    for expression in range(num_expressions):
        size = np.int64(table.expression_offsets[expression + 1]) - np.int64(table.expression_offsets[expression])
        most = max(most, size)
    shares = np.zeros(most)
    for expression in range(num_expressions):
        first = np.int64(table.expression_offsets[expression])
        last = np.int64(table.expression_offsets[expression + 1])
        for node in range(first, last):
            kind = table.node_kind[node]
            share = 1.0 if kind == AND or kind == TRUE else 0.0
            if kind == LITERAL:
                share = likely[table.node_literal[node]]
            elif kind == AND or kind == OR:
                for place in range(np.int64(table.child_offsets[node]), np.int64(table.child_offsets[node + 1])):
                    of_child = shares[np.int64(table.children[place]) - first]
                    share = min(share, of_child) if kind == AND else min(1.0, share + of_child)
            shares[node - first] = share
        entered[expression] = shares[last - 1 - first]
