"""How does one event find its expressions in a frozen tree? From its keys upwards, testing the rest on demand.

A-Tree 2021, section 5: results flow from satisfied predicates to the roots, and an AND is entered through one access
child only (5.2.2). Here a posting entry also carries the next test, so that most candidates die while a list is read
from one end to the other:

    keys of the event ──▶ postings: (target, next test) ──▶ rest of the target's children ──▶ its parents, its matches

What is not an access child is evaluated when it is asked for and remembered for the event; levels and queues are not
needed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from eligo.kernels.compiled import hot_loop
from eligo.kernels.event_block import popcount
from eligo.kernels.event_state import ONE, literal_holds, load_event, unload_event
from eligo.kernels.frozen_build import (
    FOLLOW_LIST,
    KIND_SHIFT,
    OPERAND_MASK,
    SKIPS_TWO,
    TEST_KEYS,
    TEST_LITERAL,
    TEST_NODE,
    TEST_NOT_KEYS,
    TEST_RANGE,
)

TWO = np.uint64(2)
THREE = np.uint64(3)
FOUR = np.uint64(4)
LOOK_AHEAD = 64
"""How many candidates are looked at before the first of them is tested."""

# What is known of a node for the loaded event.
UNKNOWN = np.uint8(0)
PASSED_ON = np.uint8(1)
IS_FALSE = np.uint8(2)
IS_TRUE = np.uint8(3)


class FrozenTree(NamedTuple):
    """Nodes are the distinct connectives; a child is a literal, or CONNECTIVE plus a node."""

    node_is_and: npt.NDArray[np.uint8]
    """For each node: 1 for AND, 0 for OR."""
    node_level: npt.NDArray[np.uint16]
    """For each node: its distance from its farthest literal; A-Tree 2021, section 4.1."""
    child_offsets: npt.NDArray[np.uint32]
    """Node n has `children[child_offsets[n]:child_offsets[n + 1]]`."""
    children: npt.NDArray[np.uint32]
    """An AND's access child first, then what decides soonest."""
    child_tests: npt.NDArray[np.uint32]
    """Three words for each child: kind of test and first operand; second; third. See `frozen_build`."""
    parent_offsets: npt.NDArray[np.uint32]
    """Node n passes its truth on to `parents[parent_offsets[n]:parent_offsets[n + 1]]`."""
    parents: npt.NDArray[np.uint32]
    """ANDs that have the node as their access child, and ORs that have it as a child."""
    match_offsets: npt.NDArray[np.uint32]
    """When node n is true, the expressions `matches[match_offsets[n]:match_offsets[n + 1]]` match."""
    matches: npt.NDArray[np.uint32]
    """Positions of expressions."""
    always: npt.NDArray[np.uint32]
    """Positions of the expressions that match every event."""
    list_offsets: npt.NDArray[np.uint32]
    """List l has the entries `list_offsets[l]:list_offsets[l + 1]`. A list for each key of the vocabulary, for each
    node of each axis's segment tree, one that every event meets, and lists that entries refer to."""
    entries: npt.NDArray[np.uint32]
    """Four words an entry: target and SKIPS_TWO; then the three words of a test."""
    axis_base: npt.NDArray[np.uint32]
    """For each axis: the list of its segment tree's node 0 (which is not used; the root is 1)."""
    axis_size: npt.NDArray[np.uint32]
    """For each axis: its cells, rounded up to a power of two."""
    universal: npt.NDArray[np.uint32]
    """One item: the list that every event meets."""
    num_expressions: npt.NDArray[np.uint32]
    """One item: how many expressions there are, those that never match among them."""


class FrozenScratch(NamedTuple):
    """What one thread needs to match an event."""

    lists: npt.NDArray[np.uint32]
    """The lists that the event meets; those that entries refer to are added on the way."""
    list_seen: npt.NDArray[np.uint8]
    """For each list that entries refer to: 1 when it is among `lists`; 0 between events."""
    candidates: npt.NDArray[np.uint32]
    """Word 0 of the entries that passed their inline test."""
    node_state: npt.NDArray[np.uint8]
    """For each node: what is known of it; UNKNOWN between events."""
    touched: npt.NDArray[np.uint32]
    """The nodes of which something is known."""
    pending: npt.NDArray[np.uint32]
    """True nodes whose parents are still to be told."""
    stack_node: npt.NDArray[np.uint32]
    stack_place: npt.NDArray[np.uint32]
    """The nodes under evaluation and how far each has come."""
    bits: npt.NDArray[np.uint64]
    """A bit for each expression, to put many matches in order; zero between events."""
    seen_ahead: npt.NDArray[np.uint32]
    """One item, which means nothing: see `look_ahead`."""
    counts: npt.NDArray[np.int64]
    """Touched nodes; and since the beginning: entries read, candidates, literals tested beyond the inline ones."""


def new_scratch(tree: FrozenTree, most_values: int) -> FrozenScratch:
    """Scratch for events of at most so many keys and cells together; arrays that are not zero are only reserved."""
    num_nodes = len(tree.node_is_and)
    depth = int(tree.node_level.max(initial=1)) + 2
    num_referred = len(tree.list_offsets) - int(tree.universal[0])
    deepest_axis = int(tree.axis_size.max(initial=1)).bit_length() + 1
    return FrozenScratch(
        lists=np.empty(most_values * deepest_axis + num_referred + 1, np.uint32),
        list_seen=np.zeros(num_referred, np.uint8),
        candidates=np.empty(len(tree.entries) // 4 + 1, np.uint32),
        node_state=np.zeros(num_nodes, np.uint8),
        touched=np.empty(num_nodes + 1, np.uint32),
        pending=np.empty(len(tree.parents) + 2, np.uint32),
        stack_node=np.empty(depth, np.uint32),
        stack_place=np.empty(depth, np.uint32),
        bits=np.zeros(int(tree.num_expressions[0]) // 64 + 1, np.uint64),
        seen_ahead=np.zeros(1, np.uint32),
        counts=np.zeros(4, np.int64),
    )


NUM_TOUCHED = 0
NUM_ENTRIES = 1
NUM_CANDIDATES = 2
NUM_TESTS = 3


@hot_loop
def _meet_lists(event: Any, events: Any, tree: Any, lists: Any) -> Any:
    """Write the lists that an event meets and that are not empty; returns how many."""
    list_offsets = tree.list_offsets
    count = 0
    for place in range(events.key_offsets[event], events.key_offsets[event + 1]):
        number = np.uint64(events.keys[place])
        if list_offsets[number + ONE] > list_offsets[number]:
            lists[count] = number
            count += 1
    for place in range(events.cell_offsets[event], events.cell_offsets[event + 1]):
        axis = events.cell_axes[place]
        base = np.uint64(tree.axis_base[axis])
        node = np.uint64(tree.axis_size[axis]) + np.uint64(events.cells[place])
        while node > 0:
            if list_offsets[base + node + ONE] > list_offsets[base + node]:
                lists[count] = base + node
                count += 1
            node >>= ONE
    universal = np.uint64(tree.universal[0])
    if list_offsets[universal + ONE] > list_offsets[universal]:
        lists[count] = universal
        count += 1
    return count


@njit(inline="always")
def _passes(
    kind: Any, operand: Any, second: Any, third: Any, has_key: Any, axis_cell: Any, axis_first: Any, axis_last: Any,
    cells: Any,
) -> Any:  # fmt: skip
    """Whether the loaded event passes a test of keys or of a range. Part of its callers: a call would cost more."""
    if kind == TEST_KEYS:
        passes = (has_key[operand] | has_key[second] | has_key[third]) != 0
    elif kind == TEST_RANGE:
        passes = second <= axis_cell[operand] <= third
        if axis_last[operand] - axis_first[operand] > ONE:
            for place in range(axis_first[operand], axis_last[operand]):
                passes |= second <= cells[place] <= third
    else:
        passes = (has_key[second] | has_key[third]) == 0 and has_key[operand] != 0
    return passes


@hot_loop
def _read_lists(num_lists: Any, events: Any, table: Any, tree: Any, state: Any, scratch: Any) -> Any:
    """Go through the event's lists; write what passes its inline test to `candidates`, and return how many do."""
    list_offsets, entries, lists, list_seen = tree.list_offsets, tree.entries, scratch.lists, scratch.list_seen
    has_key, axis_cell = state.has_key, state.axis_cell
    axis_first, axis_last, cells = state.axis_first, state.axis_last, events.cells
    candidates = scratch.candidates
    first_seen = tree.universal[0]
    count = np.uint64(0)
    read = np.uint64(0)
    place = 0
    while place < num_lists:
        number = np.uint64(lists[place])
        place += 1
        first, last = np.uint64(list_offsets[number]), np.uint64(list_offsets[number + ONE])
        read += last - first
        for entry in range(first * FOUR, last * FOUR, FOUR):
            word = entries[entry + ONE]
            second = entries[entry + TWO]
            kind = word >> KIND_SHIFT
            if kind in (TEST_KEYS, TEST_RANGE, TEST_NOT_KEYS):
                third = entries[entry + THREE]
                passes = _passes(
                    kind, word & OPERAND_MASK, second, third, has_key, axis_cell, axis_first, axis_last, cells
                )
            elif kind == TEST_LITERAL:
                passes = literal_holds(second, table, table.predicates, events, state)
            elif kind == FOLLOW_LIST:
                passes = False
                if list_seen[second - first_seen] == 0:
                    list_seen[second - first_seen] = 1
                    lists[num_lists] = second
                    num_lists += 1
            else:
                passes = True
            candidates[count] = entries[entry]
            count += np.uint64(passes)
    for place in range(num_lists):
        if lists[place] > first_seen:
            list_seen[lists[place] - first_seen] = 0
    scratch.counts[NUM_ENTRIES] += np.int64(read)
    scratch.counts[NUM_CANDIDATES] += np.int64(count)
    return np.int64(count)


@hot_loop
def look_ahead(candidates: Any, first: Any, last: Any, child_offsets: Any, child_tests: Any, out: Any) -> Any:
    """Read what the next candidates will be tested with, so that memory fetches it for all of them at once.

    Each candidate's tests lie somewhere else. Read one by one, each would be waited for; read in a loop that does
    nothing else, they are on their way together.
    """
    touched = np.uint32(0)
    for candidate in range(first, min(first + LOOK_AHEAD, last)):
        node = candidates[candidate] & ~SKIPS_TWO
        touched ^= child_tests[np.uint64(child_offsets[node]) * THREE]
    out[0] = touched


@hot_loop
def _evaluate(root: Any, events: Any, table: Any, tree: Any, state: Any, scratch: Any) -> Any:
    """Whether a node is true of which nothing is known yet."""
    stack_node, stack_place, node_state = scratch.stack_node, scratch.stack_place, scratch.node_state
    has_key, axis_cell = state.has_key, state.axis_cell
    axis_first, axis_last, cells = state.axis_first, state.axis_last, events.cells
    child_tests, child_offsets, node_is_and = tree.child_tests, tree.child_offsets, tree.node_is_and
    num_tests = 0
    top = 0
    stack_node[0] = root
    stack_place[0] = child_offsets[root]
    while True:
        node = np.uint64(stack_node[top])
        place = np.uint64(stack_place[top])
        last = np.uint64(child_offsets[node + ONE])
        is_and = node_is_and[node] != 0
        truth = is_and
        descends = False
        while place < last:
            word = child_tests[place * THREE]
            second = child_tests[place * THREE + ONE]
            kind = word >> KIND_SHIFT
            num_tests += 1
            if kind == TEST_NODE:
                inner = word & OPERAND_MASK
                known = node_state[inner]
                if known == UNKNOWN:
                    stack_place[top] = place
                    top += 1
                    stack_node[top] = inner
                    stack_place[top] = child_offsets[inner]
                    descends = True
                    break
                holds = known != IS_FALSE
            elif kind == TEST_LITERAL:
                holds = literal_holds(second, table, table.predicates, events, state)
            else:
                third = child_tests[place * THREE + TWO]
                holds = _passes(
                    kind, word & OPERAND_MASK, second, third, has_key, axis_cell, axis_first, axis_last, cells
                )
            place += ONE
            if holds != is_and:
                truth = holds
                break
        if descends:
            continue
        node_state[node] = IS_TRUE if truth else IS_FALSE
        scratch.touched[scratch.counts[NUM_TOUCHED]] = node
        scratch.counts[NUM_TOUCHED] += 1
        if top == 0:
            scratch.counts[NUM_TESTS] += num_tests
            return truth
        top -= 1


@hot_loop
def _settle(
    num_candidates: Any, events: Any, table: Any, tree: Any, state: Any, scratch: Any, positions: Any, count: Any
) -> Any:
    """Test the rest of every candidate; pass what is true on to its parents; write the positions that match."""
    node_state, touched, pending, candidates = scratch.node_state, scratch.touched, scratch.pending, scratch.candidates
    child_tests, child_offsets, node_is_and = tree.child_tests, tree.child_offsets, tree.node_is_and
    match_offsets, matches = tree.match_offsets, tree.matches
    parent_offsets, parents = tree.parent_offsets, tree.parents
    has_key, axis_cell = state.has_key, state.axis_cell
    axis_first, axis_last, cells = state.axis_first, state.axis_last, events.cells
    num_tests = 0
    for candidate in range(num_candidates):
        if candidate % LOOK_AHEAD == 0:
            look_ahead(candidates, candidate, num_candidates, child_offsets, child_tests, scratch.seen_ahead)
        # The candidate itself, then the parents that it and they make true.
        pending[0] = candidates[candidate]
        num_pending = 1
        while num_pending > 0:
            num_pending -= 1
            head = pending[num_pending]
            node = np.uint64(head & ~SKIPS_TWO)
            known = node_state[node]
            if known in (PASSED_ON, IS_FALSE):
                continue
            if known == UNKNOWN:
                if node_is_and[node] != 0:
                    place = np.uint64(child_offsets[node]) + (TWO if head & SKIPS_TWO != 0 else ONE)
                    last = np.uint64(child_offsets[node + ONE])
                    holds = True
                    while holds and place < last:
                        word = child_tests[place * THREE]
                        second = child_tests[place * THREE + ONE]
                        third = child_tests[place * THREE + TWO]
                        place += ONE
                        num_tests += 1
                        kind = word >> KIND_SHIFT
                        if kind == TEST_NODE:
                            inner = node_state[word & OPERAND_MASK]
                            if inner == UNKNOWN:
                                holds = _evaluate(word & OPERAND_MASK, events, table, tree, state, scratch)
                            else:
                                holds = inner != IS_FALSE
                        elif kind == TEST_LITERAL:
                            holds = literal_holds(second, table, table.predicates, events, state)
                        else:
                            holds = _passes(
                                kind, word & OPERAND_MASK, second, third, has_key, axis_cell, axis_first, axis_last,
                                cells,
                            )  # fmt: skip
                    if not holds:
                        continue
                touched[scratch.counts[NUM_TOUCHED]] = node
                scratch.counts[NUM_TOUCHED] += 1
            node_state[node] = PASSED_ON
            for place in range(match_offsets[node], match_offsets[node + ONE]):
                positions[count] = matches[place]
                count += 1
            for place in range(parent_offsets[node], parent_offsets[node + ONE]):
                pending[num_pending] = parents[place]
                num_pending += 1
    for place in range(scratch.counts[NUM_TOUCHED]):
        node_state[touched[place]] = UNKNOWN
    scratch.counts[NUM_TOUCHED] = 0
    scratch.counts[NUM_TESTS] += num_tests
    return count


@njit(cache=True, nogil=True)
def _put_in_order(positions: Any, first: Any, last: Any, bits: Any) -> Any:
    """Sort positions[first:last], through a bit for each expression when there are many."""
    if last - first < len(bits):
        positions[first:last].sort()
        return
    for place in range(first, last):
        position = np.uint64(positions[place])
        bits[position >> np.uint64(6)] |= ONE << (position & np.uint64(63))
    place = first
    for word in range(len(bits)):
        rest = bits[word]
        bits[word] = 0
        while rest != 0:
            lowest = rest & (~rest + ONE)
            positions[place] = np.uint64(word * 64) + popcount(lowest - ONE)
            place += 1
            rest ^= lowest


@njit(cache=True, nogil=True)
def match_events(
    first_event: Any, events: Any, table: Any, tree: Any, state: Any, scratch: Any, offsets: Any, positions: Any
) -> Any:
    """Match events one by one from `first_event` on until all are done, or `positions` may not hold the next one's.

    Returns the first event that was not done; `offsets[first_event]` says how many positions are written already.
    """
    num_events = len(events.key_offsets) - 1
    num_expressions = len(tree.matches) + len(tree.always)
    count = np.int64(offsets[first_event])
    for event in range(first_event, num_events):
        if len(positions) - count < num_expressions:
            return event
        begin = count
        load_event(event, events, state)
        for position in tree.always:
            positions[count] = position
            count += 1
        num_lists = _meet_lists(event, events, tree, scratch.lists)
        num_candidates = _read_lists(num_lists, events, table, tree, state, scratch)
        count = _settle(num_candidates, events, table, tree, state, scratch, positions, count)
        unload_event(event, events, state)
        _put_in_order(positions, begin, count, scratch.bits)
        offsets[event + 1] = count
    return num_events
