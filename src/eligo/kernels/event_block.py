"""How do many events share one walk through a tree? As a block: 1,024 events, a bit each in a mask of 16 words.

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
from numba import njit

from eligo.kernels.compiled import hot_loop
from eligo.kernels.event_state import ONE
from eligo.kernels.frozen_build import TEST_KEYS, TEST_RANGE
from eligo.kernels.hashing import NONE

WORDS = 16
BLOCK = 64 * WORDS
"""Events in a block."""
STRIDE = np.uint64(WORDS)
EVENT_BITS = np.uint64(10)
CELL_BITS = np.uint64(32)


class BlockState(NamedTuple):
    """The masks of one block of events; each thread has its own. Mask i is the words from STRIDE · i on."""

    list_slot: npt.NDArray[np.uint32]
    """For each list (a key, or a node of an axis): the number of its mask, or NONE when no event meets it."""
    masks: npt.NDArray[np.uint64]
    """For each slot: the events that meet its list."""
    list_of_slot: npt.NDArray[np.uint32]
    """For each slot: its list."""
    axis_first: npt.NDArray[np.uint64]
    """For each axis: where its distinct cells begin in `cell_value`."""
    rank_base: npt.NDArray[np.uint64]
    """For each axis: where the ranks of its cells begin in `cell_rank`."""
    cell_rank: npt.NDArray[np.uint32]
    """For each cell, and one more, of each axis: the place in `cell_value` of the first cell that is not below it."""
    axis_several: npt.NDArray[np.uint8]
    """For each axis: 1 when some event of the block has several cells on it."""
    cell_value: npt.NDArray[np.uint32]
    """The block's distinct cells, ascending for each axis."""
    cell_masks: npt.NDArray[np.uint64]
    """For each of them: the events with this cell; or, where no event has several, with this cell or a lower one."""
    everyone: npt.NDArray[np.uint64]
    """All events of the block: the last block of a batch is not full."""
    num_slots: npt.NDArray[np.int64]
    """One item: slots in use."""
    triples: npt.NDArray[np.uint64]
    """Scratch: (axis, cell, event) of the block, packed for sorting."""


def new_block(num_lists: int, num_cells: npt.NDArray[np.int64], most_keys: int, most_cells: int) -> BlockState:
    """A state with no block loaded, for events of at most so many keys and cells each; `num_cells` is by axis."""
    num_axes = len(num_cells)
    rank_base = np.zeros(num_axes + 1, np.uint64)
    np.cumsum(num_cells + 1, out=rank_base[1:])
    num_slots = num_lists + most_keys * BLOCK + 1
    return BlockState(
        list_slot=np.full(num_lists + 1, NONE, np.uint32),
        masks=np.empty(num_slots * WORDS, np.uint64),
        list_of_slot=np.empty(num_slots, np.uint32),
        axis_first=np.zeros(num_axes, np.uint64),
        rank_base=rank_base,
        cell_rank=np.zeros(int(rank_base[-1]), np.uint32),
        axis_several=np.zeros(num_axes, np.uint8),
        cell_value=np.empty(most_cells * BLOCK + 1, np.uint32),
        cell_masks=np.empty((most_cells * BLOCK + 1) * WORDS, np.uint64),
        everyone=np.zeros(WORDS, np.uint64),
        num_slots=np.zeros(1, np.int64),
        triples=np.empty(most_cells * BLOCK + 1, np.uint64),
    )


@hot_loop
def heaviest_lists(events: Any, list_offsets: Any, heaviest: Any, second: Any) -> Any:
    """Write for each event the two longest lists among its keys: events that share them gain from sharing a block."""
    for event in range(len(events.key_offsets) - 1):
        longest = np.int64(-1)
        next_longest = np.int64(-1)
        for place in range(events.key_offsets[event], events.key_offsets[event + 1]):
            key = np.uint64(events.keys[place])
            length = np.int64(list_offsets[key + ONE]) - np.int64(list_offsets[key])
            if length > longest:
                next_longest, second[event] = longest, heaviest[event]
                longest, heaviest[event] = length, key
            elif length > next_longest:
                next_longest, second[event] = length, key


@hot_loop
def popcount(word: Any) -> Any:
    """How many bits are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    word = word + (word >> np.uint64(8))
    word = word + (word >> np.uint64(16))
    return (word + (word >> np.uint64(32))) & np.uint64(127)


@njit(cache=True, nogil=True)
def load_block(first: Any, last: Any, order: Any, events: Any, tree: Any, block: Any) -> Any:
    """Make the masks of events `order[first:last]`: of every list that they meet, and of their cells."""
    list_slot, masks, list_of_slot, triples = block.list_slot, block.masks, block.list_of_slot, block.triples
    list_offsets, keys, cells, cell_axes = tree.list_offsets, events.keys, events.cells, events.cell_axes
    everyone = block.everyone
    num_slots = np.uint64(0)
    num_triples = np.uint64(0)
    for word in range(WORDS):
        everyone[word] = 0
    for rank in range(first, last):
        event = np.uint64(order[rank])
        number = np.uint64(rank - first)
        word = number >> np.uint64(6)
        bit = ONE << (number & np.uint64(63))
        everyone[word] |= bit
        for place in range(events.key_offsets[event], events.key_offsets[event + ONE]):
            key = keys[place]
            slot = np.uint64(list_slot[key])
            if slot == NONE:
                slot = num_slots
                list_slot[key] = slot
                list_of_slot[slot] = key
                for each in range(WORDS):
                    masks[slot * STRIDE + np.uint64(each)] = 0
                num_slots += ONE
            masks[slot * STRIDE + word] |= bit
        for place in range(events.cell_offsets[event], events.cell_offsets[event + ONE]):
            axis = np.uint64(cell_axes[place])
            cell = np.uint64(cells[place])
            # Axis, cell and event in one word: one sort brings a block's cells in order.
            triples[num_triples] = (((axis << CELL_BITS) | cell) << EVENT_BITS) | number
            num_triples += ONE
            base = np.uint64(tree.axis_base[axis])
            node = np.uint64(tree.axis_size[axis]) + cell
            while node > 0:
                met = base + node
                node >>= ONE
                if list_offsets[met + ONE] == list_offsets[met]:
                    continue
                slot = np.uint64(list_slot[met])
                if slot == NONE:
                    slot = num_slots
                    list_slot[met] = slot
                    list_of_slot[slot] = met
                    for each in range(WORDS):
                        masks[slot * STRIDE + np.uint64(each)] = 0
                    num_slots += ONE
                masks[slot * STRIDE + word] |= bit
    universal = np.uint64(tree.universal[0])
    if list_offsets[universal + ONE] > list_offsets[universal]:
        list_slot[universal] = num_slots
        list_of_slot[num_slots] = universal
        for each in range(WORDS):
            masks[num_slots * STRIDE + np.uint64(each)] = everyone[each]
        num_slots += ONE
    block.num_slots[0] = num_slots
    _load_cells(np.int64(num_triples), block)


@njit(cache=True, nogil=True)
def _load_cells(num_triples: Any, block: Any) -> Any:
    """Turn the (axis, cell, event) triples into distinct cells with their masks."""
    triples, cell_value, cell_masks = block.triples[:num_triples], block.cell_value, block.cell_masks
    cell_rank = block.cell_rank
    triples.sort()
    seen = np.zeros(WORDS, np.uint64)
    size = 0
    begin = 0
    while begin < num_triples:
        axis = np.int64(triples[begin] >> (CELL_BITS + EVENT_BITS))
        first_cell = size
        several = False
        for word in range(WORDS):
            seen[word] = 0
        while begin < num_triples and np.int64(triples[begin] >> (CELL_BITS + EVENT_BITS)) == axis:
            cell = np.uint32((triples[begin] >> EVENT_BITS) & np.uint64(0xFFFFFFFF))
            number = triples[begin] & np.uint64(BLOCK - 1)
            word = np.int64(number >> np.uint64(6))
            bit = ONE << (number & np.uint64(63))
            if size == first_cell or cell_value[size - 1] != cell:
                cell_value[size] = cell
                for each in range(WORDS):
                    cell_masks[size * WORDS + each] = 0
                size += 1
            cell_masks[(size - 1) * WORDS + word] |= bit
            several = several or seen[word] & bit != 0
            seen[word] |= bit
            begin += 1
        block.axis_first[axis] = first_cell
        block.axis_several[axis] = 1 if several else 0
        if not several:
            for place in range((first_cell + 1) * WORDS, size * WORDS):
                cell_masks[place] |= cell_masks[place - WORDS]
        rank = np.int64(block.rank_base[axis])
        end = np.int64(block.rank_base[axis + 1])
        for place in range(first_cell, size):
            upto = np.int64(block.rank_base[axis]) + np.int64(cell_value[place])
            while rank <= upto:
                cell_rank[rank] = place
                rank += 1
        while rank < end:
            cell_rank[rank] = size
            rank += 1


@hot_loop
def unload_block(block: Any) -> Any:
    """Forget the block."""
    cell_rank, rank_base = block.cell_rank, block.rank_base
    for slot in range(block.num_slots[0]):
        block.list_slot[block.list_of_slot[slot]] = NONE
    block.num_slots[0] = 0
    for axis in range(len(rank_base) - 1):
        # An axis on which no event of the next block has a cell must find none: equal ranks say so.
        for place in range(rank_base[axis], rank_base[axis + 1]):
            cell_rank[place] = 0


@njit(inline="always")
def test_mask(
    kind: Any, operand: Any, second: Any, third: Any, list_slot: Any, masks: Any, axis_first: Any, axis_several: Any,
    rank_base: Any, cell_rank: Any, cell_masks: Any, source: Any, start: Any, out: Any, base: Any,
) -> Any:  # fmt: skip
    """Write to `out`, from `base` on, the events of `source`, from `start` on, that pass a test of keys or a range.

    Returns a word that is 0 when there are none. It is part of its callers: a call would cost more than it does.
    """
    left = np.uint64(0)
    if kind == TEST_KEYS:
        one, two, three = np.uint64(list_slot[operand]), np.uint64(list_slot[second]), np.uint64(list_slot[third])
        if two & three == NONE:
            if one != NONE:
                for each in range(WORDS):
                    word = np.uint64(each)
                    hit = source[start + word] & masks[one * STRIDE + word]
                    out[base + word] = hit
                    left |= hit
        else:
            for each in range(WORDS):
                word = np.uint64(each)
                hit = masks[one * STRIDE + word] if one != NONE else np.uint64(0)
                hit |= masks[two * STRIDE + word] if two != NONE else np.uint64(0)
                hit |= masks[three * STRIDE + word] if three != NONE else np.uint64(0)
                hit &= source[start + word]
                out[base + word] = hit
                left |= hit
    elif kind == TEST_RANGE:
        first = np.uint64(cell_rank[rank_base[operand] + np.uint64(second)])
        last = np.uint64(cell_rank[rank_base[operand] + np.uint64(third) + ONE])
        if first < last:
            if axis_several[operand] != 0:
                for each in range(WORDS):
                    word = np.uint64(each)
                    hit = np.uint64(0)
                    for cell in range(first, last):
                        hit |= cell_masks[cell * STRIDE + word]
                    hit &= source[start + word]
                    out[base + word] = hit
                    left |= hit
            elif first == axis_first[operand]:
                for each in range(WORDS):
                    word = np.uint64(each)
                    hit = source[start + word] & cell_masks[(last - ONE) * STRIDE + word]
                    out[base + word] = hit
                    left |= hit
            else:
                # Masks include all lower cells here, so a range is a difference of two.
                for each in range(WORDS):
                    word = np.uint64(each)
                    hit = cell_masks[(last - ONE) * STRIDE + word] & ~cell_masks[(first - ONE) * STRIDE + word]
                    hit &= source[start + word]
                    out[base + word] = hit
                    left |= hit
    else:
        present = np.uint64(list_slot[operand])
        if present != NONE:
            one, two = np.uint64(list_slot[second]), np.uint64(list_slot[third])
            for each in range(WORDS):
                word = np.uint64(each)
                hit = masks[one * STRIDE + word] if one != NONE else np.uint64(0)
                hit |= masks[two * STRIDE + word] if two != NONE else np.uint64(0)
                hit = masks[present * STRIDE + word] & ~hit & source[start + word]
                out[base + word] = hit
                left |= hit
    return left


@hot_loop
def literal_mask(literal: Any, table: Any, block: Any, out: Any) -> Any:
    """Write to `out` the events for which a literal holds: the way for any literal, where no short test will do."""
    predicates, list_slot, masks = table.predicates, block.list_slot, block.masks
    rank_base, cell_rank, cell_masks = block.rank_base, block.cell_rank, block.cell_masks
    predicate = np.uint64(table.literal_predicate[literal])
    for word in range(WORDS):
        out[word] = 0
    for place in range(predicates.key_offsets[predicate], predicates.key_offsets[predicate + ONE]):
        slot = np.uint64(list_slot[predicates.keys[place]])
        if slot != NONE:
            for word in range(WORDS):
                out[word] |= masks[slot * STRIDE + np.uint64(word)]
    for place in range(predicates.range_offsets[predicate], predicates.range_offsets[predicate + ONE]):
        axis = predicates.range_axis[place]
        first = np.uint64(cell_rank[rank_base[axis] + np.uint64(predicates.range_low[place])])
        last = np.uint64(cell_rank[rank_base[axis] + np.uint64(predicates.range_high[place]) + ONE])
        for cell in range(first, last):
            # Where masks include all lower cells, those before the range are taken out again.
            lower = (first - ONE) * STRIDE
            takes_out = block.axis_several[axis] == 0 and first > block.axis_first[axis]
            for word in range(WORDS):
                hit = cell_masks[cell * STRIDE + np.uint64(word)]
                out[word] |= hit & ~cell_masks[lower + np.uint64(word)] if takes_out else hit
    positive = table.literal_positive[literal] != 0
    missing = table.literal_holds_when_missing[literal] != 0
    if positive and not missing:
        return
    present = np.uint64(list_slot[predicates.attribute_of_predicate[predicate]])
    for word in range(WORDS):
        known = masks[present * STRIDE + np.uint64(word)] if present != NONE else np.uint64(0)
        holds = out[word] if positive else known & ~out[word]
        out[word] = holds | (block.everyone[word] & ~known) if missing else holds
