"""Which subexpressions are the same? Hash-consing: one node for each distinct AND and OR of all expressions.

A-Tree 2021, section 4.2.1, but two nodes are equal when their operator and their children are, never because a hash
is: the paper's sums and products of ids collide (1 + 4 = 2 + 3).

Children are sorted, so that `a and b` is `b and a`. A child that stands twice stays twice, because it scores twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.kernels.codes import AND, FALSE, LITERAL, TRUE
from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import NONE, mix, u64

CONNECTIVE = np.uint32(0x80000000)
"""Added to the number of a connective where it stands beside literals, as a child or a root."""
ALWAYS = np.uint32(0xFFFFFFFF)
"""The root of an expression that is true of every event."""
NEVER = np.uint32(0xFFFFFFFE)
"""The root of an expression that is true of no event."""


@kernel
def share_nodes(
    table: Any, always: Any, node_is_and: Any, child_offsets: Any, children: Any, root_of_expression: Any, slots: Any
) -> Any:
    """Write the distinct connectives and every expression's root; returns how many connectives and children there are.

    The output arrays are as long as the table's; `slots` is a hash table of a power of two, filled with NONE. `always`
    is a literal that always holds and scores 0, or NONE: `true or x` matches every event, but scores what x does.
    """
    shared = np.empty(len(table.node_kind), np.uint32)
    mask = u64(len(slots) - 1)
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
            neutral = ALWAYS if kind == AND else NEVER
            decisive = NEVER if kind == AND else ALWAYS
            start = end
            decided = False
            for place in range(table.child_offsets[node], table.child_offsets[node + 1]):
                child = shared[table.children[place]]
                decided = decided or child == decisive
                if child != neutral:
                    children[end] = child
                    end += 1
            if decided and kind != AND and always != NONE:
                kept = start
                for place in range(start, end):
                    if children[place] != ALWAYS:
                        children[kept] = children[place]
                        kept += 1
                if kept > start:
                    children[kept] = always
                    end = kept + 1
                    decided = False
            if decided or end - start < 2:
                shared[node] = decisive if decided else (neutral if end == start else children[start])
                end = start
                continue
            children[start:end].sort()
            code = u64(1 if kind == AND else 2)
            for place in range(start, end):
                code = mix(code ^ u64(children[place]))
            slot = code & mask
            found = NONE
            while slots[slot] != NONE:
                candidate = np.int64(slots[slot])
                begin = np.int64(child_offsets[candidate])
                same = node_is_and[candidate] == (1 if kind == AND else 0)
                same = same and np.int64(child_offsets[candidate + 1]) - begin == end - start
                place = 0
                while same and place < end - start:
                    same = children[begin + place] == children[start + place]
                    place += 1
                if same:
                    found = slots[slot]
                    break
                slot = (slot + u64(1)) & mask
            if found == NONE:
                found = np.uint32(num_nodes)
                slots[slot] = found
                node_is_and[num_nodes] = 1 if kind == AND else 0
                num_nodes += 1
                child_offsets[num_nodes] = end
            else:
                end = start
            shared[node] = CONNECTIVE | found
        root_of_expression[expression] = shared[last - 1] if last > first else NEVER
    return num_nodes, end
