"""How are the best conjunctions found without a walk? In the lists of the attributes that can score most, one by one.

Take the attributes of an event for which a K-index has lists, by what these can score, the highest first. A conjunction
of size K has K attributes at most: once those K that can score most of all that are left cannot reach the worst of the
best so far together, no conjunction is left that was not met already. An entry leads to the row of its conjunction's
atoms, which says whether it holds and what it scores. What is rare mostly weighs most, and its lists are short. Long
lists wait until all sizes had their turn with short ones, and are mostly left out then. This is MaxScore of Turtle and
Flood (1995), with rows in which conjunctions are looked up.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Events
from eligo.engines.kernels.exact_scores import add_units, hit_units
from eligo.engines.whang.kernels.best_items import Best, worst_of_best
from eligo.engines.whang.kernels.conjunction_ranking import offer_matches
from eligo.engines.whang.kernels.list_heads import ONE, SLOT_BITS, Heads, KLists, open_event
from eligo.engines.whang.kernels.list_scores import head_bound
from eligo.engines.whang.kernels.posting_lists import IN
from eligo.engines.whang.kernels.prefix_tree import LEAF
from eligo.kernels.compiled import hot_loop, kernel
from eligo.kernels.hashing import NONE
from eligo.kernels.parameter_types import Int64s, Integer, UInt8s, UInt16s, UInt32s, UInt64s
from eligo.kernels.prefetch import prefetch
from eligo.kernels.score_units import MOST_UNITS

TURNS = (0, 32, 512, 1 << 62)
"""How many entries an attribute's lists have in each turn: more than the number before, at most this one."""
FEW_ENTRIES = 1024
NODES_FOR_ENTRY = 256
"""When more entries have been looked at than these few and one for so many nodes of the tree, a walk is better."""


TWO = np.uint64(2)
NEAR, FAR = np.uint64(8), np.uint64(16)
"""How many entries ahead rows are asked for, and where they lie."""


class TreeRanks(NamedTuple):
    """What ranking knows of a tree beyond what matching needs; made when it is first asked for."""

    depths: npt.NDArray[np.uint16]
    """For each node: how many are above it."""
    bounds: npt.NDArray[np.float32]
    """For each node: what its clause and those below, down to the best leaf, can score for weights of 1, in units."""
    row_offsets: npt.NDArray[np.uint32]
    """Item i is the AND of `rows[row_offsets[i]:row_offsets[i + 1]]`. Empty when only a walk can tell."""
    rows: npt.NDArray[np.uint32]
    """Clauses of items, in the order in which a walk comes to them."""


@kernel
def write_rows(node_clause: UInt32s, node_next: UInt32s, depths: UInt16s, row_offsets: UInt32s, rows: UInt32s) -> None:
    """Write the clauses of each item, those of its leaf and of all nodes above; with no rows, how many there are."""
    above = np.empty(np.int64(depths.max()) + 1 if len(depths) else 1, np.uint32)
    for node in range(len(node_next)):
        depth = np.int64(depths[node])
        above[depth] = node_clause[node]
        if node_next[node] & LEAF == 0:
            continue
        item = np.int64(node_next[node] ^ LEAF)
        if len(rows) == 0:
            row_offsets[item + 1] = depth + 1
        else:
            first = np.int64(row_offsets[item])
            rows[first : first + depth + 1] = above[: depth + 1]


@hot_loop
def _score_of(item: Integer, row_offsets: UInt32s, rows: UInt32s, holds: UInt8s, scores: Int64s) -> Any:
    """What the clauses of an item score, or -1 if one does not hold."""
    score = 0
    for place in range(row_offsets[item], row_offsets[item + ONE]):
        clause = rows[place]
        if holds[clause] == 0:
            return -1
        score = add_units(score, scores[clause])
    return score


@hot_loop
def _is_before(one: Integer, other: Integer, lists: KLists, heads: Heads, attribute_bounds: Int64s) -> Any:
    """Whether the list of a head comes before another's: its attribute can score more, or equals and has less."""
    attribute = lists.list_attribute[heads.open_list[one]]
    other_attribute = lists.list_attribute[heads.open_list[other]]
    if attribute_bounds[attribute] != attribute_bounds[other_attribute]:
        return attribute_bounds[attribute] > attribute_bounds[other_attribute]
    return attribute < other_attribute


@hot_loop
def _sort_heads(count: Integer, lists: KLists, heads: Heads, attribute_bounds: Int64s) -> None:
    """Sort `heads.head[:count]`, those of the heaviest attribute first."""
    order = heads.head
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for place in range(gap, count):
            head = order[place]
            at = place
            while at >= gap and _is_before(head, order[at - gap], lists, heads, attribute_bounds):
                order[at] = order[at - gap]
                at -= gap
            order[at] = head
        gap //= 3


@hot_loop
def _scored_heads(rank: Integer, lists: KLists, heads: Heads, attribute_bounds: Int64s) -> Any:
    """Write the heads of a size whose lists score, sorted, and what their attributes can score; returns how many."""
    count = 0
    for head in range(heads.size_first[rank], heads.size_first[rank + 1]):
        bound = head_bound(head, lists, heads)
        attribute = lists.list_attribute[heads.open_list[head]]
        if bound > 0 and attribute != NONE:
            attribute_bounds[attribute] = add_units(attribute_bounds[attribute], bound)
            heads.head[count] = head
            count += 1
    _sort_heads(count, lists, heads, attribute_bounds)
    return count


@hot_loop
def _end_of_attribute(first: Integer, count: Integer, lists: KLists, heads: Heads) -> Any:
    """Where the heads of an attribute end, and how many entries their lists have."""
    attribute = lists.list_attribute[heads.open_list[heads.head[first]]]
    at, num_entries = first, np.int64(0)
    while at < count:
        number = np.int64(heads.open_list[heads.head[at]])
        if lists.list_attribute[number] != attribute:
            break
        num_entries += np.int64(lists.list_offsets[number + 1]) - np.int64(lists.list_offsets[number])
        at += 1
    return at, num_entries


@hot_loop
def _reach(
    first: Integer, most: Integer, shortest: Integer, count: Integer, lists: KLists, heads: Heads,
    attribute_bounds: Int64s,
) -> Any:  # fmt: skip
    """What at most so many of the next attributes can score together; only those with more entries than `shortest`."""
    reach, at = 0, first
    while at < count and most > 0:
        end, num_entries = _end_of_attribute(at, count, lists, heads)
        if num_entries > shortest:
            reach = add_units(reach, attribute_bounds[lists.list_attribute[heads.open_list[heads.head[at]]]])
            most -= 1
        at = end
    return reach


@hot_loop
def _offer_list(
    head: Integer, rest: Integer, lists: KLists, ranks: TreeRanks, heads: Heads, holds: UInt8s, scores: Int64s,
    best: Best, is_rescored: UInt8s, marks: UInt64s,
) -> None:  # fmt: skip
    """Offer the items of a list that hold, unless their entries and `rest` cannot be among the best."""
    shift = np.uint64(lists.layout[SLOT_BITS])
    number = np.int64(heads.open_list[head])
    weight = heads.open_weight[head]
    entries, row_offsets, rows = lists.entries, ranks.row_offsets, ranks.rows
    is_weighted = len(lists.entry_weights) > 0
    last = np.uint64(lists.list_offsets[number + 1]) - ONE
    hit = hit_units(1.0, weight)
    for place in range(lists.list_offsets[number], lists.list_offsets[number + 1]):
        # Rows lie here and there, and each would be waited for.
        far, near = min(np.uint64(place) + FAR, last), min(np.uint64(place) + NEAR, last)
        prefetch(row_offsets, np.uint64(entries[far]) >> (shift + TWO))
        prefetch(rows, np.uint64(row_offsets[np.uint64(entries[near]) >> (shift + TWO)]))
        worst = worst_of_best(best)
        if is_weighted:
            hit = hit_units(lists.entry_weights[place], weight)
        if hit + rest < worst:
            continue
        word = np.uint64(entries[place]) >> shift
        if word & np.uint64(3) != np.uint64(IN):
            continue
        item = word >> TWO
        score = _score_of(item, row_offsets, rows, holds, scores)
        if score >= 0 and score >= worst:
            heads.counts[3] += 1
            offer_matches(item, score, lists, best, is_rescored, marks)


@hot_loop
def _rank_size(
    rank: Integer, shortest: Integer, longest: Integer, lists: KLists, ranks: TreeRanks, heads: Heads, holds: UInt8s,
    scores: Int64s, best: Best, is_rescored: UInt8s, marks: UInt64s, attribute_bounds: Int64s,
) -> Any:  # fmt: skip
    """Offer the items of a size from lists of more than `shortest` and up to `longest` entries; returns how many."""
    count = _scored_heads(rank, lists, heads, attribute_bounds)
    size = np.int64(lists.sizes[rank])
    waiting, num_waiting = 0, 0  # the heaviest of those that wait, up to the size
    num_read, place = 0, 0
    while place < count:
        end, num_entries = _end_of_attribute(place, count, lists, heads)
        further = _reach(place, size - num_waiting, shortest, count, lists, heads, attribute_bounds)
        reach = add_units(waiting, further)
        if reach < worst_of_best(best):
            break
        if num_entries > longest:
            if num_waiting < size:
                heaviest = attribute_bounds[lists.list_attribute[heads.open_list[heads.head[place]]]]
                waiting = add_units(waiting, heaviest)
                num_waiting += 1
        elif num_entries > shortest:
            num_read += num_entries
            for at in range(place, end):
                # A sum that has come to its end says nothing about its parts.
                rest = reach - head_bound(heads.head[at], lists, heads) if reach < MOST_UNITS else reach
                _offer_list(heads.head[at], rest, lists, ranks, heads, holds, scores, best, is_rescored, marks)
        place = end
    for at in range(count):
        attribute_bounds[lists.list_attribute[heads.open_list[heads.head[at]]]] = 0
    return num_read


@hot_loop
def rank_by_attributes(
    events: Events, lists: KLists, ranks: TreeRanks, heads: Heads, holds: UInt8s, scores: Int64s, best: Best,
    is_rescored: UInt8s, marks: UInt64s, attribute_bounds: Int64s,
) -> Any:  # fmt: skip
    """Offer the items that may be among the best; returns whether these are all, or else a walk has to follow.

    `holds` and `scores` are set for the batch's only event; `attribute_bounds` is zero before and after.
    """
    patience = FEW_ENTRIES + len(ranks.depths) // NODES_FOR_ENTRY
    open_event(0, events, lists, heads)
    for turn in range(1, len(TURNS)):
        for step in range(len(lists.sizes)):
            num_read = _rank_size(
                len(lists.sizes) - 1 - step, TURNS[turn - 1], TURNS[turn], lists, ranks, heads, holds, scores, best,
                is_rescored, marks, attribute_bounds,
            )  # fmt: skip
            heads.counts[1] += num_read
            patience -= num_read
            if patience < 0:
                return False
    return worst_of_best(best) > 0  # what scores nothing was not looked at
