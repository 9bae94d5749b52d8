"""What of the questions is settled by a segment alone? Its ordered columns, and which ranks the constants stand for."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.joins.kernels.column_arrays import noted_columns
from eligo.joins.kernels.decide_segment import NARROW
from eligo.joins.kernels.document_words import num_words
from eligo.joins.kernels.leaf_states import locate_fixed, write_fixed_words
from eligo.joins.kernels.work_arrays import NUM_COUNTERS, OF_RANKS, LeafStates, SegmentArrays
from eligo.joins.literals import ValueRange, moments_under
from eligo.joins.ordered_column import OrderedColumn, ordered_column
from eligo.joins.questions import QuestionSet
from eligo.joins.segment import Segment
from eligo.kernels.codes import STRING
from eligo.language.tree import Under

FEWEST_FOR_WORDS = 1024
"""Below so many documents no bit vectors of constants are kept."""
MOST_WORDS = 4 * 2**20
"""Words of bit vectors that are kept for the constants of one set of questions in one segment: 32 MB."""


class SegmentQuestions:
    """A set of questions put to one segment. It does not hold the segment, so that what is kept of it goes with it."""

    def __init__(self, questions: QuestionSet, segment: Segment) -> None:
        self.columns = [ordered_column(segment, attribute) for attribute in questions.columns]
        """They are kept here because `arrays` has their addresses only."""
        noted = noted_columns([column.arrays for column in self.columns])
        fixed, counters = self._located(questions, noted)
        self.evaluations = int(counters[0])
        """Predicate evaluations that this took."""
        slots, words = self._bit_vectors(questions, noted, fixed, segment.num_documents)
        self.most_ranges = int(fixed.num_ranges.max(initial=1))
        """Ranges of ranks of the leaf that has most."""
        self.arrays = SegmentArrays(segment.num_documents, noted, fixed, slots, words)

    @property
    def nbytes(self) -> int:
        """Bytes beside the ordered columns, which are the segment's."""
        of_states = sum(array.nbytes for array in self.arrays.fixed)
        return of_states + self.arrays.fixed_slots.nbytes + self.arrays.fixed_words.nbytes

    def _located(self, questions: QuestionSet, noted: Any) -> tuple[LeafStates, npt.NDArray[np.int64]]:
        listed: list[list[tuple[int, int]]] = [[] for _ in questions.fixed]
        for number in questions.listed:
            listed[number] = self._ranks_under(questions, number)
        offsets = np.cumsum([0, *map(len, listed)]).astype(np.int64)
        ranges = np.array([each for of_leaf in listed for each in of_leaf], np.int64).reshape(-1, 2)
        states = leaf_states(len(questions.fixed), len(questions.ranges.kinds) + len(ranges))
        counters = np.zeros(NUM_COUNTERS, np.int64)
        locate_fixed(
            questions.arrays, questions.ranges, noted,
            offsets, ranges[:, 0].copy(), ranges[:, 1].copy(), states, counters,
        )  # fmt: skip
        return states, counters

    def _ranks_under(self, questions: QuestionSet, number: int) -> list[tuple[int, int]]:
        """The ranks of what a taxonomy has under a node: its strings one by one, moments by their paths."""
        predicate = questions.fixed[number].predicate
        assert isinstance(predicate, Under)
        hierarchy = questions.hierarchies[predicate.attribute]
        column = self.columns[int(questions.arrays.leaf_column[number])]
        first = int(column.arrays.kind_offsets[STRING])
        found = [
            (first + place, first + place + 1)
            for place, value in enumerate(column.strings())
            if any(hierarchy.is_under(value, node) for node in predicate.nodes)
        ]
        return found + [
            ranks for node in predicate.nodes for each in moments_under(node) if (ranks := _ranks_between(column, each))
        ]

    def _bit_vectors(
        self, questions: QuestionSet, noted: Any, fixed: LeafStates, num_documents: int
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
        """The bit vectors of the constants that fit many documents, as far as there is room."""
        slots = np.full(len(questions.fixed), -1, np.int64)
        width = num_words(num_documents)
        is_wide = (fixed.truths == OF_RANKS) & (fixed.hits * NARROW >= num_documents)
        if num_documents < FEWEST_FOR_WORDS:
            is_wide[:] = False
        chosen = np.flatnonzero(is_wide)[: MOST_WORDS // max(width, 1)]
        slots[chosen] = np.arange(len(chosen))
        words = np.zeros(len(chosen) * width, np.uint64)
        write_fixed_words(questions.arrays, noted, fixed, slots, words, width)
        return slots, words


def leaf_states(num_leaves: int, num_ranges: int) -> LeafStates:
    """Room for what leaves say."""
    return LeafStates(
        np.zeros(num_leaves, np.uint8),
        *(np.zeros(num_leaves, np.int64) for _ in range(3)),
        *(np.zeros(num_ranges, np.int64) for _ in range(2)),
    )


def _ranks_between(column: OrderedColumn, values: ValueRange) -> tuple[int, int] | None:
    """The ranks of the dates or timestamps in a range."""
    offsets = column.arrays.kind_offsets
    first, end = int(offsets[values.kind]), int(offsets[values.kind + 1])
    num_strings = int(offsets[STRING + 1] - offsets[STRING])
    assert values.low is not None and values.high is not None
    highs = column.arrays.highs[first - num_strings : end - num_strings]
    start = first + int(np.searchsorted(highs, values.low.high))
    stop = first + int(np.searchsorted(highs, values.high.high, side="right"))
    return (start, stop) if start < stop else None
