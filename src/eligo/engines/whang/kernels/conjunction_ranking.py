"""Which conjunctions score best? The DNF ranking algorithm: Whang 2009, section 5, with both pruning techniques."""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.kernels.tables import Events
from eligo.engines.kernels.exact_scores import add_units
from eligo.engines.whang.kernels.best_items import Best, offer, worst_of_best
from eligo.engines.whang.kernels.conjunction_algorithm import next_conjunction
from eligo.engines.whang.kernels.list_heads import ONE, SLOT_BITS, Heads, KLists, open_event, open_size
from eligo.engines.whang.kernels.list_scores import bound_of_size, predicate_score
from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Int64s, Integer, UInt8s, UInt64s


@hot_loop
def conjunction_score(end: Integer, lists: KLists, heads: Heads) -> Any:
    """The score of the conjunction that the first heads stand on, up to `end`."""
    score = 0
    number = 0
    while number < end:
        part, number = predicate_score(number, end, lists, heads)
        score = add_units(score, part)
    return score


@hot_loop
def offer_matches(
    item: Integer, score: Integer, lists: KLists, best: Best, is_rescored: UInt8s, marks: UInt64s
) -> None:
    """Offer the expressions of an item; those that are scored by their trees are only marked."""
    for place in range(lists.match_offsets[item], lists.match_offsets[item + 1]):
        expression = np.uint64(lists.matches[place])
        if len(is_rescored) > 0 and is_rescored[expression] != 0:
            marks[expression >> np.uint64(6)] |= ONE << (expression & np.uint64(63))
        else:
            offer(score, expression, best)


@hot_loop
def rank_event(
    events: Events, lists: KLists, heads: Heads, best: Best, is_rescored: UInt8s, marks: UInt64s,
    attribute_bounds: Int64s,
) -> Any:  # fmt: skip
    """Find the best expressions for the batch's only event; returns how many sizes were left out."""
    shift = np.uint64(lists.layout[SLOT_BITS]) + np.uint64(2)
    num_left_out = 0
    open_event(0, events, lists, heads)
    for step in range(len(lists.sizes)):
        rank = len(lists.sizes) - 1 - step
        size = np.int64(lists.sizes[rank])
        if bound_of_size(rank, size, lists, heads, attribute_bounds) < worst_of_best(best):
            num_left_out += 1
            continue
        num_heads = open_size(rank, lists, heads)
        number, target = 0, np.uint64(0)
        while True:
            item, number, num_heads = next_conjunction(
                size, num_heads, number, target, worst_of_best(best), -1, shift, lists.entries, heads.place, heads.end,
                heads.bound, heads.word, heads.head, heads.counts,
            )  # fmt: skip
            if item < 0:
                break
            heads.counts[3] += 1
            offer_matches(item, conjunction_score(number, lists, heads), lists, best, is_rescored, marks)
            target = (np.uint64(item) + ONE) << shift
    return num_left_out
