"""How large would the normal forms of expressions be? Counted without making them, node by node.

    (a or b) and (c or d)      literals 4      DNF 4 conjunctions, 8 literals      CNF 2 disjunctions, 4 literals

Clauses that would turn out equal or contradictory are counted all the same, so these are upper ends.
"""

from __future__ import annotations

import numpy as np

from eligo.data.kernels.tables import Expressions
from eligo.kernels.codes import AND, LITERAL, OR
from eligo.kernels.compiled import kernel
from eligo.kernels.parameter_types import Float64s, Integer, UInt16s

LARGEST = 1e15
"""Counts stop here."""


@kernel
def count_forms(table: Expressions, literals: Float64s, dnf: Float64s, cnf: Float64s, depths: UInt16s) -> None:
    """Write for each expression: its literals, those of both normal forms, and how deep its connectives are nested."""
    num_expressions = len(table.expression_offsets) - 1
    most = 1
    for expression in range(num_expressions):
        size = np.int64(table.expression_offsets[expression + 1]) - np.int64(table.expression_offsets[expression])
        most = max(most, size)
    counts = np.zeros((most, 4))  # conjunctions, their literals, disjunctions, their literals
    levels = np.zeros(most, np.uint16)
    for expression in range(num_expressions):
        first = np.int64(table.expression_offsets[expression])
        last = np.int64(table.expression_offsets[expression + 1])
        literals[expression] = 0.0
        for node in range(first, last):
            if table.node_kind[node] == LITERAL:
                literals[expression] += 1.0
            _count_node(table, node, first, counts, levels)
        root = last - 1 - first
        dnf[expression] = counts[root, 1]
        cnf[expression] = counts[root, 3]
        depths[expression] = levels[root]


@kernel
def _count_node(table: Expressions, node: Integer, first: Integer, counts: Float64s, levels: UInt16s) -> None:
    own = counts[node - first]
    kind = table.node_kind[node]
    levels[node - first] = 0
    own[:] = 1.0 if kind == LITERAL else 0.0
    if kind != AND and kind != OR:
        return
    # Under the one connective clauses are put together, under the other multiplied.
    added, multiplied = (2, 0) if kind == AND else (0, 2)
    own[multiplied] = 1.0
    level = 0
    for place in range(np.int64(table.child_offsets[node]), np.int64(table.child_offsets[node + 1])):
        child = np.int64(table.children[place]) - first
        of_child = counts[child]
        own[added] = min(LARGEST, own[added] + of_child[added])
        own[added + 1] = min(LARGEST, own[added + 1] + of_child[added + 1])
        own[multiplied + 1] = min(
            LARGEST, own[multiplied + 1] * of_child[multiplied] + of_child[multiplied + 1] * own[multiplied]
        )
        own[multiplied] = min(LARGEST, own[multiplied] * of_child[multiplied])
        level = max(level, np.int64(levels[child]))
    levels[node - first] = min(65_535, level + 1)
