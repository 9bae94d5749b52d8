"""Which subexpressions look the same? A hash of each node's shape and the level it stands on, for statistics.

A predicate is on level 1, and a connective one above its highest child (A-Tree 2021, Figure 7). The order of children
and of the members of a set does not count. Two nodes with one hash are taken for the same: with 64 bits, a table of a
million different nodes has a chance of one in thirty million to count one too few.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.kernels.codes import BETWEEN, EQUALS, NOT_BETWEEN, STRING
from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import hash_bytes, hash_words, mix, u64
from eligo.language.text.kernels.postfix_columns import Postfix

MASK = 0xFFFFFFFFFFFFFFFF


@kernel
def find_shapes(
    nodes: Postfix,
    number_bits: npt.NDArray[np.int64],
    weight_bits: npt.NDArray[np.int64],
    node_offsets: npt.NDArray[np.int64],
    operand_offsets: npt.NDArray[np.int64],
    data: npt.NDArray[np.uint8],
    text_offsets: npt.NDArray[np.int64],
    stack: npt.NDArray[np.int64],
    hashes: npt.NDArray[np.uint64],
    levels: npt.NDArray[np.int32],
) -> None:
    """Write the hash and the level of every node of a `Postfix`.

    `number_bits` and `weight_bits` are the operands' numbers and weights as integers; `stack` has room for the nodes of
    the longest expression.
    """
    for expression in range(len(node_offsets) - 1):
        base = text_offsets[expression]
        first_operand = operand_offsets[expression]
        depth = 0
        for node in range(node_offsets[expression], node_offsets[expression + 1]):
            kind = nodes.node_kind[node]
            count = nodes.node_count[node]
            if kind >= EQUALS:
                name = hash_bytes(data, base + nodes.name_start[node], base + nodes.name_end[node], 0)
                start = first_operand + nodes.node_first_operand[node]
                is_ordered = kind in (BETWEEN, NOT_BETWEEN)
                total = u64(0)
                for place in range(start, start + count):
                    item = hash_operand(nodes, number_bits, weight_bits, data, base, place)
                    total = (total + (mix(item + u64(place - start)) if is_ordered else item)) & u64(MASK)
                hashes[node] = hash_words(u64(kind), name, total, 1)
                levels[node] = 1
            else:
                depth -= count
                total = u64(0)
                level = 0
                for place in range(depth, depth + count):
                    child = stack[place]
                    total = (total + mix(hashes[child])) & u64(MASK)
                    level = max(level, levels[child])
                hashes[node] = hash_words(u64(kind), u64(count), total, 2)
                levels[node] = level + 1
            stack[depth] = node
            depth += 1


@kernel
def hash_operand(
    nodes: Postfix,
    number_bits: npt.NDArray[np.int64],
    weight_bits: npt.NDArray[np.int64],
    data: npt.NDArray[np.uint8],
    base: int,
    place: int,
) -> Any:
    """The hash of one operand: its kind, its value and its weight; a string's value is its text."""
    text = u64(0)
    if nodes.operand_kind[place] == STRING:
        text = hash_bytes(data, base + nodes.operand_start[place], base + nodes.operand_end[place], 3)
    value = hash_words(u64(nodes.operand_kind[place]), u64(nodes.operand_payload[place]), text, 4)
    return hash_words(value, u64(number_bits[place]), u64(weight_bits[place]), 5)
