"""How are all items tested without reading long lists? In a tree of their common beginnings, past what fails.

An item (a conjunction, or a CNF expression) is an AND of clauses: of atoms, or of disjunctions of atoms (`clauses`).
Items are written with their most frequent clauses first, so that few of them begin differently. The nodes of the tree
stand in the order of a walk, each with the node to go on with when its clause fails:

    x y     node    0    1    2    3    4        an event with x and z:  0 holds, 1 fails → 2 holds: item 1,
    x z     clause  x    y    z    z    w                                3 holds, 4 fails → the end
    z w     next    3    →0   →1   5    →2

What an event says about atoms is one byte each, set by its keys and set back afterwards.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Events
from eligo.engines.kernels.clauses import grown
from eligo.engines.kernels.marks import mark_items, write_marks
from eligo.engines.whang.kernels.list_heads import ONE, PRESENT_BASE, ZERO_KEY, KLists
from eligo.kernels.compiled import hot_loop, kernel
from eligo.kernels.parameter_types import Int64s, Integer, UInt8s, UInt32s, UInt64s
from eligo.ranges.kernels.segment_tree_walks import climb

LEAF = np.uint32(0x80000000)
"""In `node_next`: the node ends an item and has nothing below it; the other bits are the item's number."""


class PrefixTree(NamedTuple):
    """Items as a tree of their beginnings."""

    node_clause: npt.NDArray[np.uint32]
    """For each node, in the order of a walk: its clause; for conjunctions an atom."""
    node_next: npt.NDArray[np.uint32]
    """For each node: the node to go on with when the clause fails; or LEAF and an item."""
    clause_offsets: npt.NDArray[np.uint32]
    """Disjunction c is of the atoms `clause_atoms[clause_offsets[c]:clause_offsets[c + 1]]`; empty for conjunctions."""
    clause_atoms: npt.NDArray[np.uint32]
    atom_default: npt.NDArray[np.uint8]
    """For each atom: whether it holds when no key of the event says anything about it. The last one always does."""
    effect_offsets: npt.NDArray[np.uint32]
    """Key k (as of posting lists) has the effects `effect_offsets[k]:effect_offsets[k + 1]`."""
    effect_atom: npt.NDArray[np.uint32]
    effect_value: npt.NDArray[np.uint8]
    """An effect makes an atom hold, or not. The keys of presence are asked before those of values."""
    effect_weights: npt.NDArray[np.float64]
    """For each effect that makes a predicate hit: the key's weight. Empty when all are 1."""


class TreeScratch(NamedTuple):
    """What one thread needs to go through a tree."""

    holds: npt.NDArray[np.uint8]
    """For each atom: whether it holds for the current event; the default between events."""
    changed: npt.NDArray[np.uint32]
    """The atoms that keys of the current event speak about."""
    items: npt.NDArray[np.uint32]
    """The items that the current event satisfies."""
    marks: npt.NDArray[np.uint64]
    """One bit for each expression; none set between events."""
    scores: npt.NDArray[np.int64]
    """For ranking. For each atom: what it scores for the current event, in units; 0 between events."""
    so_far: npt.NDArray[np.int64]
    """For ranking. One longer than the longest item: what the clauses above each depth score."""
    counts: npt.NDArray[np.int64]
    """Added up over events, as of `Heads`: the second counts nodes, the fourth items that matched."""


def new_tree_scratch(tree: PrefixTree, num_items: int, num_expressions: int, most_changed: int) -> TreeScratch:
    """Scratch with no event set, for matching; `for_ranking` adds the rest."""
    return TreeScratch(
        tree.atom_default.copy(),
        np.empty(most_changed, np.uint32),
        np.empty(num_items + 1, np.uint32),
        np.zeros((num_expressions + 63) // 64, np.uint64),
        np.zeros(0, np.int64),
        np.zeros(0, np.int64),
        np.zeros(4, np.int64),
    )


def for_ranking(scratch: TreeScratch, longest: int) -> TreeScratch:
    """The same scratch with what ranking needs besides."""
    return scratch._replace(scores=np.zeros(len(scratch.holds), np.int64), so_far=np.zeros(longest + 1, np.int64))


@kernel
def sort_by_rank(offsets: Int64s, elements: UInt32s, ranks: UInt32s) -> None:
    """Sort the elements of each row by their rank, in place."""
    for row in range(len(offsets) - 1):
        for place in range(offsets[row] + 1, offsets[row + 1]):
            element = elements[place]
            at = place
            while at > offsets[row] and ranks[elements[at - 1]] > ranks[element]:
                elements[at] = elements[at - 1]
                at -= 1
            elements[at] = element


@kernel
def first_ranks(offsets: Int64s, elements: UInt32s, ranks: UInt32s, columns: UInt32s) -> None:
    """Write the ranks that each row begins with, as many as there are columns; 0 where a row is shorter."""
    for row in range(len(offsets) - 1):
        for column in range(min(len(columns), offsets[row + 1] - offsets[row])):
            columns[column, row] = ranks[elements[offsets[row] + column]]


@kernel
def grow_tree(offsets: Int64s, clauses: UInt32s, always: Integer) -> Any:
    """The nodes of the tree of rows of clauses: their clauses, and where to go on.

    Rows that begin alike should stand side by side. `always` is a clause that every event satisfies.
    """
    node_clause, node_next = np.empty(1 << 10, np.uint32), np.empty(1 << 10, np.uint32)
    open_node = np.empty(1 << 10, np.int64)  # the nodes of the row before
    depth = 0
    count = 0
    for row in range(len(offsets) - 1):
        first, length = offsets[row], offsets[row + 1] - offsets[row]
        shared = 0
        while shared < depth and shared < length and node_clause[open_node[shared]] == clauses[first + shared]:
            shared += 1
        node_clause, node_next = grown(node_clause, count + length + 2), grown(node_next, count + length + 2)
        open_node = grown(open_node, length)
        if 0 < shared == depth and node_next[open_node[depth - 1]] & LEAF:
            # The row before is the beginning of this one: its leaf becomes a node with a leaf below.
            node_clause[count], node_next[count] = always, node_next[open_node[depth - 1]]
            node_next[open_node[depth - 1]] = 0
            count += 1
        for level in range(shared, depth):
            if node_next[open_node[level]] & LEAF == 0:
                node_next[open_node[level]] = count
        for level in range(shared, length):
            open_node[level] = count
            node_clause[count], node_next[count] = clauses[first + level], 0
            count += 1
        if shared == length:  # nothing more to test, as when there are no clauses at all
            node_clause[count], node_next[count] = always, LEAF | np.uint32(row)
            count += 1
        else:
            node_next[open_node[length - 1]] = LEAF | np.uint32(row)
        depth = length
    for level in range(depth):
        if node_next[open_node[level]] & LEAF == 0:
            node_next[open_node[level]] = count
    return node_clause[:count].copy(), node_next[:count].copy()


@hot_loop
def _apply_key(
    key: Integer, count: Integer, effect_offsets: UInt32s, effect_atom: UInt32s, effect_value: UInt8s, holds: UInt8s,
    changed: UInt32s,
) -> Any:  # fmt: skip
    for place in range(effect_offsets[key], effect_offsets[key + ONE]):
        atom = effect_atom[place]
        holds[atom] = effect_value[place]
        changed[count] = atom
        count += 1
    return count


@hot_loop
def set_atoms(event: Integer, events: Events, tree: PrefixTree, lists: KLists, holds: UInt8s, changed: UInt32s) -> Any:
    """Say which atoms hold for an event; writes those that keys spoke about to `changed`, and returns how many."""
    effect_offsets, effect_atom, effect_value = tree.effect_offsets, tree.effect_atom, tree.effect_value
    keys, cells, cell_axes = events.keys, events.cells, events.cell_axes
    present_base = np.uint64(lists.layout[PRESENT_BASE])
    num_attributes = np.uint64(lists.layout[ZERO_KEY]) - present_base
    count = 0
    for place in range(events.key_offsets[event], events.key_offsets[event + 1]):
        key = np.uint64(keys[place])  # ascending, so presence comes first
        if key < num_attributes:
            present = present_base + key
            count = _apply_key(present, count, effect_offsets, effect_atom, effect_value, holds, changed)
        count = _apply_key(key, count, effect_offsets, effect_atom, effect_value, holds, changed)
    for place in range(events.cell_offsets[event], events.cell_offsets[event + 1]):
        axis = cell_axes[place]
        for key in climb(cells[place], lists.axis_size[axis], lists.axis_base[axis]):
            count = _apply_key(key, count, effect_offsets, effect_atom, effect_value, holds, changed)
    return count


@hot_loop
def most_effects(events: Events, tree: PrefixTree, lists: KLists) -> Any:
    """The most effects that the keys of any event of a batch have."""
    most: Any = 0
    present_base = np.int64(lists.layout[PRESENT_BASE])
    num_attributes = np.int64(lists.layout[ZERO_KEY]) - present_base
    for event in range(len(events.key_offsets) - 1):
        count: Any = 0
        for place in range(events.key_offsets[event], events.key_offsets[event + 1]):
            key = np.int64(events.keys[place])
            count += np.int64(tree.effect_offsets[key + 1]) - np.int64(tree.effect_offsets[key])
            if key < num_attributes:
                key += present_base
                count += np.int64(tree.effect_offsets[key + 1]) - np.int64(tree.effect_offsets[key])
        for place in range(events.cell_offsets[event], events.cell_offsets[event + 1]):
            axis = events.cell_axes[place]
            for node in climb(events.cells[place], lists.axis_size[axis], lists.axis_base[axis]):
                key = np.int64(node)
                count += np.int64(tree.effect_offsets[key + 1]) - np.int64(tree.effect_offsets[key])
        most = max(most, count)
    return most


@hot_loop
def walk(node_clause: UInt32s, node_next: UInt32s, holds: UInt8s, items: UInt32s) -> Any:
    """Write the items all of whose clauses hold; returns how many, and how many nodes were tested."""
    at = np.uint64(0)
    end = np.uint64(len(node_clause))
    leaf = np.uint64(LEAF)
    count = np.uint64(0)
    num_tested = 0
    while at < end:
        num_tested += 1
        following = np.uint64(node_next[at])
        truth = np.uint64(holds[node_clause[at]])
        if following >= leaf:  # written in any case, and kept if it holds: that is no branch to foresee
            items[count] = following ^ leaf
            count += truth
            at += ONE
        else:
            at = at + ONE if truth != 0 else following
    return np.int64(count), num_tested


@hot_loop
def walk_disjunctions(tree: PrefixTree, holds: UInt8s, items: UInt32s) -> Any:
    """The same where clauses are disjunctions: each is tested when the walk comes to it, up to an atom that holds."""
    node_clause, node_next = tree.node_clause, tree.node_next
    clause_offsets, clause_atoms = tree.clause_offsets, tree.clause_atoms
    at = np.uint64(0)
    end = np.uint64(len(node_clause))
    leaf = np.uint64(LEAF)
    count = np.uint64(0)
    num_tested = 0
    while at < end:
        num_tested += 1
        following = np.uint64(node_next[at])
        clause = np.uint64(node_clause[at])
        place, last = np.uint64(clause_offsets[clause]), np.uint64(clause_offsets[clause + ONE])
        truth = np.uint64(0)
        while place < last and truth == 0:
            truth = np.uint64(holds[clause_atoms[place]])
            place += ONE
        if following >= leaf:
            items[count] = following ^ leaf
            count += truth
            at += ONE
        else:
            at = at + ONE if truth != 0 else following
    return np.int64(count), num_tested


@hot_loop
def match_events(
    first_event: Integer, events: Events, tree: PrefixTree, lists: KLists, scratch: TreeScratch, offsets: UInt64s,
    positions: UInt32s,
) -> Any:  # fmt: skip
    """Match events from `first_event` on until all are done, or until `positions` may not hold the next one's matches.

    Returns the first event that was not done; `offsets[first_event]` says how many positions are written already.
    """
    holds, changed, items = scratch.holds, scratch.changed, scratch.items
    has_disjunctions = len(tree.clause_offsets) > 0
    num_events = len(events.key_offsets) - 1
    count = np.int64(offsets[first_event])
    for event in range(first_event, num_events):
        if len(positions) - count < 64 * len(scratch.marks):
            return event
        num_changed = set_atoms(event, events, tree, lists, holds, changed)
        if has_disjunctions:
            num_items, num_tested = walk_disjunctions(tree, holds, items)
        else:
            num_items, num_tested = walk(tree.node_clause, tree.node_next, holds, items)
        for number in range(num_changed):
            holds[changed[number]] = tree.atom_default[changed[number]]
        mark_items(items, num_items, lists.match_offsets, lists.matches, scratch.marks)
        count = write_marks(count, scratch.marks, positions)
        offsets[event + 1] = count
        scratch.counts[1] += num_tested
        scratch.counts[3] += num_items
    return num_events
