"""Which subexpressions are the same? Hash-consing: one node for each distinct AND and OR of all expressions.

A-Tree 2021, section 4.2.1, but two nodes are equal when their operator and their children are, never because a hash
is: the paper's sums and products of ids collide (1 + 4 = 2 + 3).

Children are sorted, so that `a and b` is `b and a`. A child that stands twice stays twice, because it scores twice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Expressions
from eligo.engines.kernels.short_sorts import sort_numbers
from eligo.kernels.codes import AND, FALSE, LITERAL, TRUE
from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import NONE, mix, u64
from eligo.kernels.parameter_types import Integer, UInt8s, UInt32s

CONNECTIVE = np.uint32(0x80000000)
"""Added to the number of a connective where it stands beside literals, as a child or a root."""
ALWAYS = np.uint32(0xFFFFFFFF)
"""The root of an expression that is true of every event."""
NEVER = np.uint32(0xFFFFFFFE)
"""The root of an expression that is true of no event."""


class SharedNodes(NamedTuple):
    """The distinct connectives of all expressions; a child is a literal, or CONNECTIVE plus a node."""

    node_is_and: npt.NDArray[np.uint8]
    """For each node: 1 for AND, 0 for OR."""
    child_offsets: npt.NDArray[np.uint32]
    """Node n has `children[child_offsets[n]:child_offsets[n + 1]]`; children come before parents."""
    children: npt.NDArray[np.uint32]


@kernel
def _put_children(
    node: Integer, is_and: bool, table: Expressions, always: Integer, shared: UInt32s, children: UInt32s, start: Integer
) -> Any:
    """Write a connective's children from `start` on, without constants; where they end, and whether one decides it."""
    neutral = ALWAYS if is_and else NEVER
    decisive = NEVER if is_and else ALWAYS
    end = start
    is_decided = False
    for place in range(table.child_offsets[node], table.child_offsets[node + 1]):
        child = shared[table.children[place]]
        is_decided = is_decided or child == decisive
        if child != neutral:
            children[end] = child
            end += 1
    if not is_decided or is_and or always == NONE:
        return end, is_decided
    # An OR that is true of every event still scores what its other children do; the literal `always` stands for `true`.
    kept = start
    for place in range(start, end):
        if children[place] != ALWAYS:
            children[kept] = children[place]
            kept += 1
    if kept == start:
        return end, True
    children[kept] = always
    return kept + 1, False


@kernel
def _find_slot(
    is_and: bool, start: Integer, end: Integer, node_is_and: UInt8s, child_offsets: UInt32s, children: UInt32s,
    slots: UInt32s,
) -> Any:  # fmt: skip
    """The slot of the node with the children `children[start:end]`, or the empty one that it belongs into."""
    mask = u64(len(slots) - 1)
    code = u64(1 if is_and else 2)
    for place in range(start, end):
        code = mix(code ^ u64(children[place]))
    slot = code & mask
    while slots[slot] != NONE:
        candidate = np.int64(slots[slot])
        begin = np.int64(child_offsets[candidate])
        is_same = node_is_and[candidate] == (1 if is_and else 0)
        is_same = is_same and np.int64(child_offsets[candidate + 1]) - begin == end - start
        place = 0
        while is_same and place < end - start:
            is_same = children[begin + place] == children[start + place]
            place += 1
        if is_same:
            break
        slot = (slot + u64(1)) & mask
    return slot


@kernel
def share_nodes(
    table: Expressions, always: Integer, node_is_and: UInt8s, child_offsets: UInt32s, children: UInt32s,
    root_of_expression: UInt32s, slots: UInt32s,
) -> Any:  # fmt: skip
    """Write the distinct connectives and every expression's root; returns how many connectives and children there are.

    The output arrays are as long as the table's; `slots` is a hash table of a power of two, filled with NONE. `always`
    is a literal that always holds and scores 0, or NONE: `true or x` matches every event, but scores what x does.
    """
    shared = np.empty(len(table.node_kind), np.uint32)  # for each node of the table, what it has become
    num_nodes = 0
    end = 0
    child_offsets[0] = 0
    for expression in range(len(table.expression_offsets) - 1):
        first = np.int64(table.expression_offsets[expression])
        last = np.int64(table.expression_offsets[expression + 1])
        for node in range(first, last):
            kind = table.node_kind[node]
            if kind == LITERAL:
                shared[node] = table.node_literal[node]
                continue
            if kind in (TRUE, FALSE):
                shared[node] = ALWAYS if kind == TRUE else NEVER
                continue
            is_and = kind == AND
            start = end
            end, is_decided = _put_children(node, is_and, table, always, shared, children, start)
            if is_decided or end - start < 2:  # no connective is left: a constant, or the only child
                lone = children[start] if end > start else (ALWAYS if is_and else NEVER)
                shared[node] = (NEVER if is_and else ALWAYS) if is_decided else lone
                end = start
                continue
            sort_numbers(children, start, end)
            slot = _find_slot(is_and, start, end, node_is_and, child_offsets, children, slots)
            if slots[slot] == NONE:
                slots[slot] = num_nodes
                node_is_and[num_nodes] = 1 if is_and else 0
                num_nodes += 1
                child_offsets[num_nodes] = end
            else:  # its children stand there already
                end = start
            shared[node] = CONNECTIVE | slots[slot]
        root_of_expression[expression] = shared[last - 1] if last > first else NEVER
    return num_nodes, end
