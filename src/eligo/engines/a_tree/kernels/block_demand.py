"""What is true of a literal or a node for a whole block? Found when it is first asked for, and kept for the block."""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.kernels.tables import Literals
from eligo.engines.a_tree.kernels.block_scratch import FULL_SLOTS, NUM_TESTS, BlockScratch
from eligo.engines.a_tree.kernels.event_block import (
    STRIDE,
    WORDS,
    BlockState,
    key_mask,
    keys_mask,
    literal_mask,
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
    TEST_RANGE,
)
from eligo.engines.kernels.event_state import ONE
from eligo.kernels.compiled import hot_loop
from eligo.kernels.hashing import NONE
from eligo.kernels.parameter_types import Integer

ZERO = np.uint64(0)
TWO = np.uint64(2)


@hot_loop
def full_of_literal(
    literal: Integer, table: Literals, tree: FrozenTree, block: BlockState, scratch: BlockScratch
) -> Any:
    """The number in `full_masks` of a literal for which no short test will do."""
    item = np.uint64(len(tree.node_is_and)) + np.uint64(literal)
    full = np.uint64(scratch.full_slot[item])
    if full == NONE:
        full = np.uint64(scratch.counts[FULL_SLOTS])
        scratch.counts[FULL_SLOTS] += 1
        scratch.full_slot[item] = full
        scratch.full_items[full] = item
        literal_mask(literal, table, block, scratch.full_masks, full * STRIDE)
    return full


@hot_loop
def full_of_node(root: Integer, table: Literals, tree: FrozenTree, block: BlockState, scratch: BlockScratch) -> Any:
    """The number in `full_masks` of a node that has none yet.

    A node below that is not known either is found first, from a stack: there is no recursion in a kernel, and one loop
    keeps the masks of tests in registers.
    """
    stack_node, stack_place, stack_masks = scratch.stack_node, scratch.stack_place, scratch.stack_masks
    full_masks, full_slot = scratch.full_masks, scratch.full_slot
    tests, test_offsets, node_is_and = tree.tests, tree.test_offsets, tree.node_is_and
    list_slot, masks, everyone = block.list_slot, block.masks, block.everyone
    axis_several, cell_masks = block.axis_several, block.cell_masks
    rank_base, cell_rank, passed = block.rank_base, block.cell_rank, scratch.passed
    num_tests = 0
    top = ZERO
    stack_node[0] = root
    stack_place[0] = test_offsets[root]
    # An AND begins with all events and loses some with each test, an OR with none and gains some.
    for each in range(WORDS):
        stack_masks[each] = everyone[each] if node_is_and[root] != 0 else ZERO
    while True:
        node = np.uint64(stack_node[top])
        place = np.uint64(stack_place[top])
        is_and = node_is_and[node] != 0
        base = top * STRIDE
        descends = False
        while True:
            word = tests[place]
            kind = word >> KIND_SHIFT
            operand = word & OPERAND_MASK
            full = np.uint64(NONE)
            num_tests += 1
            if kind == END:
                break
            if kind == TEST_NODE:
                full = np.uint64(full_slot[operand])
                if full == NONE:
                    # Go down; this test is read again when the node below is known.
                    stack_place[top] = place
                    top += ONE
                    stack_node[top] = operand
                    stack_place[top] = test_offsets[operand]
                    for each in range(WORDS):
                        stack_masks[top * STRIDE + np.uint64(each)] = (
                            everyone[each] if node_is_and[operand] != 0 else ZERO
                        )
                    descends = True
                    break
            elif kind == TEST_LITERAL:
                full = full_of_literal(operand, table, tree, block, scratch)
            elif kind == TEST_KEY:
                key_mask(operand, list_slot, masks, everyone, ZERO, passed, ZERO)
            else:
                second, third = tests[place + ONE], tests[place + TWO]
                place += TWO
                if kind == TEST_KEYS:
                    keys_mask(operand, second, third, list_slot, masks, everyone, ZERO, passed, ZERO)
                elif kind == TEST_NEAR:
                    near_mask(operand, second, third, list_slot, masks, everyone, ZERO, passed, ZERO)
                elif kind == TEST_RANGE:
                    range_mask(
                        operand, second, third, axis_several, rank_base, cell_rank, cell_masks, everyone, ZERO,
                        passed, ZERO,
                    )  # fmt: skip
                else:
                    not_keys_mask(operand, second, third, list_slot, masks, everyone, ZERO, passed, ZERO)
            place += ONE
            # Take the test's events in, or those kept for the literal or node; stop when no event can change any more.
            undecided = ZERO
            for each in range(WORDS):
                at = np.uint64(each)
                other = passed[at] if full == NONE else full_masks[full * STRIDE + at]
                mine = stack_masks[base + at]
                mine = mine & other if is_and else mine | other
                stack_masks[base + at] = mine
                undecided |= mine if is_and else mine ^ everyone[at]
            if undecided == ZERO:
                break
        if descends:
            continue
        # Known now: kept for the block, and the node above reads on.
        slot = np.uint64(scratch.counts[FULL_SLOTS])
        scratch.counts[FULL_SLOTS] += 1
        full_slot[node] = slot
        scratch.full_items[slot] = node
        for each in range(WORDS):
            full_masks[slot * STRIDE + np.uint64(each)] = stack_masks[base + np.uint64(each)]
        if top == ZERO:
            scratch.counts[NUM_TESTS] += num_tests
            return slot
        top -= ONE
