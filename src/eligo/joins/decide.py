"""Which quantified parts are true of an event, over the documents that came before? Tatbul 2001, section 4.2.

The join table is a set of distinct questions (`questions.py`). An event's values are searched once in the ordered
column of each document attribute they are compared with (`ordered_column.py`); from then on every comparison is a range
of ranks, and a question is a walk along the narrowest of its ranges or an intersection of bit vectors
(`kernels/decide_segment.py`). Segments are asked one after another; what one of them settles the next is not asked.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np
import numpy.typing as npt

from eligo.errors import InputError
from eligo.joins.decide_scratch import new_scratch, scratch_need
from eligo.joins.event_leaves import EventLeaves
from eligo.joins.kernels.body_programs import documents_of_program
from eligo.joins.kernels.decide_segment import decide_segment
from eligo.joins.kernels.document_words import num_words
from eligo.joins.kernels.work_arrays import EVALUATIONS, TRUE, Scratch, Work
from eligo.joins.questions import QuestionSet, stack_size
from eligo.joins.scopes import ScopedSnapshot
from eligo.joins.segment import Segment, Snapshot
from eligo.joins.segment_questions import SegmentQuestions
from eligo.language.evaluate import Hierarchies, Missing, check_policy
from eligo.language.quantified import Quantified
from eligo.language.value import Scalar
from eligo.sharing import ScratchPool

Attributes = Mapping[str, tuple[Scalar, ...]]
"""What `event_attributes` makes of an event."""

_ANSWER = np.array([0, -1, 1], np.int8)
"""What callers get for FALSE, UNKNOWN and TRUE."""


class Decider:
    """The join table of some parts: decides them for one event after another, over any snapshot."""

    def __init__(self, parts: Sequence[Quantified], missing: Missing, hierarchies: Hierarchies | None = None) -> None:
        check_policy(missing)
        self.parts = tuple(parts)
        self.questions = QuestionSet(parts, missing, hierarchies)
        self.evaluations = 0
        """Predicate evaluations so far: comparisons in searches for ranks, and literals tested on single documents."""
        self._all = np.arange(len(parts), dtype=np.int64)
        self._of_segment: weakref.WeakKeyDictionary[Segment, SegmentQuestions] = weakref.WeakKeyDictionary()
        self._scoped: weakref.WeakKeyDictionary[Snapshot, ScopedSnapshot] = weakref.WeakKeyDictionary()
        self._free: ScratchPool[Scratch] = ScratchPool()
        self._event_leaves = EventLeaves(self.questions, missing)

    @property
    def num_questions(self) -> int:
        """Distinct questions that the parts come to."""
        return len(self.questions.arrays.question_scope)

    @property
    def num_segments(self) -> int:
        """Segments for which something is kept."""
        return len(self._of_segment)

    @property
    def nbytes(self) -> int:
        """Bytes that are kept for these segments, beside their ordered columns."""
        return sum(each.nbytes for each in list(self._of_segment.values()))

    def decide(
        self,
        attributes: Attributes,
        snapshot: Snapshot,
        *,
        at: datetime,
        which: npt.NDArray[np.integer] | None = None,
    ) -> npt.NDArray[np.int8]:
        """For each part, or each of `which`: 1 true, 0 false, -1 unknown."""
        asked = self._all if which is None else np.ascontiguousarray(which, np.int64)
        truths = np.zeros(len(self.parts), np.uint8)
        works, scratch = self._works(attributes, snapshot, at)
        for work in works:
            decide_segment(work, asked, truths)
        self._done(scratch)
        found = truths[asked]
        is_negated = self.questions.is_negated[asked]
        found[is_negated] = TRUE - found[is_negated]
        return _ANSWER[found]

    def documents(
        self, part: int, attributes: Attributes, snapshot: Snapshot, *, at: datetime
    ) -> npt.NDArray[np.int64]:
        """The numbers of the documents in the part's scope that satisfy its body: the document bit vector."""
        return self._satisfying(part, attributes, snapshot, at)[0]

    def witness(self, part: int, attributes: Attributes, snapshot: Snapshot, *, at: datetime) -> int | None:
        """The first document that makes `exists` true, or `forall` not true: false rather than unknown."""
        true, false, unknown = self._satisfying(part, attributes, snapshot, at)
        deciding = [false, unknown] if self.parts[part].is_universal else [true]
        return next((int(numbers[0]) for numbers in deciding if len(numbers)), None)

    def _satisfying(
        self, part: int, attributes: Attributes, snapshot: Snapshot, at: datetime
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The numbers of the documents of which a part's body is true, false and neither."""
        if not 0 <= part < len(self.parts):
            raise InputError(f"there is no part {part}", help=f"there are {len(self.parts):,}, counted from 0")
        codes = self.questions.program(part)
        scope = self.questions.scopes.index(self.parts[part].last)
        found: list[list[npt.NDArray[np.int64]]] = [[], [], []]
        works, scratch = self._works(attributes, snapshot, at, stack_size(codes))
        for work, (segment, _) in zip(works, snapshot.segments, strict=True):
            words = [np.zeros(num_words(segment.num_documents), np.uint64) for _ in found]
            documents_of_program(work, scope, np.array(codes, np.int64), *words)
            for numbers, bits in zip(found, words, strict=True):
                is_set = np.unpackbits(bits.view(np.uint8), bitorder="little", count=segment.num_documents)
                numbers.append(segment.numbers[is_set.astype(np.bool_)])
        self._done(scratch)
        true, false, unknown = (np.concatenate([np.zeros(0, np.int64), *numbers]) for numbers in found)
        return true, false, unknown

    def _works(
        self, attributes: Attributes, snapshot: Snapshot, at: datetime, stack: int = 1
    ) -> tuple[list[Work], Scratch]:
        """For each segment all that its questions need; the scratch is to be given back by `_done`."""
        event = self._event_leaves.arrays(attributes)
        scoped = self._scoped.get(snapshot)
        if scoped is None:
            scoped = self._scoped.setdefault(snapshot, ScopedSnapshot(snapshot, self.questions.scopes))
        segments = [self._put_to(segment) for segment, _ in snapshot.segments]
        most_documents = max((each.arrays.num_documents for each in segments), default=0)
        need = scratch_need(self.questions, segments, event, most_documents, stack)
        scratch = self._free.take()
        if scratch is None or not need.fits(scratch):
            scratch = new_scratch(self.questions, need)
        scratch.counters[EVALUATIONS] = 0
        arrays = [
            Work(self.questions.arrays, each.arrays, event, scopes, scratch)
            for each, scopes in zip(segments, scoped.arrays(snapshot, at), strict=True)
        ]
        return arrays, scratch

    def _done(self, scratch: Scratch) -> None:
        self.evaluations += int(scratch.counters[EVALUATIONS])
        self._free.give(scratch)

    def _put_to(self, segment: Segment) -> SegmentQuestions:
        found = self._of_segment.get(segment)
        if found is None:
            found = SegmentQuestions(self.questions, segment)
            self.evaluations += found.evaluations
            self._of_segment[segment] = found
        return found
