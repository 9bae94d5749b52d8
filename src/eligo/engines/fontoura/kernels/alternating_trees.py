"""How does any expression become an alternating tree of AND and OR with conjunctions as leaves? Fontoura 2010, 2.

The root is an AND, an artificial one where it must be; below an AND are ORs and leaves, below an OR are ANDs and
leaves. A leaf is a conjunction: the literals of an AND together, or one literal of an OR. Nodes stand in the order of a
walk.

    0  a and b and (c or d and e)         node    0    1    2    3   4            conjunctions  0: a b   1: c   2: d e
                                          kind    AND  LEAF OR   LEAF LEAF
                                          parent  0    0    0    2   2
                                          leaf         0         1   2

What is shared within an expression, as xor does, is written out wherever it stands. Constants are folded; an expression
that is always true is one leaf of no literals, and one that never is has no nodes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Expressions
from eligo.engines.kernels.clauses import grown, hash_atoms, leaf_kind, sort_atoms
from eligo.engines.kernels.expand_clauses import number_item
from eligo.kernels.codes import AND, FALSE, LITERAL, TRUE
from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import NONE
from eligo.kernels.interning import new_slots
from eligo.kernels.parameter_types import Int64s, Integer, UInt8s, UInt32s, UInt64s

LEAF = 2
"""The kind of a leaf, beside AND and OR."""


class Forest(NamedTuple):
    """The alternating trees of all expressions, one after another."""

    tree_offsets: npt.NDArray[np.int64]
    """Expression x has the nodes `tree_offsets[x]:tree_offsets[x + 1]`, its root first; none when it is never true."""
    kinds: npt.NDArray[np.uint8]
    """For each node: AND, OR or LEAF."""
    parents: npt.NDArray[np.uint32]
    """For each node: its parent, counted from the root of its tree; 0 for the root itself."""
    conjunctions: npt.NDArray[np.uint32]
    """For each node: the conjunction of a leaf, NONE for others."""


class Conjunctions(NamedTuple):
    """The distinct conjunctions of all expressions."""

    offsets: npt.NDArray[np.int64]
    """Conjunction c has `literals[offsets[c]:offsets[c + 1]]`, ascending and distinct."""
    literals: npt.NDArray[np.uint32]


@kernel
def _fold(
    table: Expressions,
    shift: Integer,
    last: Integer,
    firsts: UInt32s,
    most: Integer,
    truths: UInt8s,
    stands_for: Int64s,
    sizes: Int64s,
) -> None:
    """For each node of an expression: TRUE, FALSE or else LITERAL; the node below that it is the same as; its literals.

    An AND or OR with one child that decides is the same as that child. Literals are counted up to `most` + 1.
    """
    for node in range(shift, last):
        kind = table.node_kind[node]
        own = node - shift
        stands_for[own], sizes[own] = node, 1
        if kind >= TRUE:
            truths[own] = leaf_kind(kind, table.node_literal[node], firsts)
            continue
        ends, neutral = (FALSE, TRUE) if kind == AND else (TRUE, FALSE)
        truths[own] = neutral
        num_open, size, only = 0, 0, 0
        for place in range(table.child_offsets[node], table.child_offsets[node + 1]):
            child = np.int64(table.children[place]) - shift
            if truths[child] == ends:
                truths[own] = ends
                break
            if truths[child] == LITERAL:
                truths[own] = LITERAL
                num_open += 1
                size = min(size + sizes[child], most + 1)
                only = child
        sizes[own] = size
        if truths[own] == LITERAL and num_open == 1:
            stands_for[own] = stands_for[only]


@kernel
def _number_row(
    row: UInt32s, count: Integer, num_items: Integer, slots: UInt64s, offsets: Int64s, items: UInt32s
) -> Any:
    """The number of the conjunction of these literals, which are sorted and kept once each; and the grown arrays."""
    sort_atoms(row, 0, count)
    end = 0
    for place in range(count):
        if place == 0 or row[place] != row[end - 1]:
            row[end] = row[place]
            end += 1
    return number_item(0, end, hash_atoms(row, 0, end), row, num_items, slots, offsets, items)


@kernel
def plant(
    table: Expressions,
    firsts: UInt32s,
    seconds: UInt32s,
    bound: Integer,
    is_too_large: UInt8s,
) -> Any:
    """The trees of all expressions, and their distinct conjunctions; see `Forest` and `Conjunctions`.

    `firsts` and `seconds` are those of `literal_atoms`. `is_too_large` is marked for an expression that has more
    literals than `bound`, and than nodes, once everything shared is written out: that one has no nodes.
    """
    num_expressions = len(table.expression_offsets) - 1
    tree_offsets = np.zeros(num_expressions + 1, np.int64)
    kinds, parents = np.empty(1 << 10, np.uint8), np.empty(1 << 10, np.uint32)
    leaves = np.empty(1 << 10, np.uint32)
    truths, stands_for = np.empty(1 << 10, np.uint8), np.empty(1 << 10, np.int64)
    sizes, spread = np.empty(1 << 10, np.int64), np.empty(1 << 10, np.int64)
    # What is still to be written, the next one last: a node, or -1 for a leaf; its parent; its conjunction.
    todo_node, todo_parent = np.empty(1 << 10, np.int64), np.empty(1 << 10, np.int64)
    todo_leaf = np.empty(1 << 10, np.uint32)
    unit_node, unit_leaf = np.empty(1 << 10, np.int64), np.empty(1 << 10, np.uint32)
    row, single = np.empty(1 << 10, np.uint32), np.empty(1, np.uint32)
    slots, num_items = new_slots(), 0
    item_offsets, item_literals = np.zeros(1 << 10, np.int64), np.empty(1 << 12, np.uint32)
    count = 0
    for expression in range(num_expressions):
        shift, last = np.int64(table.expression_offsets[expression]), np.int64(table.expression_offsets[expression + 1])
        tree_offsets[expression + 1] = count
        if last == shift:
            continue
        room = last - shift
        truths, stands_for, sizes = grown(truths, room), grown(stands_for, room), grown(sizes, room)
        most = max(np.int64(bound), room)
        _fold(table, shift, last, firsts, most, truths, stands_for, sizes)
        if truths[room - 1] == FALSE:
            continue
        if sizes[room - 1] > most:
            is_too_large[expression] = 1
            continue
        base = count
        kinds, parents, leaves = grown(kinds, count + 2), grown(parents, count + 2), grown(leaves, count + 2)
        kinds[count], parents[count], leaves[count] = AND, 0, NONE
        count += 1
        top = 1
        todo_node[0], todo_parent[0] = stands_for[room - 1], 0
        if truths[room - 1] == TRUE:
            item, slots, item_offsets, item_literals = _number_row(
                row, 0, num_items, slots, item_offsets, item_literals
            )
            num_items = max(num_items, item + 1)
            todo_node[0], todo_leaf[0] = -1, item
        while top > 0:
            top -= 1
            node, parent = todo_node[top], todo_parent[top]
            kinds, parents, leaves = grown(kinds, count + 2), grown(parents, count + 2), grown(leaves, count + 2)
            if node < 0:
                kinds[count], parents[count], leaves[count] = LEAF, parent, todo_leaf[top]
                count += 1
                continue

            # The units below this node: what stands below it and below nodes of its own kind there, in written order.
            kind = table.node_kind[node]
            num_units, num_literals, own_unit, pending = 0, 0, -1, 1
            spread[0] = node
            while pending > 0:
                pending -= 1
                below = spread[pending]
                below_kind = table.node_kind[below]
                unit_node, unit_leaf = grown(unit_node, num_units + 2), grown(unit_leaf, num_units + 2)
                if below_kind == LITERAL and (kind != AND or seconds[table.node_literal[below]] != NONE):
                    # One that also holds when its attribute is missing is an OR, which no conjunction takes in.
                    single[0] = table.node_literal[below]
                    item, slots, item_offsets, item_literals = _number_row(
                        single, 1, num_items, slots, item_offsets, item_literals
                    )
                    num_items = max(num_items, item + 1)
                    unit_node[num_units], unit_leaf[num_units] = -1, item
                    num_units += 1
                elif below_kind == kind:
                    first, end = np.int64(table.child_offsets[below]), np.int64(table.child_offsets[below + 1])
                    spread = grown(spread, pending + end - first)
                    for place in range(end - 1, first - 1, -1):
                        child = np.int64(table.children[place]) - shift
                        if truths[child] == LITERAL:
                            spread[pending] = stands_for[child]
                            pending += 1
                elif below_kind != LITERAL:
                    unit_node[num_units] = below
                    num_units += 1
                else:
                    if own_unit < 0:
                        own_unit = num_units
                        num_units += 1
                    row = grown(row, num_literals + 1)
                    row[num_literals] = table.node_literal[below]
                    num_literals += 1
            if own_unit >= 0:
                item, slots, item_offsets, item_literals = _number_row(
                    row, num_literals, num_items, slots, item_offsets, item_literals
                )
                num_items = max(num_items, item + 1)
                unit_node[own_unit], unit_leaf[own_unit] = -1, item

            is_root = count == base + 1 and parent == 0
            above = parent
            if num_units > 1 and not (is_root and kind == AND):
                kinds[count], parents[count], leaves[count] = kind, parent, NONE
                above = count - base
                count += 1
            todo_node, todo_parent = grown(todo_node, top + num_units), grown(todo_parent, top + num_units)
            todo_leaf = grown(todo_leaf, top + num_units)
            for unit in range(num_units - 1, -1, -1):
                todo_node[top], todo_parent[top], todo_leaf[top] = unit_node[unit], above, unit_leaf[unit]
                top += 1
        tree_offsets[expression + 1] = count
    return (
        tree_offsets,
        kinds[:count].copy(),
        parents[:count].copy(),
        leaves[:count].copy(),
        item_offsets[: num_items + 1].copy(),
        item_literals[: item_offsets[num_items]].copy(),
    )


@kernel
def measure_trees(
    forest: Forest,
    numbers: UInt32s,
    num_children: UInt32s,
    num_leaves: UInt32s,
) -> None:
    """For each node: the how manieth child it is, from 1 on; how many children it has; how many leaves are in its tree.

    All are 0 before.
    """
    for tree in range(len(forest.tree_offsets) - 1):
        first, last = forest.tree_offsets[tree], forest.tree_offsets[tree + 1]
        for node in range(first + 1, last):
            parent = first + np.int64(forest.parents[node])
            num_children[parent] += np.uint32(1)
            numbers[node] = num_children[parent]
        for node in range(last - 1, first, -1):
            if forest.kinds[node] == LEAF:
                num_leaves[node] = 1
            num_leaves[first + np.int64(forest.parents[node])] += num_leaves[node]
