"""How does a block of events find its expressions in a frozen tree? As one event does, with masks in place of truths.

Each list that some event of the block meets is read once. A candidate's mask is the list's, narrowed by the inline
test and by the rest of the target's children until it is empty. Results rise level by level (A-Tree 2021, section
5.1), because a node may gain events from several children before it passes them on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from eligo.kernels.compiled import hot_loop
from eligo.kernels.event_block import STRIDE, WORDS, literal_mask, load_block, popcount, test_mask, unload_block
from eligo.kernels.event_state import ONE
from eligo.kernels.frozen_build import (
    FOLLOW_LIST,
    KIND_SHIFT,
    OPERAND_MASK,
    SKIPS_TWO,
    TEST_KEYS,
    TEST_LITERAL,
    TEST_NODE,
    TEST_NOT_KEYS,
    TEST_RANGE,
)
from eligo.kernels.frozen_tree import FOUR, LOOK_AHEAD, THREE, TWO, FrozenTree, look_ahead
from eligo.kernels.hashing import NONE


class BlockScratch(NamedTuple):
    """What one thread needs to match a block. Mask i is the words from STRIDE · i on."""

    node_slot: npt.NDArray[np.uint32]
    """For each node: the number of its mask, or NONE when no event has reached it from below."""
    node_masks: npt.NDArray[np.uint64]
    """For each slot: the events that reached the node and satisfied it."""
    node_of_slot: npt.NDArray[np.uint32]
    next_of_slot: npt.NDArray[np.uint32]
    """For each slot: another slot of the same level, or NONE."""
    level_head: npt.NDArray[np.uint32]
    """For each level: a slot whose node has parents, or NONE."""
    full_slot: npt.NDArray[np.uint32]
    """For each node that was evaluated on demand: the number of its mask in `full_masks`, else NONE."""
    full_masks: npt.NDArray[np.uint64]
    full_nodes: npt.NDArray[np.uint32]
    seen_ahead: npt.NDArray[np.uint32]
    """One item, which means nothing: see `look_ahead`."""
    counts: npt.NDArray[np.int64]
    """Slots of nodes and of full masks; and since the beginning: entries read, candidates, literal masks made."""
    stack_node: npt.NDArray[np.uint32]
    stack_place: npt.NDArray[np.uint32]
    stack_masks: npt.NDArray[np.uint64]
    """Nodes under evaluation, how far each has come, and its events so far."""
    literal: npt.NDArray[np.uint64]
    """The mask of the literal at hand."""
    candidates: npt.NDArray[np.uint32]
    """Word 0 of the entries that passed their inline test for some event."""
    candidate_masks: npt.NDArray[np.uint64]
    """For each candidate: the events."""
    position_slot: npt.NDArray[np.uint32]
    """For each expression with its bit set in `position_bits`: the slot of its root, or NONE for every event."""
    position_bits: npt.NDArray[np.uint64]
    """A bit for each expression; zero between blocks."""


def new_block_scratch(tree: FrozenTree) -> BlockScratch:
    """Scratch with nothing known; the arrays of masks are only reserved: memory comes as nodes are touched."""
    num_nodes, num_expressions = len(tree.node_is_and), int(tree.num_expressions[0])
    depth = int(tree.node_level.max(initial=1)) + 2
    most_candidates = max(len(tree.entries) // 4, len(tree.parents)) + 1
    return BlockScratch(
        node_slot=np.full(num_nodes, NONE, np.uint32),
        node_masks=np.empty(num_nodes * WORDS, np.uint64),
        node_of_slot=np.empty(num_nodes, np.uint32),
        next_of_slot=np.empty(num_nodes, np.uint32),
        level_head=np.full(depth, NONE, np.uint32),
        full_slot=np.full(num_nodes, NONE, np.uint32),
        full_masks=np.empty(num_nodes * WORDS, np.uint64),
        full_nodes=np.empty(num_nodes, np.uint32),
        seen_ahead=np.zeros(1, np.uint32),
        counts=np.zeros(5, np.int64),
        stack_node=np.empty(depth, np.uint32),
        stack_place=np.empty(depth, np.uint32),
        stack_masks=np.empty(depth * WORDS, np.uint64),
        literal=np.zeros(WORDS, np.uint64),
        candidates=np.empty(most_candidates, np.uint32),
        candidate_masks=np.empty(most_candidates * WORDS, np.uint64),
        position_slot=np.empty(num_expressions, np.uint32),
        position_bits=np.zeros(num_expressions // 64 + 1, np.uint64),
    )


ZERO = np.uint64(0)
NODE_SLOTS = 0
FULL_SLOTS = 1
NUM_ENTRIES = 2
NUM_CANDIDATES = 3
NUM_TESTS = 4


@hot_loop
def _read_lists(table: Any, tree: Any, block: Any, scratch: Any) -> Any:
    """Go through every list of the block; write what passes its inline test, and for which events, to the candidates.

    Returns how many do. Lists that entries refer to gain the events of each such entry; they come after all others,
    because they refer to no further list.
    """
    list_offsets, entries, list_of_slot = tree.list_offsets, tree.entries, block.list_of_slot
    list_slot, masks = block.list_slot, block.masks
    axis_first, axis_several, cell_masks = block.axis_first, block.axis_several, block.cell_masks
    rank_base, cell_rank, literal_bits = block.rank_base, block.cell_rank, scratch.literal
    candidates, candidate_masks = scratch.candidates, scratch.candidate_masks
    num_slots = np.uint64(block.num_slots[0])
    count = ZERO
    read = ZERO
    slot = ZERO
    while slot < num_slots:
        number = np.uint64(list_of_slot[slot])
        first, last = np.uint64(list_offsets[number]), np.uint64(list_offsets[number + ONE])
        source = slot * STRIDE
        slot += ONE
        read += last - first
        for entry in range(first * FOUR, last * FOUR, FOUR):
            first_word = entries[entry + ONE]
            second = entries[entry + TWO]
            kind = first_word >> KIND_SHIFT
            if kind in (TEST_KEYS, TEST_RANGE, TEST_NOT_KEYS):
                left = test_mask(
                    kind, first_word & OPERAND_MASK, second, entries[entry + THREE], list_slot, masks, axis_first,
                    axis_several, rank_base, cell_rank, cell_masks, masks, source, candidate_masks, count * STRIDE,
                )  # fmt: skip
            elif kind == FOLLOW_LIST:
                left = ZERO
                target = np.uint64(list_slot[second])
                if target == NONE:
                    target = num_slots
                    list_slot[second] = target
                    list_of_slot[target] = second
                    for each in range(WORDS):
                        masks[target * STRIDE + np.uint64(each)] = 0
                    num_slots += ONE
                for each in range(WORDS):
                    masks[target * STRIDE + np.uint64(each)] |= masks[source + np.uint64(each)]
            else:
                left = ZERO
                if kind == TEST_LITERAL:
                    literal_mask(second, table, block, literal_bits)
                for each in range(WORDS):
                    hit = masks[source + np.uint64(each)]
                    if kind == TEST_LITERAL:
                        hit &= literal_bits[each]
                    candidate_masks[count * STRIDE + np.uint64(each)] = hit
                    left |= hit
            candidates[count] = entries[entry]
            count += np.uint64(left != ZERO)
    block.num_slots[0] = num_slots
    scratch.counts[NUM_ENTRIES] += np.int64(read)
    scratch.counts[NUM_CANDIDATES] += np.int64(count)
    return np.int64(count)


@hot_loop
def _evaluate(root: Any, table: Any, tree: Any, block: Any, scratch: Any) -> Any:
    """The number in `full_masks` of a node that has none yet."""
    stack_node, stack_place, stack_masks = scratch.stack_node, scratch.stack_place, scratch.stack_masks
    full_masks, full_slot = scratch.full_masks, scratch.full_slot
    child_offsets, child_tests, node_is_and = tree.child_offsets, tree.child_tests, tree.node_is_and
    list_slot, masks, everyone = block.list_slot, block.masks, block.everyone
    axis_first, axis_several, cell_masks = block.axis_first, block.axis_several, block.cell_masks
    rank_base, cell_rank, literal_bits = block.rank_base, block.cell_rank, scratch.literal
    num_tests = 0
    top = ZERO
    stack_node[0] = root
    stack_place[0] = child_offsets[root]
    for each in range(WORDS):
        stack_masks[each] = everyone[each] if node_is_and[root] != 0 else ZERO
    while True:
        node = np.uint64(stack_node[top])
        place = np.uint64(stack_place[top])
        last = np.uint64(child_offsets[node + ONE])
        is_and = node_is_and[node] != 0
        base = top * STRIDE
        descends = False
        while place < last:
            first_word = child_tests[place * THREE]
            second = child_tests[place * THREE + ONE]
            kind = first_word >> KIND_SHIFT
            full = np.uint64(NONE)
            num_tests += 1
            if kind == TEST_NODE:
                inner = first_word & OPERAND_MASK
                full = np.uint64(full_slot[inner])
                if full == NONE:
                    stack_place[top] = place
                    top += ONE
                    stack_node[top] = inner
                    stack_place[top] = child_offsets[inner]
                    for each in range(WORDS):
                        stack_masks[top * STRIDE + np.uint64(each)] = (
                            everyone[each] if node_is_and[inner] != 0 else ZERO
                        )
                    descends = True
                    break
            elif kind == TEST_LITERAL:
                literal_mask(second, table, block, literal_bits)
            else:
                left = test_mask(
                    kind, first_word & OPERAND_MASK, second, child_tests[place * THREE + TWO], list_slot, masks,
                    axis_first, axis_several, rank_base, cell_rank, cell_masks, everyone, ZERO, literal_bits, ZERO,
                )  # fmt: skip
                if left == ZERO:
                    for each in range(WORDS):
                        literal_bits[each] = 0
            place += ONE
            undecided = ZERO
            for each in range(WORDS):
                word = np.uint64(each)
                other = literal_bits[word] if full == NONE else full_masks[full * STRIDE + word]
                mine = stack_masks[base + word]
                mine = mine & other if is_and else mine | other
                stack_masks[base + word] = mine
                undecided |= mine if is_and else mine ^ everyone[word]
            if undecided == ZERO:
                break
        if descends:
            continue
        slot = np.uint64(scratch.counts[FULL_SLOTS])
        scratch.counts[FULL_SLOTS] += 1
        full_slot[node] = slot
        scratch.full_nodes[slot] = node
        for each in range(WORDS):
            full_masks[slot * STRIDE + np.uint64(each)] = stack_masks[base + np.uint64(each)]
        if top == ZERO:
            scratch.counts[NUM_TESTS] += num_tests
            return slot
        top -= ONE


@hot_loop
def _settle(num_candidates: Any, table: Any, tree: Any, block: Any, scratch: Any) -> Any:
    """Narrow every candidate's events by the rest of its node's children, and give the node those that stay."""
    list_slot, masks = block.list_slot, block.masks
    axis_first, axis_several, cell_masks = block.axis_first, block.axis_several, block.cell_masks
    rank_base, cell_rank, literal_bits = block.rank_base, block.cell_rank, scratch.literal
    candidates, mask = scratch.candidates, scratch.candidate_masks
    node_slot, node_masks, node_of_slot = scratch.node_slot, scratch.node_masks, scratch.node_of_slot
    next_of_slot, level_head = scratch.next_of_slot, scratch.level_head
    full_slot, full_masks = scratch.full_slot, scratch.full_masks
    child_offsets, child_tests, node_is_and = tree.child_offsets, tree.child_tests, tree.node_is_and
    parent_offsets, node_level = tree.parent_offsets, tree.node_level
    num_slots = np.uint64(scratch.counts[NODE_SLOTS])
    num_tests = 0
    for candidate in range(num_candidates):
        if candidate % LOOK_AHEAD == 0:
            look_ahead(candidates, candidate, num_candidates, child_offsets, child_tests, scratch.seen_ahead)
        head = candidates[candidate]
        base = np.uint64(candidate) * STRIDE
        node = np.uint64(head & ~SKIPS_TWO)
        left = ONE
        if node_is_and[node] != 0:
            place = np.uint64(child_offsets[node]) + (TWO if head & SKIPS_TWO != 0 else ONE)
            end = np.uint64(child_offsets[node + ONE])
            while place < end and left != ZERO:
                first_word = child_tests[place * THREE]
                second = child_tests[place * THREE + ONE]
                third = child_tests[place * THREE + TWO]
                kind = first_word >> KIND_SHIFT
                place += ONE
                num_tests += 1
                if kind in (TEST_KEYS, TEST_RANGE, TEST_NOT_KEYS):
                    left = test_mask(
                        kind, first_word & OPERAND_MASK, second, third, list_slot, masks, axis_first, axis_several,
                        rank_base, cell_rank, cell_masks, mask, base, mask, base,
                    )  # fmt: skip
                else:
                    left = ZERO
                    full = ZERO
                    if kind == TEST_NODE:
                        full = np.uint64(full_slot[first_word & OPERAND_MASK])
                        if full == NONE:
                            full = _evaluate(first_word & OPERAND_MASK, table, tree, block, scratch)
                    else:
                        literal_mask(second, table, block, literal_bits)
                    for each in range(WORDS):
                        word = np.uint64(each)
                        other = full_masks[full * STRIDE + word] if kind == TEST_NODE else literal_bits[word]
                        mask[base + word] &= other
                        left |= mask[base + word]
        if left == ZERO:
            continue
        slot = np.uint64(node_slot[node])
        if slot == NONE:
            slot = num_slots
            num_slots += ONE
            node_slot[node] = slot
            node_of_slot[slot] = node
            for each in range(WORDS):
                node_masks[slot * STRIDE + np.uint64(each)] = 0
            if parent_offsets[node + ONE] > parent_offsets[node]:
                next_of_slot[slot] = level_head[node_level[node]]
                level_head[node_level[node]] = slot
        for each in range(WORDS):
            node_masks[slot * STRIDE + np.uint64(each)] |= mask[base + np.uint64(each)]
    scratch.counts[NODE_SLOTS] = num_slots
    scratch.counts[NUM_TESTS] += num_tests


@hot_loop
def _parents(level: Any, tree: Any, scratch: Any) -> Any:
    """Make candidates of the parents of the level's true nodes, for the events of those nodes; returns how many."""
    candidates, out, node_masks = scratch.candidates, scratch.candidate_masks, scratch.node_masks
    parents, parent_offsets = tree.parents, tree.parent_offsets
    count = 0
    slot = scratch.level_head[level]
    scratch.level_head[level] = NONE
    while slot != NONE:
        node = np.uint64(scratch.node_of_slot[slot])
        for place in range(parent_offsets[node], parent_offsets[node + ONE]):
            candidates[count] = parents[place]
            for each in range(WORDS):
                out[count * WORDS + each] = node_masks[np.int64(slot) * WORDS + each]
            count += 1
        slot = scratch.next_of_slot[slot]
    return count


@njit(cache=True, nogil=True)
def walk_block(first: Any, last: Any, order: Any, events: Any, table: Any, tree: Any, block: Any, scratch: Any) -> Any:
    """Find for events `order[first:last]` which nodes they satisfy: the slots of `scratch` hold the answer."""
    load_block(first, last, order, events, tree, block)
    _settle(_read_lists(table, tree, block, scratch), table, tree, block, scratch)
    for level in range(len(scratch.level_head)):
        if scratch.level_head[level] != NONE:
            _settle(_parents(level, tree, scratch), table, tree, block, scratch)


@hot_loop
def leave_block(block: Any, scratch: Any) -> Any:
    """Forget what is known of the block's events."""
    for slot in range(scratch.counts[NODE_SLOTS]):
        scratch.node_slot[scratch.node_of_slot[slot]] = NONE
    for slot in range(scratch.counts[FULL_SLOTS]):
        scratch.full_slot[scratch.full_nodes[slot]] = NONE
    scratch.counts[NODE_SLOTS] = 0
    scratch.counts[FULL_SLOTS] = 0
    unload_block(block)


@hot_loop
def count_matches(tree: Any, scratch: Any, counts: Any) -> Any:
    """Add the block's matches of each expression to `counts`, without writing a pair."""
    node_masks = scratch.node_masks
    for slot in range(scratch.counts[NODE_SLOTS]):
        node = np.uint64(scratch.node_of_slot[slot])
        first, last = tree.match_offsets[node], tree.match_offsets[node + ONE]
        if first == last:
            continue
        number = ZERO
        for word in range(WORDS):
            number += popcount(node_masks[slot * WORDS + word])
        for place in range(first, last):
            counts[tree.matches[place]] += np.int64(number)


@hot_loop
def count_pairs(num_events: Any, tree: Any, scratch: Any, lengths: Any) -> Any:
    """Write how many matches each event of the block has, and mark the expressions that match; returns all pairs."""
    node_masks, position_slot, position_bits = scratch.node_masks, scratch.position_slot, scratch.position_bits
    for number in range(num_events):
        lengths[number] = len(tree.always)
    for slot in range(scratch.counts[NODE_SLOTS]):
        node = np.uint64(scratch.node_of_slot[slot])
        first, last = tree.match_offsets[node], tree.match_offsets[node + ONE]
        if first == last:
            continue
        for place in range(first, last):
            position = np.uint64(tree.matches[place])
            position_slot[position] = slot
            position_bits[position >> np.uint64(6)] |= ONE << (position & np.uint64(63))
        expressions = np.int64(last) - np.int64(first)
        for word in range(WORDS):
            rest = node_masks[slot * WORDS + word]
            while rest != 0:
                lowest = rest & (~rest + ONE)
                lengths[np.uint64(word * 64) + popcount(lowest - ONE)] += expressions
                rest ^= lowest
    for always in tree.always:
        position = np.uint64(always)
        position_slot[position] = NONE
        position_bits[position >> np.uint64(6)] |= ONE << (position & np.uint64(63))
    total = 0
    for number in range(num_events):
        total += lengths[number]
    return total


@hot_loop
def write_pairs(block: Any, scratch: Any, starts: Any, positions: Any) -> Any:
    """Write each event's matches from its place in `starts` on, ascending; uses up `starts` and the marks."""
    node_masks, everyone = scratch.node_masks, block.everyone
    for group in range(len(scratch.position_bits)):
        marked = scratch.position_bits[group]
        if marked == 0:
            continue
        scratch.position_bits[group] = 0
        while marked != 0:
            lowest = marked & (~marked + ONE)
            marked ^= lowest
            position = np.uint64(group * 64) + popcount(lowest - ONE)
            slot = scratch.position_slot[position]
            for word in range(WORDS):
                rest = node_masks[np.uint64(slot) * STRIDE + np.uint64(word)] if slot != NONE else everyone[word]
                while rest != 0:
                    bit = rest & (~rest + ONE)
                    number = np.uint64(word * 64) + popcount(bit - ONE)
                    positions[starts[number]] = position
                    starts[number] += 1
                    rest ^= bit


@hot_loop
def reorder(order: Any, offsets: Any, by_rank_offsets: Any, by_rank: Any, positions: Any) -> Any:
    """Copy the matches of events, which lie in the order in which blocks took them, to their own places."""
    for rank in range(len(order)):
        start = np.int64(offsets[order[rank]])
        for place in range(by_rank_offsets[rank], by_rank_offsets[rank + 1]):
            positions[start] = by_rank[place]
            start += 1
