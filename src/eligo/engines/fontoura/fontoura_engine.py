"""What do the engines of Fontoura 2010 have in common? All of its Figure 1 but labels, and how they are read.

    offline    expressions ──▶ conjunction annotator ──▶ annotations: conjunction → (expression, label) …
                                        └──▶ conjunctions ──▶ conjunction index

    online     event ──▶ conjunction index ──▶ conjunctions ──▶ annotations ──▶ sort ──▶ expression evaluator

`dewey_id` and `interval_id` evaluate by labels alone; `conjunction_scan` evaluates the tree. What the steps do is
counted, and their times are taken when `is_timed` is set, as the paper's Figures 10 to 14 have them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from time import thread_time
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import read_only_arrays
from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_form import of_all_expressions
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.stored_form import Form
from eligo.data.vocabulary import Vocabulary
from eligo.engines.fontoura.annotator import alternating_trees, annotations_of
from eligo.engines.fontoura.conjunction_index import ENGINES, ConjunctionIndex
from eligo.engines.fontoura.fontoura_form import annotation_problems
from eligo.engines.fontoura.kernels.alternating_trees import Conjunctions, Forest
from eligo.engines.fontoura.kernels.annotations import Annotations
from eligo.engines.fontoura.kernels.dewey_evaluation import LABELS, SKIPPED, TOUCHED
from eligo.engines.fontoura.kernels.jumps import LITERALS
from eligo.engines.fontoura.kernels.true_leaves import (
    LARGE_DIGIT,
    count_true_leaves,
    gather_true_leaves,
    sort_true_leaves,
)
from eligo.engines.parted_engine import MOST_EVENTS, PartedEngine
from eligo.engines.protocol import Capabilities, EngineStats, MatchArrays
from eligo.language.limits import DEFAULT_LIMITS
from eligo.ranges.list_choice import RangeLists
from eligo.sharing import ScratchPool

NO_POSITIONS: npt.NDArray[np.uint32] = np.zeros(0, np.uint32)
FEW_LEAVES = 1 << 16
"""True leaves that there is room for at least; more when one event has more."""
STEPS = ("index", "annotations", "sorting", "evaluation")
"""What is done for an event, in this order: conjunctions found, their leaves fetched, sorted, expressions evaluated."""


class LeafScratch(NamedTuple):
    """Scratch for the leaves that are true; each thread has its own."""

    true_leaves: npt.NDArray[np.uint32]
    spare: npt.NDArray[np.uint32]
    positions: npt.NDArray[np.uint32]
    """Matches are no more than leaves that are true."""
    totals: npt.NDArray[np.int64]
    """For counting digits."""
    counts: npt.NDArray[np.int64]
    """Of `dewey_evaluation` and `jumps`."""
    state: Any
    """What the evaluator keeps."""


class FontouraEngine(PartedEngine):
    """An engine that finds conjunctions first, and then the expressions that they make true."""

    capabilities: ClassVar[Capabilities] = Capabilities(normal_form="alternating")
    most_at_once: ClassVar[int | None] = MOST_EVENTS  # all their conjunctions are found before the first is looked at
    form: ClassVar[Any]
    """What the engine knows of each leaf: a kind of named tuple."""
    stored: ClassVar[Form]
    """And what must hold of it; see `fontoura_form`."""

    def __init__(
        self,
        index: ConjunctionIndex,
        annotations: Annotations,
        labels: Any,
        table: ExpressionTable,
        vocabulary: Vocabulary,
    ) -> None:
        self.index = index
        # Read-only, so that kernels are compiled once, for files and memory.
        self.annotations = Annotations(*read_only_arrays(annotations))
        self.labels = self.form(*read_only_arrays(labels))
        self.table = table
        self.vocabulary = vocabulary
        self.num_expressions = int(annotations.num_expressions[0])
        self.is_timed = False
        """Whether the processor time of each step is taken, for `stats().details["seconds"]`."""
        self._num_bits = max(1, len(annotations.expression_of_leaf) - 1).bit_length()
        self._counters = np.zeros(4, np.int64)
        self._steps = np.zeros(4, np.int64)
        self._seconds = np.zeros(len(STEPS))
        self._scratch: ScratchPool[LeafScratch] = ScratchPool()

    @classmethod
    def build(
        cls,
        table: ExpressionTable,
        vocabulary: Vocabulary,
        sample: EventBatch | None = None,
        *,
        ranges: RangeLists = "auto",
        bound: int = DEFAULT_LIMITS.normal_form,
        conjunction_index: str = ENGINES[0],
    ) -> Self:
        """Annotate and index the conjunctions of a table's expressions.

        `bound` is the most literals that an expression may have when what is shared in it is written out, unless it has
        as many nodes; `conjunction_index` names the engine that finds conjunctions.
        """
        forest, conjunctions = alternating_trees(table, bound)
        index = ConjunctionIndex.build(conjunctions, table, vocabulary, sample, ranges=ranges, engine=conjunction_index)
        labels, order = cls._labelled(forest, conjunctions)
        annotations = annotations_of(forest, len(conjunctions.offsets) - 1, order)
        return cls(index, annotations, labels, table, vocabulary)

    @classmethod
    @abstractmethod
    def _labelled(cls, forest: Forest, conjunctions: Conjunctions) -> tuple[Any, npt.NDArray[np.int64] | None]:
        """What is kept of each leaf, and the leaves as they are numbered when not in the order of the walk."""

    @abstractmethod
    def _new_state(self) -> Any:
        """What the evaluator keeps between expressions, for one thread."""

    @abstractmethod
    def _evaluate(
        self,
        first: int,
        events: EventBatch,
        true_offsets: npt.NDArray[np.int64],
        lengths: npt.NDArray[np.int64],
        scratch: LeafScratch,
    ) -> int:
        """Write the matches of as many events as `lengths` has, from `first` on; how many there are."""

    @classmethod
    def require_shapes(cls, table: ExpressionTable, bound: int) -> None:
        alternating_trees(table, bound)

    def range_lists(self) -> npt.NDArray[np.uint32]:
        return self.index.engine.range_lists()

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {**self.annotations._asdict(), **self.labels._asdict(), **self.index.arrays()}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, npt.NDArray[Any]], table: ExpressionTable, vocabulary: Vocabulary
    ) -> Self:
        annotations = Annotations(**{name: arrays[name] for name in Annotations._fields})
        labels = cls.form(**{name: arrays[name] for name in cls.form._fields})
        index = ConjunctionIndex.from_arrays(arrays, table, vocabulary)
        return cls(index, annotations, labels, table, vocabulary)

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
        yield from of_all_expressions(table, num_expressions)
        found = False
        for problem in annotation_problems(cls.stored, arrays, table, num_expressions, deep=deep):
            found = True
            yield problem
        if not found or "leaf_offsets" in arrays:
            num_conjunctions = len(arrays["leaf_offsets"]) - 1
            yield from ConjunctionIndex.problems(arrays, table, vocabulary, num_conjunctions, deep=deep)

    def match_part(self, events: EventBatch) -> MatchArrays:
        lengths = np.zeros(events.num_events, np.int64)
        pieces = self._match(events, lengths)
        offsets = np.zeros(events.num_events + 1, np.uint64)
        np.cumsum(lengths, out=offsets[1:])
        return MatchArrays(offsets, pieces[0] if len(pieces) == 1 else np.concatenate([NO_POSITIONS, *pieces]))

    def _match(self, events: EventBatch, lengths: npt.NDArray[np.int64]) -> list[npt.NDArray[np.uint32]]:
        """The matches of some events, in pieces; writes how many each event has."""
        seconds = np.zeros(len(STEPS))
        started = self._lap(seconds, 0, 0.0)
        offsets, conjunctions = self.index.match_part(events)
        started = self._lap(seconds, 0, started)
        true_offsets = np.zeros(events.num_events + 1, np.int64)
        count_true_leaves(offsets, conjunctions, self.annotations, true_offsets)
        scratch = self._take_scratch(int(np.diff(true_offsets).max(initial=0)))
        started = self._lap(seconds, 1, started)
        pieces, first, num_moved = [], 0, 0
        while first < events.num_events:
            room = int(true_offsets[first]) + len(scratch.true_leaves)
            last = int(np.searchsorted(true_offsets, room, side="right")) - 1
            own_offsets = true_offsets[first : last + 1] - true_offsets[first]
            gather_true_leaves(first, last, offsets, conjunctions, self.annotations, scratch.true_leaves)
            started = self._lap(seconds, 1, started)
            num_moved += sort_true_leaves(
                own_offsets, last - first, self._num_bits, scratch.true_leaves, scratch.spare, scratch.totals
            )
            started = self._lap(seconds, 2, started)
            count = self._evaluate(first, events, own_offsets, lengths[first:last], scratch)
            pieces.append(scratch.positions[:count].copy())
            started = self._lap(seconds, 3, started)
            first = last
        self._steps += np.array([events.num_events, len(conjunctions), int(true_offsets[-1]), num_moved])
        self._counters += scratch.counts
        self._seconds += seconds
        scratch.counts[:] = 0
        self._scratch.give(scratch)
        return pieces

    def _lap(self, seconds: npt.NDArray[np.float64], step: int, started: float) -> float:
        """Add the time since then to a step, if times are taken; the time now."""
        if not self.is_timed:
            return 0.0
        now = thread_time()
        seconds[step] += now - started if started else 0.0
        return now

    def _take_scratch(self, most_leaves: int) -> LeafScratch:
        """Scratch for so many true leaves that nobody else uses meanwhile."""
        kept = self._scratch.take()
        if kept is not None and len(kept.true_leaves) >= most_leaves:
            return kept
        room = max(min(FEW_LEAVES, MOST_EVENTS * len(self.annotations.leaves)), 2 * most_leaves, 1)
        return LeafScratch(
            np.empty(room, np.uint32),
            np.empty(room, np.uint32),
            np.empty(room, np.uint32),
            np.zeros(1 << LARGE_DIGIT, np.int64),
            np.zeros(4, np.int64),
            self._new_state() if kept is None else kept.state,
        )

    def stats(self) -> EngineStats:
        arrays = self.arrays()
        index = self.index.stats()
        own = sum(array.nbytes for array in (*self.annotations, *self.labels))
        details: dict[str, Any] = {
            "conjunctions": len(self.annotations.leaf_offsets) - 1,
            "leaves": len(self.annotations.leaves),
            "conjunction_index": self.index.engine.name,
            "annotation_bytes": own,
            "label_bytes": sum(array.nbytes for array in self.labels),
            "events": int(self._steps[0]),
            "matched_conjunctions": int(self._steps[1]),
            "sorted_leaves": int(self._steps[2]),
            "moved_leaves": int(self._steps[3]),
            "touched_expressions": int(self._counters[TOUCHED]),
            "evaluated_labels": int(self._counters[LABELS]),
            "skipped_labels": int(self._counters[SKIPPED]),
            "index": dict(index.details),
        }
        if self.is_timed:
            details["seconds"] = dict(zip(STEPS, self._seconds.tolist(), strict=True))
        return EngineStats(
            num_expressions=self.num_expressions,
            num_nodes=len(self.annotations.leaves),
            num_postings=index.num_postings,
            num_bytes=sum(array.nbytes for array in arrays.values()),
            num_evaluations=index.num_evaluations + int(self._counters[LITERALS]),
            details=details,
        )
