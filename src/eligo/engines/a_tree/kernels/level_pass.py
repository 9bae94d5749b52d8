"""How is an event answered of which much holds? Every literal and every node is found out, level by level.

A walk from the event's keys upwards reads somewhere else for each candidate, and what comes next is not foreseen. Where
it would reach a good part of the nodes, going through all of them in one order takes less. Each has one bit, so that
all of them stay in the nearer caches, and hardly a branch has to be guessed: literals stand by how they are found out,
nodes by level, operator and number of children.

    literals                     level 2                          level 3
    a = 1   b = 2   c < 5        N1 = a and b    N2 = a or c      N3 = N1 and N2        each reads what is to its left
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Events, Literals
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.a_tree.kernels.shared_nodes import CONNECTIVE
from eligo.engines.kernels.event_state import ONE, EventState, literal_holds, load_event, unload_event
from eligo.kernels.compiled import hot_loop, kernel
from eligo.kernels.parameter_types import Integer, UInt8s, UInt32s, UInt64s

ZERO = np.uint64(0)
TWO = np.uint64(2)
THREE = np.uint64(3)
WORD = np.uint64(6)
"""By so many bits a place is shifted to give its word."""
BIT = np.uint64(63)
"""The bits of a place that say which bit of the word is its own."""
MOST_CHILDREN = 64
"""Nodes with so many children, or more, stand together."""

# The groups of literals, in their order.
KEYS = 0
"""Positive, on keys alone, false of a missing attribute: true when the event has one of the keys."""
SIGNED_KEYS = 1
"""Others on keys alone."""
RANGE = 2
"""Positive, on one range alone, false of a missing attribute."""
ANY = 3
"""All others."""
NUM_GROUPS = 4


class LevelPlan(NamedTuple):
    """Literals and nodes in the order in which they are found out: each has a place, that of its bit."""

    group_starts: npt.NDArray[np.int64]
    """Where the places of each group of literals begin, and then those of the nodes: at the first bit of a word."""
    key_offsets: npt.NDArray[np.uint32]
    """Key k is one of those of the literals at `literals_of_key[key_offsets[k]:key_offsets[k + 1]]`."""
    literals_of_key: npt.NDArray[np.uint32]
    signs: npt.NDArray[np.uint32]
    """For each of the SIGNED_KEYS: its attribute, then a bit when it is positive, then one when it holds if missing."""
    ranges: npt.NDArray[np.uint32]
    """For each literal of the group RANGE: the axis, the lowest and the highest cell."""
    others: npt.NDArray[np.uint32]
    """For each literal of the group ANY: its number."""
    node_is_and: npt.NDArray[np.uint8]
    """For each node: 1 for AND, 0 for OR."""
    child_offsets: npt.NDArray[np.uint32]
    """Node n has `children[child_offsets[n]:child_offsets[n + 1]]`."""
    children: npt.NDArray[np.uint32]
    """Places, all before the node's own; an AND's access child first, which is hardly ever true."""
    place_of_position: npt.NDArray[np.uint32]
    """For each expression: the place of its root. Behind the nodes stand `never` and `always`."""


@kernel
def group_literals(table: Literals, groups: UInt8s) -> None:
    """Write the group of each literal."""
    predicates = table.predicates
    for literal in range(len(groups)):
        predicate = np.int64(table.literal_predicate[literal])
        num_keys = np.int64(predicates.key_offsets[predicate + 1]) - np.int64(predicates.key_offsets[predicate])
        num_ranges = np.int64(predicates.range_offsets[predicate + 1]) - np.int64(predicates.range_offsets[predicate])
        is_plain = table.literal_positive[literal] != 0 and table.literal_holds_when_missing[literal] == 0
        if num_ranges == 0:
            groups[literal] = KEYS if is_plain else SIGNED_KEYS
        else:
            groups[literal] = RANGE if is_plain and num_ranges == 1 and num_keys == 0 else ANY


@kernel
def plan_literals(table: Literals, groups: UInt8s, place_of_literal: UInt32s, plan: LevelPlan) -> None:
    """Give literals their places, write what they are found out by, and count the literals of each key."""
    predicates = table.predicates
    counts = np.zeros(NUM_GROUPS, np.int64)
    for literal in range(len(groups)):
        group = groups[literal]
        count = counts[group]
        counts[group] += 1
        place_of_literal[literal] = plan.group_starts[group] + count
        predicate = np.int64(table.literal_predicate[literal])
        if group <= SIGNED_KEYS:
            for place in range(predicates.key_offsets[predicate], predicates.key_offsets[predicate + 1]):
                plan.key_offsets[predicates.keys[place] + np.uint32(1)] += np.uint32(1)
        if group == SIGNED_KEYS:
            sign = 2 * np.int64(table.literal_positive[literal]) + np.int64(table.literal_holds_when_missing[literal])
            plan.signs[count] = 4 * np.int64(predicates.attribute_of_predicate[predicate]) + sign
        elif group == RANGE:
            place = np.int64(predicates.range_offsets[predicate])
            plan.ranges[3 * count] = predicates.range_axis[place]
            plan.ranges[3 * count + 1] = predicates.range_low[place]
            plan.ranges[3 * count + 2] = predicates.range_high[place]
        elif group == ANY:
            plan.others[count] = literal
    for key in range(len(plan.key_offsets) - 1):
        plan.key_offsets[key + 1] += plan.key_offsets[key]


@kernel
def plan_keys(table: Literals, groups: UInt8s, place_of_literal: UInt32s, plan: LevelPlan) -> None:
    """Write the literals of each key, the first of a key where `key_offsets` says."""
    predicates = table.predicates
    next_place = plan.key_offsets[:-1].copy()
    for literal in range(len(groups)):
        if groups[literal] <= SIGNED_KEYS:
            predicate = np.int64(table.literal_predicate[literal])
            for place in range(predicates.key_offsets[predicate], predicates.key_offsets[predicate + 1]):
                key = predicates.keys[place]
                plan.literals_of_key[next_place[key]] = place_of_literal[literal]
                next_place[key] += np.uint32(1)


@hot_loop
def _rank(node: Integer, tree: FrozenTree) -> Any:
    """What nodes are sorted by: the level, the operator, and how many children there are."""
    num_children = np.int64(tree.child_offsets[node + 1]) - np.int64(tree.child_offsets[node])
    group = 2 * np.int64(tree.node_level[node]) + np.int64(tree.node_is_and[node])
    return group * MOST_CHILDREN + min(num_children, np.int64(MOST_CHILDREN - 1))


@kernel
def plan_nodes(most_level: Integer, tree: FrozenTree, place_of_literal: UInt32s, plan: LevelPlan) -> Any:
    """Write the nodes in their order; returns the place of each."""
    num_nodes, start = len(tree.node_is_and), plan.group_starts[NUM_GROUPS]
    next_number = np.zeros((2 * most_level + 2) * MOST_CHILDREN + 1, np.int64)
    for node in range(num_nodes):
        next_number[_rank(node, tree) + 1] += 1
    for rank in range(1, len(next_number)):
        next_number[rank] += next_number[rank - 1]
    number = np.empty(num_nodes, np.int64)
    child_offsets = plan.child_offsets
    child_offsets[0] = 0
    for node in range(num_nodes):
        rank = _rank(node, tree)
        number[node] = next_number[rank]
        next_number[rank] += 1
        plan.node_is_and[number[node]] = tree.node_is_and[node]
        child_offsets[number[node] + 1] = tree.child_offsets[node + 1] - tree.child_offsets[node]
    for node in range(num_nodes):
        child_offsets[node + 1] += child_offsets[node]
    for node in range(num_nodes):
        out = np.int64(child_offsets[number[node]])
        for place in range(tree.child_offsets[node], tree.child_offsets[node + 1]):
            child = tree.children[place]
            is_node = child >= CONNECTIVE
            plan.children[out] = start + number[child - CONNECTIVE] if is_node else place_of_literal[child]
            out += 1
    return start + number


@hot_loop
def _find_literals(
    event: Integer, events: Events, table: Literals, plan: LevelPlan, state: EventState, bits: UInt64s
) -> None:
    """Set the bits of all literals that hold for the loaded event; none is set yet."""
    has_key, axis_cell, cells = state.has_key, state.axis_cell, events.cells
    axis_first, axis_last = state.axis_first, state.axis_last
    key_offsets, literals_of_key, signs, ranges = plan.key_offsets, plan.literals_of_key, plan.signs, plan.ranges
    for item in range(events.key_offsets[event], events.key_offsets[event + 1]):
        key = np.uint64(events.keys[item])
        for hit in range(key_offsets[key], key_offsets[key + ONE]):
            place = np.uint64(literals_of_key[hit])
            bits[place >> WORD] |= ONE << (place & BIT)
    # So far the bits of SIGNED_KEYS say whether the event has one of the keys.
    place = np.uint64(plan.group_starts[SIGNED_KEYS])
    for number in range(len(signs)):
        sign = np.uint64(signs[number])
        word, bit = place >> WORD, place & BIT
        present = np.uint64(has_key[sign >> TWO])
        has_one = (bits[word] >> bit) & ONE
        is_positive, if_missing = (sign >> ONE) & ONE, sign & ONE
        holds = (present & (has_one ^ is_positive ^ ONE)) | ((present ^ ONE) & if_missing)
        bits[word] ^= (has_one ^ holds) << bit
        place += ONE
    place = np.uint64(plan.group_starts[RANGE])
    found = ZERO
    for at in range(ZERO, np.uint64(len(ranges)), THREE):
        axis, low, high = ranges[at], ranges[at + ONE], ranges[at + TWO]
        holds = np.uint64(low <= axis_cell[axis]) & np.uint64(axis_cell[axis] <= high)
        if axis_last[axis] - axis_first[axis] > ONE:
            for cell in range(axis_first[axis], axis_last[axis]):
                holds |= np.uint64(low <= cells[cell]) & np.uint64(cells[cell] <= high)
        found |= holds << (place & BIT)
        if place & BIT == BIT:
            bits[place >> WORD] = found
            found = ZERO
        place += ONE
    if found != ZERO:
        bits[place >> WORD] = found
    place = np.uint64(plan.group_starts[ANY])
    for number in range(len(plan.others)):
        holds = np.uint64(literal_holds(plan.others[number], table, table.predicates, events, state))
        bits[place >> WORD] |= holds << (place & BIT)
        place += ONE


@hot_loop
def _find_nodes(plan: LevelPlan, bits: UInt64s) -> Any:
    """Set the bits of all nodes that are true; those of the literals are set. Returns the place behind the nodes."""
    node_is_and, child_offsets, children = plan.node_is_and, plan.child_offsets, plan.children
    place = np.uint64(plan.group_starts[NUM_GROUPS])
    found = ZERO
    first = ZERO
    for number in range(len(node_is_and)):
        last = np.uint64(child_offsets[np.uint64(number) + ONE])
        child = np.uint64(children[first])
        holds = bits[child >> WORD] >> (child & BIT)
        if node_is_and[np.uint64(number)] == 0:
            for at in range(first + ONE, last):
                child = np.uint64(children[at])
                holds |= bits[child >> WORD] >> (child & BIT)
        elif holds & ONE != ZERO:
            for at in range(first + ONE, last):
                child = np.uint64(children[at])
                holds &= bits[child >> WORD] >> (child & BIT)
        # Written at once: the next node may be of the next level.
        found |= (holds & ONE) << (place & BIT)
        bits[place >> WORD] = found
        if place & BIT == BIT:
            found = ZERO
        place += ONE
        first = last
    return place


@hot_loop
def pass_levels(
    event: Integer, events: Events, table: Literals, plan: LevelPlan, state: EventState, bits: UInt64s,
    positions: UInt32s,
) -> Any:  # fmt: skip
    """Write the matches of an event, ascending; returns how many there are. There is room for one more."""
    for word in range(len(bits)):
        bits[word] = 0
    load_event(event, events, state)
    _find_literals(event, events, table, plan, state, bits)
    unload_event(event, events, state)
    always = _find_nodes(plan, bits) + ONE
    bits[always >> WORD] |= ONE << (always & BIT)
    place_of_position = plan.place_of_position
    count = ZERO
    for position in range(len(place_of_position)):
        # Written in any case, and kept if it is true: that is no branch to foresee.
        positions[count] = position
        place = np.uint64(place_of_position[np.uint64(position)])
        count += (bits[place >> WORD] >> (place & BIT)) & ONE
    return np.int64(count)
