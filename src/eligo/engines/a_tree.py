"""How does Eligo match by default? With the A-Tree: one graph of all shared subexpressions, entered from below.

A-Tree 2021, frozen: expressions share one node for each distinct subexpression, an event enters it at the literals
that its keys hit, and truth rises to the roots. Beyond the paper, the access child of an AND is chosen by estimated
selectivity, a posting entry carries the next test, and many events go through the graph together as a block.

    expressions                     postings                        nodes
    0  a = 1 and b < 5              (a, 1) ──▶ N0 if b < 5          N0  AND  a = 1, b < 5     ──▶ 0
    1  a = 1 and b < 5 or c         (c, true) ──▶ N1                N1  OR   N0, c            ──▶ 1
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import read_only_arrays
from eligo.data.event_batch import EventBatch
from eligo.data.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines.freeze import freeze
from eligo.engines.protocol import Capabilities, Engine, EngineStats, MatchArrays
from eligo.engines.ranking import ScoredPositions, best
from eligo.kernels import frozen_blocks, frozen_tree
from eligo.kernels.event_block import BLOCK, BlockState, heaviest_lists, new_block
from eligo.kernels.event_state import EventState, load_event, new_event_state
from eligo.kernels.frozen_blocks import BlockScratch, new_block_scratch
from eligo.kernels.frozen_top import new_top_scratch, node_bounds, score_best
from eligo.kernels.frozen_tree import FrozenScratch, FrozenTree, new_scratch
from eligo.kernels.hashing import NONE

FEW_EVENTS = 16
"""Up to so many events go one by one: a block costs more than they do."""


class ATree(Engine):
    """Shared subexpressions, entered from below through access children; frozen."""

    name: ClassVar[str] = "a_tree"
    capabilities: ClassVar[Capabilities] = Capabilities()

    def __init__(self, tree: FrozenTree, table: ExpressionTable, vocabulary: Vocabulary) -> None:
        self.tree = FrozenTree(*read_only_arrays(tree))  # so that kernels are compiled once, for files and memory
        self.table = table.literals_only()
        self.num_expressions = int(tree.num_expressions[0])
        self.vocabulary = vocabulary
        self.num_cells = np.array([vocabulary.num_cells(axis) for axis in range(vocabulary.num_axes)], np.int64)
        self._own = threading.local()
        self._counters = np.zeros(3, np.int64)

    @classmethod
    def build(cls, table: ExpressionTable, vocabulary: Vocabulary, sample: EventBatch | None = None) -> Self:
        return cls(freeze(table, vocabulary, sample), table, vocabulary)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        return dict(self.tree._asdict())

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, npt.NDArray[Any]], table: ExpressionTable, vocabulary: Vocabulary
    ) -> Self:
        return cls(FrozenTree(**{name: arrays[name] for name in FrozenTree._fields}), table, vocabulary)

    def match(self, event: EventBatch) -> npt.NDArray[np.uint32]:
        return self.match_one_by_one(event).positions

    def match_batch(self, events: EventBatch) -> MatchArrays:
        return self.match_one_by_one(events) if events.num_events <= FEW_EVENTS else self.match_blocks(events)

    def match_one_by_one(self, events: EventBatch) -> MatchArrays:
        """The matches of every event, each taken alone."""
        state, scratch = self._event_scratch(events)
        offsets = np.zeros(events.num_events + 1, np.uint64)
        positions = np.empty(self.num_expressions + 1024, np.uint32)
        done = 0
        while done < events.num_events:
            done = frozen_tree.match_events(done, events, self.table, self.tree, state, scratch, offsets, positions)
            if done < events.num_events:
                positions = np.resize(positions, 2 * len(positions) + self.num_expressions)
        self._count(scratch.counts[1:])
        return MatchArrays(offsets, positions[: int(offsets[-1])].copy())

    def match_blocks(self, events: EventBatch) -> MatchArrays:
        """The matches of every event, taken together in blocks."""
        block, scratch = self._block_scratch(events)
        order = self._order(events)
        lengths = np.zeros(events.num_events + BLOCK, np.int64)
        parts = []
        for first in range(0, events.num_events, BLOCK):
            last = min(first + BLOCK, events.num_events)
            frozen_blocks.walk_block(first, last, order, events, self.table, self.tree, block, scratch)
            own_lengths = lengths[first : first + BLOCK]
            total = frozen_blocks.count_pairs(last - first, self.tree, scratch, own_lengths)
            found = np.empty(total, np.uint32)
            frozen_blocks.write_pairs(block, scratch, np.cumsum(own_lengths) - own_lengths, found)
            frozen_blocks.leave_block(block, scratch)
            parts.append(found)
        self._count(scratch.counts[2:])
        by_rank = np.concatenate(parts) if parts else np.zeros(0, np.uint32)
        by_rank_offsets = np.zeros(events.num_events + 1, np.int64)
        np.cumsum(lengths[: events.num_events], out=by_rank_offsets[1:])
        own_length = np.empty(events.num_events, np.uint64)
        own_length[order] = lengths[: events.num_events]
        offsets = np.zeros(events.num_events + 1, np.uint64)
        np.cumsum(own_length, out=offsets[1:])
        positions = np.empty(len(by_rank), np.uint32)
        frozen_blocks.reorder(order, offsets, by_rank_offsets, by_rank, positions)
        return MatchArrays(offsets, positions)

    def count_batch(self, events: EventBatch) -> npt.NDArray[np.int64]:
        block, scratch = self._block_scratch(events)
        order = self._order(events)
        counts = np.zeros(self.num_expressions, np.int64)
        for first in range(0, events.num_events, BLOCK):
            last = min(first + BLOCK, events.num_events)
            frozen_blocks.walk_block(first, last, order, events, self.table, self.tree, block, scratch)
            frozen_blocks.count_matches(self.tree, scratch, counts)
            frozen_blocks.leave_block(block, scratch)
        self._count(scratch.counts[2:])
        counts[self.tree.always] += events.num_events
        return counts

    def top(self, event: EventBatch, n: int) -> ScoredPositions:
        positions = self.match(event)
        if n <= 0 or not len(positions):
            return ScoredPositions(positions[:0], np.zeros(0))
        roots = self._root_of_position[positions]
        always = roots == NONE
        candidates = positions[~always]
        bounds = self._bounds[roots[~always]]
        falling = np.argsort(-bounds, kind="stable")
        candidates, bounds = candidates[falling], bounds[falling]
        state = new_event_state(self.vocabulary.num_keys + 1, self.vocabulary.num_axes, scored=True)
        factor = max(1.0, event.key_weights.max(initial=0.0), event.cell_weights.max(initial=0.0))
        scores = np.zeros(len(candidates))
        best_scores = np.full(n, -np.inf)
        scratch = new_top_scratch(len(self.tree.node_is_and), int(self.tree.node_level.max(initial=1)) + 2)
        load_event(0, event, state)
        done = score_best(
            self._root_of_position[candidates],
            bounds,
            factor,
            best_scores,
            event,
            self.table,
            self.tree,
            state,
            scratch,
            scores,
        )
        everywhere = positions[always]
        return best(
            np.concatenate([candidates[:done], everywhere]),
            np.concatenate([scores[:done], np.zeros(len(everywhere))]),
            n,
        )

    @cached_property
    def _bounds(self) -> npt.NDArray[np.float64]:
        bounds: npt.NDArray[np.float64] = node_bounds(self.table, self.tree, np.argsort(self.tree.node_level))
        return bounds

    @cached_property
    def _root_of_position(self) -> npt.NDArray[np.uint32]:
        """The root of each expression; NONE for one that matches every event or none."""
        roots = np.full(self.num_expressions, NONE, np.uint32)
        nodes = np.arange(len(self.tree.node_is_and), dtype=np.uint32)
        lengths = self.tree.match_offsets[1:] - self.tree.match_offsets[:-1]
        roots[self.tree.matches] = np.repeat(nodes, lengths.astype(np.int64))
        return roots

    def stats(self) -> EngineStats:
        arrays = self.arrays()
        levels, nodes_of_level = np.unique(self.tree.node_level, return_counts=True)
        return EngineStats(
            num_expressions=self.num_expressions,
            num_nodes=len(self.tree.node_is_and) + self.table.num_literals,
            num_postings=len(self.tree.entries) // 4,
            num_bytes=sum(array.nbytes for array in arrays.values()),
            num_evaluations=int(self._counters[2]),
            details={
                "literals": self.table.num_literals,
                "ands": int(self.tree.node_is_and.sum()),
                "ors": len(self.tree.node_is_and) - int(self.tree.node_is_and.sum()),
                "nodes_by_level": {int(level): int(count) for level, count in zip(levels, nodes_of_level, strict=True)},
                "bytes_by_array": {name: array.nbytes for name, array in arrays.items()},
                "entries_read": int(self._counters[0]),
                "candidates": int(self._counters[1]),
            },
        )

    def _order(self, events: EventBatch) -> npt.NDArray[np.uint32]:
        """The events in an order in which similar ones share a block."""
        if events.num_events <= BLOCK:
            return np.arange(events.num_events, dtype=np.uint32)
        heaviest, second = np.zeros(events.num_events, np.uint32), np.zeros(events.num_events, np.uint32)
        heaviest_lists(events, self.tree.list_offsets, heaviest, second)
        return np.lexsort((second, heaviest)).astype(np.uint32)

    def _count(self, counters: npt.NDArray[np.int64]) -> None:
        self._counters += counters
        counters[:] = 0

    def _event_scratch(self, events: EventBatch) -> tuple[EventState, FrozenScratch]:
        """The scratch of the current thread for single events; made anew when an event is larger than any before."""
        most = most_values(events.key_offsets) + most_values(events.cell_offsets)
        if getattr(self._own, "most", -1) < most:
            self._own.most = 2 * most
            self._own.event = (
                new_event_state(self.vocabulary.num_keys + 1, self.vocabulary.num_axes),
                new_scratch(self.tree, 2 * most),
            )
        own: tuple[EventState, FrozenScratch] = self._own.event
        return own

    def _block_scratch(self, events: EventBatch) -> tuple[BlockState, BlockScratch]:
        most_keys, most_cells = most_values(events.key_offsets), most_values(events.cell_offsets)
        block = new_block(len(self.tree.list_offsets), self.num_cells, most_keys, most_cells)
        return block, new_block_scratch(self.tree)


def most_values(offsets: npt.NDArray[np.uint64]) -> int:
    """The length of the longest of the lists that the offsets bound."""
    return int((offsets[1:] - offsets[:-1]).max(initial=0))
