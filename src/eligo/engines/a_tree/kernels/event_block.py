"""How do many events share one walk through a tree? As a block: 512 events, a bit each in a mask of 8 words.

No paper has this. Every list, literal and node holds the events of the block that it is true for, AND and OR work on
whole words, and each is touched once a block, however many events hit it:

    events of the block      e0 {a: 1, b: 2}    e1 {a: 1}    e2 {b: 2}
    mask of a = 1            011                              (bit 0 is e0)
    mask of b = 2            101
    a = 1 and b = 2          001
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Events, Literals
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree, has_entries
from eligo.engines.a_tree.kernels.inline_tests import near_key
from eligo.engines.kernels.event_state import ONE
from eligo.kernels.compiled import hot_loop, inlined, kernel
from eligo.kernels.parameter_types import Integer, UInt8s, UInt32s, UInt64s
from eligo.ranges.kernels.segment_tree_walks import climb

WORDS = 8
"""So a mask is one cache line; see docs/decisions/blocks-of-events.md."""
BLOCK = 64 * WORDS
"""Events in a block."""
STRIDE = np.uint64(WORDS)
FEW_WORDS = 2
"""Lists and candidates with so many words with events, or fewer, are worked on word by word."""
EVENT_BITS = np.uint64(BLOCK.bit_length() - 1)
CELL_BITS = np.uint64(32)


class BlockState(NamedTuple):
    """The masks of one block of events; each thread has its own. Mask i is the words from STRIDE · i on."""

    list_slot: npt.NDArray[np.uint32]
    """For each list (a key, or a node of an axis): the number of its mask, or 0 when no event meets it."""
    masks: npt.NDArray[np.uint64]
    """For each slot: the events that meet its list; slot 0 has none."""
    list_of_slot: npt.NDArray[np.uint32]
    """For each slot: its list."""
    rank_base: npt.NDArray[np.uint64]
    """For each axis: where the ranks of its cells begin in `cell_rank`."""
    cell_rank: npt.NDArray[np.uint32]
    """For each cell, and one more, of each axis: the row of the highest cell of the block that is below it."""
    few_words: npt.NDArray[np.uint8]
    """For each slot: 1 when at most `FEW_WORDS` words of its mask have events."""
    axis_several: npt.NDArray[np.uint8]
    """For each axis: 1 when some event of the block has several cells on it."""
    cell_masks: npt.NDArray[np.uint64]
    """For each axis: a row without events, then for each of the block's distinct cells, ascending, the events with this
    cell; or, where no event has several, with this cell or a lower one, so that a range is the difference of two."""
    everyone: npt.NDArray[np.uint64]
    """All events of the block: the last block of a batch is not full."""
    num_slots: npt.NDArray[np.int64]
    """One item: slots in use, slot 0 among them."""
    triples: npt.NDArray[np.uint64]
    """Scratch: (axis, cell, event) of the block, packed for sorting."""


def aligned(num_words: int) -> npt.NDArray[np.uint64]:
    """Words, not set to anything, that begin at the border of a cache line, so that a mask lies in as few as it can."""
    words = np.empty(num_words + 7, np.uint64)
    return words[-(words.ctypes.data // 8) % 8 :][:num_words]


def new_block(num_lists: int, num_cells: npt.NDArray[np.int64], most_keys: int, most_cells: int) -> BlockState:
    """A state with no block loaded, for events of at most so many keys and cells each; `num_cells` is by axis."""
    num_axes = len(num_cells)
    rank_base = np.zeros(num_axes + 1, np.uint64)
    np.cumsum(num_cells + 1, out=rank_base[1:])
    num_slots = num_lists + most_keys * BLOCK + 2
    num_rows = most_cells * BLOCK + num_axes + 1
    return BlockState(
        list_slot=np.zeros(num_lists + 1, np.uint32),
        masks=aligned(num_slots * WORDS),
        list_of_slot=np.empty(num_slots, np.uint32),
        rank_base=rank_base,
        cell_rank=np.zeros(int(rank_base[-1]), np.uint32),
        few_words=np.zeros(num_slots, np.uint8),
        axis_several=np.zeros(num_axes, np.uint8),
        cell_masks=aligned(num_rows * WORDS),
        everyone=aligned(WORDS),
        num_slots=np.zeros(1, np.int64),
        triples=np.empty(most_cells * BLOCK + 1, np.uint64),
    )


@hot_loop
def heaviest_lists(
    events: Events, list_offsets: UInt32s, plain_offsets: UInt32s, heaviest: UInt32s, second: UInt32s
) -> None:
    """Write for each event the two longest lists among its keys: events that share them gain from sharing a block."""
    for event in range(len(events.key_offsets) - 1):
        longest = np.int64(-1)
        next_longest = np.int64(-1)
        for place in range(events.key_offsets[event], events.key_offsets[event + 1]):
            key = np.uint64(events.keys[place])
            length = np.int64(list_offsets[key + ONE]) - np.int64(list_offsets[key])
            length += np.int64(plain_offsets[key + ONE]) - np.int64(plain_offsets[key])
            if length > longest:
                next_longest, second[event] = longest, heaviest[event]
                longest, heaviest[event] = length, key
            elif length > next_longest:
                next_longest, second[event] = length, key


@hot_loop
def _slot_of(met: Integer, num_slots: Integer, list_slot: UInt32s, list_of_slot: UInt32s, masks: UInt64s) -> Any:
    """The slot of a list, which gets the next one, `num_slots`, when it has none."""
    slot = np.uint64(list_slot[met])
    if slot == 0:
        slot = num_slots
        list_slot[met] = slot
        list_of_slot[slot] = met
        for word in range(WORDS):
            masks[slot * STRIDE + np.uint64(word)] = 0
    return slot


@kernel
def load_block(
    first: Integer, last: Integer, order: UInt32s, events: Events, tree: FrozenTree, block: BlockState
) -> None:
    """Make the masks of events `order[first:last]`: of every list that they meet, and of their cells."""
    list_slot, masks, list_of_slot, triples = block.list_slot, block.masks, block.list_of_slot, block.triples
    list_offsets, plain_offsets = tree.list_offsets, tree.plain_offsets
    keys, cells, cell_axes = events.keys, events.cells, events.cell_axes
    everyone = block.everyone
    num_slots = ONE
    num_triples = np.uint64(0)
    for word in range(WORDS):
        everyone[word] = 0
        masks[word] = 0
        block.cell_masks[word] = 0
    for rank in range(first, last):
        event = np.uint64(order[rank])
        number = np.uint64(rank - first)
        word = number >> np.uint64(6)
        bit = ONE << (number & np.uint64(63))
        everyone[word] |= bit
        for place in range(events.key_offsets[event], events.key_offsets[event + ONE]):
            slot = _slot_of(np.uint64(keys[place]), num_slots, list_slot, list_of_slot, masks)
            num_slots = max(num_slots, slot + ONE)
            masks[slot * STRIDE + word] |= bit
        for place in range(events.cell_offsets[event], events.cell_offsets[event + ONE]):
            axis = np.uint64(cell_axes[place])
            cell = np.uint64(cells[place])
            # Axis, cell and event in one word: one sort brings a block's cells in order.
            triples[num_triples] = (((axis << CELL_BITS) | cell) << EVENT_BITS) | number
            num_triples += ONE
            for met in climb(cell, tree.axis_size[axis], tree.axis_base[axis]):
                if has_entries(met, list_offsets, plain_offsets):
                    slot = _slot_of(met, num_slots, list_slot, list_of_slot, masks)
                    num_slots = max(num_slots, slot + ONE)
                    masks[slot * STRIDE + word] |= bit
    universal = np.uint64(tree.universal[0])
    if has_entries(universal, list_offsets, plain_offsets):
        slot = _slot_of(universal, num_slots, list_slot, list_of_slot, masks)
        num_slots += ONE
        for each in range(WORDS):
            masks[slot * STRIDE + np.uint64(each)] = everyone[each]
    block.num_slots[0] = num_slots
    _mark_few_words(block)
    _load_cells(np.int64(num_triples), block)


@hot_loop
def _mark_few_words(block: BlockState) -> None:
    """Find the lists that few words of events meet."""
    masks = block.masks
    for slot in range(block.num_slots[0]):
        count = 0
        for word in range(WORDS):
            count += masks[slot * WORDS + word] != 0
        block.few_words[slot] = 1 if count <= FEW_WORDS else 0


@kernel
def _load_cells(num_triples: Integer, block: BlockState) -> None:
    """Turn the (axis, cell, event) triples into rows of distinct cells with their masks."""
    triples, cell_masks, cell_rank = block.triples[:num_triples], block.cell_masks, block.cell_rank
    triples.sort()
    seen = np.zeros(WORDS, np.uint64)
    row = 0
    begin = 0
    while begin < num_triples:
        axis = np.int64(triples[begin] >> (CELL_BITS + EVENT_BITS))
        base_row = row
        several = False
        for word in range(WORDS):
            seen[word] = 0
            cell_masks[row * WORDS + word] = 0
        rank = np.int64(block.rank_base[axis])
        cell = np.int64(-1)
        while begin < num_triples and np.int64(triples[begin] >> (CELL_BITS + EVENT_BITS)) == axis:
            next_cell = np.int64((triples[begin] >> EVENT_BITS) & np.uint64(0xFFFFFFFF))
            number = triples[begin] & np.uint64(BLOCK - 1)
            word = np.int64(number >> np.uint64(6))
            bit = ONE << (number & np.uint64(63))
            if next_cell != cell:
                cell = next_cell
                upto = np.int64(block.rank_base[axis]) + cell
                while rank <= upto:
                    cell_rank[rank] = row
                    rank += 1
                row += 1
                for each in range(WORDS):
                    cell_masks[row * WORDS + each] = 0
            cell_masks[row * WORDS + word] |= bit
            several = several or seen[word] & bit != 0
            seen[word] |= bit
            begin += 1
        end = np.int64(block.rank_base[axis + 1])
        while rank < end:
            cell_rank[rank] = row
            rank += 1
        block.axis_several[axis] = 1 if several else 0
        if not several:
            for place in range((base_row + 1) * WORDS, (row + 1) * WORDS):
                cell_masks[place] |= cell_masks[place - WORDS]
        row += 1


@hot_loop
def unload_block(block: BlockState) -> None:
    """Forget the block."""
    cell_rank, rank_base = block.cell_rank, block.rank_base
    for slot in range(1, block.num_slots[0]):
        block.list_slot[block.list_of_slot[slot]] = 0
    block.num_slots[0] = 1
    for axis in range(len(rank_base) - 1):
        # An axis on which no event of the next block has a cell must find none: equal ranks say so.
        block.axis_several[axis] = 0
        for place in range(rank_base[axis], rank_base[axis + 1]):
            cell_rank[place] = 0


# The events of `source`, from `start` on, that pass a test are written to `out`, from `base` on; the word that comes
# back is 0 when there are none. There is no branch on what the block holds: it would be guessed wrongly half of the
# time, and then nothing is fetched ahead. These functions become part of their callers: a call would cost more.


@inlined
def key_mask(
    key: Integer, list_slot: UInt32s, masks: UInt64s, source: UInt64s, start: Integer, out: UInt64s, base: Integer
) -> Any:
    """The events that have a key."""
    left = np.uint64(0)
    one = np.uint64(list_slot[key]) * STRIDE
    for each in range(WORDS):
        word = np.uint64(each)
        hit = source[start + word] & masks[one + word]
        out[base + word] = hit
        left |= hit
    return left


@inlined
def keys_mask(
    first: Integer, second: Integer, third: Integer, list_slot: UInt32s, masks: UInt64s, source: UInt64s,
    start: Integer, out: UInt64s, base: Integer,
) -> Any:  # fmt: skip
    """The events that have one of three keys."""
    left = np.uint64(0)
    one, two = np.uint64(list_slot[first]) * STRIDE, np.uint64(list_slot[second]) * STRIDE
    three = np.uint64(list_slot[third]) * STRIDE
    for each in range(WORDS):
        word = np.uint64(each)
        hit = source[start + word] & (masks[one + word] | masks[two + word] | masks[three + word])
        out[base + word] = hit
        left |= hit
    return left


@inlined
def near_mask(
    key: Integer, distances: Integer, more_distances: Integer, list_slot: UInt32s, masks: UInt64s, source: UInt64s,
    start: Integer, out: UInt64s, base: Integer,
) -> Any:  # fmt: skip
    """The events that have one of the keys of a near test."""
    left = np.uint64(0)
    one = np.uint64(list_slot[key]) * STRIDE
    two = np.uint64(list_slot[near_key(key, distances, more_distances, 0)]) * STRIDE
    three = np.uint64(list_slot[near_key(key, distances, more_distances, 1)]) * STRIDE
    four = np.uint64(list_slot[near_key(key, distances, more_distances, 2)]) * STRIDE
    five = np.uint64(list_slot[near_key(key, distances, more_distances, 3)]) * STRIDE
    six = np.uint64(list_slot[near_key(key, distances, more_distances, 4)]) * STRIDE
    for each in range(WORDS):
        word = np.uint64(each)
        some = masks[one + word] | masks[two + word] | masks[three + word]
        hit = source[start + word] & (some | masks[four + word] | masks[five + word] | masks[six + word])
        out[base + word] = hit
        left |= hit
    return left


@inlined
def not_keys_mask(
    attribute: Integer, first: Integer, second: Integer, list_slot: UInt32s, masks: UInt64s, source: UInt64s,
    start: Integer, out: UInt64s, base: Integer,
) -> Any:  # fmt: skip
    """The events that have an attribute and neither of two keys."""
    left = np.uint64(0)
    present = np.uint64(list_slot[attribute]) * STRIDE
    one, two = np.uint64(list_slot[first]) * STRIDE, np.uint64(list_slot[second]) * STRIDE
    for each in range(WORDS):
        word = np.uint64(each)
        hit = source[start + word] & masks[present + word] & ~(masks[one + word] | masks[two + word])
        out[base + word] = hit
        left |= hit
    return left


@inlined
def range_mask(
    axis: Integer, low: Integer, high: Integer, axis_several: UInt8s, rank_base: UInt64s, cell_rank: UInt32s,
    cell_masks: UInt64s, source: UInt64s, start: Integer, out: UInt64s, base: Integer,
) -> Any:  # fmt: skip
    """The events that have a cell from `low` to `high`."""
    left = np.uint64(0)
    first = np.uint64(cell_rank[rank_base[axis] + np.uint64(low)])
    last = np.uint64(cell_rank[rank_base[axis] + np.uint64(high) + ONE])
    if axis_several[axis] != 0:
        for each in range(WORDS):
            word = np.uint64(each)
            hit = np.uint64(0)
            for row in range(first + ONE, last + ONE):
                hit |= cell_masks[row * STRIDE + word]
            hit &= source[start + word]
            out[base + word] = hit
            left |= hit
    else:
        first *= STRIDE
        last *= STRIDE
        for each in range(WORDS):
            word = np.uint64(each)
            hit = source[start + word] & cell_masks[last + word] & ~cell_masks[first + word]
            out[base + word] = hit
            left |= hit
    return left


@hot_loop
def literal_mask(literal: Integer, table: Literals, block: BlockState, out: UInt64s, base: Integer) -> None:
    """Write to `out`, from `base` on, the events for which a literal holds: the way for any literal."""
    predicates, list_slot, masks = table.predicates, block.list_slot, block.masks
    rank_base, cell_rank, cell_masks = block.rank_base, block.cell_rank, block.cell_masks
    predicate = np.uint64(table.literal_predicate[literal])
    for word in range(WORDS):
        out[base + np.uint64(word)] = 0
    for place in range(predicates.key_offsets[predicate], predicates.key_offsets[predicate + ONE]):
        slot = np.uint64(list_slot[predicates.keys[place]])
        if slot != 0:
            for word in range(WORDS):
                out[base + np.uint64(word)] |= masks[slot * STRIDE + np.uint64(word)]
    for place in range(predicates.range_offsets[predicate], predicates.range_offsets[predicate + ONE]):
        axis = predicates.range_axis[place]
        first = np.uint64(cell_rank[rank_base[axis] + np.uint64(predicates.range_low[place])])
        last = np.uint64(cell_rank[rank_base[axis] + np.uint64(predicates.range_high[place]) + ONE])
        several = block.axis_several[axis] != 0
        if not several and first < last:
            for word in range(WORDS):
                out[base + np.uint64(word)] |= (
                    cell_masks[last * STRIDE + np.uint64(word)] & ~cell_masks[first * STRIDE + np.uint64(word)]
                )
        elif several:
            for row in range(first + ONE, last + ONE):
                for word in range(WORDS):
                    out[base + np.uint64(word)] |= cell_masks[row * STRIDE + np.uint64(word)]
    positive = table.literal_positive[literal] != 0
    missing = table.literal_holds_when_missing[literal] != 0
    if positive and not missing:
        return
    present = np.uint64(list_slot[predicates.attribute_of_predicate[predicate]])
    for word in range(WORDS):
        known = masks[present * STRIDE + np.uint64(word)]
        holds = out[base + np.uint64(word)] if positive else known & ~out[base + np.uint64(word)]
        out[base + np.uint64(word)] = holds | (block.everyone[word] & ~known) if missing else holds
