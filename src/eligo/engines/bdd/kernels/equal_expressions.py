"""Which expressions are written alike? Those with the same nodes; what is made for the first serves the others.

0  a and b      1  a or b      2  a and b            first_equals  0 1 0
"""

from __future__ import annotations

import numpy as np

from eligo.data.kernels.tables import Expressions
from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import mix, u64
from eligo.kernels.interning import EMPTY, HALF, LOW_HALF, ONE, doubled_slots, new_slots, slot_content, tag_of
from eligo.kernels.parameter_types import Integer, UInt32s


@kernel
def _hash(first: Integer, last: Integer, table: Expressions) -> np.uint64:
    code = u64(last - first)
    for node in range(first, last):
        code = mix(code ^ (u64(table.node_kind[node]) << u64(32)) ^ u64(table.node_literal[node]))
        for place in range(table.child_offsets[node], table.child_offsets[node + 1]):
            code = mix(code ^ u64(np.int64(table.children[place]) - first))
    return np.uint64(code)


@kernel
def _are_equal(first: Integer, last: Integer, other: Integer, table: Expressions) -> bool:
    """Whether the nodes first to last are those from `other` on."""
    for node in range(first, last):
        twin = other + node - first
        if table.node_kind[node] != table.node_kind[twin] or table.node_literal[node] != table.node_literal[twin]:
            return False
        begin, twin_begin = np.int64(table.child_offsets[node]), np.int64(table.child_offsets[twin])
        count = np.int64(table.child_offsets[node + 1]) - begin
        if np.int64(table.child_offsets[twin + 1]) - twin_begin != count:
            return False
        for place in range(count):
            child, twin_child = table.children[begin + place], table.children[twin_begin + place]
            if np.int64(child) - first != np.int64(twin_child) - other:
                return False
    return True


@kernel
def first_equals(table: Expressions) -> UInt32s:
    """For each expression: the first one with the same nodes, which may be itself."""
    num_expressions = len(table.expression_offsets) - 1
    found = np.zeros(num_expressions, np.uint32)
    slots = new_slots()
    num_distinct = 0
    for expression in range(num_expressions):
        first, last = np.int64(table.expression_offsets[expression]), np.int64(table.expression_offsets[expression + 1])
        if 2 * (num_distinct + 1) > len(slots):
            slots = doubled_slots(slots)
        tag = tag_of(_hash(first, last, table))
        mask = np.uint64(len(slots) - 1)
        slot = tag & mask
        number = expression
        while slots[slot] != EMPTY:
            known = np.int64(slots[slot] & LOW_HALF)
            other = np.int64(table.expression_offsets[known])
            is_as_long = np.int64(table.expression_offsets[known + 1]) - other == last - first
            if slots[slot] >> HALF == tag and is_as_long and _are_equal(first, last, other, table):
                number = known
                break
            slot = (slot + ONE) & mask
        if number == expression:
            slots[slot] = slot_content(tag, expression)
            num_distinct += 1
        found[expression] = number
    return found
