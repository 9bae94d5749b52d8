"""What would a tree be without sharing, or with two children a node? The same expressions in other tables.

A-Tree 2021, Figure 8, compares designs of the index. An engine shares what is equal in the table that it is given, and
leaves as it is what is not, so a design is a table:

    x0: a and b and c        alone   every place of a literal is a literal of its own, so nothing is equal
    x1: a and b and d        binary  (a and b) and c, (a and b) and d
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.expression_table import ExpressionTable
from eligo.kernels.codes import LITERAL


def alone(table: ExpressionTable) -> ExpressionTable:
    """The table in which no two expressions have a literal in common, so that nothing is shared."""
    places = np.flatnonzero(table.node_kind == LITERAL)
    literals = table.node_literal[places]
    node_literal = table.node_literal.copy()
    node_literal[places] = np.arange(len(places), dtype=np.uint32)
    return table._replace(
        literal_predicate=_sealed(table.literal_predicate[literals]),
        literal_positive=_sealed(table.literal_positive[literals]),
        literal_holds_when_missing=_sealed(table.literal_holds_when_missing[literals]),
        node_literal=_sealed(node_literal),
    )


def binary(table: ExpressionTable) -> ExpressionTable:
    """The table in which every AND and OR has two children: those of more become a chain, from the first on."""
    offsets = table.child_offsets.astype(np.int64)
    counts = np.diff(offsets)
    num_more = np.maximum(counts - 2, 0)
    number = np.arange(table.num_nodes) + np.cumsum(num_more)  # a chain ends with the node that it stands for
    num_nodes = table.num_nodes + int(num_more.sum())
    new_counts = np.full(num_nodes, 2, np.int64)
    new_counts[number] = np.minimum(counts, 2)
    child_offsets = np.concatenate([[0], np.cumsum(new_counts)])
    parent = np.repeat(np.arange(table.num_nodes), counts)
    place = np.arange(len(table.children)) - offsets[parent]
    first = child_offsets[number - num_more]
    children = np.zeros(int(child_offsets[-1]), np.uint32)
    children[first[parent] + np.where(place < 2, place, 2 * place - 1)] = number[table.children]
    is_later = place >= 2
    before = (number - num_more)[parent[is_later]] + place[is_later] - 2
    children[first[parent[is_later]] + 2 * place[is_later] - 2] = before
    node_kind, node_literal = (np.repeat(column, num_more + 1) for column in (table.node_kind, table.node_literal))
    more_before = np.concatenate([[0], np.cumsum(num_more)])
    starts = table.expression_offsets.astype(np.int64)
    return table._replace(
        node_kind=_sealed(node_kind),
        node_literal=_sealed(node_literal),
        child_offsets=_sealed(child_offsets.astype(np.uint64)),
        children=_sealed(children),
        expression_offsets=_sealed((starts + more_before[starts]).astype(np.uint64)),
    )


def _sealed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Read-only, as all arrays of a table are: kernels are compiled for that."""
    array.flags.writeable = False
    return array
