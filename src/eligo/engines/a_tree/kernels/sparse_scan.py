"""How is a list read for several events at once? Their keys are marked as bits, and each entry is tested on words.

    list (a, 1) is met by e0, e3 and e7, bits 0, 1 and 2       key_mask (b, 2)   101      e0 and e7 have it
                                                               key_mask (c, 5)   010
    entry: b = 2, then read on at 40                           hit 101           candidates (e0, 40) and (e7, 40)

Each list is so read once a block, from one end to the other, and nothing is done for the events that do not meet it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.kernels.tables import Events, Literals
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.a_tree.kernels.inline_tests import (
    FOLLOW_LIST,
    KIND_SHIFT,
    MOST_NEAR,
    OPERAND_MASK,
    TEST_KEY,
    TEST_KEYS,
    TEST_LITERAL,
    TEST_NEAR,
    TEST_RANGE,
    near_key,
)
from eligo.engines.a_tree.kernels.sparse_scratch import (
    LANE_EVENTS,
    NO_NUMBER,
    NUM_CANDIDATES,
    NUM_ENTRIES,
    NUM_GROUPS,
    NUM_SIZES,
    SparseScratch,
)
from eligo.engines.kernels.event_state import ONE
from eligo.kernels.bits import lowest_one, without_lowest
from eligo.kernels.compiled import hot_loop, inlined
from eligo.kernels.lanes import LANES, lanes_between
from eligo.kernels.parameter_types import Integer, UInt32s

ZERO = np.uint64(0)
TWO = np.uint64(2)
THREE = np.uint64(3)
FOUR = np.uint64(4)
SIXTY_FOUR = np.uint64(LANE_EVENTS)
STEP = np.uint64(LANES)


@hot_loop
def _mark(begin: Integer, end: Integer, first_event: Integer, events: Events, sparse: SparseScratch) -> None:
    """Mark the keys and cells of the events of a group from `begin` to `end`."""
    keys, key_offsets, key_mask = sparse.keys, sparse.key_offsets, sparse.key_mask
    for place in range(begin, end):
        number = np.uint64(sparse.group_events[place])
        bit = ONE << (place - begin)
        for key in range(np.uint64(key_offsets[number]), np.uint64(key_offsets[number + ONE])):
            key_mask[keys[key]] |= bit
        _write_cells(number, first_event, place - begin, events, sparse, False)


@hot_loop
def _unmark(begin: Integer, end: Integer, first_event: Integer, events: Events, sparse: SparseScratch) -> None:
    """Undo `_mark`."""
    keys, key_offsets, key_mask = sparse.keys, sparse.key_offsets, sparse.key_mask
    for place in range(begin, end):
        number = np.uint64(sparse.group_events[place])
        for key in range(np.uint64(key_offsets[number]), np.uint64(key_offsets[number + ONE])):
            key_mask[keys[key]] = ZERO
        _write_cells(number, first_event, place - begin, events, sparse, True)


@hot_loop
def _write_cells(
    number: Integer, first_event: Integer, lane: Integer, events: Events, sparse: SparseScratch, is_undone: bool
) -> None:
    """Write an event's cells to its lane, or none in their place."""
    event = np.uint64(first_event) + number
    axis = np.uint64(NO_NUMBER)
    target = ZERO
    for place in range(events.cell_offsets[event], events.cell_offsets[event + ONE]):
        own = np.uint64(events.cell_axes[place])
        target = target + SIXTY_FOUR if own == axis else np.uint64(sparse.lane_base[own]) + lane
        axis = own
        sparse.lane_cells[target] = NO_NUMBER if is_undone else events.cells[place]


@inlined
def _range_lanes(
    axis: Integer, low: Integer, high: Integer, size: Integer, lane_base: UInt32s, lane_width: UInt32s,
    lane_cells: UInt32s,
) -> Any:  # fmt: skip
    """Which of the events have a cell from `low` to `high`. Part of its callers: a call would cost more."""
    some = ZERO
    base = np.uint64(lane_base[axis])
    for _ in range(lane_width[axis]):
        for lane in range(ZERO, size, STEP):
            some |= lanes_between(lane_cells, base + lane, np.uint32(low), np.uint32(high) - np.uint32(low)) << lane
        base += SIXTY_FOUR
    return some


@hot_loop
def _literal_lanes(literal: Integer, size: Integer, table: Literals, sparse: SparseScratch) -> Any:
    """For which of the events a literal holds: the way for any literal."""
    predicates, key_mask = table.predicates, sparse.key_mask
    predicate = np.uint64(table.literal_predicate[literal])
    hit = ZERO
    for place in range(predicates.key_offsets[predicate], predicates.key_offsets[predicate + ONE]):
        hit |= key_mask[predicates.keys[place]]
    for place in range(predicates.range_offsets[predicate], predicates.range_offsets[predicate + ONE]):
        axis, low, high = predicates.range_axis[place], predicates.range_low[place], predicates.range_high[place]
        hit |= _range_lanes(axis, low, high, size, sparse.lane_base, sparse.lane_width, sparse.lane_cells)
    present = key_mask[predicates.attribute_of_predicate[predicate]]
    holds = hit if table.literal_positive[literal] != 0 else present & ~hit
    if table.literal_holds_when_missing[literal] != 0:
        everyone = ~ZERO >> (SIXTY_FOUR - size)
        holds |= everyone & ~present
    return holds


@hot_loop
def _scan(
    number: Integer, begin: Integer, size: Integer, table: Literals, tree: FrozenTree, sparse: SparseScratch,
    count: Integer,
) -> Any:  # fmt: skip
    """Read a list for the marked events, which stand from `begin` on; add those that pass an inline test.

    Returns how many candidates there are now; there is room for one entry's beyond those that are asked for.
    """
    entries, key_mask = tree.list_entries, sparse.key_mask
    lane_base, lane_width, lane_cells = sparse.lane_base, sparse.lane_width, sparse.lane_cells
    candidates, group_events = sparse.candidates, sparse.group_events
    room = np.uint64(len(candidates)) - SIXTY_FOUR
    first, last = np.uint64(tree.list_offsets[number]), np.uint64(tree.list_offsets[number + ONE])
    for entry in range(first * FOUR, last * FOUR, FOUR):
        word = entries[entry + ONE]
        kind = word >> KIND_SHIFT
        operand = np.uint64(word & OPERAND_MASK)
        if kind == TEST_KEY:
            hit = key_mask[operand]
        elif kind == TEST_RANGE:
            low, high = entries[entry + TWO], entries[entry + THREE]
            hit = _range_lanes(operand, low, high, size, lane_base, lane_width, lane_cells)
        elif kind == TEST_NEAR:
            second, third = entries[entry + TWO], entries[entry + THREE]
            hit = key_mask[operand]
            for each in range(MOST_NEAR - 1):
                hit |= key_mask[near_key(operand, second, third, each)]
        elif kind == TEST_KEYS:
            hit = key_mask[operand] | key_mask[entries[entry + TWO]] | key_mask[entries[entry + THREE]]
        elif kind == TEST_LITERAL:
            hit = _literal_lanes(operand, size, table, sparse)
        elif kind == FOLLOW_LIST:  # has been followed when the block was planned
            hit = ZERO
        else:
            hit = key_mask[operand] & ~(key_mask[entries[entry + TWO]] | key_mask[entries[entry + THREE]])
        if count > room:
            return count
        place = np.uint64(entries[entry])
        while hit != ZERO:
            event = np.uint64(group_events[begin + lowest_one(hit)])
            hit = without_lowest(hit)
            candidates[count] = (event << np.uint64(32)) | place
            count += ONE
    return count


@hot_loop
def scan_groups(first_event: Integer, events: Events, table: Literals, tree: FrozenTree, sparse: SparseScratch) -> Any:
    """Read the lists of all groups that are read at once; false without room for the candidates."""
    plain, plain_offsets, list_offsets = tree.plain, tree.plain_offsets, tree.list_offsets
    candidates, group_events = sparse.candidates, sparse.group_events
    room = np.uint64(len(candidates)) - SIXTY_FOUR
    count = ZERO
    for group in range(np.uint64(sparse.counts[NUM_GROUPS])):
        if sparse.is_together[group] == 0:
            continue
        number = np.uint64(sparse.group_list[group])
        first, last = np.uint64(sparse.group_first[group]), np.uint64(sparse.group_last[group])
        length = np.int64(list_offsets[number + ONE]) - np.int64(list_offsets[number])
        for begin in range(first, last, SIXTY_FOUR):
            end = min(last, begin + SIXTY_FOUR)
            _mark(begin, end, first_event, events, sparse)
            count = _scan(number, begin, end - begin, table, tree, sparse, count)
            _unmark(begin, end, first_event, events, sparse)
            sparse.counts[NUM_ENTRIES] += length
            sparse.counts[NUM_SIZES] += length * np.int64(end - begin)
            if count > room:
                return False
        for entry in range(plain_offsets[number], plain_offsets[number + ONE]):
            if count + (last - first) > room:
                return False
            for place in range(first, last):
                candidates[count] = (np.uint64(group_events[place]) << np.uint64(32)) | np.uint64(plain[entry])
                count += ONE
    sparse.counts[NUM_CANDIDATES] = np.int64(count)
    return True


@hot_loop
def part_by_event(num_events: Integer, sparse: SparseScratch) -> None:
    """Write the places of candidates event by event."""
    candidates, offsets, places = sparse.candidates, sparse.place_offsets, sparse.places
    count = np.uint64(sparse.counts[NUM_CANDIDATES])
    for event in range(num_events + 1):
        offsets[event] = 0
    for candidate in range(count):
        offsets[candidates[candidate] >> np.uint64(32)] += np.uint32(1)
    end = np.uint32(0)
    for event in range(num_events + 1):
        end += offsets[event]
        offsets[event] = end
    # From the last to the first, so that an event's places stay in the order of the lists.
    for step in range(count):
        candidate = candidates[count - ONE - step]
        event = candidate >> np.uint64(32)
        offsets[event] -= np.uint32(1)
        places[offsets[event]] = np.uint32(candidate & np.uint64(0xFFFFFFFF))
