"""How do events that differ share the reading of lists? Each list is read once for just those that meet it.

No paper has this. Masks of a block pay for every entry of every list that any event meets, and nearly all bits are zero
where events differ. Here the (list, event) pairs of the block are grouped by list instead:

    events ──▶ pairs ──▶ groups: a list, its events ──▶ candidates: an event, where to read on ──▶ event by event

Then each event tests what is left of its candidates, as if it had read its lists alone. `sparse_plan` says which lists
it does read alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.events.kernels.event_items import NotedEvents, event_views
from eligo.engines.a_tree.kernels.frozen_tree import meet_lists, put_in_order, read_lists, settle
from eligo.engines.a_tree.kernels.frozen_views import Bundle, unbundle
from eligo.engines.a_tree.kernels.sparse_plan import drop_repeated, group_pairs, load_sparse_block, plan, refer
from eligo.engines.a_tree.kernels.sparse_scan import part_by_event, scan_groups
from eligo.engines.a_tree.kernels.sparse_scratch import NUM_GROUPS, NotedSparse, sparse_views
from eligo.engines.kernels.event_state import ONE, load_event, unload_event
from eligo.kernels.compiled import kernel
from eligo.kernels.parameter_types import Integer, UInt8s, UInt64s


@kernel
def gather(
    first: Integer, last: Integer, noted: NotedEvents, is_tested: UInt8s, bundled: Bundle, sparse_noted: NotedSparse
) -> Any:
    """Find the candidates of events `first` to `last` - 1, but for what each reads itself; false without room."""
    events = event_views(noted)
    table, tree, _, scratch = unbundle(bundled)
    sparse = sparse_views(sparse_noted)
    num_events = np.int64(last - first)
    sparse.counts[NUM_GROUPS] = 0
    num_pairs = load_sparse_block(first, last, events, is_tested, tree, scratch.lists, sparse)
    end = group_pairs(num_pairs, 0, sparse)
    if len(tree.list_offsets) > np.int64(tree.universal[0]) + 2:  # there are lists that entries refer to
        num_groups = np.int64(sparse.counts[NUM_GROUPS])
        num_referred = refer(end, tree, sparse)
        if num_referred < 0:
            return False
        group_pairs(num_referred, end, sparse)
        drop_repeated(num_groups, num_events, sparse)
    plan(num_events, tree, sparse)
    if not scan_groups(first, events, table, tree, sparse):
        return False
    part_by_event(num_events, sparse)
    return True


@kernel
def match_gathered(
    first: Integer, last: Integer, next_event: Integer, noted: NotedEvents, bundled: Bundle, sparse_noted: NotedSparse,
    lengths: UInt64s,
) -> Any:  # fmt: skip
    """Match the gathered events from `next_event` on until all are done, or there is no room for the next one's.

    Their matches are written to the scratch's `positions`, one event's after another's; `lengths`, for all events of
    the batch, says how many each has. Returns the first event that was not done.
    """
    events = event_views(noted)
    table, tree, state, scratch = unbundle(bundled)
    sparse = sparse_views(sparse_noted)
    positions, lists, candidates = scratch.positions, scratch.lists, scratch.candidates
    num_expressions = len(tree.matches) + len(tree.always)
    count = np.int64(0)
    for event in range(next_event, last):
        if len(positions) - count < num_expressions:
            return event
        begin = count
        number = np.uint64(event - first)
        load_event(event, events, state)
        for position in tree.always:
            positions[count] = position
            count += 1
        if sparse.is_crowded[number] != 0:
            num_lists = meet_lists(event, events, tree, lists)
            num_candidates = read_lists(num_lists, True, events, table, tree, state, scratch)
        else:
            num_lists = 0
            for place in range(np.uint64(sparse.own_offsets[number]), np.uint64(sparse.own_offsets[number + ONE])):
                lists[num_lists] = sparse.own_lists[place]
                num_lists += 1
            num_candidates = read_lists(num_lists, False, events, table, tree, state, scratch)
        first_place, last_place = sparse.place_offsets[number], sparse.place_offsets[number + ONE]
        for place in range(np.uint64(first_place), np.uint64(last_place)):
            candidates[num_candidates] = sparse.places[place]
            num_candidates += 1
        count = settle(num_candidates, events, table, tree, state, scratch, positions, count)
        unload_event(event, events, state)
        put_in_order(positions, begin, count, scratch.bits)
        lengths[event] = count - begin
    return last
