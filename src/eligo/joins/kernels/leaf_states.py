"""Of which documents is a leaf true? Of those with a rank in some ranges; found once a segment, or once an event."""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.joins.kernels.column_arrays import ColumnView, column_at
from eligo.joins.kernels.document_words import write_words
from eligo.joins.kernels.rank_search import find_rank
from eligo.joins.kernels.work_arrays import (
    ANY_KIND,
    EQUAL,
    FALSE,
    GREATER,
    GREATER_OR_EQUAL,
    LESS,
    LESS_OR_EQUAL,
    NUM_RANGES,
    NUM_RANKS,
    NUM_TEST_FIELDS,
    OF_RANKS,
    STAMP,
    TEST_COLUMN,
    TEST_END,
    TEST_HIT,
    TEST_MISS,
    TEST_MISSING,
    TEST_MISSING_RANK,
    TEST_START,
    TRUE,
    FixedRanges,
    LeafStates,
    Questions,
    Work,
)
from eligo.kernels.codes import BOOL
from eligo.kernels.compiled import hot_loop
from eligo.kernels.loads import int32_at, int64_at
from eligo.kernels.parameter_types import Int64s, Integer, UInt64s


@hot_loop
def locate_fixed(
    questions: Questions, ranges: FixedRanges, columns: Any, listed_offsets: Int64s, listed_starts: Int64s,
    listed_ends: Int64s, states: LeafStates, counters: Int64s,
) -> None:  # fmt: skip
    """Find the ranges of ranks of all fixed leaves in a segment; those of some are given, listed by leaf."""
    top = np.int64(0)
    for leaf in range(questions.num_fixed):
        column = column_at(columns, questions.leaf_column[leaf])
        first = top
        for place in range(ranges.range_offsets[leaf], ranges.range_offsets[leaf + 1]):
            start, end = _rank_range(ranges, place, column, counters)
            top = _add_range(states, top, start, end)
        for place in range(listed_offsets[leaf], listed_offsets[leaf + 1]):
            top = _add_range(states, top, listed_starts[place], listed_ends[place])
        top = _settle(states, leaf, first, top, column, questions.leaf_when_missing[leaf])


@hot_loop
def write_fixed_words(
    questions: Questions, columns: Any, states: LeafStates, slots: Int64s, words: UInt64s, width: Integer
) -> None:  # fmt: skip
    """Write the bit vectors of the fixed leaves that have a slot."""
    for leaf in range(questions.num_fixed):
        if slots[leaf] >= 0:
            column = column_at(columns, questions.leaf_column[leaf])
            first, count = states.range_first[leaf], states.num_ranges[leaf]
            write_words(column, states.starts, states.ends, first, count, words, slots[leaf] * width, width)


@hot_loop
def _rank_range(ranges: FixedRanges, place: Integer, column: ColumnView, counters: Int64s) -> Any:
    """The ranks of the values in a range."""
    kind = ranges.kinds[place]
    if kind == ANY_KIND:
        return np.int64(0), column.num_ranks
    start, end = int64_at(column.kind_offsets, kind), int64_at(column.kind_offsets, kind + 1)
    low, high = ranges.lows[place], ranges.highs[place]
    rank, is_equal = start, 0
    if low >= 0:
        rank, is_equal = find_rank(column, ranges.values, low, counters)
        start = rank + is_equal if ranges.is_low_open[place] else rank
    if high >= 0:
        if high != low:
            rank, is_equal = find_rank(column, ranges.values, high, counters)
        end = rank if ranges.is_high_open[place] else rank + is_equal
    return start, end


@hot_loop
def locate(work: Work, leaf: Integer) -> Any:
    """The truth of a leaf for all documents of the segment, or OF_RANKS; its ranges are found at the first time."""
    questions, scratch = work.questions, work.scratch
    if leaf < questions.num_fixed:
        return work.segment.fixed.truths[leaf]
    joined = leaf - questions.num_fixed
    if joined >= questions.num_joined:
        return work.event.truths[joined - questions.num_joined]
    states = scratch.states
    stamp = scratch.counters[STAMP]
    if scratch.leaf_stamp[leaf] != stamp:
        scratch.leaf_stamp[leaf] = stamp
        _locate_joined(work, leaf, joined)
    return states.truths[leaf]


@hot_loop
def _locate_joined(work: Work, leaf: Integer, joined: Integer) -> None:
    questions, scratch, event = work.questions, work.scratch, work.event
    attribute = questions.leaf_attribute[joined]
    first_value, end_value = event.value_offsets[attribute], event.value_offsets[attribute + 1]
    column = column_at(work.segment.columns, questions.leaf_column[leaf])
    when_missing = questions.leaf_when_missing[leaf]
    if first_value == end_value:
        scratch.states.truths[leaf] = when_missing
        return
    ranks = _ranks_of_pair(work, questions.leaf_pair[joined], column, first_value, end_value)
    operator = questions.leaf_operator[joined]
    first = scratch.counters[NUM_RANGES]
    top = first
    for value in range(first_value, end_value):
        kind = event.values.kinds[value]
        if kind == BOOL and operator != EQUAL:
            continue
        rank = scratch.ranks[ranks + value - first_value]
        is_equal = scratch.is_equal[ranks + value - first_value]
        start, end = int64_at(column.kind_offsets, kind), int64_at(column.kind_offsets, kind + 1)
        if operator == EQUAL:
            start, end = rank, rank + is_equal
        elif operator == LESS:
            start = rank + is_equal
        elif operator == LESS_OR_EQUAL:
            start = rank
        elif operator == GREATER:
            end = rank
        elif operator == GREATER_OR_EQUAL:
            end = rank + is_equal
        top = _add_range(scratch.states, top, start, end)
    scratch.counters[NUM_RANGES] = _settle(scratch.states, leaf, first, top, column, when_missing)


@hot_loop
def _ranks_of_pair(
    work: Work, pair: Integer, column: ColumnView, first_value: Integer, end_value: Integer
) -> Any:  # fmt: skip
    """Where the ranks of the event's values in a column stand; searched once for all comparisons of the two."""
    scratch = work.scratch
    if scratch.pair_stamp[pair] == scratch.counters[STAMP]:
        return scratch.pair_first[pair]
    scratch.pair_stamp[pair] = scratch.counters[STAMP]
    first = scratch.counters[NUM_RANKS]
    scratch.pair_first[pair] = first
    scratch.counters[NUM_RANKS] = first + end_value - first_value
    for value in range(first_value, end_value):
        rank, is_equal = find_rank(column, work.event.values, value, scratch.counters)
        scratch.ranks[first + value - first_value] = rank
        scratch.is_equal[first + value - first_value] = is_equal
    return first


@hot_loop
def _add_range(states: LeafStates, top: Integer, start: Integer, end: Integer) -> Any:
    if start >= end:
        return top
    states.starts[top] = start
    states.ends[top] = end
    return top + 1


@hot_loop
def _settle(
    states: LeafStates, leaf: Integer, first: Integer, top: Integer, column: ColumnView, when_missing: Integer
) -> Any:  # fmt: skip
    """Put a leaf's ranges in order, note what they come to, and return the end of them."""
    top = _merge(states, first, top)
    num_ranks = column.num_ranks
    hits = np.int64(0)
    for place in range(first, top):
        hits += int64_at(column.row_offsets, states.ends[place]) - int64_at(column.row_offsets, states.starts[place])
    states.range_first[leaf] = first
    states.num_ranges[leaf] = top - first
    states.hits[leaf] = hits
    num_missing = column.num_missing
    states.truths[leaf] = OF_RANKS
    if num_ranks == 0:
        states.truths[leaf] = when_missing
    elif hits == 0 and (num_missing == 0 or when_missing == FALSE):
        states.truths[leaf] = FALSE
    elif hits == int64_at(column.row_offsets, num_ranks) and (num_missing == 0 or when_missing == TRUE):
        states.truths[leaf] = TRUE
    return top


@hot_loop
def _merge(states: LeafStates, first: Integer, top: Integer) -> Any:
    """Sort a leaf's ranges and join those that overlap or touch; there are few, or they are in order already."""
    starts, ends = states.starts, states.ends
    for place in range(first + 1, top):
        start, end = starts[place], ends[place]
        gap = place
        while gap > first and starts[gap - 1] > start:
            starts[gap], ends[gap] = starts[gap - 1], ends[gap - 1]
            gap -= 1
        starts[gap], ends[gap] = start, end
    last = first
    for place in range(first + 1, top):
        if starts[place] <= ends[last]:
            ends[last] = max(ends[last], ends[place])
        else:
            last += 1
            starts[last], ends[last] = starts[place], ends[place]
    return min(last + 1, top)


@hot_loop
def prepare_test(work: Work, literal: Integer, place: Integer) -> None:
    """Put what the test of a literal needs side by side, as the place-th of those at work."""
    leaf, is_negated = literal >> 1, literal & 1
    questions, tests = work.questions, work.scratch.tests
    column = questions.leaf_column[leaf]
    states = work.segment.fixed if leaf < questions.num_fixed else work.scratch.states
    missing = np.int64(questions.leaf_when_missing[leaf])
    base = place * NUM_TEST_FIELDS
    # Without one range there is none that a rank alone could lie in; `test_at` then looks at all of them.
    first, has_one = states.range_first[leaf], states.num_ranges[leaf] == 1
    tests[base + TEST_COLUMN] = column
    tests[base + TEST_START] = states.starts[first] if has_one else 0
    tests[base + TEST_END] = states.ends[first] if has_one else -1
    tests[base + TEST_HIT] = FALSE if is_negated else TRUE
    tests[base + TEST_MISS] = TRUE if is_negated else FALSE
    tests[base + TEST_MISSING] = TRUE - missing if is_negated else missing
    tests[base + TEST_MISSING_RANK] = column_at(work.segment.columns, column).num_ranks


@hot_loop
def test_at(work: Work, literal: Integer, place: Integer, row: Integer) -> Any:
    """The truth of the place-th literal at work for one document."""
    tests, base = work.scratch.tests, place * NUM_TEST_FIELDS
    column = column_at(work.segment.columns, tests[base + TEST_COLUMN])
    rank = int32_at(column.rank_of_document, row)
    end = tests[base + TEST_END]
    if rank < 0 or end < 0:
        truth = truth_at(work, literal >> 1, row)
        return TRUE - truth if literal & 1 else truth
    if rank == tests[base + TEST_MISSING_RANK]:
        return tests[base + TEST_MISSING]
    return tests[base + TEST_HIT] if tests[base + TEST_START] <= rank and rank < end else tests[base + TEST_MISS]


@hot_loop
def truth_at(work: Work, leaf: Integer, row: Integer) -> Any:
    """The truth of a leaf that is OF_RANKS for one document."""
    questions = work.questions
    column = column_at(work.segment.columns, questions.leaf_column[leaf])
    rank = int32_at(column.rank_of_document, row)
    if rank == column.num_ranks:
        return np.int64(questions.leaf_when_missing[leaf])
    if leaf < questions.num_fixed:
        return _truth_in(work.segment.fixed, leaf, column, rank)
    return _truth_in(work.scratch.states, leaf, column, rank)


@hot_loop
def _truth_in(states: LeafStates, leaf: Integer, column: ColumnView, rank: Integer) -> Any:
    first, count = states.range_first[leaf], states.num_ranges[leaf]
    if rank >= 0:
        return np.int64(TRUE) if _is_in(states, first, count, rank) else np.int64(FALSE)
    document = -1 - rank
    for place in range(int64_at(column.several_offsets, document), int64_at(column.several_offsets, document + 1)):
        if _is_in(states, first, count, int32_at(column.several, place)):
            return np.int64(TRUE)
    return np.int64(FALSE)


@hot_loop
def _is_in(states: LeafStates, first: Integer, count: Integer, rank: Integer) -> Any:
    """Whether a rank lies in one of some ranges."""
    if count == 1:
        return states.starts[first] <= rank and rank < states.ends[first]
    left, right = first, first + count
    while left < right:
        middle = (left + right) >> 1
        if states.ends[middle] <= rank:
            left = middle + 1
        else:
            right = middle
    return left < first + count and states.starts[left] <= rank
