"""What does one thread need to match a block of events? Masks of the nodes that it reaches, and room to work in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.engines.a_tree.kernels.event_block import WORDS, aligned
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.a_tree.kernels.inline_tests import END
from eligo.kernels.hashing import NONE

CHUNK = 256
"""So many candidates are collected before they are settled: their masks stay in the nearest caches."""
PIECES = CHUNK * WORDS
"""So many pieces of candidates, so that those of a chunk always fit."""
TILE = 16
"""So many times 64 expressions are written at once: an event's matches among them go to memory in one go."""

# The places in `counts`.
NODE_SLOTS = 0
FULL_SLOTS = 1
NUM_ENTRIES = 2
NUM_CANDIDATES = 3
NUM_TESTS = 4


class BlockScratch(NamedTuple):
    """What one thread needs to match a block. Mask i is the words from STRIDE · i on."""

    node_slot: npt.NDArray[np.uint32]
    """For each node: the number of its mask, or NONE when no event has reached it from below."""
    node_masks: npt.NDArray[np.uint64]
    """For each slot: the events that reached the node and satisfied it; then all of the block."""
    node_of_slot: npt.NDArray[np.uint32]
    next_of_slot: npt.NDArray[np.uint32]
    """For each slot: another slot of the same level, or NONE."""
    level_head: npt.NDArray[np.uint32]
    """For each level: a slot whose node has parents, or NONE."""
    full_slot: npt.NDArray[np.uint32]
    """For each node, then for each literal, that was evaluated on demand: its number in `full_masks`, else NONE."""
    full_masks: npt.NDArray[np.uint64]
    full_items: npt.NDArray[np.uint32]
    """For each of them: its place in `full_slot`."""
    counts: npt.NDArray[np.int64]
    """Slots of nodes and of full masks; and since the beginning: entries read, candidates, literal masks made."""
    stack_node: npt.NDArray[np.uint32]
    stack_place: npt.NDArray[np.uint32]
    stack_masks: npt.NDArray[np.uint64]
    """Nodes under evaluation, how far each has come, and its events so far."""
    passed: npt.NDArray[np.uint64]
    """The mask of the test at hand."""
    cursor: npt.NDArray[np.int64]
    """How far the lists, or the parents of a level, have been read: a slot, a place after its first, and a word."""
    candidates: npt.NDArray[np.uint32]
    """Where to read on for a chunk of candidates, and, from CHUNK + 1 on, for those of them that are left."""
    candidate_masks: npt.NDArray[np.uint64]
    """For each of both: the events."""
    piece_place: npt.NDArray[np.uint32]
    """Where to read on for a chunk of pieces: candidates with one word of their masks each. Two sides, as above."""
    piece_word: npt.NDArray[np.uint32]
    """For each piece: which word."""
    piece_bits: npt.NDArray[np.uint64]
    """For each piece: the events."""
    by_kind: npt.NDArray[np.uint32]
    """Candidates or pieces by the kind of their next test, PIECES for each kind."""
    num_by_kind: npt.NDArray[np.int64]
    """For each kind: how many there are."""
    squares: npt.NDArray[np.uint64]
    """For each word of a mask, TILE squares of 64 words of 64 bits: expressions by events, or events by expressions."""
    some: npt.NDArray[np.uint64]
    """For each word of a mask: the events that satisfy some expression of the squares."""
    position_row: npt.NDArray[np.uint32]
    """For each expression with its bit set in `position_bits`: the row of its events among the masks."""
    position_bits: npt.NDArray[np.uint64]
    """A bit for each expression; zero between blocks."""


def new_block_scratch(tree: FrozenTree, num_literals: int) -> BlockScratch:
    """Scratch with nothing known; the arrays of masks are only reserved: memory comes as nodes are touched."""
    num_nodes, num_expressions = len(tree.node_is_and), int(tree.num_expressions[0])
    num_items = num_nodes + num_literals
    depth = int(tree.node_level.max(initial=1)) + 2
    return BlockScratch(
        node_slot=np.full(num_nodes, NONE, np.uint32),
        node_masks=aligned((num_nodes + 1) * WORDS),
        node_of_slot=np.empty(num_nodes, np.uint32),
        next_of_slot=np.empty(num_nodes, np.uint32),
        level_head=np.full(depth, NONE, np.uint32),
        full_slot=np.full(num_items, NONE, np.uint32),
        full_masks=aligned(num_items * WORDS),
        full_items=np.empty(num_items, np.uint32),
        counts=np.zeros(5, np.int64),
        stack_node=np.empty(depth, np.uint32),
        stack_place=np.empty(depth, np.uint32),
        stack_masks=aligned(depth * WORDS),
        passed=aligned(WORDS),
        cursor=np.zeros(3, np.int64),
        candidates=np.empty(2 * (CHUNK + 1), np.uint32),
        candidate_masks=aligned(2 * (CHUNK + 1) * WORDS),
        piece_place=np.empty(2 * (PIECES + 1), np.uint32),
        piece_word=np.empty(2 * (PIECES + 1), np.uint32),
        piece_bits=np.empty(2 * (PIECES + 1), np.uint64),
        by_kind=np.empty((END + 1) * PIECES, np.uint32),
        num_by_kind=np.zeros(END + 1, np.int64),
        squares=aligned(WORDS * TILE * 64),
        some=np.zeros(WORDS, np.uint64),
        position_row=np.empty(num_expressions, np.uint32),
        position_bits=np.zeros(num_expressions // 64 + 1, np.uint64),
    )
