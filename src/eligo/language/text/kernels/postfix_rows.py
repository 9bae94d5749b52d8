"""Where does the parser write a node or an operand? In flat rows of 64-bit numbers, one expression at a time.

Rows of one array, and not the columns of many, because each array that a compiled function is given costs it time.
Interpreted, the same rows are lists. `postfix_columns.Postfix` is the form that others read.

    nodes     kind start end count first_operand name_start name_end flags | kind start …
    operands  kind start end payload flags | kind start …
    numbers   number weight | number …
"""

from __future__ import annotations

from typing import Any

from eligo.kernels.compiled import part

Row = Any
"""Flat rows: an array when compiled, a list when interpreted."""

NODE_FIELDS = 8
NODE_KIND = 0
NODE_START = 1
NODE_END = 2
NODE_COUNT = 3
NODE_FIRST_OPERAND = 4
NODE_NAME_START = 5
NODE_NAME_END = 6
NODE_FLAGS = 7

OPERAND_FIELDS = 5
OPERAND_KIND = 0
OPERAND_START = 1
OPERAND_END = 2
OPERAND_PAYLOAD = 3
OPERAND_FLAGS = 4

NUMBER_FIELDS = 2
NUMBER = 0
WEIGHT = 1

STACK_FIELDS = 4
STACK_KIND = 0
STACK_START = 1
STACK_COUNT = 2
STACK_DEPTH = 3

IS_FLOAT = 1
"""The number is no whole number within 64 bits: it is not the payload."""
IS_SLOW = 2
"""The number is still to be read by `float()`."""
IS_WEIGHT_SLOW = 8
"""The weight is still to be read by `float()`."""


@part
def most_nodes(size: int) -> int:
    """Nodes that a text of so many bytes can have: the densest is `a xor b xnor c xor …`, four in 13 bytes."""
    return size // 3 + 2


@part
def most_operands(size: int) -> int:
    """Operands that a text of so many bytes can have: the densest is `1,1,…`, one in two bytes."""
    return size // 2 + 2


def most_waiting(size: int, max_depth: int) -> int:
    """Entries that the stack can have: a parenthesis and a connective for each level, no more than there are bytes."""
    return min(2 * max_depth, size) + 2


@part
def write_node(nodes: Row, row: int, kind: int, start: int, end: int, count: int) -> None:
    """Write a node that has no attribute and no operands."""
    base = row * NODE_FIELDS
    nodes[base + NODE_KIND] = kind
    nodes[base + NODE_START] = start
    nodes[base + NODE_END] = end
    nodes[base + NODE_COUNT] = count
    nodes[base + NODE_FIRST_OPERAND] = 0
    nodes[base + NODE_NAME_START] = 0
    nodes[base + NODE_NAME_END] = 0
    nodes[base + NODE_FLAGS] = 0


@part
def write_predicate(
    nodes: Row,
    row: int,
    kind: int,
    start: int,
    end: int,
    count: int,
    first_operand: int,
    name_start: int,
    name_end: int,
    flags: int,
) -> None:
    """Write a node that is a predicate."""
    base = row * NODE_FIELDS
    nodes[base + NODE_KIND] = kind
    nodes[base + NODE_START] = start
    nodes[base + NODE_END] = end
    nodes[base + NODE_COUNT] = count
    nodes[base + NODE_FIRST_OPERAND] = first_operand
    nodes[base + NODE_NAME_START] = name_start
    nodes[base + NODE_NAME_END] = name_end
    nodes[base + NODE_FLAGS] = flags


@part
def push(stack: Row, row: int, kind: int, start: int, count: int, depth: int) -> None:
    """Put a connective that waits for its next child, or an open parenthesis, on the stack."""
    base = row * STACK_FIELDS
    stack[base + STACK_KIND] = kind
    stack[base + STACK_START] = start
    stack[base + STACK_COUNT] = count
    stack[base + STACK_DEPTH] = depth
