"""What do the engines of Whang 2009 have in common? Two ways to the same answers: through posting lists, or a tree.

    way "lists"    match_by_lists, top_by_lists    the paper's walk through the posting lists of K-indexes
    way "tree"     match_by_tree, top_by_tree      a pass through the prefix tree, of what items begin with in common

The tree is quicker, so `match`, `match_batch`, `count_batch` and `top` go through it, unless the engine was told to
take the lists. `top_by_tree` looks into the lists that can score most first: often they have the best n, and there is
no need for the tree. Which of them answered is counted (`ListEngine.stats`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from eligo.arguments import one_of
from eligo.data.encoded_value import read_only_arrays
from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines.kernels.marks import write_marks
from eligo.engines.list_keys import list_keys
from eligo.engines.match_buffer import MatchBuffer
from eligo.engines.normal_forms import Items, expressions_at, predicate_uses
from eligo.engines.parted_engine import PartedEngine
from eligo.engines.protocol import EngineStats, MatchArrays
from eligo.engines.ranking import NOTHING_SCORED, ScoredPositions, best, score_matches
from eligo.engines.whang.k_lists import k_lists
from eligo.engines.whang.kernels.best_items import Best, new_best
from eligo.engines.whang.kernels.heaviest_lists import TreeRanks
from eligo.engines.whang.kernels.list_heads import NUM_EXPRESSIONS, Heads, KLists, most_open, new_heads
from eligo.engines.whang.kernels.prefix_top import rank_event
from eligo.engines.whang.kernels.prefix_tree import (
    PrefixTree,
    TreeScratch,
    for_ranking,
    match_events,
    most_effects,
    new_tree_scratch,
)
from eligo.engines.whang.list_form import list_problems
from eligo.engines.whang.prefix_trees import order_items, prefix_tree
from eligo.engines.whang.tree_ranks import tree_ranks
from eligo.language.limits import DEFAULT_LIMITS
from eligo.ranges.list_choice import RangeLists
from eligo.sharing import ScratchPool, once

Marks = npt.NDArray[np.uint64]
"""One bit for each expression."""

Way = Literal["tree", "lists"]
"""How an engine finds its answers, which are the same."""
WAYS: tuple[Way, ...] = ("tree", "lists")


class ListScratch(NamedTuple):
    """What a walk through posting lists needs."""

    heads: Heads
    marks: Marks
    """None is set between events."""


class ListEngine(PartedEngine):
    """An engine over K-indexes."""

    is_dnf: ClassVar[bool]
    """Whether items are conjunctions, or else CNF expressions."""

    def __init__(self, lists: KLists, tree: PrefixTree, table: ExpressionTable, vocabulary: Vocabulary) -> None:
        # Read-only, so that kernels are compiled once, for files and memory.
        self.lists = KLists(*read_only_arrays(lists))
        self.tree = PrefixTree(*read_only_arrays(tree))
        self.table = table
        self.vocabulary = vocabulary
        self.num_expressions = int(lists.layout[NUM_EXPRESSIONS])
        self.way: Way = "tree"
        """The way that `match`, `match_batch`, `count_batch` and `top` take. It is not stored with the arrays."""
        self._answered = dict.fromkeys(("tree", "lists", "heaviest_lists"), 0)
        """How many events each way has answered; the last are those for which `top_by_tree` left out the tree."""
        self._counters = np.zeros(4, np.int64)
        self._buffer = MatchBuffer(self.num_expressions)
        self._tree_scratch: ScratchPool[TreeScratch] = ScratchPool()
        self._list_scratch: ScratchPool[ListScratch] = ScratchPool()

    @classmethod
    def build(
        cls,
        table: ExpressionTable,
        vocabulary: Vocabulary,
        sample: EventBatch | None = None,
        *,
        ranges: RangeLists = "auto",
        bound: int = DEFAULT_LIMITS.normal_form,
        key_bounds: npt.NDArray[np.float64] | None = None,
        reorder: bool = True,
        way: Way = "tree",
    ) -> Self:
        """Index the expressions of a table.

        `bound` is the most literals that the normal form of an expression may have; `key_bounds` has an upper bound
        (UB) on the weights of each key: without it, a list's bound is its largest weight. Items are numbered so that
        those that begin alike stand together; with `reorder=False`, in the order in which expressions have them. `way`
        says how answers are found: through the tree, or the lists.
        """
        one_of(way, "way", WAYS)
        ordered = order_items(cls._items(table, bound), table, is_dnf=cls.is_dnf, reorder=reorder)
        keys = list_keys(table, vocabulary, ranges, predicate_uses(ordered.items, table))
        lists = k_lists(ordered.items, table, vocabulary, keys, is_dnf=cls.is_dnf, key_bounds=key_bounds)
        tree = prefix_tree(ordered, table, keys.registrations, keys.present_base, keys.zero_key + 1)
        engine = cls(lists, tree, expressions_at(table, ordered.items.rescored), vocabulary)
        engine.way = way
        return engine

    @staticmethod
    @abstractmethod
    def _items(table: ExpressionTable, bound: int) -> Items:
        """What is indexed: the distinct items of all expressions."""

    @abstractmethod
    def _match_by_lists(
        self,
        first: int,
        events: EventBatch,
        heads: Heads,
        marks: Marks,
        offsets: npt.NDArray[np.uint64],
        positions: npt.NDArray[np.uint32],
    ) -> int:
        """Match events from `first` on; returns the first one that was not done for want of room."""

    @abstractmethod
    def _rank_event(self, event: EventBatch, heads: Heads, best_items: Best, marks: Marks) -> None:
        """Find the best expressions, and mark those that match and are scored by their trees."""

    def range_lists(self) -> npt.NDArray[np.uint32]:
        return self.lists.axis_size

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {**self.lists._asdict(), **self.tree._asdict()}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, npt.NDArray[Any]], table: ExpressionTable, vocabulary: Vocabulary
    ) -> Self:
        lists = KLists(**{name: arrays[name] for name in KLists._fields})
        tree = PrefixTree(**{name: arrays[name] for name in PrefixTree._fields})
        return cls(lists, tree, table, vocabulary)

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
        return list_problems(arrays, vocabulary, table.num_expressions, num_expressions, is_dnf=cls.is_dnf, deep=deep)

    def match_part(self, events: EventBatch) -> MatchArrays:
        return self.match_by_lists(events) if self.way == "lists" else self.match_by_tree(events)

    def match_by_tree(self, events: EventBatch) -> MatchArrays:
        """The matches of every event, by a pass through the prefix tree."""
        scratch = self._take_tree_scratch(events)

        def match_from(first: int, offsets: Any, positions: Any) -> int:
            done: int = match_events(first, events, self.tree, self.lists, scratch, offsets, positions)
            return done

        found = self._buffer.collect(events, match_from)
        self._count_answers("tree", events.num_events)
        self._add(scratch.counts)
        self._tree_scratch.give(scratch)
        return found

    def match_by_lists(self, events: EventBatch) -> MatchArrays:
        """The matches of every event, by the paper's walk through posting lists."""
        heads, marks = scratch = self._take_list_scratch(events)
        found = self._buffer.collect(
            events,
            lambda first, offsets, positions: self._match_by_lists(first, events, heads, marks, offsets, positions),
        )
        self._count_answers("lists", events.num_events)
        self._add(heads.counts)
        self._list_scratch.give(scratch)
        return found

    def top(self, event: EventBatch, n: int) -> ScoredPositions:
        return self.top_by_lists(event, n) if self.way == "lists" else self.top_by_tree(event, n)

    def top_by_tree(self, event: EventBatch, n: int) -> ScoredPositions:
        """The n best matches, by the lists that can score most, and by a pass through the tree if these do not do."""
        if n <= 0 or not self.num_expressions:
            return NOTHING_SCORED
        ranks = self._ranks
        scratch = self._take_tree_scratch(event)
        if not len(scratch.so_far):
            scratch = for_ranking(scratch, int(ranks.depths.max(initial=0)) + 1)
        found = new_best(min(n, self.num_expressions), self.num_expressions)
        of_lists = self._take_list_scratch(event)
        heads = of_lists.heads
        needs_tree = rank_event(
            event,
            self.tree,
            self.lists,
            ranks,
            scratch,
            heads,
            self.tree.effect_weights,
            self._factor(event),
            np.zeros(self.vocabulary.num_attributes, np.int64),
            found,
            self._is_rescored,
        )
        self._answered["tree" if needs_tree else "heaviest_lists"] += 1
        self._add(scratch.counts)
        self._add(heads.counts)
        ranked = self._ranked(event, n, found, scratch.marks)
        self._list_scratch.give(of_lists)
        self._tree_scratch.give(scratch)
        return ranked

    def top_by_lists(self, event: EventBatch, n: int) -> ScoredPositions:
        """The n best matches, by the paper's walk through posting lists."""
        if n <= 0 or not self.num_expressions:
            return NOTHING_SCORED
        heads, marks = scratch = self._take_list_scratch(event)
        found = new_best(min(n, self.num_expressions), self.num_expressions)
        self._rank_event(event, heads, found, marks)
        self._answered["lists"] += 1
        self._add(heads.counts)
        ranked = self._ranked(event, n, found, marks)
        self._list_scratch.give(scratch)
        return ranked

    def _take_tree_scratch(self, events: EventBatch) -> TreeScratch:
        """Scratch that nobody else uses meanwhile; made anew when an event says more than those before."""
        most_changed = int(most_effects(events, self.tree, self.lists))
        kept = self._tree_scratch.take()
        if kept is None or len(kept.changed) < most_changed:
            num_items = len(self.lists.match_offsets) - 1
            kept = new_tree_scratch(self.tree, num_items, self.num_expressions, 2 * most_changed)
        return kept

    def _count_answers(self, way: str, number: int) -> None:
        """Count what was answered; nothing is called between reading and writing, so that no thread comes between."""
        self._answered[way] += number

    def _add(self, counts: npt.NDArray[np.int64]) -> None:
        """Add up what was counted; the scratch's own counts begin anew."""
        self._counters += counts
        counts[:] = 0

    def _ranked(self, event: EventBatch, n: int, found: Best, marks: Marks) -> ScoredPositions:
        """The best that were found, and the marked ones, which only their trees can score."""
        count = int(found.count[0])
        positions, units = found.positions[:count], found.units[:count]
        if len(self.lists.rescored):
            matched = np.empty(64 * len(marks), np.uint32)
            matched = matched[: write_marks(0, marks, matched)]
            rows = np.searchsorted(self.lists.rescored, matched).astype(np.uint32)
            positions = np.concatenate([positions, matched])
            units = np.concatenate([units, score_matches(rows, event, self.table, self.vocabulary)])
        return best(positions, units, n)

    def _factor(self, event: EventBatch) -> float:
        """How much more a predicate may score than its largest weight: the event's weights, and values that add up."""
        num_attributes = self.vocabulary.num_attributes
        entries = event.keys[event.keys >= num_attributes] - np.uint32(num_attributes)
        most_values = np.bincount(self.vocabulary.data.entry_attribute[entries]).max(initial=1)
        heaviest = max(1.0, event.key_weights.max(initial=0.0), event.cell_weights.max(initial=0.0))
        return float(most_values) * float(heaviest)

    @once
    def _ranks(self) -> TreeRanks:
        """What ranking knows of the tree."""
        return tree_ranks(self.tree, self.lists, self._is_rescored, is_dnf=self.is_dnf)

    def heads(self, events: EventBatch) -> Heads:
        """New heads, enough for every event of the batch."""
        most_keys, most_lists = most_open(events, self.lists)
        return new_heads(self.lists, 2 * most_keys, 2 * most_lists)

    def _take_list_scratch(self, events: EventBatch) -> ListScratch:
        """Heads enough for every event of the batch, and marks; nobody else uses them meanwhile."""
        most_keys, most_lists = most_open(events, self.lists)
        kept = self._list_scratch.take()
        if kept is None or len(kept.heads.opened_key) <= most_keys or len(kept.heads.open_list) <= most_lists:
            marks = np.zeros((self.num_expressions + 63) // 64, np.uint64)
            kept = ListScratch(self.heads(events), marks)
        return kept

    @once
    def _is_rescored(self) -> npt.NDArray[np.uint8]:
        """For each expression whether its tree scores it; empty when none is."""
        flags = np.zeros(self.num_expressions if len(self.lists.rescored) else 0, np.uint8)
        flags[self.lists.rescored] = 1
        return flags

    def stats(self) -> EngineStats:
        arrays = self.arrays()
        lists_of_size = np.diff(self.lists.size_offsets).tolist()
        return EngineStats(
            num_expressions=self.num_expressions,
            num_nodes=len(self.tree.node_clause),
            num_postings=len(self.lists.entries),
            num_bytes=sum(array.nbytes for array in arrays.values()),
            num_evaluations=int(self._counters[1]),
            details={
                "way": self.way,
                "answered": dict(self._answered),
                "items": len(self.lists.match_offsets) - 1,
                "lists": len(self.lists.list_key),
                "lists_by_size": dict(zip(self.lists.sizes.tolist(), lists_of_size, strict=True)),
                "rescored": len(self.lists.rescored),
                "steps": int(self._counters[0]),
                "skipped_entries": int(self._counters[2]),
                "matched_items": int(self._counters[3]),
                "list_bytes": sum(array.nbytes for array in self.lists),
                "tree_bytes": sum(array.nbytes for array in self.tree),
                "weight_bytes": self.lists.entry_weights.nbytes,
            },
        )
