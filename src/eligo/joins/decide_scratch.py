"""How much does deciding write, and where? Scratch that fits the questions, the event and the largest segment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eligo.joins.kernels.document_words import num_words
from eligo.joins.kernels.work_arrays import NUM_COUNTERS, NUM_TEST_FIELDS, TILE, EventArrays, Scratch
from eligo.joins.questions import QuestionSet
from eligo.joins.segment_questions import SegmentQuestions, leaf_states

MOST_WORDS = 4 * 2**20
"""Words of bit vectors that a call writes at most: 32 MB. Leaves beyond are looked up document by document."""


class ScratchNeed(NamedTuple):
    """Sizes that differ from event to event, or grow with the documents."""

    most_values: int
    """The most values that the event gives one attribute."""
    most_ranges: int
    """The most ranges of ranks that a leaf has."""
    num_words: int
    """Words for the bit vectors of all leaves."""
    most_on_stack: int

    def fits(self, scratch: Scratch) -> bool:
        """Whether scratch is large enough."""
        num_joined = len(scratch.pair_first)
        return (
            len(scratch.ranks) >= num_joined * self.most_values
            and len(scratch.starts) >= self.most_ranges + 2
            and len(scratch.words) >= self.num_words
            and len(scratch.stack_true) >= TILE * self.most_on_stack
        )


def scratch_need(
    questions: QuestionSet, segments: Sequence[SegmentQuestions], event: EventArrays, num_documents: int, stack: int
) -> ScratchNeed:
    """The sizes for an event over some segments."""
    most_values = int(np.diff(event.value_offsets).max(initial=1))
    most_ranges = max([most_values, *(each.most_ranges for each in segments)])
    width = num_words(num_documents)
    words = min(MOST_WORDS, len(questions.number_of) * width)
    return ScratchNeed(most_values, most_ranges, words, max(stack, questions.most_on_stack))


def new_scratch(questions: QuestionSet, need: ScratchNeed) -> Scratch:
    """Scratch of such a size; pages of it that nothing is written to take no memory."""
    num_leaves, num_joined = len(questions.number_of), len(questions.joined)
    num_questions = len(questions.arrays.question_scope)

    def ints(size: int) -> np.ndarray:
        return np.zeros(size, np.int64)

    return Scratch(
        counters=ints(NUM_COUNTERS),
        leaf_stamp=ints(num_leaves),
        states=leaf_states(num_leaves, num_joined * need.most_values),
        slot_stamp=ints(num_leaves),
        slots=ints(num_leaves),
        words=np.zeros(need.num_words, np.uint64),
        pair_stamp=ints(questions.num_pairs),
        pair_first=ints(questions.num_pairs),
        ranks=ints(questions.num_pairs * need.most_values),
        is_equal=ints(questions.num_pairs * need.most_values),
        question_stamp=ints(num_questions),
        question_truth=np.zeros(num_questions, np.uint8),
        literals=ints(questions.most_literals),
        num_possible=ints(questions.most_literals),
        tests=ints(NUM_TEST_FIELDS * questions.most_literals),
        starts=ints(need.most_ranges + 2),
        ends=ints(need.most_ranges + 2),
        tile_true=np.zeros(TILE, np.uint64),
        tile_possible=np.zeros(TILE, np.uint64),
        stack_true=np.zeros(TILE * need.most_on_stack, np.uint64),
        stack_false=np.zeros(TILE * need.most_on_stack, np.uint64),
    )
