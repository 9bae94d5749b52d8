"""How is a batch of events matched that are alike, or satisfy much? In blocks, by masks with a bit for each event.

Events are ordered so that similar ones share a block, and threads share the blocks; see `kernels.frozen_blocks` for the
walk of one, and `block_matches` for where its matches are until all are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines.a_tree.block_matches import (
    NO_MATCHES,
    BlockMatches,
    keep_matches,
    write_block_bits,
    write_matches,
)
from eligo.engines.a_tree.kernels.block_scratch import NUM_ENTRIES, BlockScratch, new_block_scratch
from eligo.engines.a_tree.kernels.event_block import BLOCK, BlockState, heaviest_lists, new_block
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.a_tree.kernels.frozen_blocks import count_matches, leave_block, walk_block
from eligo.engines.kept_memory import KeptMemory
from eligo.engines.match_bits import Bits, num_words
from eligo.engines.protocol import MatchArrays
from eligo.engines.threads import share_out
from eligo.sharing import ScratchPool


class KeptScratch(NamedTuple):
    """Scratch for blocks of events of at most so many keys and cells."""

    most: tuple[int, int]
    block: BlockState
    scratch: BlockScratch


class MaskBlocks:
    """Matches batches in blocks by masks, on a frozen tree."""

    def __init__(self, tree: FrozenTree, table: ExpressionTable, vocabulary: Vocabulary) -> None:
        self._tree = tree
        self._table = table
        self._num_expressions = int(tree.num_expressions[0])
        self._num_cells = np.array([vocabulary.num_cells(axis) for axis in range(vocabulary.num_axes)], np.int64)
        self._kept: ScratchPool[KeptScratch] = ScratchPool()
        self._kept_memory = KeptMemory()
        self.counters = np.zeros(4, np.int64)
        """Since the beginning: events, entries read, nodes reached through them, tests beyond the inline ones."""

    def match(self, events: EventBatch) -> MatchArrays:
        """The matches of every event."""
        order = self._order(events)
        found: list[BlockMatches] = [NO_MATCHES] * num_blocks(events)

        def find_some(numbers: range) -> None:
            for number, block, scratch in self._walked(numbers, order, events):
                found[number] = keep_matches(len(block_rows(number, order)), self._tree, block, scratch)

        share_out(find_some, len(found))
        self.counters[0] += events.num_events
        offsets = np.zeros(events.num_events + 1, np.uint64)
        offsets[1:][order] = np.concatenate([NO_MATCHES.lengths, *(kept.lengths for kept in found)])
        np.cumsum(offsets, out=offsets)
        positions = self._kept_memory.take(int(offsets[-1]))

        def write_some(numbers: range) -> None:
            with self._scratch(events) as (_, scratch):
                for number in numbers:
                    write_matches(found[number], offsets[block_rows(number, order)], self._tree, scratch, positions)
                    found[number] = NO_MATCHES

        share_out(write_some, len(found))
        return MatchArrays(offsets, positions)

    def bits(self, events: EventBatch) -> Bits:
        """The matches of every event as bits."""
        order = self._order(events)
        bits = np.empty((events.num_events, num_words(self._num_expressions)), np.uint64)

        def write_some(numbers: range) -> None:
            for number, block, scratch in self._walked(numbers, order, events):
                write_block_bits(block_rows(number, order), self._tree, block, scratch, bits)

        share_out(write_some, num_blocks(events))
        self.counters[0] += events.num_events
        return bits

    def count(self, events: EventBatch) -> npt.NDArray[np.int64]:
        """How many of the events each expression matches, counted on masks, without writing a pair."""
        order = self._order(events)
        counts: list[npt.NDArray[np.int64]] = []

        def count_some(numbers: range) -> None:
            own_counts = np.zeros(self._num_expressions, np.int64)
            for _, _, scratch in self._walked(numbers, order, events):
                count_matches(self._tree, scratch, own_counts)
            counts.append(own_counts)

        share_out(count_some, num_blocks(events))
        self.counters[0] += events.num_events
        total = sum(counts, np.zeros(self._num_expressions, np.int64))
        total[self._tree.always] += events.num_events
        return total

    def _order(self, events: EventBatch) -> npt.NDArray[np.uint32]:
        """The events in an order in which similar ones share a block."""
        if events.num_events <= BLOCK:
            return np.arange(events.num_events, dtype=np.uint32)
        heaviest, second = np.zeros(events.num_events, np.uint32), np.zeros(events.num_events, np.uint32)
        heaviest_lists(events, self._tree.list_offsets, self._tree.plain_offsets, heaviest, second)
        return np.lexsort((second, heaviest)).astype(np.uint32)

    def _walked(
        self, numbers: range, order: npt.NDArray[np.uint32], events: EventBatch
    ) -> Iterator[tuple[int, BlockState, BlockScratch]]:
        """Each of these blocks with what is known of it, until the next one is asked for."""
        with self._scratch(events) as (block, scratch):
            for number in numbers:
                first, last = number * BLOCK, min((number + 1) * BLOCK, events.num_events)
                walk_block(first, last, order, events, self._table, self._tree, block, scratch)
                yield number, block, scratch
                leave_block(block, scratch)

    @contextmanager
    def _scratch(self, events: EventBatch) -> Iterator[tuple[BlockState, BlockScratch]]:
        """Scratch for blocks of these events, which nobody else uses meanwhile; it is kept for the next batch."""
        most = most_values(events.key_offsets), most_values(events.cell_offsets)
        kept = self._kept.take()
        if kept is None:
            scratch = new_block_scratch(self._tree, self._table.num_literals)
            kept = KeptScratch(most, self._new_block(most), scratch)
        elif kept.most[0] < most[0] or kept.most[1] < most[1]:
            most = max(kept.most[0], most[0]), max(kept.most[1], most[1])
            kept = KeptScratch(most, self._new_block(most), kept.scratch)
        yield kept.block, kept.scratch
        self.counters[1:] += kept.scratch.counts[NUM_ENTRIES:]
        kept.scratch.counts[NUM_ENTRIES:] = 0
        self._kept.give(kept)

    def _new_block(self, most: tuple[int, int]) -> BlockState:
        return new_block(len(self._tree.list_offsets), self._num_cells, *most)


def num_blocks(events: EventBatch) -> int:
    """How many blocks a batch makes."""
    return -(-events.num_events // BLOCK)


def block_rows(number: int, order: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """The events of a block."""
    return order[number * BLOCK : (number + 1) * BLOCK]


def most_values(offsets: npt.NDArray[np.uint64]) -> int:
    """The length of the longest of the lists that the offsets bound."""
    return int((offsets[1:] - offsets[:-1]).max(initial=0))
