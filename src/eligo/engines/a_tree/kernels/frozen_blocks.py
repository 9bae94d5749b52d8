"""How does a block of events find its expressions in a frozen tree? As one event does, with masks in place of truths.

Each list that some event of the block meets is read once. A candidate's mask is the list's, narrowed by the inline
test and by the tests that are left until it is empty. Results rise level by level (A-Tree 2021, section 5.1), because
a node may gain events from several children before it passes them on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.kernels.tables import Events, Literals
from eligo.engines.a_tree.kernels.block_rows import read_lists, read_plain, settle
from eligo.engines.a_tree.kernels.block_scratch import CHUNK, FULL_SLOTS, NODE_SLOTS, BlockScratch
from eligo.engines.a_tree.kernels.block_words import cut_to_pieces, read_few, settle_pieces
from eligo.engines.a_tree.kernels.event_block import FEW_WORDS, WORDS, BlockState, load_block, unload_block
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.kernels.event_state import ONE
from eligo.kernels.bits import count_ones
from eligo.kernels.compiled import hot_loop, kernel
from eligo.kernels.hashing import NONE
from eligo.kernels.parameter_types import Int64s, Integer, UInt32s


@hot_loop
def _read_parents(tree: FrozenTree, scratch: BlockScratch) -> Any:
    """Make candidates of the parents of a level's true nodes, for the events of those nodes; returns how many.

    It is a chunk at most, from the cursor on; the cursor's slot is NONE when all are read.
    """
    candidates, out, node_masks = scratch.candidates, scratch.candidate_masks, scratch.node_masks
    parents, parent_offsets = tree.parents, tree.parent_offsets
    count = 0
    slot, done = np.uint32(scratch.cursor[0]), np.int64(scratch.cursor[1])
    while slot != NONE and count < CHUNK:
        node = np.uint64(scratch.node_of_slot[slot])
        first, end = np.int64(parent_offsets[node]) + done, np.int64(parent_offsets[node + ONE])
        last = min(end, first + CHUNK - count)
        for place in range(first, last):
            candidates[count] = parents[place]
            for each in range(WORDS):
                out[count * WORDS + each] = node_masks[np.int64(slot) * WORDS + each]
            count += 1
        done += last - first
        if last == end:
            slot = scratch.next_of_slot[slot]
            done = 0
    scratch.cursor[0], scratch.cursor[1] = np.int64(slot), done
    return count


@kernel
def walk_block(
    first: Integer, last: Integer, order: UInt32s, events: Events, table: Literals, tree: FrozenTree, block: BlockState,
    scratch: BlockScratch,
) -> None:  # fmt: skip
    """Find for events `order[first:last]` which nodes they satisfy: the slots of `scratch` hold the answer."""
    load_block(first, last, order, events, tree, block)
    cursor, level_head = scratch.cursor, scratch.level_head
    read_before = np.uint64(block.num_slots[0])
    cursor[0], cursor[1], cursor[2] = 1, 0, 0
    while cursor[0] < read_before:
        settle_pieces(read_few(read_before, table, tree, block, scratch), table, tree, block, scratch)
    cursor[0], cursor[1] = 1, 0
    while cursor[0] < block.num_slots[0]:
        _settle_any(read_lists(read_before, table, tree, block, scratch), table, tree, block, scratch)
    cursor[0], cursor[1] = 1, 0
    while cursor[0] < block.num_slots[0]:
        _settle_any(read_plain(tree, block, scratch), table, tree, block, scratch)
    for level in range(len(level_head)):
        cursor[0], cursor[1] = level_head[level], 0
        level_head[level] = NONE
        while cursor[0] != NONE:
            _settle_any(_read_parents(tree, scratch), table, tree, block, scratch)


@hot_loop
def _settle_any(
    num_candidates: Integer, table: Literals, tree: FrozenTree, block: BlockState, scratch: BlockScratch
) -> None:
    """Settle a chunk of candidates by rows or by pieces, whichever is less."""
    num_pieces = cut_to_pieces(num_candidates, scratch)
    if num_pieces <= FEW_WORDS * num_candidates:
        settle_pieces(num_pieces, table, tree, block, scratch)
    else:
        settle(num_candidates, table, tree, block, scratch)


@hot_loop
def leave_block(block: BlockState, scratch: BlockScratch) -> None:
    """Forget what is known of the block's events."""
    for slot in range(scratch.counts[NODE_SLOTS]):
        scratch.node_slot[scratch.node_of_slot[slot]] = NONE
    for slot in range(scratch.counts[FULL_SLOTS]):
        scratch.full_slot[scratch.full_items[slot]] = NONE
    scratch.counts[NODE_SLOTS] = 0
    scratch.counts[FULL_SLOTS] = 0
    unload_block(block)


@hot_loop
def count_matches(tree: FrozenTree, scratch: BlockScratch, counts: Int64s) -> None:
    """Add the block's matches of each expression to `counts`, without writing a pair."""
    node_masks = scratch.node_masks
    for slot in range(scratch.counts[NODE_SLOTS]):
        node = np.uint64(scratch.node_of_slot[slot])
        first, last = tree.match_offsets[node], tree.match_offsets[node + ONE]
        if first == last:
            continue
        number = np.uint64(0)
        for word in range(WORDS):
            number += count_ones(node_masks[slot * WORDS + word])
        for place in range(first, last):
            counts[tree.matches[place]] += np.int64(number)
