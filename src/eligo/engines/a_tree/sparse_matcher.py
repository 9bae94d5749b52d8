"""How is a batch of events matched that differ? In sparse blocks, which threads share; see `kernels.sparse_blocks`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.events.event_batch import EventBatch
from eligo.data.events.kernels.event_items import NotedEvents, noted_events
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.a_tree.kernels.frozen_scratch import NUM_ENTRIES, NUM_TESTS, FrozenScratch, new_scratch
from eligo.engines.a_tree.kernels.frozen_views import bundle
from eligo.engines.a_tree.kernels.inline_tests import (
    KIND_SHIFT,
    OPERAND_MASK,
    TEST_KEY,
    TEST_LITERAL,
    TEST_NOT_KEYS,
)
from eligo.engines.a_tree.kernels.sparse_blocks import gather, match_gathered
from eligo.engines.a_tree.kernels.sparse_scratch import (
    NUM_CANDIDATES,
    NUM_SIZES,
    Costs,
    NotedSparse,
    SparseScratch,
    SparseSizes,
    new_sparse_scratch,
    noted_sparse,
)
from eligo.engines.kernels.event_state import EventState, new_event_state
from eligo.engines.protocol import MatchArrays
from eligo.engines.threads import num_threads, share_out
from eligo.ranges.kernels.segment_tree_walks import longest_climb
from eligo.sharing import ScratchPool, once

MOST_EVENTS = 4_096
"""Events of a block: with more of them lists are shared by more, but their keys no longer stay in the caches."""
FEWEST_EVENTS = 64
"""A batch is not cut into smaller blocks than this for the sake of threads."""
LEAST_HALVED = 512
"""A block of so many events, or fewer, is not cut in halves for the sake of candidates: with more, masks do better."""
MOST_PAIRS = 1 << 21
"""A block has fewer events when more pairs of events and lists than this could come of them."""

MEASURED = Costs()
"""By trials with a million conjunctions; they decide who reads a list, never what is found."""

Starts = list[int]
Positions = npt.NDArray[np.uint32]


class KeptSparseScratch(NamedTuple):
    """Scratch for blocks of certain sizes, with events of at most so many keys and cells together."""

    sizes: SparseSizes
    most: int
    state: EventState
    scratch: FrozenScratch
    sparse: SparseScratch
    bundled: Any
    noted_sparse: NotedSparse
    """The tree, its literals and the above as arguments of kernels: addresses, which keep nothing alive."""


class SparseMatcher:
    """Matches batches in sparse blocks, on a frozen tree."""

    def __init__(
        self, tree: FrozenTree, table: ExpressionTable, vocabulary: Vocabulary, costs: Costs = MEASURED
    ) -> None:
        self._tree = tree
        self._table = table
        self._vocabulary = vocabulary
        self._costs = costs
        self._most_events = MOST_EVENTS
        self._kept: ScratchPool[KeptSparseScratch] = ScratchPool()
        self._climb = longest_climb(tree.axis_size)
        self.counters = np.zeros(4, np.int64)
        """Since the beginning: events, entries read, nodes reached through them, tests beyond the inline ones."""

    def match(self, events: EventBatch) -> MatchArrays | None:
        """The matches of every event; None when there are too many candidates for this way."""
        starts = self._starts(events)
        parts: list[list[Positions] | None] = [None] * (len(starts) - 1)
        lengths = np.zeros(events.num_events, np.uint64)
        noted = noted_events(events)

        def match_some(numbers: range) -> None:
            kept = self._take(events, starts)
            for number in numbers:
                parts[number] = self._match_block(starts[number], starts[number + 1], noted, kept, lengths)
                if parts[number] is None:
                    break  # the whole batch goes another way
            self._count(kept)
            self._kept.give(kept)

        share_out(match_some, len(parts))
        found = [positions for part in parts if part is not None for positions in part]
        if None in parts:
            return None
        self.counters[0] += events.num_events
        offsets = np.zeros(events.num_events + 1, np.uint64)
        np.cumsum(lengths, out=offsets[1:])
        return MatchArrays(offsets, found[0] if len(found) == 1 else np.concatenate([np.zeros(0, np.uint32), *found]))

    def _match_block(
        self, first: int, last: int, noted: NotedEvents, kept: KeptSparseScratch, lengths: npt.NDArray[np.uint64]
    ) -> list[Positions] | None:
        """The matches of events `first` to `last` - 1, whose numbers are written to their places in `lengths`.

        Without room for the candidates of so many events, half of them are matched at a time, from now on.
        """
        if not gather(first, last, noted, self._is_tested, kept.bundled, kept.noted_sparse):
            if last - first <= LEAST_HALVED:
                return None
            middle = (first + last) // 2
            self._most_events = max(LEAST_HALVED, min(self._most_events, middle - first))
            left = self._match_block(first, middle, noted, kept, lengths)
            right = None if left is None else self._match_block(middle, last, noted, kept, lengths)
            return None if left is None or right is None else left + right
        found: list[Positions] = []
        done = first
        while done < last:
            upto = match_gathered(first, last, done, noted, kept.bundled, kept.noted_sparse, lengths)
            found.append(kept.scratch.positions[: int(lengths[done:upto].sum())].copy())
            done = upto
        return found

    def _starts(self, events: EventBatch) -> Starts:
        """Where blocks begin, and where the last ends."""
        share = -(-events.num_events // num_threads())
        most = min(self._most_events, max(FEWEST_EVENTS, share))
        pairs = self._pairs(events)
        starts = [0]
        while starts[-1] < events.num_events:
            first = starts[-1]
            fitting = int(np.searchsorted(pairs, pairs[first] + np.uint64(MOST_PAIRS), side="right")) - 1
            starts.append(min(events.num_events, first + most, max(first + 1, fitting)))
        return starts

    def _pairs(self, events: EventBatch) -> npt.NDArray[np.uint64]:
        """How many lists all events before each one can meet together, at most."""
        one_each = np.arange(events.num_events + 1, dtype=np.uint64)
        pairs: npt.NDArray[np.uint64] = events.key_offsets + events.cell_offsets * np.uint64(self._climb) + one_each
        return pairs

    def _take(self, events: EventBatch, starts: Starts) -> KeptSparseScratch:
        """Scratch for blocks of these events, which nobody else uses meanwhile."""
        own = np.array(starts, np.int64)
        pairs = int(np.diff(self._pairs(events)[own]).max(initial=0))
        keys = int(np.diff(events.key_offsets[own]).max(initial=0))
        sizes = SparseSizes(int(np.diff(own).max(initial=0)), pairs, keys)
        values = np.diff(events.key_offsets) + np.diff(events.cell_offsets)
        most = int(values.max(initial=0))
        kept = self._kept.take()
        if kept is not None and kept.sizes.has_room_for(sizes) and kept.most >= most:
            return kept
        num_keys, num_axes = self._vocabulary.num_keys, self._vocabulary.num_axes
        state, scratch = new_event_state(num_keys + 1, num_axes), new_scratch(self._tree, 2 * most)
        sparse = new_sparse_scratch(self._tree, num_keys, num_axes, sizes, self._costs)
        bundled = bundle(self._table, self._tree, state, scratch)
        return KeptSparseScratch(sizes, 2 * most, state, scratch, sparse, bundled, noted_sparse(sparse))

    @once
    def _is_tested(self) -> npt.NDArray[np.uint8]:
        """For each key: whether an entry may test it. That an attribute is there is mostly asked by none."""
        num_attributes = self._vocabulary.num_attributes
        is_tested = np.ones(self._vocabulary.num_keys + 1, np.uint8)
        is_tested[:num_attributes] = 0
        words = self._tree.list_entries[1::4]
        kinds, operands = words >> KIND_SHIFT, words & OPERAND_MASK
        asked = operands[(kinds == TEST_NOT_KEYS) | ((kinds == TEST_KEY) & (operands < num_attributes))]
        predicates = self._table.literal_predicate[operands[kinds == TEST_LITERAL]]
        is_tested[asked] = 1
        is_tested[self._table.predicates.attribute_of_predicate[predicates]] = 1
        return is_tested

    def _count(self, kept: KeptSparseScratch) -> None:
        own, together = kept.scratch.counts, kept.sparse.counts
        self.counters[1:] += own[NUM_ENTRIES : NUM_TESTS + 1]
        self.counters[1] += together[NUM_SIZES]
        own[NUM_ENTRIES : NUM_TESTS + 1] = 0
        together[NUM_CANDIDATES:] = 0
