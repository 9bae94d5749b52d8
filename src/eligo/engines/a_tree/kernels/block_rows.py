"""How are candidates of a block settled that many events share? By whole masks: a row of words for each.

A round makes one test of every candidate of a chunk and keeps those that some event passes. Candidates are sorted by
the kind of test first, so that nothing is left to guess and memory is fetched for many of them at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.kernels.tables import Literals
from eligo.engines.a_tree.kernels.block_demand import full_of_literal, full_of_node
from eligo.engines.a_tree.kernels.block_scratch import (
    CHUNK,
    NODE_SLOTS,
    NUM_CANDIDATES,
    NUM_ENTRIES,
    NUM_TESTS,
    PIECES,
    BlockScratch,
)
from eligo.engines.a_tree.kernels.event_block import (
    STRIDE,
    WORDS,
    BlockState,
    key_mask,
    keys_mask,
    near_mask,
    not_keys_mask,
    range_mask,
)
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.a_tree.kernels.inline_tests import (
    END,
    KIND_SHIFT,
    OPERAND_MASK,
    TEST_KEY,
    TEST_KEYS,
    TEST_LITERAL,
    TEST_NEAR,
    TEST_NODE,
    TEST_NOT_KEYS,
    TEST_RANGE,
)
from eligo.engines.kernels.event_state import ONE
from eligo.kernels.compiled import hot_loop
from eligo.kernels.hashing import NONE
from eligo.kernels.parameter_types import Integer, UInt32s

ZERO = np.uint64(0)
TWO = np.uint64(2)
THREE = np.uint64(3)
FOUR = np.uint64(4)
SIDE = np.uint64(CHUNK + 1)


@hot_loop
def read_lists(
    read_before: Integer, table: Literals, tree: FrozenTree, block: BlockState, scratch: BlockScratch
) -> Any:
    """Read on in the lists of the block; write what passes its inline test, and for which events, to the candidates.

    Returns how many do, a chunk at most; the cursor's slot has no list when all are read. Those with few words below
    `read_before` are left out. Lists that entries refer to gain the events of each such entry; they come after all
    others, because they refer to no further list.
    """
    list_offsets, entries, list_of_slot = tree.list_offsets, tree.list_entries, block.list_of_slot
    list_slot, masks = block.list_slot, block.masks
    axis_several, cell_masks = block.axis_several, block.cell_masks
    rank_base, cell_rank = block.rank_base, block.cell_rank
    candidates, candidate_masks, full_masks = scratch.candidates, scratch.candidate_masks, scratch.full_masks
    few_words = block.few_words
    num_slots = np.uint64(block.num_slots[0])
    # The loop takes up where the chunk before was full, which may be in the middle of a list.
    slot, done = np.uint64(scratch.cursor[0]), np.uint64(scratch.cursor[1])
    count = ZERO
    read = ZERO
    while slot < num_slots and count < CHUNK:
        if slot < read_before and few_words[slot] != 0:
            slot += ONE
            continue
        number = np.uint64(list_of_slot[slot])
        first, end = np.uint64(list_offsets[number]) + done, np.uint64(list_offsets[number + ONE])
        last = min(end, first + (np.uint64(CHUNK) - count))
        source = slot * STRIDE
        read += last - first
        for entry in range(first * FOUR, last * FOUR, FOUR):
            word = entries[entry + ONE]
            kind = word >> KIND_SHIFT
            operand = word & OPERAND_MASK
            base = count * STRIDE
            # Each test writes its events where the next candidate's go; the candidate stays if there are any.
            if kind == TEST_KEY:
                left = key_mask(operand, list_slot, masks, masks, source, candidate_masks, base)
            elif kind == TEST_KEYS:
                second, third = entries[entry + TWO], entries[entry + THREE]
                left = keys_mask(operand, second, third, list_slot, masks, masks, source, candidate_masks, base)
            elif kind == TEST_NEAR:
                second, third = entries[entry + TWO], entries[entry + THREE]
                left = near_mask(operand, second, third, list_slot, masks, masks, source, candidate_masks, base)
            elif kind == TEST_RANGE:
                second, third = entries[entry + TWO], entries[entry + THREE]
                left = range_mask(
                    operand, second, third, axis_several, rank_base, cell_rank, cell_masks, masks, source,
                    candidate_masks, base,
                )  # fmt: skip
            elif kind == TEST_NOT_KEYS:
                second, third = entries[entry + TWO], entries[entry + THREE]
                left = not_keys_mask(operand, second, third, list_slot, masks, masks, source, candidate_masks, base)
            elif kind == TEST_LITERAL:
                left = ZERO
                full = full_of_literal(operand, table, tree, block, scratch) * STRIDE
                for each in range(WORDS):
                    hit = masks[source + np.uint64(each)] & full_masks[full + np.uint64(each)]
                    candidate_masks[base + np.uint64(each)] = hit
                    left |= hit
            else:
                # No candidate: the list that is referred to gains these events, and a slot behind all others.
                left = ZERO
                target = np.uint64(list_slot[operand])
                if target == ZERO:
                    target = num_slots
                    list_slot[operand] = target
                    list_of_slot[target] = operand
                    for each in range(WORDS):
                        masks[target * STRIDE + np.uint64(each)] = 0
                    num_slots += ONE
                for each in range(WORDS):
                    masks[target * STRIDE + np.uint64(each)] |= masks[source + np.uint64(each)]
            candidates[count] = entries[entry]
            count += np.uint64(left != ZERO)
        done += last - first
        if last == end:
            slot += ONE
            done = ZERO
    block.num_slots[0] = num_slots
    scratch.cursor[0], scratch.cursor[1] = np.int64(slot), np.int64(done)
    scratch.counts[NUM_ENTRIES] += np.int64(read)
    scratch.counts[NUM_CANDIDATES] += np.int64(count)
    return np.int64(count)


@hot_loop
def read_plain(tree: FrozenTree, block: BlockState, scratch: BlockScratch) -> Any:
    """Read on in the plain entries of the lists: each is a candidate for all events of its list.

    Returns how many there are, a chunk at most; the cursor's slot has no list when all are read.
    """
    plain, plain_offsets, list_of_slot, masks = tree.plain, tree.plain_offsets, block.list_of_slot, block.masks
    candidates, candidate_masks = scratch.candidates, scratch.candidate_masks
    num_slots = np.uint64(block.num_slots[0])
    slot, done = np.uint64(scratch.cursor[0]), np.uint64(scratch.cursor[1])
    count = ZERO
    while slot < num_slots and count < CHUNK:
        number = np.uint64(list_of_slot[slot])
        first, end = np.uint64(plain_offsets[number]) + done, np.uint64(plain_offsets[number + ONE])
        last = min(end, first + (np.uint64(CHUNK) - count))
        for entry in range(first, last):
            candidates[count] = plain[entry]
            for each in range(WORDS):
                candidate_masks[count * STRIDE + np.uint64(each)] = masks[slot * STRIDE + np.uint64(each)]
            count += ONE
        done += last - first
        if last == end:
            slot += ONE
            done = ZERO
    scratch.cursor[0], scratch.cursor[1] = np.int64(slot), np.int64(done)
    scratch.counts[NUM_ENTRIES] += np.int64(count)
    scratch.counts[NUM_CANDIDATES] += np.int64(count)
    return np.int64(count)


@hot_loop
def sort_by_kind(count: Integer, side: Integer, places: UInt32s, tests: UInt32s, scratch: BlockScratch) -> None:
    """Sort what is to be tested by the kind of its next test, so that each kind has a loop that runs without a guess.

    `places` has, from `side` on, where each reads on.
    """
    by_kind, num_by_kind = scratch.by_kind, scratch.num_by_kind
    for kind in range(len(num_by_kind)):
        num_by_kind[kind] = 0
    for number in range(count):
        kind = np.uint64(tests[places[side + np.uint64(number)]] >> KIND_SHIFT)
        by_kind[kind * np.uint64(PIECES) + np.uint64(num_by_kind[kind])] = number
        num_by_kind[kind] += 1


@hot_loop
def slot_of_node(node: Integer, tree: FrozenTree, scratch: BlockScratch) -> Any:
    """The slot of a node that some event satisfies; a new one has no events yet, and is noted for its level."""
    slot = np.uint64(scratch.node_slot[node])
    if slot == NONE:
        slot = np.uint64(scratch.counts[NODE_SLOTS])
        scratch.counts[NODE_SLOTS] += 1
        scratch.node_slot[node] = slot
        scratch.node_of_slot[slot] = node
        for each in range(WORDS):
            scratch.node_masks[slot * STRIDE + np.uint64(each)] = 0
        if tree.parent_offsets[node + ONE] > tree.parent_offsets[node]:
            level = tree.node_level[node]
            scratch.next_of_slot[slot] = scratch.level_head[level]
            scratch.level_head[level] = slot
    return slot


@hot_loop
def reach_nodes(side: Integer, tree: FrozenTree, scratch: BlockScratch) -> None:
    """Give the nodes of candidates with nothing left to test their events."""
    candidates, mask, node_masks = scratch.candidates, scratch.candidate_masks, scratch.node_masks
    for rank in range(END * PIECES, END * PIECES + scratch.num_by_kind[END]):
        one = side + np.uint64(scratch.by_kind[rank])
        slot = slot_of_node(np.uint64(tree.tests[candidates[one]] & OPERAND_MASK), tree, scratch)
        for each in range(WORDS):
            node_masks[slot * STRIDE + np.uint64(each)] |= mask[one * STRIDE + np.uint64(each)]


@hot_loop
def settle(
    num_candidates: Integer, table: Literals, tree: FrozenTree, block: BlockState, scratch: BlockScratch
) -> None:
    """Narrow every candidate's events by the tests that are left, and give its node those that stay.

    Each round makes one test of every candidate, and writes those that some event passes to the other side.
    """
    list_slot, masks = block.list_slot, block.masks
    axis_several, cell_masks = block.axis_several, block.cell_masks
    rank_base, cell_rank = block.rank_base, block.cell_rank
    candidates, mask, by_kind = scratch.candidates, scratch.candidate_masks, scratch.by_kind
    num_by_kind, full_slot, full_masks = scratch.num_by_kind, scratch.full_slot, scratch.full_masks
    tests = tree.tests
    here = ZERO
    while num_candidates > 0:
        there = SIDE - here
        scratch.counts[NUM_TESTS] += num_candidates
        sort_by_kind(num_candidates, here, candidates, tests, scratch)
        # One loop for each kind of test, so that none has a branch on it; what passes is kept on the other side.
        kept = there
        for rank in range(TEST_KEY * PIECES, TEST_KEY * PIECES + num_by_kind[TEST_KEY]):
            one = here + np.uint64(by_kind[rank])
            place = np.uint64(candidates[one])
            candidates[kept] = place + ONE
            key = tests[place] & OPERAND_MASK
            left = key_mask(key, list_slot, masks, mask, one * STRIDE, mask, kept * STRIDE)
            kept += np.uint64(left != ZERO)
        for rank in range(TEST_KEYS * PIECES, TEST_KEYS * PIECES + num_by_kind[TEST_KEYS]):
            one = here + np.uint64(by_kind[rank])
            place = np.uint64(candidates[one])
            candidates[kept] = place + THREE
            key, second, third = tests[place] & OPERAND_MASK, tests[place + ONE], tests[place + TWO]
            left = keys_mask(key, second, third, list_slot, masks, mask, one * STRIDE, mask, kept * STRIDE)
            kept += np.uint64(left != ZERO)
        for rank in range(TEST_NEAR * PIECES, TEST_NEAR * PIECES + num_by_kind[TEST_NEAR]):
            one = here + np.uint64(by_kind[rank])
            place = np.uint64(candidates[one])
            candidates[kept] = place + THREE
            key, second, third = tests[place] & OPERAND_MASK, tests[place + ONE], tests[place + TWO]
            left = near_mask(key, second, third, list_slot, masks, mask, one * STRIDE, mask, kept * STRIDE)
            kept += np.uint64(left != ZERO)
        for rank in range(TEST_RANGE * PIECES, TEST_RANGE * PIECES + num_by_kind[TEST_RANGE]):
            one = here + np.uint64(by_kind[rank])
            place = np.uint64(candidates[one])
            candidates[kept] = place + THREE
            axis, low, high = tests[place] & OPERAND_MASK, tests[place + ONE], tests[place + TWO]
            left = range_mask(
                axis, low, high, axis_several, rank_base, cell_rank, cell_masks, mask, one * STRIDE, mask, kept * STRIDE
            )
            kept += np.uint64(left != ZERO)
        for rank in range(TEST_NOT_KEYS * PIECES, TEST_NOT_KEYS * PIECES + num_by_kind[TEST_NOT_KEYS]):
            one = here + np.uint64(by_kind[rank])
            place = np.uint64(candidates[one])
            candidates[kept] = place + THREE
            attribute, second, third = tests[place] & OPERAND_MASK, tests[place + ONE], tests[place + TWO]
            left = not_keys_mask(attribute, second, third, list_slot, masks, mask, one * STRIDE, mask, kept * STRIDE)
            kept += np.uint64(left != ZERO)
        # These two take the mask that is kept for the block, and make it when they are the first to ask.
        for kind in (TEST_LITERAL, TEST_NODE):
            for rank in range(kind * PIECES, kind * PIECES + num_by_kind[kind]):
                one = here + np.uint64(by_kind[rank])
                place = np.uint64(candidates[one])
                operand = tests[place] & OPERAND_MASK
                if kind == TEST_LITERAL:
                    full = full_of_literal(operand, table, tree, block, scratch)
                else:
                    full = np.uint64(full_slot[operand])
                    if full == NONE:
                        full = full_of_node(operand, table, tree, block, scratch)
                left = ZERO
                for each in range(WORDS):
                    word = np.uint64(each)
                    hit = mask[one * STRIDE + word] & full_masks[full * STRIDE + word]
                    mask[kept * STRIDE + word] = hit
                    left |= hit
                candidates[kept] = place + ONE
                kept += np.uint64(left != ZERO)
        # Those at their END have passed all tests; the others are on the other side, and go through the next round.
        reach_nodes(here, tree, scratch)
        num_candidates = np.int64(kept - there)
        here = there
