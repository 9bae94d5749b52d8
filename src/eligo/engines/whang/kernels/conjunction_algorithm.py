"""Which conjunctions does an event satisfy? The Conjunction Algorithm: Whang 2009, Algorithm 1, with two corrections.

As printed, a violated ∉ moves only the lists from the K-th on, and the loop does not end; here every list that stands
on the rejected conjunction moves. And a conjunction of size K is satisfied by K different predicates, not by K lists:
an event with several values may hit one predicate through several lists.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.kernels.tables import Events
from eligo.engines.kernels.marks import mark_item, write_marks
from eligo.engines.whang.kernels.list_heads import (
    ANY_SCORE,
    ONE,
    SLOT_BITS,
    Entries,
    Heads,
    KLists,
    meet,
    open_event,
    open_size,
)
from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Int64s, Integer, UInt32s, UInt64s


@hot_loop
def distinct_slots(number: Integer, word: UInt64s) -> Any:
    """How many different predicates the first heads stand for; those of one predicate stand side by side."""
    distinct = 1
    for place in range(1, number):
        distinct += 1 if word[place] != word[place - 1] else 0
    return distinct


@hot_loop
def next_conjunction(
    size: Integer, count: Integer, number: Integer, target: Integer, worst: Integer, max_rounds: Integer,
    shift: Integer, entries: Entries, place: UInt64s, end: UInt64s, bound: Int64s, word: UInt64s, order: UInt32s,
    counts: Int64s,
) -> Any:  # fmt: skip
    """`meet`, until an item has K different predicates."""
    out_bits = np.uint64(3) << (shift - np.uint64(2))
    while True:
        item, number, count = meet(
            size, count, number, target, worst, max_rounds, shift, out_bits, entries, place, end, bound, word, order,
            counts,
        )  # fmt: skip
        if item < 0 or size <= 1 or distinct_slots(number, word) >= size:
            return item, number, count
        target = (np.uint64(item) + ONE) << shift


@hot_loop
def match_events(
    first_event: Integer, events: Events, lists: KLists, heads: Heads, marks: UInt64s, offsets: UInt64s,
    positions: UInt32s,
) -> Any:  # fmt: skip
    """Match events from `first_event` on until all are done, or until `positions` may not hold the next one's matches.

    Returns the first event that was not done; `offsets[first_event]` says how many positions are written already.
    """
    num_events = len(events.key_offsets) - 1
    shift = np.uint64(lists.layout[SLOT_BITS]) + np.uint64(2)
    count = np.int64(offsets[first_event])
    for event in range(first_event, num_events):
        if len(positions) - count < 64 * len(marks):
            return event
        open_event(event, events, lists, heads)
        for step in range(len(lists.sizes)):
            rank = len(lists.sizes) - 1 - step
            size = np.int64(lists.sizes[rank])
            num_heads = open_size(rank, lists, heads)
            number, target = 0, np.uint64(0)
            while True:
                item, number, num_heads = next_conjunction(
                    size, num_heads, number, target, ANY_SCORE, -1, shift, lists.entries, heads.place, heads.end,
                    heads.bound, heads.word, heads.head, heads.counts,
                )  # fmt: skip
                if item < 0:
                    break
                heads.counts[3] += 1
                mark_item(item, lists.match_offsets, lists.matches, marks)
                target = (np.uint64(item) + ONE) << shift
        count = write_marks(count, marks, positions)
        offsets[event + 1] = count
    return num_events
