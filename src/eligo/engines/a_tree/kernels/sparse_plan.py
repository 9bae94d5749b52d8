"""Which lists of a sparse block are read for many events at once, and which by each event itself? The longer ones.

Reading a list at once costs a load of every event's keys first, and then hardly more than for one event. A list that is
short, or met by one event alone, is sooner read by the event itself:

    events of the block      e0 {a: 1, b: 2}    e1 {a: 1}    e2 {b: 2}

    group (a, 1): e0 e1      4,000 entries      at once
    group (b, 2): e0 e2      3 entries          e0 and e2 read it themselves
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.kernels.tables import Events
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.a_tree.kernels.frozen_tree import meet_lists
from eligo.engines.a_tree.kernels.inline_tests import FOLLOW_LIST, KIND_SHIFT, OPERAND_MASK
from eligo.engines.a_tree.kernels.sparse_scratch import (
    LANE_EVENTS,
    MOST_CELLS,
    NO_NUMBER,
    NUM_GROUPS,
    SparseScratch,
)
from eligo.engines.kernels.event_state import ONE
from eligo.kernels.bits import lowest_one, without_lowest
from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Integer, UInt8s, UInt32s

FOUR = np.uint64(4)


@hot_loop
def _note_cells(event: Integer, events: Events, lane_width: UInt32s) -> Any:
    """Widen the lanes of axes for an event's cells; whether it has too many on one of them."""
    first, last = np.uint64(events.cell_offsets[event]), np.uint64(events.cell_offsets[event + ONE])
    axis = np.uint64(NO_NUMBER)
    run = np.uint32(0)
    for place in range(first, last):
        own = np.uint64(events.cell_axes[place])
        run = run + np.uint32(1) if own == axis else np.uint32(1)
        axis = own
        if run > np.uint32(MOST_CELLS):
            return True
        lane_width[axis] = max(lane_width[axis], run)
    return False


@hot_loop
def load_sparse_block(
    first: Integer, last: Integer, events: Events, is_tested: UInt8s, tree: FrozenTree, lists: UInt32s,
    sparse: SparseScratch,
) -> Any:  # fmt: skip
    """Note the lists that events `first` to `last` - 1 meet, their keys that are tested, and the width of their cells.

    `lists` is scratch for those of one event. Returns how many pairs there are.
    """
    pair_list, pair_event = sparse.pair_list, sparse.pair_event
    keys, key_offsets, lane_width = sparse.keys, sparse.key_offsets, sparse.lane_width
    for axis in range(len(lane_width)):
        lane_width[axis] = 0
    num_pairs = np.uint64(0)
    num_keys = np.uint64(0)
    for number in range(np.uint64(last - first)):
        event = np.uint64(first) + number
        key_offsets[number] = num_keys
        for place in range(events.key_offsets[event], events.key_offsets[event + ONE]):
            key = np.uint64(events.keys[place])
            keys[num_keys] = key
            num_keys += np.uint64(is_tested[key])
        is_crowded = _note_cells(event, events, lane_width)
        sparse.is_crowded[number] = is_crowded
        if is_crowded:
            continue
        for place in range(meet_lists(event, events, tree, lists)):
            pair_list[num_pairs] = lists[place]
            pair_event[num_pairs] = number
            num_pairs += ONE
    key_offsets[np.uint64(last - first)] = num_keys
    base = np.uint32(0)
    for axis in range(len(lane_width)):
        sparse.lane_base[axis] = base
        base += lane_width[axis] * np.uint32(LANE_EVENTS)
    return num_pairs


@hot_loop
def group_pairs(num_pairs: Integer, first_place: Integer, sparse: SparseScratch) -> Any:
    """Add a group for each list of the pairs, ascending, with its events from a place on; returns the place after."""
    pair_list, pair_event, list_count, list_bits = (
        sparse.pair_list,
        sparse.pair_event,
        sparse.list_count,
        sparse.list_bits,
    )
    group_list, group_first, group_last = sparse.group_list, sparse.group_first, sparse.group_last
    for pair in range(np.uint64(num_pairs)):
        number = np.uint64(pair_list[pair])
        list_count[number] += np.uint32(1)
        list_bits[number >> np.uint64(6)] |= ONE << (number & np.uint64(63))
    begin = np.uint64(sparse.counts[NUM_GROUPS])
    group = begin
    place = np.uint32(first_place)
    for word in range(np.uint64(len(list_bits))):
        rest = list_bits[word]
        list_bits[word] = 0
        while rest != 0:
            number = (word << np.uint64(6)) + lowest_one(rest)
            rest = without_lowest(rest)
            group_list[group] = number
            group_first[group] = place
            # From here on the next place for an event of this list.
            length = list_count[number]
            list_count[number] = place
            place += length
            group += ONE
    for pair in range(np.uint64(num_pairs)):
        number = np.uint64(pair_list[pair])
        target = np.uint64(list_count[number])
        sparse.group_events[target] = pair_event[pair]
        list_count[number] = np.uint32(target) + np.uint32(1)
    for each in range(begin, group):
        number = np.uint64(group_list[each])
        group_last[each] = list_count[number]
        list_count[number] = 0
    sparse.counts[NUM_GROUPS] = np.int64(group)
    return place


@hot_loop
def refer(first_place: Integer, tree: FrozenTree, sparse: SparseScratch) -> Any:
    """Write the pairs of events and lists that the entries of groups refer to; how many, or -1 without room for them.

    The events of the new groups will stand from `first_place` on. Lists end with the entries that refer to others, and
    no list that is referred to refers to a third.
    """
    entries, list_offsets, group_events = tree.list_entries, tree.list_offsets, sparse.group_events
    num_pairs = np.uint64(0)
    room = np.uint64(len(group_events)) - np.uint64(first_place)
    for group in range(np.uint64(sparse.counts[NUM_GROUPS])):
        number = np.uint64(sparse.group_list[group])
        first, entry = np.uint64(list_offsets[number]), np.uint64(list_offsets[number + ONE])
        while entry > first and entries[(entry - ONE) * FOUR + ONE] >> KIND_SHIFT == FOLLOW_LIST:
            entry -= ONE
            target = entries[entry * FOUR + ONE] & OPERAND_MASK
            begin, end = np.uint64(sparse.group_first[group]), np.uint64(sparse.group_last[group])
            if num_pairs + (end - begin) > room:
                return np.int64(-1)
            for place in range(begin, end):
                sparse.pair_list[num_pairs] = target
                sparse.pair_event[num_pairs] = group_events[place]
                num_pairs += ONE
    return np.int64(num_pairs)


@hot_loop
def drop_repeated(first_group: Integer, num_events: Integer, sparse: SparseScratch) -> None:
    """Leave each event once in each group from one on."""
    last_list, group_events = sparse.last_list, sparse.group_events
    for event in range(num_events):
        last_list[event] = NO_NUMBER
    for group in range(np.uint64(first_group), np.uint64(sparse.counts[NUM_GROUPS])):
        number = sparse.group_list[group]
        kept = np.uint64(sparse.group_first[group])
        for place in range(kept, np.uint64(sparse.group_last[group])):
            event = np.uint64(group_events[place])
            group_events[kept] = event
            kept += np.uint64(last_list[event] != number)
            last_list[event] = number
        sparse.group_last[group] = kept


@hot_loop
def plan(num_events: Integer, tree: FrozenTree, sparse: SparseScratch) -> None:
    """Decide for each group whether its list is read at once, and give each event the lists that it reads itself."""
    list_offsets, group_first, group_last = tree.list_offsets, sparse.group_first, sparse.group_last
    own_offsets, own_lists, group_events = sparse.own_offsets, sparse.own_lists, sparse.group_events
    num_groups = np.uint64(sparse.counts[NUM_GROUPS])
    read_alone, read_at_once, load_key = sparse.costs[0], sparse.costs[1], sparse.costs[2]
    load_event = load_key * (np.int64(sparse.key_offsets[num_events]) // max(1, num_events))
    for event in range(num_events + 1):
        own_offsets[event] = 0
    for group in range(num_groups):
        number = np.uint64(sparse.group_list[group])
        length = np.int64(list_offsets[number + ONE]) - np.int64(list_offsets[number])
        size = np.int64(group_last[group]) - np.int64(group_first[group])
        rounds = (size + LANE_EVENTS - 1) // LANE_EVENTS
        is_together = read_alone * length * size > read_at_once * length * rounds + load_event * size
        sparse.is_together[group] = is_together
        if not is_together:
            for place in range(np.uint64(group_first[group]), np.uint64(group_last[group])):
                own_offsets[group_events[place]] += np.uint32(1)
    # The ends of events' lists, which become their beginnings while the lists are written.
    end = np.uint32(0)
    for event in range(num_events + 1):
        end += own_offsets[event]
        own_offsets[event] = end
    for group in range(num_groups):
        if sparse.is_together[group] == 0:
            for place in range(np.uint64(group_first[group]), np.uint64(group_last[group])):
                event = np.uint64(group_events[place])
                own_offsets[event] -= np.uint32(1)
                own_lists[own_offsets[event]] = sparse.group_list[group]
