"""Where are the matches of a block until it is known where they go? In the masks of its nodes, or written out if few.

Events are taken in an order in which similar ones share a block, so an event's matches have a place only when all
blocks are done. A mask of 64 bytes stands for up to 512 matches of 4 bytes: where many match it is kept, and they are
written once, to where they stay. Memory that is new to a process costs more than writing to it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.engines.a_tree.kernels.block_pairs import (
    count_pairs,
    mark_expressions,
    place_pairs,
    write_bits,
    write_pairs,
)
from eligo.engines.a_tree.kernels.block_scratch import NODE_SLOTS, BlockScratch
from eligo.engines.a_tree.kernels.event_block import WORDS, BlockState
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree

MATCHES_IN_A_MASK = 16
"""So many matches take the room of a mask."""


class KeptPairs(NamedTuple):
    """Few matches: written out, those of the block's first event first."""

    lengths: npt.NDArray[np.uint64]
    """For each event of the block: how many matches it has."""
    pairs: npt.NDArray[np.uint32]


class KeptMasks(NamedTuple):
    """Many matches."""

    lengths: npt.NDArray[np.uint64]
    nodes: npt.NDArray[np.uint32]
    """The nodes that some event satisfies."""
    masks: npt.NDArray[np.uint64]
    """For each of them its events, and then all events of the block."""


BlockMatches = KeptPairs | KeptMasks
NO_MATCHES = KeptPairs(np.zeros(0, np.uint64), np.zeros(0, np.uint32))


def keep_matches(num_events: int, tree: FrozenTree, block: BlockState, scratch: BlockScratch) -> BlockMatches:
    """The matches of the block that was walked last, in the form that takes less room."""
    nodes, masks = _rows(block, scratch)
    lengths = np.zeros(num_events, np.uint64)
    total = count_pairs(nodes, masks, tree, lengths)
    if total > MATCHES_IN_A_MASK * len(nodes):
        return KeptMasks(lengths, nodes.copy(), masks.copy())
    pairs = np.empty(total, np.uint32)
    ends = np.cumsum(lengths, dtype=np.uint64)
    mark_expressions(nodes, tree, scratch)
    write_pairs(masks, scratch, ends - lengths, ends, pairs)
    return KeptPairs(lengths, pairs)


def write_matches(
    kept: BlockMatches,
    starts: npt.NDArray[np.uint64],
    tree: FrozenTree,
    scratch: BlockScratch,
    positions: npt.NDArray[np.uint32],
) -> None:
    """Write the matches of each of the block's events from its place on; `starts` is used up."""
    if isinstance(kept, KeptPairs):
        place_pairs(kept.lengths, kept.pairs, starts, positions)
    else:
        mark_expressions(kept.nodes, tree, scratch)
        write_pairs(kept.masks, scratch, starts, starts + kept.lengths, positions)


def write_block_bits(
    rows: npt.NDArray[np.uint32],
    tree: FrozenTree,
    block: BlockState,
    scratch: BlockScratch,
    bits: npt.NDArray[np.uint64],
) -> None:
    """Write the matches of the block that was walked last as bits, those of its event i to row `rows[i]`."""
    nodes, masks = _rows(block, scratch)
    mark_expressions(nodes, tree, scratch)
    write_bits(masks, scratch, rows, bits.reshape(-1), bits.shape[1])


def _rows(block: BlockState, scratch: BlockScratch) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint64]]:
    """The nodes that some event satisfies; their masks, and behind them that of all events."""
    num_nodes = int(scratch.counts[NODE_SLOTS])
    masks = scratch.node_masks[: (num_nodes + 1) * WORDS]
    masks[num_nodes * WORDS :] = block.everyone
    return scratch.node_of_slot[:num_nodes], masks
