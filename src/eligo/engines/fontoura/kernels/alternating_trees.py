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
from eligo.kernels.interning import doubled_slots, new_slots
from eligo.kernels.parameter_types import Integer, UInt8s, UInt32s

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


class Workbench(NamedTuple):
    """Room for making one tree; nothing in it outlasts the tree."""

    truths: npt.NDArray[np.uint8]
    """For each node of the expression: TRUE, FALSE or else LITERAL."""
    stands_for: npt.NDArray[np.int64]
    """For each node: the node below that it is the same as, or itself."""
    sizes: npt.NDArray[np.int64]
    """For each node: its literals once everything shared is written out, counted up to one more than are allowed."""
    spread: npt.NDArray[np.int64]
    """Nodes whose units are still to be found, the next one last."""
    unit_node: npt.NDArray[np.int64]
    """For each unit below a node: a node, or -1 for a leaf."""
    unit_leaf: npt.NDArray[np.uint32]
    """And the conjunction of a leaf."""
    row: npt.NDArray[np.uint32]
    """The literals of one conjunction."""
    single: npt.NDArray[np.uint32]
    """The literal of a conjunction that stands alone."""
    todo_node: npt.NDArray[np.int64]
    """Units that are still to be written, the next one last."""
    todo_leaf: npt.NDArray[np.uint32]
    todo_parent: npt.NDArray[np.int64]
    """And the parent of each, counted from the root."""


class Interned(NamedTuple):
    """The conjunctions so far."""

    count: npt.NDArray[np.int64]
    """How many there are: one number."""
    slots: npt.NDArray[np.uint64]
    """Of `kernels.interning`."""
    offsets: npt.NDArray[np.int64]
    """As in `Conjunctions`, with room behind."""
    literals: npt.NDArray[np.uint32]


@kernel
def _new_workbench(num_nodes: Integer, num_literals: Integer) -> Workbench:
    """Room for an expression of so many nodes, and literals once everything shared is written out.

    What waits to be written or spread is in parts of the tree that do not overlap, so it is no more than literals.
    """
    return Workbench(
        np.empty(num_nodes, np.uint8),
        np.empty(num_nodes, np.int64),
        np.empty(num_nodes, np.int64),
        np.empty(num_literals, np.int64),
        np.empty(num_literals, np.int64),
        np.empty(num_literals, np.uint32),
        np.empty(num_literals, np.uint32),
        np.empty(1, np.uint32),
        np.empty(num_literals, np.int64),
        np.empty(num_literals, np.uint32),
        np.empty(num_literals, np.int64),
    )


@kernel
def _with_room(items: Interned, num_literals: Integer) -> Interned:
    """The conjunctions with room for those of a tree of so many literals."""
    count, slots = items.count[0], items.slots
    while 2 * (count + num_literals + 1) > len(slots):
        slots = doubled_slots(slots)
    offsets = grown(items.offsets, count + num_literals + 2)
    return Interned(items.count, slots, offsets, grown(items.literals, offsets[count] + num_literals))


@kernel
def _fold(table: Expressions, shift: Integer, last: Integer, firsts: UInt32s, most: Integer, bench: Workbench) -> None:
    """For each node of an expression: whether it is TRUE or FALSE, what it stands for, its literals up to `most` + 1.

    An AND or OR with one child that decides is the same as that child.
    """
    truths, stands_for, sizes = bench.truths, bench.stands_for, bench.sizes
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
def _number_row(row: UInt32s, count: Integer, items: Interned) -> Any:
    """The number of the conjunction of these literals, which are sorted and kept once each; there is room for it."""
    sort_atoms(row, 0, count)
    end = 0
    for place in range(count):
        if place == 0 or row[place] != row[end - 1]:
            row[end] = row[place]
            end += 1
    code, known = hash_atoms(row, 0, end), items.count[0]
    item, _, _, _ = number_item(0, end, code, row, known, items.slots, items.offsets, items.literals)
    items.count[0] = max(known, item + 1)
    return np.uint32(item)


@kernel
def _find_units(
    node: Integer, shift: Integer, table: Expressions, seconds: UInt32s, bench: Workbench, items: Interned
) -> int:
    """The units of a node: what stands below it and below nodes of its own kind there, in written order; how many."""
    kind = table.node_kind[node]
    num_units, num_literals, own_unit, pending = 0, 0, -1, 1
    bench.spread[0] = node
    while pending > 0:
        pending -= 1
        below = bench.spread[pending]
        below_kind = table.node_kind[below]
        if below_kind == LITERAL and (kind != AND or seconds[table.node_literal[below]] != NONE):
            # One that also holds when its attribute is missing is an OR, which no conjunction takes in.
            bench.single[0] = table.node_literal[below]
            bench.unit_node[num_units], bench.unit_leaf[num_units] = -1, _number_row(bench.single, 1, items)
            num_units += 1
        elif below_kind == LITERAL:
            if own_unit < 0:
                own_unit = num_units
                num_units += 1
            bench.row[num_literals] = table.node_literal[below]
            num_literals += 1
        elif below_kind == kind:
            first, end = np.int64(table.child_offsets[below]), np.int64(table.child_offsets[below + 1])
            for place in range(end - 1, first - 1, -1):
                child = np.int64(table.children[place]) - shift
                if bench.truths[child] == LITERAL:
                    bench.spread[pending] = bench.stands_for[child]
                    pending += 1
        else:
            bench.unit_node[num_units] = below
            num_units += 1
    if own_unit >= 0:
        bench.unit_node[own_unit], bench.unit_leaf[own_unit] = -1, _number_row(bench.row, num_literals, items)
    return num_units


@kernel
def _grow(
    root: Integer,
    shift: Integer,
    table: Expressions,
    seconds: UInt32s,
    bench: Workbench,
    items: Interned,
    kinds: UInt8s,
    parents: UInt32s,
    leaves: UInt32s,
) -> int:
    """Write the tree of an expression that is the same as the node `root`, or -1 if it is always true; its nodes."""
    kinds[0], parents[0], leaves[0] = AND, 0, NONE
    bench.todo_node[0], bench.todo_parent[0] = root, 0
    if root < 0:
        bench.todo_leaf[0] = _number_row(bench.row, 0, items)
    count, top = 1, 1
    while top > 0:
        top -= 1
        node, parent = bench.todo_node[top], bench.todo_parent[top]
        if node < 0:
            kinds[count], parents[count], leaves[count] = LEAF, parent, bench.todo_leaf[top]
            count += 1
            continue
        num_units = _find_units(node, shift, table, seconds, bench, items)
        kind = table.node_kind[node]
        above = parent
        if num_units > 1 and not (count == 1 and kind == AND):  # an AND at the top is the root itself
            kinds[count], parents[count], leaves[count] = kind, parent, NONE
            above = count
            count += 1
        for unit in range(num_units - 1, -1, -1):
            bench.todo_node[top], bench.todo_leaf[top] = bench.unit_node[unit], bench.unit_leaf[unit]
            bench.todo_parent[top] = above
            top += 1
    return count


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
    bench = _new_workbench(1 << 10, 1 << 10)
    items = Interned(np.zeros(1, np.int64), new_slots(), np.zeros(1 << 10, np.int64), np.empty(1 << 12, np.uint32))
    count = 0
    for expression in range(num_expressions):
        shift, last = np.int64(table.expression_offsets[expression]), np.int64(table.expression_offsets[expression + 1])
        tree_offsets[expression + 1] = count
        if last == shift:
            continue
        num_nodes = last - shift
        if num_nodes > len(bench.truths):
            bench = _new_workbench(2 * num_nodes, len(bench.row))
        most = max(np.int64(bound), num_nodes)
        _fold(table, shift, last, firsts, most, bench)
        truth, size = bench.truths[num_nodes - 1], max(1, bench.sizes[num_nodes - 1])
        if truth == FALSE:
            continue
        root = np.int64(-1)
        if truth != TRUE:
            if size > most:
                is_too_large[expression] = 1
                continue
            root = bench.stands_for[num_nodes - 1]
            if size > len(bench.row):
                bench = _new_workbench(len(bench.truths), 2 * size)
                _fold(table, shift, last, firsts, most, bench)
        items = _with_room(items, size)
        # Inner nodes have two children at least, but for the root.
        room = count + 2 * size + 1
        kinds, parents, leaves = grown(kinds, room), grown(parents, room), grown(leaves, room)
        count += _grow(root, shift, table, seconds, bench, items, kinds[count:], parents[count:], leaves[count:])
        tree_offsets[expression + 1] = count
    num_items = items.count[0]
    return (
        tree_offsets,
        kinds[:count].copy(),
        parents[:count].copy(),
        leaves[:count].copy(),
        items.offsets[: num_items + 1].copy(),
        items.literals[: items.offsets[num_items]].copy(),
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
