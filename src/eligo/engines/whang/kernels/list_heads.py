"""How does an event walk through posting lists together? Each list has a head, and heads are kept in order.

Whang 2009, Algorithm 1: the lists of the event's keys are opened for each size K; the current entries are kept sorted;
an item can match only when K heads stand on it, so that all before the K-th head may skip to where that one is.

    age = 3       1∈ 2∈ 3∈            heads, sorted    age = 3    1∈      K = 2: nothing below item 3 can have
    state = 'CA'  3∉ 4∈                                state = 'CA'  3∉   two lists, so age = 3 skips to item 3
    gender = 'M'  3∈ 4∈                                gender = 'M'  3∈
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Events
from eligo.engines.kernels.exact_scores import add_units, hit_units
from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Int64s, Integer, UInt32s, UInt64s
from eligo.kernels.score_units import MOST_UNITS
from eligo.ranges.kernels.segment_tree_walks import climb

ONE = np.uint64(1)
NOTHING = -1
"""Instead of an item: there are too few heads left."""
UNFINISHED = -2
"""Instead of an item: the walk was told to pause here."""
ANY_SCORE = -1
"""Instead of the score, in units, that an item must reach: below every score."""


Entries = npt.NDArray[np.uint32] | npt.NDArray[np.uint64]
"""Words of entries, as narrow as they can be."""


class KLists(NamedTuple):
    """K-indexes: the posting lists of items (conjunctions, or CNF expressions), partitioned by size."""

    sizes: npt.NDArray[np.uint32]
    """The distinct sizes K of items, ascending."""
    size_offsets: npt.NDArray[np.uint32]
    """The r-th size has the lists `size_offsets[r]:size_offsets[r + 1]`, in the order of their first entries."""
    list_offsets: npt.NDArray[np.uint64]
    """List l has `entries[list_offsets[l]:list_offsets[l + 1]]`."""
    list_key: npt.NDArray[np.uint32]
    """For each list: its key. Beyond the vocabulary's keys come nodes of axes, presence, and Z."""
    list_attribute: npt.NDArray[np.uint32]
    """For each list: the attribute of its key; NONE for Z."""
    list_bounds: npt.NDArray[np.float64]
    """For each list: UB, what no weight of an entry passes; infinite when an item in it is scored by its tree."""
    entries: Entries
    """For each list: its entries (see `posting_lists`), ascending, one for an item at most."""
    entry_weights: npt.NDArray[np.float64]
    """For each entry: its weight. Empty when an entry weighs 1 with ∈ and a key that scores, and 0 otherwise."""
    key_offsets: npt.NDArray[np.uint32]
    """Key k has the lists `key_lists[key_offsets[k]:key_offsets[k + 1]]`."""
    key_lists: npt.NDArray[np.uint32]
    """For each key: its lists, ascending, so those of small sizes first."""
    match_offsets: npt.NDArray[np.uint32]
    """Item i belongs to the expressions `matches[match_offsets[i]:match_offsets[i + 1]]`."""
    matches: npt.NDArray[np.uint32]
    disjunction_offsets: npt.NDArray[np.uint32]
    """CNF i has the disjunctions `disjunction_offsets[i]:disjunction_offsets[i + 1]`; empty for conjunctions."""
    disjunction_outs: npt.NDArray[np.uint16]
    """For each disjunction: how many of its ∉ predicates hold unless a key is hit."""
    rescored: npt.NDArray[np.uint32]
    """The expressions whose score the items do not tell, ascending; the engine's table has their nodes."""
    axis_base: npt.NDArray[np.uint32]
    """For each axis: the key of its node 0; see `ranges.segment_tree`."""
    axis_size: npt.NDArray[np.uint32]
    """For each axis: the size of its segment tree, or 1 where lists are elementary."""
    layout: npt.NDArray[np.uint32]
    """`slot_bits`, `predicate_bits`, the first key of presence, the key of Z, and the number of expressions."""


SLOT_BITS, PREDICATE_BITS, PRESENT_BASE, ZERO_KEY, NUM_EXPRESSIONS = range(5)
"""Places in `layout`."""


class Heads(NamedTuple):
    """What one thread needs to walk; nothing is open between events."""

    opened_key: npt.NDArray[np.uint32]
    opened_weight: npt.NDArray[np.float64]
    """The event's keys that have lists, with their weights in the event."""
    place_of_key: npt.NDArray[np.uint32]
    """For each key: 1 plus its place among these, or 0."""
    size_first: npt.NDArray[np.uint32]
    """The lists of the r-th size that are open are `open_list[size_first[r]:size_first[r + 1]]`."""
    open_list: npt.NDArray[np.uint32]
    open_weight: npt.NDArray[np.float64]
    """For each open list: its number, and the weight of its key in the event."""
    place: npt.NDArray[np.uint64]
    """For each head (an open list of the current size): where it is in the entries."""
    end: npt.NDArray[np.uint64]
    """For each head: where its list ends."""
    bound: npt.NDArray[np.int64]
    """For each head: what a hit of UB of its list and the weight of its key scores; no entry of it scores more."""
    word: npt.NDArray[np.uint64]
    """The current entries of all heads that are not at their ends, ascending."""
    head: npt.NDArray[np.uint32]
    """For each of these: its head."""
    counts: npt.NDArray[np.int64]
    """Added up over events: steps, entries that were current, entries skipped, items that matched."""


def new_heads(lists: KLists, most_keys: int, most_lists: int) -> Heads:
    """Heads for events with at most so many keys with lists, and so many lists in all."""
    return Heads(
        np.zeros(most_keys + 1, np.uint32),
        np.zeros(most_keys + 1, np.float64),
        np.zeros(len(lists.key_offsets), np.uint32),
        np.zeros(len(lists.sizes) + 2, np.uint32),
        np.zeros(most_lists + 1, np.uint32),
        np.zeros(most_lists + 1, np.float64),
        np.zeros(most_lists + 1, np.uint64),
        np.zeros(most_lists + 1, np.uint64),
        np.zeros(most_lists + 1, np.int64),
        np.zeros(most_lists + 1, np.uint64),
        np.zeros(most_lists + 1, np.uint32),
        np.zeros(4, np.int64),
    )


@hot_loop
def most_open(events: Events, lists: KLists) -> Any:
    """The most keys with lists, and the most lists, that any event of a batch may open, counted generously."""
    most_keys, most_lists = 0, 0
    present_base = np.int64(lists.layout[PRESENT_BASE])
    num_attributes = np.int64(lists.layout[ZERO_KEY]) - present_base
    for event in range(len(events.key_offsets) - 1):
        num_keys, num_lists = 1, _num_lists(lists, np.int64(lists.layout[ZERO_KEY]))
        for place in range(events.key_offsets[event], events.key_offsets[event + 1]):
            key = np.int64(events.keys[place])
            num_keys += 2
            num_lists += _num_lists(lists, key)
            if key < num_attributes:
                num_lists += _num_lists(lists, present_base + key)
        for place in range(events.cell_offsets[event], events.cell_offsets[event + 1]):
            axis = events.cell_axes[place]
            for node in climb(events.cells[place], lists.axis_size[axis], lists.axis_base[axis]):
                num_keys += 1
                num_lists += _num_lists(lists, np.int64(node))
        most_keys, most_lists = max(most_keys, num_keys), max(most_lists, num_lists)
    return most_keys, most_lists


@hot_loop
def _num_lists(lists: KLists, key: Integer) -> Any:
    return np.int64(lists.key_offsets[key + 1]) - np.int64(lists.key_offsets[key])


@hot_loop
def _open_key(key: Integer, weight: float, count: Integer, lists: KLists, heads: Heads) -> Any:
    """Open a key that has lists, or raise its weight if it is open; returns how many are open."""
    if lists.key_offsets[key + 1] == lists.key_offsets[key]:
        return count
    place = np.int64(heads.place_of_key[key])
    if place > 0:
        heads.opened_weight[place - 1] = max(heads.opened_weight[place - 1], weight)
        return count
    heads.opened_key[count] = key
    heads.opened_weight[count] = weight
    heads.place_of_key[key] = count + 1
    return count + 1


@hot_loop
def open_event(event: Integer, events: Events, lists: KLists, heads: Heads) -> None:
    """Find the lists of an event's keys, by size: GetPostingLists of Algorithm 1, for every K at once."""
    present_base = np.int64(lists.layout[PRESENT_BASE])
    num_attributes = np.int64(lists.layout[ZERO_KEY]) - present_base
    count = 0
    for place in range(events.key_offsets[event], events.key_offsets[event + 1]):
        key = np.int64(events.keys[place])
        weight = events.key_weights[place] if len(events.key_weights) > 0 else 1.0
        count = _open_key(key, weight, count, lists, heads)
        if key < num_attributes:
            count = _open_key(present_base + key, 0.0, count, lists, heads)
    for place in range(events.cell_offsets[event], events.cell_offsets[event + 1]):
        axis = events.cell_axes[place]
        weight = events.cell_weights[place] if len(events.cell_weights) > 0 else 1.0
        for node in climb(events.cells[place], lists.axis_size[axis], lists.axis_base[axis]):
            count = _open_key(np.int64(node), weight, count, lists, heads)
    count = _open_key(np.int64(lists.layout[ZERO_KEY]), 0.0, count, lists, heads)

    num_sizes = len(lists.sizes)
    size_first = heads.size_first
    size_first[: num_sizes + 2] = 0
    for opened in range(count):  # count the lists of each size two places on, so that filling leaves offsets
        key = np.int64(heads.opened_key[opened])
        heads.place_of_key[key] = 0
        rank = 0
        for place in range(lists.key_offsets[key], lists.key_offsets[key + 1]):
            while lists.size_offsets[rank + 1] <= lists.key_lists[place]:
                rank += 1
            size_first[rank + 2] += np.uint32(1)
    for rank in range(num_sizes):
        size_first[rank + 2] += size_first[rank + 1]
    for opened in range(count):
        key = np.int64(heads.opened_key[opened])
        rank = 0
        for place in range(lists.key_offsets[key], lists.key_offsets[key + 1]):
            while lists.size_offsets[rank + 1] <= lists.key_lists[place]:
                rank += 1
            at = size_first[rank + 1]
            heads.open_list[at] = lists.key_lists[place]
            heads.open_weight[at] = heads.opened_weight[opened]
            size_first[rank + 1] += np.uint32(1)


@hot_loop
def list_bound(number: Integer, weight: float, lists: KLists) -> Any:
    """What no entry of a list scores more than, in units, where its key has a weight in the event."""
    bound = lists.list_bounds[number]
    return MOST_UNITS if bound == np.inf else hit_units(bound, weight)


@hot_loop
def open_size(rank: Integer, lists: KLists, heads: Heads) -> Any:
    """Put a head on the first entry of each open list of one size, and sort them; returns how many there are.

    Heads are numbered from the size's first open list on.
    """
    first, last = np.int64(heads.size_first[rank]), np.int64(heads.size_first[rank + 1])
    count = last - first
    for number in range(count):
        opened = np.int64(heads.open_list[first + number])
        heads.place[first + number] = lists.list_offsets[opened]
        heads.end[first + number] = lists.list_offsets[opened + 1]
        heads.bound[first + number] = list_bound(opened, heads.open_weight[first + number], lists)
        heads.word[number] = lists.entries[lists.list_offsets[opened]]
        heads.head[number] = first + number
    heads.counts[1] += count
    gap = 1
    while gap < count // 9:
        gap = 3 * gap + 1
    while gap > 0:  # Shell's sort: insertion sort for the few lists that there mostly are
        for number in range(gap, count):
            word, head = heads.word[number], heads.head[number]
            at = number
            while at >= gap and heads.word[at - gap] > word:
                heads.word[at], heads.head[at] = heads.word[at - gap], heads.head[at - gap]
                at -= gap
            heads.word[at], heads.head[at] = word, head
        gap //= 3
    return count


@hot_loop
def meet(
    size: Integer, count: Integer, number: Integer, target: Integer, worst: Integer, max_rounds: Integer,
    shift: Integer, out_bits: Integer, entries: Entries, place: UInt64s, end: UInt64s, bound: Int64s, word: UInt64s,
    order: UInt32s, counts: Int64s,
) -> Any:  # fmt: skip
    """Walk on until K heads stand on one item that may match: the inner loop of Algorithm 1 (steps 13 to 36).

    First the first `number` heads skip to entries at or above the target. Returns the item, how many heads stand on
    it, and how many heads there are; or NOTHING when fewer than K are left, and UNFINISHED after `max_rounds` rounds.
    Items whose first entry has bits of `out_bits` only (a violated ∉) are passed, and so is what cannot reach the score
    `worst`, in units (the first pruning technique of section 5).

    Arrays are passed one by one: a call that hands over tuples of arrays costs more than a round. For the same reason
    this is one loop: a round is a handful of steps, and each of them changes what the next one reads.
    """
    needed = max(size, 1)
    rounds = 0
    while True:
        # Move the first heads to the target, the last of them first: what is behind a head is in order already.
        counts[1] += number
        for step in range(number):
            at = number - 1 - step
            head = order[at]
            # Galloping search: steps double until the target is passed, then halve.
            before = place[head]
            high = before + ONE
            low = high
            last = end[head]
            jump = ONE
            while high < last and np.uint64(entries[high]) < target:
                low = high + ONE
                high += jump
                jump += jump
            high = min(high, last)
            while low < high:
                middle = (low + high) >> ONE
                if np.uint64(entries[middle]) < target:
                    low = middle + ONE
                else:
                    high = middle
            place[head] = low
            counts[2] += np.int64(low - before) - 1
            if low == last:  # the list has ended: its head goes, and those behind it move up
                count -= 1
                for behind in range(at, count):
                    word[behind], order[behind] = word[behind + 1], order[behind + 1]
                continue
            current = np.uint64(entries[low])
            # Insertion: the head has mostly not come far, so it finds its place among a few.
            while at + 1 < count and word[at + 1] < current:
                word[at], order[at] = word[at + 1], order[at + 1]
                at += 1
            word[at], order[at] = current, head
        if count < needed:
            return NOTHING, 0, count
        if rounds == max_rounds:
            return UNFINISHED, 0, count
        rounds += 1
        counts[0] += 1
        # The K-th head's item is the first that K heads can stand on.
        pivot = word[needed - 1] >> shift
        number = needed
        if worst > ANY_SCORE:
            reach = 0
            number = 0
            while number < count and word[number] >> shift <= pivot:
                reach = add_units(reach, bound[order[number]])
                number += 1
            if reach < worst:  # no item up to the pivot is among the best: all go past it
                target = (pivot + ONE) << shift
                continue
        if word[0] >> shift != pivot:  # fewer than K stand on the pivot: those before it catch up
            number = needed - 1
            while word[number - 1] >> shift == pivot:
                number -= 1
            target = pivot << shift
            continue
        while number < count and word[number] >> shift == pivot:
            number += 1
        # K heads or more stand on one item; whatever comes of it, they go past it next.
        target = (pivot + ONE) << shift
        if word[0] & out_bits == 0 and out_bits != 0:
            continue
        return np.int64(pivot), number, count
