"""How does one event find its expressions in a frozen tree? From its keys upwards, testing the rest on demand.

A-Tree 2021, section 5: results flow from satisfied predicates to the roots, and an AND is entered through one access
child only (5.2.2). Here a posting entry also carries the next test, so that most candidates die while a list is read
from one end to the other:

    keys of the event ──▶ postings: (next test, place) ──▶ tests from that place to the END ──▶ parents, matches

What is not an access child is evaluated when it is asked for and remembered for the event; levels and queues are not
needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.events.kernels.event_items import NotedEvents, event_room, event_views, lay_out_event
from eligo.data.kernels.tables import Events, Literals
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree, has_entries
from eligo.engines.a_tree.kernels.frozen_scratch import (
    MOST_CANDIDATES,
    NUM_CANDIDATES,
    NUM_ENTRIES,
    NUM_EVENTS,
    NUM_TESTS,
    NUM_TOUCHED,
    NUM_WAITING,
    FrozenScratch,
)
from eligo.engines.a_tree.kernels.frozen_views import Bundle, unbundle
from eligo.engines.a_tree.kernels.inline_tests import (
    END,
    KIND_SHIFT,
    MOST_NEAR,
    OPERAND_MASK,
    TEST_KEY,
    TEST_KEYS,
    TEST_LITERAL,
    TEST_NEAR,
    TEST_NODE,
    TEST_NOT_KEYS,
    TEST_RANGE,
    near_key,
)
from eligo.engines.kernels.event_state import ONE, EventState, literal_holds, load_event, unload_event
from eligo.engines.kernels.short_sorts import sort_numbers
from eligo.kernels.bits import lowest_one
from eligo.kernels.compiled import hot_loop, inlined, kernel
from eligo.kernels.parameter_types import Integer, UInt8s, UInt32s, UInt64s
from eligo.kernels.prefetch import prefetch
from eligo.ranges.kernels.segment_tree_walks import NO_NODE, climb_apart, leaf_of

TWO = np.uint64(2)
THREE = np.uint64(3)
FOUR = np.uint64(4)
LOOK_AHEAD = 64
"""How many candidates' tests are asked for before the first of them is tested."""
WORDS_EACH = 32
"""Fewer words of bits than this are looked through in the time in which one of some hundred positions is sorted."""
LINES_AHEAD = 3
"""How many cache lines of a list are asked for while the list before the one before it is read."""
WORDS_OF_LINE = np.uint64(16)

# What is known of a node for the loaded event.
UNKNOWN = np.uint8(0)
PASSED_ON = np.uint8(1)
IS_FALSE = np.uint8(2)
IS_TRUE = np.uint8(3)


@hot_loop
def meet_lists(event: Integer, events: Events, tree: FrozenTree, lists: UInt32s) -> Any:
    """Write the lists that an event meets and that are not empty, each once; returns how many."""
    list_offsets, plain_offsets = tree.list_offsets, tree.plain_offsets
    count = 0
    for place in range(events.key_offsets[event], events.key_offsets[event + 1]):
        number = np.uint64(events.keys[place])
        lists[count] = number
        count += has_entries(number, list_offsets, plain_offsets)
    base = np.uint64(0)
    leaf = NO_NODE
    for place in range(events.cell_offsets[event], events.cell_offsets[event + 1]):
        axis = events.cell_axes[place]
        # Cells ascend, so what a cell shares with any before it on its axis, it shares with the last one.
        other = leaf if base == np.uint64(tree.axis_base[axis]) else NO_NODE
        base = np.uint64(tree.axis_base[axis])
        size = tree.axis_size[axis]
        leaf = leaf_of(events.cells[place], size)
        for met in climb_apart(leaf, other, size, base):
            lists[count] = met
            count += has_entries(met, list_offsets, plain_offsets)
    universal = np.uint64(tree.universal[0])
    lists[count] = universal
    return count + has_entries(universal, list_offsets, plain_offsets)


@inlined
def _passes(
    kind: Integer, operand: Integer, second: Integer, third: Integer, has_key: UInt8s, axis_cell: UInt32s,
    axis_first: UInt64s, axis_last: UInt64s, cells: UInt32s,
) -> Any:  # fmt: skip
    """Whether the loaded event passes a test of keys or of a range. Part of its callers: a call would cost more."""
    if kind == TEST_KEY:
        passes = has_key[operand] != 0
    elif kind == TEST_NEAR:
        hit = has_key[operand]
        for number in range(MOST_NEAR - 1):
            hit |= has_key[near_key(operand, second, third, number)]
        passes = hit != 0
    elif kind == TEST_KEYS:
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
def read_lists(
    num_lists: Integer, follows: bool, events: Events, table: Literals, tree: FrozenTree, state: EventState,
    scratch: FrozenScratch,
) -> Any:  # fmt: skip
    """Go through the event's lists; write what passes its inline test to `candidates`, and return how many do.

    `follows` says whether the lists that entries refer to are read as well.
    """
    list_offsets, entries, lists, list_seen = tree.list_offsets, tree.list_entries, scratch.lists, scratch.list_seen
    has_key, axis_cell = state.has_key, state.axis_cell
    axis_first, axis_last, cells = state.axis_first, state.axis_last, events.cells
    candidates, plain, plain_offsets = scratch.candidates, tree.plain, tree.plain_offsets
    first_seen = tree.universal[0]
    count = np.uint64(0)
    read = np.uint64(0)
    place = 0
    while place < num_lists:
        number = np.uint64(lists[place])
        place += 1
        if place + 1 < num_lists:
            ahead = np.uint64(list_offsets[np.uint64(lists[place + 1])]) * FOUR
            for line in range(LINES_AHEAD):
                prefetch(entries, ahead + np.uint64(line) * WORDS_OF_LINE)
        first, last = np.uint64(list_offsets[number]), np.uint64(list_offsets[number + ONE])
        read += last - first
        for entry in range(first * FOUR, last * FOUR, FOUR):
            word = entries[entry + ONE]
            kind = word >> KIND_SHIFT
            operand = word & OPERAND_MASK
            if kind <= TEST_NOT_KEYS:
                second, third = entries[entry + TWO], entries[entry + THREE]
                passes = _passes(kind, operand, second, third, has_key, axis_cell, axis_first, axis_last, cells)
            elif kind == TEST_LITERAL:
                passes = literal_holds(operand, table, table.predicates, events, state)
            else:
                passes = False
                if follows and list_seen[operand - first_seen] == 0:
                    list_seen[operand - first_seen] = 1
                    lists[num_lists] = operand
                    num_lists += 1
            candidates[count] = entries[entry]
            count += np.uint64(passes)
        for entry in range(plain_offsets[number], plain_offsets[number + ONE]):
            candidates[count] = plain[entry]
            count += ONE
    for place in range(num_lists):
        if lists[place] > first_seen:
            list_seen[lists[place] - first_seen] = 0
    scratch.counts[NUM_ENTRIES] += np.int64(read)
    scratch.counts[NUM_CANDIDATES] += np.int64(count)
    return np.int64(count)


@hot_loop
def _look_ahead(candidates: UInt32s, first: Integer, last: Integer, tests: UInt32s) -> None:
    """Ask for what the next candidates will be tested with, which lies all over memory, so that it comes at once."""
    for candidate in range(first, min(first + LOOK_AHEAD, last)):
        prefetch(tests, np.uint64(candidates[candidate]))


@hot_loop
def _evaluate(
    root: Integer, events: Events, table: Literals, tree: FrozenTree, state: EventState, scratch: FrozenScratch
) -> Any:
    """Whether a node is true of which nothing is known yet."""
    stack_node, stack_place, node_state = scratch.stack_node, scratch.stack_place, scratch.node_state
    has_key, axis_cell = state.has_key, state.axis_cell
    axis_first, axis_last, cells = state.axis_first, state.axis_last, events.cells
    tests, test_offsets, node_is_and = tree.tests, tree.test_offsets, tree.node_is_and
    num_tests = 0
    top = 0
    stack_node[0] = root
    stack_place[0] = test_offsets[root]
    while True:
        node = np.uint64(stack_node[top])
        place = np.uint64(stack_place[top])
        is_and = node_is_and[node] != 0
        truth = is_and
        descends = False
        while True:
            word = tests[place]
            kind = word >> KIND_SHIFT
            operand = word & OPERAND_MASK
            num_tests += 1
            if kind == END:
                break
            if kind == TEST_NODE:
                known = node_state[operand]
                if known == UNKNOWN:
                    stack_place[top] = place
                    top += 1
                    stack_node[top] = operand
                    stack_place[top] = test_offsets[operand]
                    descends = True
                    break
                holds = known != IS_FALSE
            elif kind == TEST_LITERAL:
                holds = literal_holds(operand, table, table.predicates, events, state)
            elif kind == TEST_KEY:
                holds = has_key[operand] != 0
            else:
                second, third = tests[place + ONE], tests[place + TWO]
                holds = _passes(kind, operand, second, third, has_key, axis_cell, axis_first, axis_last, cells)
                place += TWO
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


@inlined
def _pass_tests(
    place: Integer, events: Events, table: Literals, tree: FrozenTree, state: EventState, scratch: FrozenScratch
) -> Any:
    """Make the tests from a place on, up to one that fails; whether none does, the last word, and how many were made.

    When all hold, the last word is an END, with the node that is true. Part of its caller: a call would cost more.
    """
    tests, node_state = tree.tests, scratch.node_state
    at = np.uint64(place)
    num_tests = 0
    word = tests[at]
    kind = word >> KIND_SHIFT
    holds = True
    while kind != END:
        operand = word & OPERAND_MASK
        num_tests += 1
        if kind == TEST_NODE:
            known = node_state[operand]
            holds = known != IS_FALSE
            if known == UNKNOWN:
                holds = _evaluate(operand, events, table, tree, state, scratch)
        elif kind == TEST_LITERAL:
            holds = literal_holds(operand, table, table.predicates, events, state)
        elif kind == TEST_KEY:
            holds = state.has_key[operand] != 0
        else:
            second, third = tests[at + ONE], tests[at + TWO]
            holds = _passes(
                kind, operand, second, third, state.has_key, state.axis_cell, state.axis_first, state.axis_last,
                events.cells,
            )  # fmt: skip
            at += TWO
        if not holds:
            break
        at += ONE
        word = tests[at]
        kind = word >> KIND_SHIFT
    return holds, word, num_tests


@hot_loop
def settle(
    num_candidates: Integer, events: Events, table: Literals, tree: FrozenTree, state: EventState,
    scratch: FrozenScratch, positions: UInt32s, count: Integer,
) -> Any:  # fmt: skip
    """Test the rest of every candidate; pass what is true on to its parents; write the positions that match."""
    node_state, touched, pending, candidates = scratch.node_state, scratch.touched, scratch.pending, scratch.candidates
    match_offsets, matches = tree.match_offsets, tree.matches
    parent_offsets, parents = tree.parent_offsets, tree.parents
    num_tests = 0
    for candidate in range(num_candidates):
        if candidate % LOOK_AHEAD == 0:
            _look_ahead(candidates, candidate, num_candidates, tree.tests)
        # The candidate itself, then the parents that it and they make true.
        pending[0] = candidates[candidate]
        num_pending = 1
        while num_pending > 0:
            num_pending -= 1
            holds, word, made = _pass_tests(pending[num_pending], events, table, tree, state, scratch)
            num_tests += made
            if not holds:
                continue
            node = np.uint64(word & OPERAND_MASK)
            known = node_state[node]
            if known == PASSED_ON:  # reached before, by another way
                continue
            if known == UNKNOWN:  # otherwise it has been noted when it was evaluated
                touched[scratch.counts[NUM_TOUCHED]] = node
                scratch.counts[NUM_TOUCHED] += 1
            node_state[node] = PASSED_ON
            for match in range(match_offsets[node], match_offsets[node + ONE]):
                positions[count] = matches[match]
                count += 1
            for parent in range(parent_offsets[node], parent_offsets[node + ONE]):
                pending[num_pending] = parents[parent]
                num_pending += 1
    for place in range(scratch.counts[NUM_TOUCHED]):
        node_state[touched[place]] = UNKNOWN
    scratch.counts[NUM_TOUCHED] = 0
    scratch.counts[NUM_TESTS] += num_tests
    return count


@kernel
def put_in_order(positions: UInt32s, first: Integer, last: Integer, bits: UInt64s) -> None:
    """Sort positions[first:last], through a bit for each expression when there are many."""
    if WORDS_EACH * (last - first) < len(bits):
        sort_numbers(positions, first, last)
        return
    for place in range(first, last):
        position = np.uint64(positions[place])
        bits[position >> np.uint64(6)] |= ONE << (position & np.uint64(63))
    place = first
    for word in range(len(bits)):
        rest = bits[word]
        bits[word] = 0
        while rest != 0:
            positions[place] = np.uint64(word * 64) + lowest_one(rest)
            place += 1
            rest &= rest - ONE


@kernel
def match_events(first_event: Integer, noted: NotedEvents, bundled: Bundle, offsets: UInt64s) -> Any:
    """Match events one by one from `first_event` on until all are done, or there is no room for the next one's.

    Or until one has more candidates than the scratch's MOST_CANDIDATES: it waits, and NUM_WAITING is how many.

    Their matches are written to the scratch's `positions`; `offsets` says where each event's end, from
    `offsets[first_event]` on, which is 0. Returns the first event that was not done.
    """
    events = event_views(noted)
    table, tree, state, scratch = unbundle(bundled)
    positions = scratch.positions
    num_events = len(events.key_offsets) - 1
    num_expressions = len(tree.matches) + len(tree.always)
    count = np.int64(0)
    for event in range(first_event, num_events):
        if len(positions) - count < num_expressions:
            return event
        begin = count
        load_event(event, events, state)
        for position in tree.always:
            positions[count] = position
            count += 1
        num_lists = meet_lists(event, events, tree, scratch.lists)
        num_candidates = read_lists(num_lists, True, events, table, tree, state, scratch)
        if num_candidates > scratch.counts[MOST_CANDIDATES]:
            unload_event(event, events, state)
            scratch.counts[NUM_WAITING] = num_candidates
            return event
        count = settle(num_candidates, events, table, tree, state, scratch, positions, count)
        unload_event(event, events, state)
        put_in_order(positions, begin, count, scratch.bits)
        offsets[event + 1] = count
        scratch.counts[NUM_EVENTS] += 1
    return num_events


@kernel
def match_items(num_items: Integer, noted: NotedEvents, bundled: Bundle) -> Any:
    """Match the event of a noted `EventRoom` with so many items; how many `positions` were written, -1 if it waits."""
    room = event_room(noted)
    lay_out_event(num_items, room)
    is_done = match_events(0, noted, bundled, room.match_offsets) != 0
    return np.int64(room.match_offsets[1]) if is_done else np.int64(-1)
