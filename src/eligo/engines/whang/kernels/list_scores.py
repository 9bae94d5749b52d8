"""How is an item scored from its entries, and bounded before it is? Whang 2009, sections 2.4 and 5.

A list has an upper bound UB on the weights of its entries. What no item that a walk stands on can pass is the sum of UB
times the event's weight over the lists that have come as far; what no item of size K can pass, the sum over the K
attributes that have most. (The paper takes the K largest lists, which bounds only events with one value an attribute.)
Scores and bounds are counted in units (`score_units`); `MOST_UNITS` bounds nothing, since no score passes that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.engines.kernels.exact_scores import add_units, hit_units
from eligo.engines.whang.kernels.list_heads import PRESENT_BASE, Heads, KLists, list_bound
from eligo.kernels.compiled import hot_loop
from eligo.kernels.hashing import NONE
from eligo.kernels.parameter_types import Int64s, Integer


@hot_loop
def head_bound(head: Integer, lists: KLists, heads: Heads) -> Any:
    """UB of a head's list times the weight of its key in the event."""
    return list_bound(heads.open_list[head], heads.open_weight[head], lists)


@hot_loop
def bound_of_size(rank: Integer, size: Integer, lists: KLists, heads: Heads, attribute_bounds: Int64s) -> Any:
    """What no item of a size can score (the second pruning technique); `attribute_bounds` is zero before and after."""
    first, last = np.int64(heads.size_first[rank]), np.int64(heads.size_first[rank + 1])
    bound = 0
    for head in range(first, last):
        attribute = lists.list_attribute[heads.open_list[head]]
        if attribute != NONE:
            attribute_bounds[attribute] = add_units(attribute_bounds[attribute], head_bound(head, lists, heads))
        else:
            bound = add_units(bound, head_bound(head, lists, heads))
    for _ in range(size):
        largest = -1
        chosen = NONE
        for head in range(first, last):
            attribute = lists.list_attribute[heads.open_list[head]]
            if attribute != NONE and attribute_bounds[attribute] > largest:
                largest, chosen = attribute_bounds[attribute], attribute
        if chosen == NONE:
            break
        bound = add_units(bound, largest)
        attribute_bounds[chosen] = -1
    for head in range(first, last):
        attribute = lists.list_attribute[heads.open_list[head]]
        if attribute != NONE:
            attribute_bounds[attribute] = 0
    return bound


@hot_loop
def predicate_score(number: Integer, end: Integer, lists: KLists, heads: Heads) -> Any:
    """The score of the predicate that head `number` stands for, and the number of the next predicate's first head.

    A set adds the keys that are hit. A range is one key itself, so that the heaviest value counts.
    """
    num_keys = np.int64(lists.axis_base[0])
    present_base = np.int64(lists.layout[PRESENT_BASE])
    word = heads.word[number]
    added, largest = 0, 0
    is_set = True
    while number < end and heads.word[number] == word:
        head = heads.head[number]
        key = np.int64(lists.list_key[heads.open_list[head]])
        if key < present_base:
            weight = lists.entry_weights[heads.place[head]] if len(lists.entry_weights) > 0 else 1.0
            hit = hit_units(weight, heads.open_weight[head])
            added = add_units(added, hit)
            largest = max(largest, hit)
            is_set = is_set and key < num_keys
        number += 1
    return added if is_set else largest, number
