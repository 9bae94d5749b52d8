"""How does Eligo match by default? With the A-Tree: one graph of all shared subexpressions, entered from below.

A-Tree 2021, frozen: expressions share one node for each distinct subexpression, an event enters it at the literals
that its keys hit, and truth rises to the roots. Beyond the paper, the access child of an AND is chosen by estimated
selectivity, a posting entry carries the next test, and many events go through the graph together as a block.

    expressions                     postings                        nodes
    0  a = 1 and b < 5              (a, 1) ──▶ N0 if b < 5          N0  AND  a = 1, b < 5     ──▶ 0
    1  a = 1 and b < 5 or c         (c, true) ──▶ N1                N1  OR   N0, c            ──▶ 1
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import read_only_arrays
from eligo.data.events.encoder.hits import ITEM, Items
from eligo.data.events.event_batch import EventBatch
from eligo.data.events.kernels.event_items import noted_events
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines.a_tree.a_tree_form import tree_problems
from eligo.engines.a_tree.always_literal import with_always_literal
from eligo.engines.a_tree.best_matches import BestMatches
from eligo.engines.a_tree.dense_event import LevelPasses
from eligo.engines.a_tree.event_counts import EventCounts
from eligo.engines.a_tree.event_scratch import EventScratch
from eligo.engines.a_tree.freeze import freeze
from eligo.engines.a_tree.frozen_stats import FrozenFigures, measure
from eligo.engines.a_tree.kernels import frozen_tree
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.a_tree.kernels.frozen_scratch import (
    NUM_CANDIDATES,
    NUM_ENTRIES,
    NUM_EVENTS,
    NUM_TESTS,
    NUM_WAITING,
)
from eligo.engines.a_tree.literal_order import with_read_literals_last
from eligo.engines.a_tree.mask_blocks import MaskBlocks, most_values
from eligo.engines.a_tree.relatives import relatives
from eligo.engines.a_tree.sparse_matcher import SparseMatcher
from eligo.engines.a_tree.ways import Ways
from eligo.engines.match_bits import Bits
from eligo.engines.own_scratch import OwnScratch
from eligo.engines.parted_engine import match_in_parts
from eligo.engines.protocol import Capabilities, Engine, EngineStats, MatchArrays
from eligo.engines.ranking import ScoredPositions
from eligo.errors import StorageError
from eligo.kernels.hashing import NONE
from eligo.ranges.list_choice import RangeLists
from eligo.sharing import ScratchPool, once

NO_POSITIONS: npt.NDArray[np.uint32] = np.zeros(0, np.uint32)
FEWEST_VALUES = 256
"""Scratch for single events has room for as many keys and cells at least, so that it is seldom made anew."""
OWN_VALUES = 1_024
"""The same for scratch that a caller keeps, which is never made anew."""
EVENTS_ENTRIES_CANDIDATES_TESTS = [NUM_EVENTS, NUM_ENTRIES, NUM_CANDIDATES, NUM_TESTS]
"""The places of a scratch's `counts` in the order of `counters` of those who match blocks."""


class ATree(Engine):
    """Shared subexpressions, entered from below through access children; frozen."""

    name: ClassVar[str] = "a_tree"
    capabilities: ClassVar[Capabilities] = Capabilities(prunes_top=True)

    def __init__(self, tree: FrozenTree, table: ExpressionTable, vocabulary: Vocabulary) -> None:
        self.tree = FrozenTree(*read_only_arrays(tree))  # so that kernels are compiled once, for files and memory
        self.table = table.literals_only()
        self.num_expressions = int(tree.num_expressions[0])
        self.vocabulary = vocabulary
        self._sparse = SparseMatcher(self.tree, self.table, vocabulary)
        self._masks = MaskBlocks(self.tree, self.table, vocabulary)
        self._best = BestMatches(self.tree, self.table, vocabulary)
        self._ways = Ways(
            {
                "one_by_one": lambda events: match_in_parts(self.match_one_by_one, events),
                "sparse": self.match_sparse,
                "masks": self.match_blocks,
            }
        )
        self._event_scratch: ScratchPool[EventScratch] = ScratchPool()
        self._levels = LevelPasses(self.tree, self.table, vocabulary.num_keys)
        self._event_counts = EventCounts()

    @classmethod
    def build(
        cls,
        table: ExpressionTable,
        vocabulary: Vocabulary,
        sample: EventBatch | None = None,
        *,
        ranges: RangeLists = "auto",
    ) -> Self:
        scored = with_read_literals_last(with_always_literal(table))
        return cls(freeze(scored, vocabulary, sample, ranges), scored, vocabulary)

    def range_lists(self) -> npt.NDArray[np.uint32]:
        return self.tree.axis_size

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        return dict(self.tree._asdict())

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, npt.NDArray[Any]], table: ExpressionTable, vocabulary: Vocabulary
    ) -> Self:
        absent = [name for name in FrozenTree._fields if name not in arrays]
        if absent:
            raise StorageError(
                f"the index has no array {absent[0]!r}, which the engine {cls.name!r} needs",
                help="another version of eligo has written it: build it again",
            )
        return cls(FrozenTree(**{name: arrays[name] for name in FrozenTree._fields}), table, vocabulary)

    @classmethod
    def problems(
        cls,
        arrays: Mapping[str, npt.NDArray[Any]],
        table: ExpressionTable,
        vocabulary: Vocabulary,
        num_expressions: int,
        *,
        deep: bool,
    ) -> Iterator[str]:
        return tree_problems(arrays, table, vocabulary, num_expressions, deep=deep)

    def match(self, event: EventBatch) -> npt.NDArray[np.uint32]:
        return self.match_one_by_one(event).positions

    def match_items(self, items: Items) -> npt.NDArray[np.uint32]:
        num_items = len(items) // ITEM
        kept = self._take_event_scratch(num_items)
        kept.item_bytes[: len(items)] = items
        positions = kept.match(num_items)
        self._event_scratch.give(kept)
        return positions

    def own_scratch(self) -> OwnScratch:
        return self._new_event_scratch(OWN_VALUES)

    def match_batch(self, events: EventBatch) -> MatchArrays:
        return self._ways.match(events)

    def match_sparse(self, events: EventBatch) -> MatchArrays | None:
        """The matches of every event, taken together list by list, which threads share; None where much matches."""
        return self._sparse.match(events)

    def match_one_by_one(self, events: EventBatch) -> MatchArrays:
        """The matches of every event, each taken alone."""
        kept = self._take_event_scratch(most_values(events.key_offsets) + most_values(events.cell_offsets))
        counts, levels = kept.scratch.counts, self._levels
        noted = noted_events(events)
        offsets = np.zeros(events.num_events + 1, np.uint64)
        parts: list[npt.NDArray[np.uint32]] = []
        before = done = num_waiting = 0
        while done < events.num_events:
            # Each part counts from 0, and is moved behind those before.
            offsets[done] = 0
            if num_waiting:
                last = levels.timed_walk(num_waiting, done, noted, kept.bundled, counts, offsets)
            else:
                last = frozen_tree.match_events(done, noted, kept.bundled, offsets)
            if last > done:
                parts.append(kept.scratch.positions[: int(offsets[last])].copy())
            offsets[done : last + 1] += np.uint64(before)
            before, done = int(offsets[last]), last
            num_waiting, counts[NUM_WAITING] = int(counts[NUM_WAITING]), 0
            if num_waiting and levels.prefers_pass(num_waiting):
                parts.append(levels.match(done, events, kept.state, kept.scratch.positions))
                before, done, num_waiting = before + len(parts[-1]), done + 1, 0
                offsets[done] = before
                counts[NUM_EVENTS] += 1
        self._event_scratch.give(kept)
        return MatchArrays(offsets, parts[0] if len(parts) == 1 else np.concatenate([NO_POSITIONS, *parts]))

    def match_blocks(self, events: EventBatch) -> MatchArrays:
        """The matches of every event, taken together in blocks by masks, which threads share."""
        return self._masks.match(events)

    def match_bits(self, events: EventBatch) -> Bits:
        if self._ways.choose(events.num_events) != "masks":
            return super().match_bits(events)
        return self.bits_of_blocks(events)

    def bits_of_blocks(self, events: EventBatch) -> Bits:
        """The matches of every event as bits, by blocks."""
        return self._masks.bits(events)

    def count_batch(self, events: EventBatch) -> npt.NDArray[np.int64]:
        if self._ways.choose(events.num_events) != "masks":
            found = self._ways.match(events)
            return np.bincount(found.positions, minlength=self.num_expressions).astype(np.int64)
        return self.count_blocks(events)

    def count_blocks(self, events: EventBatch) -> npt.NDArray[np.int64]:
        """How many of the events each expression matches, by blocks."""
        return self._masks.count(events)

    def top(self, event: EventBatch, n: int) -> ScoredPositions:
        return self._best.best_of(self.match(event), event, n)

    def relatives(self, position: int, most: int) -> npt.NDArray[np.uint32]:
        root = int(self._best.root_of_position[position])
        return relatives(self.tree, root, most) if root != NONE else NO_POSITIONS

    @once
    def figures(self) -> FrozenFigures:
        """Nodes by level and kind, sharing, estimated selectivity and bytes by array."""
        return measure(self.tree, self.table, self.vocabulary)

    def stats(self) -> EngineStats:
        alone = self._event_counts.total()
        together = self._sparse.counters + self._masks.counters
        num_events, entries, candidates, tests = (together + alone[EVENTS_ENTRIES_CANDIDATES_TESTS]).tolist()
        per_event = max(1, num_events)
        return EngineStats(
            num_expressions=self.num_expressions,
            num_nodes=len(self.tree.node_is_and) + self.table.num_literals,
            num_postings=len(self.tree.list_entries) // 4 + len(self.tree.plain),
            num_bytes=sum(array.nbytes for array in self.tree),
            num_evaluations=tests,
            details={
                "nodes_by_level": self.figures.nodes_by_level,
                "sharing_by_level": self.figures.sharing_by_level,
                "sharing_of_expressions": self.figures.sharing_of_expressions,
                "estimated_selectivity": self.figures.estimated_selectivity,
                "bytes_by_array": self.figures.bytes_by_array,
                "events": num_events,
                "entries_read_per_event": entries / per_event,
                "nodes_touched_per_event": candidates / per_event,
                "predicates_evaluated_per_event": (entries + tests) / per_event,
            },
        )

    def _take_event_scratch(self, most: int) -> EventScratch:
        """Scratch for single events of at most so many keys and cells, which nobody else uses meanwhile."""
        kept = self._event_scratch.take()
        return kept if kept is not None and kept.most >= most else self._new_event_scratch(max(FEWEST_VALUES, 2 * most))

    def _new_event_scratch(self, most: int) -> EventScratch:
        return EventScratch(self.tree, self.table, self.vocabulary, most, self._levels, self._event_counts)
