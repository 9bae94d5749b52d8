"""How are candidates of a block settled that few events share? By single words of their masks, called pieces.

A candidate that two events of a block have reached fills two words of eight at most. A piece is a place to read on
from, the number of a word, and its bits; a test of one reads single words and not rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.kernels.tables import Literals
from eligo.engines.a_tree.kernels.block_demand import full_of_literal, full_of_node
from eligo.engines.a_tree.kernels.block_rows import slot_of_node, sort_by_kind
from eligo.engines.a_tree.kernels.block_scratch import NUM_CANDIDATES, NUM_ENTRIES, NUM_TESTS, PIECES, BlockScratch
from eligo.engines.a_tree.kernels.event_block import STRIDE, WORDS, BlockState
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.a_tree.kernels.inline_tests import (
    END,
    KIND_SHIFT,
    MOST_NEAR,
    OPERAND_MASK,
    TEST_KEY,
    TEST_KEYS,
    TEST_LITERAL,
    TEST_NEAR,
    TEST_NODE,
    TEST_NOT_KEYS,
    TEST_RANGE,
    near_key,
)
from eligo.engines.kernels.event_state import ONE
from eligo.kernels.compiled import hot_loop, inlined
from eligo.kernels.hashing import NONE
from eligo.kernels.parameter_types import Integer, UInt8s, UInt32s, UInt64s

ZERO = np.uint64(0)
TWO = np.uint64(2)
THREE = np.uint64(3)
FOUR = np.uint64(4)
SIDE = np.uint64(PIECES + 1)


@inlined
def _keys_word(
    first: Integer, second: Integer, third: Integer, list_slot: UInt32s, masks: UInt64s, word: Integer
) -> Any:
    one, two, three = np.uint64(list_slot[first]), np.uint64(list_slot[second]), np.uint64(list_slot[third])
    return masks[one * STRIDE + word] | masks[two * STRIDE + word] | masks[three * STRIDE + word]


@inlined
def _near_word(
    key: Integer, distances: Integer, more_distances: Integer, list_slot: UInt32s, masks: UInt64s, word: Integer
) -> Any:
    some = masks[np.uint64(list_slot[key]) * STRIDE + word]
    for number in range(MOST_NEAR - 1):
        other = near_key(key, distances, more_distances, number)
        some |= masks[np.uint64(list_slot[other]) * STRIDE + word]
    return some


@inlined
def _not_keys_word(
    attribute: Integer, first: Integer, second: Integer, list_slot: UInt32s, masks: UInt64s, word: Integer
) -> Any:
    present, one, two = np.uint64(list_slot[attribute]), np.uint64(list_slot[first]), np.uint64(list_slot[second])
    return masks[present * STRIDE + word] & ~(masks[one * STRIDE + word] | masks[two * STRIDE + word])


@inlined
def _range_word(
    axis: Integer, low: Integer, high: Integer, axis_several: UInt8s, rank_base: UInt64s, cell_rank: UInt32s,
    cell_masks: UInt64s, word: Integer,
) -> Any:  # fmt: skip
    first = np.uint64(cell_rank[rank_base[axis] + np.uint64(low)])
    last = np.uint64(cell_rank[rank_base[axis] + np.uint64(high) + ONE])
    hit = cell_masks[last * STRIDE + word] & ~cell_masks[first * STRIDE + word]
    if axis_several[axis] != 0:
        hit = ZERO
        for row in range(first + ONE, last + ONE):
            hit |= cell_masks[row * STRIDE + word]
    return hit


@hot_loop
def read_few(read_before: Integer, table: Literals, tree: FrozenTree, block: BlockState, scratch: BlockScratch) -> Any:
    """Read on in the lists with few words below slot `read_before`; write what passes its inline test as pieces.

    Returns how many do, a chunk at most; the cursor's slot is `read_before` when all are read.
    """
    list_offsets, entries, list_of_slot = tree.list_offsets, tree.list_entries, block.list_of_slot
    list_slot, masks, few_words = block.list_slot, block.masks, block.few_words
    axis_several, cell_masks = block.axis_several, block.cell_masks
    rank_base, cell_rank, full_masks = block.rank_base, block.cell_rank, scratch.full_masks
    piece_place, piece_word, piece_bits = scratch.piece_place, scratch.piece_word, scratch.piece_bits
    num_slots = np.uint64(block.num_slots[0])
    slot, done, word = np.uint64(scratch.cursor[0]), np.uint64(scratch.cursor[1]), np.uint64(scratch.cursor[2])
    count = ZERO
    read = ZERO
    # A list is read once for each of its words that has events, from where the chunk before was full.
    while slot < read_before and count < PIECES:
        bits = masks[slot * STRIDE + word]
        number = np.uint64(list_of_slot[slot])
        first, end = np.uint64(list_offsets[number]) + done, np.uint64(list_offsets[number + ONE])
        last = min(end, first + (np.uint64(PIECES) - count))
        if few_words[slot] == 0 or bits == ZERO:  # a list of many words is read as rows; a word without events is not
            last = first
            end = first
        read += last - first
        for entry in range(first * FOUR, last * FOUR, FOUR):
            test = entries[entry + ONE]
            kind = test >> KIND_SHIFT
            operand = test & OPERAND_MASK
            if kind == TEST_KEY:
                hit = bits & masks[np.uint64(list_slot[operand]) * STRIDE + word]
            elif kind == TEST_KEYS:
                hit = bits & _keys_word(operand, entries[entry + TWO], entries[entry + THREE], list_slot, masks, word)
            elif kind == TEST_NEAR:
                hit = bits & _near_word(operand, entries[entry + TWO], entries[entry + THREE], list_slot, masks, word)
            elif kind == TEST_RANGE:
                hit = bits & _range_word(
                    operand, entries[entry + TWO], entries[entry + THREE], axis_several, rank_base, cell_rank,
                    cell_masks, word,
                )  # fmt: skip
            elif kind == TEST_NOT_KEYS:
                second, third = entries[entry + TWO], entries[entry + THREE]
                hit = bits & _not_keys_word(operand, second, third, list_slot, masks, word)
            elif kind == TEST_LITERAL:
                hit = bits & full_masks[full_of_literal(operand, table, tree, block, scratch) * STRIDE + word]
            else:
                # No piece: the list that is referred to gains these events, and a slot behind all others.
                hit = ZERO
                target = np.uint64(list_slot[operand])
                if target == ZERO:
                    target = num_slots
                    num_slots += ONE
                    list_slot[operand] = target
                    list_of_slot[target] = operand
                    for each in range(WORDS):
                        masks[target * STRIDE + np.uint64(each)] = 0
                masks[target * STRIDE + word] |= bits
            # Written in any case, and kept if there are events: that is no branch to foresee.
            piece_place[count] = entries[entry]
            piece_word[count] = word
            piece_bits[count] = hit
            count += np.uint64(hit != ZERO)
        done += last - first
        if last == end:
            done = ZERO
            word += ONE
            if few_words[slot] == 0 or word == STRIDE:
                word = ZERO
                slot += ONE
    block.num_slots[0] = num_slots
    scratch.cursor[0], scratch.cursor[1], scratch.cursor[2] = np.int64(slot), np.int64(done), np.int64(word)
    scratch.counts[NUM_ENTRIES] += np.int64(read)
    scratch.counts[NUM_CANDIDATES] += np.int64(count)
    return np.int64(count)


@hot_loop
def cut_to_pieces(num_candidates: Integer, scratch: BlockScratch) -> Any:
    """Write the words of candidates' masks that have events as pieces; returns how many there are."""
    candidates, mask = scratch.candidates, scratch.candidate_masks
    piece_place, piece_word, piece_bits = scratch.piece_place, scratch.piece_word, scratch.piece_bits
    count = ZERO
    for candidate in range(num_candidates):
        place = candidates[candidate]
        base = np.uint64(candidate) * STRIDE
        for word in range(WORDS):
            bits = mask[base + np.uint64(word)]
            piece_place[count] = place
            piece_word[count] = word
            piece_bits[count] = bits
            count += np.uint64(bits != ZERO)
    return np.int64(count)


@hot_loop
def settle_pieces(
    num_pieces: Integer, table: Literals, tree: FrozenTree, block: BlockState, scratch: BlockScratch
) -> None:
    """Narrow every piece's events by the tests that are left, and give its node those that stay.

    Each round makes one test of every piece, and writes those that some event passes to the other side.
    """
    list_slot, masks, tests = block.list_slot, block.masks, tree.tests
    axis_several, cell_masks = block.axis_several, block.cell_masks
    rank_base, cell_rank = block.rank_base, block.cell_rank
    places, words, bits, by_kind = scratch.piece_place, scratch.piece_word, scratch.piece_bits, scratch.by_kind
    num_by_kind, full_slot, full_masks = scratch.num_by_kind, scratch.full_slot, scratch.full_masks
    here = ZERO
    while num_pieces > 0:
        there = SIDE - here
        scratch.counts[NUM_TESTS] += num_pieces
        sort_by_kind(num_pieces, here, places, tests, scratch)
        # One loop for each kind of test, so that none has a branch on it; what passes is kept on the other side.
        kept = there
        for rank in range(TEST_KEY * PIECES, TEST_KEY * PIECES + num_by_kind[TEST_KEY]):
            one = here + np.uint64(by_kind[rank])
            place, word = np.uint64(places[one]), np.uint64(words[one])
            hit = bits[one] & masks[np.uint64(list_slot[tests[place] & OPERAND_MASK]) * STRIDE + word]
            places[kept], words[kept], bits[kept] = place + ONE, word, hit
            kept += np.uint64(hit != ZERO)
        for rank in range(TEST_KEYS * PIECES, TEST_KEYS * PIECES + num_by_kind[TEST_KEYS]):
            one = here + np.uint64(by_kind[rank])
            place, word = np.uint64(places[one]), np.uint64(words[one])
            key, second, third = tests[place] & OPERAND_MASK, tests[place + ONE], tests[place + TWO]
            hit = bits[one] & _keys_word(key, second, third, list_slot, masks, word)
            places[kept], words[kept], bits[kept] = place + THREE, word, hit
            kept += np.uint64(hit != ZERO)
        for rank in range(TEST_NEAR * PIECES, TEST_NEAR * PIECES + num_by_kind[TEST_NEAR]):
            one = here + np.uint64(by_kind[rank])
            place, word = np.uint64(places[one]), np.uint64(words[one])
            key, second, third = tests[place] & OPERAND_MASK, tests[place + ONE], tests[place + TWO]
            hit = bits[one] & _near_word(key, second, third, list_slot, masks, word)
            places[kept], words[kept], bits[kept] = place + THREE, word, hit
            kept += np.uint64(hit != ZERO)
        for rank in range(TEST_RANGE * PIECES, TEST_RANGE * PIECES + num_by_kind[TEST_RANGE]):
            one = here + np.uint64(by_kind[rank])
            place, word = np.uint64(places[one]), np.uint64(words[one])
            axis, low, high = tests[place] & OPERAND_MASK, tests[place + ONE], tests[place + TWO]
            hit = bits[one] & _range_word(axis, low, high, axis_several, rank_base, cell_rank, cell_masks, word)
            places[kept], words[kept], bits[kept] = place + THREE, word, hit
            kept += np.uint64(hit != ZERO)
        for rank in range(TEST_NOT_KEYS * PIECES, TEST_NOT_KEYS * PIECES + num_by_kind[TEST_NOT_KEYS]):
            one = here + np.uint64(by_kind[rank])
            place, word = np.uint64(places[one]), np.uint64(words[one])
            attribute, second, third = tests[place] & OPERAND_MASK, tests[place + ONE], tests[place + TWO]
            hit = bits[one] & _not_keys_word(attribute, second, third, list_slot, masks, word)
            places[kept], words[kept], bits[kept] = place + THREE, word, hit
            kept += np.uint64(hit != ZERO)
        # These two take a word of the mask that is kept for the block, and make it when they are the first to ask.
        for kind in (TEST_LITERAL, TEST_NODE):
            for rank in range(kind * PIECES, kind * PIECES + num_by_kind[kind]):
                one = here + np.uint64(by_kind[rank])
                place, word = np.uint64(places[one]), np.uint64(words[one])
                operand = tests[place] & OPERAND_MASK
                if kind == TEST_LITERAL:
                    full = full_of_literal(operand, table, tree, block, scratch)
                else:
                    full = np.uint64(full_slot[operand])
                    if full == NONE:
                        full = full_of_node(operand, table, tree, block, scratch)
                hit = bits[one] & full_masks[full * STRIDE + word]
                places[kept], words[kept], bits[kept] = place + ONE, word, hit
                kept += np.uint64(hit != ZERO)
        # Those at their END have passed all tests; the others are on the other side, and go through the next round.
        for rank in range(END * PIECES, END * PIECES + num_by_kind[END]):
            one = here + np.uint64(by_kind[rank])
            slot = slot_of_node(np.uint64(tests[places[one]] & OPERAND_MASK), tree, scratch)
            scratch.node_masks[slot * STRIDE + np.uint64(words[one])] |= bits[one]
        num_pieces = np.int64(kept - there)
        here = there
