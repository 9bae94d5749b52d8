"""Which expressions in conjunctive normal form does an event satisfy? Whang 2009, Algorithm 2, and its ranking.

An expression's size is the number of its disjunctions that need a key. Where that many lists meet in an expression, its
disjunctions are counted: each begins at minus the number of its ∉, a violated ∉ adds one, a satisfied ∈ makes it 1; an
expression matches when no count is 0. The paper counts hits; a ∉ of two values that an event has both is violated once.

A ∉ that needs its attribute (STRONG) begins as violated; an entry of presence takes one off.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.kernels.tables import Events
from eligo.engines.kernels.exact_scores import add_units
from eligo.engines.kernels.marks import mark_item, write_marks
from eligo.engines.whang.kernels.best_items import Best, worst_of_best
from eligo.engines.whang.kernels.conjunction_ranking import offer_matches
from eligo.engines.whang.kernels.list_heads import (
    ANY_SCORE,
    ONE,
    PREDICATE_BITS,
    SLOT_BITS,
    Heads,
    KLists,
    meet,
    open_event,
    open_size,
)
from eligo.engines.whang.kernels.list_scores import predicate_score
from eligo.engines.whang.kernels.posting_lists import IN, OUT
from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Int64s, Integer, UInt8s, UInt32s, UInt64s


@hot_loop
def count_disjunctions(item: Integer, number: Integer, lists: KLists, word_of: UInt64s, counters: Int64s) -> Any:
    """Count what the first heads say about the item's disjunctions (steps 3 to 20); whether all hold."""
    slot_bits, predicate_bits = np.uint64(lists.layout[SLOT_BITS]), np.uint64(lists.layout[PREDICATE_BITS])
    slot_mask = (ONE << slot_bits) - ONE
    first, last = np.int64(lists.disjunction_offsets[item]), np.int64(lists.disjunction_offsets[item + 1])
    for disjunction in range(first, last):
        counters[disjunction - first] = -np.int64(lists.disjunction_outs[disjunction])
    for place in range(number):
        word = word_of[place]
        slot = word & slot_mask
        if slot == slot_mask or (place > 0 and word_of[place - 1] == word):
            continue  # Z, or a predicate that was hit before
        annotation = np.int64((word >> slot_bits) & np.uint64(3))
        disjunction = slot >> predicate_bits
        if annotation == IN:
            counters[disjunction] = 1
        else:
            counters[disjunction] += 1 if annotation == OUT else -1
    num_failing = 0
    for disjunction in range(last - first):
        num_failing += 1 if counters[disjunction] == 0 else 0
    return num_failing == 0


@hot_loop
def cnf_score(end: Integer, lists: KLists, heads: Heads) -> Any:
    """The score of what the first heads stand on, up to `end`: the best ∈ predicate of each disjunction, added up."""
    slot_bits, predicate_bits = np.uint64(lists.layout[SLOT_BITS]), np.uint64(lists.layout[PREDICATE_BITS])
    slot_mask = (ONE << slot_bits) - ONE
    score, largest = 0, 0
    current = slot_mask
    number = 0
    while number < end:
        word = heads.word[number]
        if (word >> slot_bits) & np.uint64(3) != np.uint64(IN) or word & slot_mask == slot_mask:
            number += 1
            continue
        disjunction = (word & slot_mask) >> predicate_bits
        if disjunction != current:
            score = add_units(score, largest)
            current, largest = disjunction, 0
        part, number = predicate_score(number, end, lists, heads)
        largest = max(largest, part)
    return add_units(score, largest)


@hot_loop
def match_events(
    first_event: Integer, events: Events, lists: KLists, heads: Heads, counters: Int64s, marks: UInt64s,
    offsets: UInt64s, positions: UInt32s,
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
                item, number, num_heads = meet(
                    size, num_heads, number, target, ANY_SCORE, -1, shift, np.uint64(0), lists.entries, heads.place,
                    heads.end, heads.bound, heads.word, heads.head, heads.counts,
                )  # fmt: skip
                if item < 0:
                    break
                target = (np.uint64(item) + ONE) << shift
                if count_disjunctions(item, number, lists, heads.word, counters):
                    heads.counts[3] += 1
                    mark_item(item, lists.match_offsets, lists.matches, marks)
        count = write_marks(count, marks, positions)
        offsets[event + 1] = count
    return num_events


@hot_loop
def rank_event(
    events: Events, lists: KLists, heads: Heads, counters: Int64s, best: Best, is_rescored: UInt8s, marks: UInt64s
) -> None:
    """Find the best expressions for the batch's only event, with the first pruning technique."""
    shift = np.uint64(lists.layout[SLOT_BITS]) + np.uint64(2)
    open_event(0, events, lists, heads)
    for step in range(len(lists.sizes)):
        rank = len(lists.sizes) - 1 - step
        size = np.int64(lists.sizes[rank])
        num_heads = open_size(rank, lists, heads)
        number, target = 0, np.uint64(0)
        while True:
            item, number, num_heads = meet(
                size, num_heads, number, target, worst_of_best(best), -1, shift, np.uint64(0), lists.entries,
                heads.place, heads.end, heads.bound, heads.word, heads.head, heads.counts,
            )  # fmt: skip
            if item < 0:
                break
            target = (np.uint64(item) + ONE) << shift
            if count_disjunctions(item, number, lists, heads.word, counters):
                heads.counts[3] += 1
                offer_matches(item, cnf_score(number, lists, heads), lists, best, is_rescored, marks)
