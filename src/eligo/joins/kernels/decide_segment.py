"""Does a document of a segment satisfy a question? Walked along the literal that fewest fit, or by bit vectors.

Most questions are settled by a few documents: many fit, and one of the first does, or few fit the narrowest literal.
What is not settled after as many documents as bit vectors would cost, is settled by bit vectors. So no guess is
needed, and no question costs more than about twice the better way.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.joins.kernels.body_programs import begin_segment, run_program
from eligo.joins.kernels.column_arrays import column_at
from eligo.joins.kernels.document_words import num_words
from eligo.joins.kernels.leaf_states import locate, prepare_test, test_at
from eligo.joins.kernels.tiles import NONE, capped, narrow_tile, scope_tile, tile_size
from eligo.joins.kernels.work_arrays import EVALUATIONS, FALSE, OF_RANKS, STAMP, TILE, TRUE, UNKNOWN, Work
from eligo.kernels.compiled import hot_loop
from eligo.kernels.loads import int32_at, int64_at
from eligo.kernels.parameter_types import Int64s, Integer, UInt8s

FEWEST_WALKED = 32
"""Documents that are looked at before bit vectors are thought of."""
NARROW = 256
"""A literal that fits less than one in so many documents is walked to its end; no bit vector of it is kept."""
WORDS_A_STEP = 32
"""Words of a bit vector that cost as much as one document looked at by itself."""


@hot_loop
def decide_segment(work: Work, asked: Int64s, truth_of_part: UInt8s) -> None:
    """Raise the truths of some parts to what documents of the segment make them."""
    begin_segment(work)
    questions = work.questions
    for part in asked:
        truth = np.int64(truth_of_part[part])
        for place in range(questions.part_offsets[part], questions.part_offsets[part + 1]):
            if truth == TRUE:
                break
            truth = max(truth, _answer(work, questions.questions_of_part[place]))
        truth_of_part[part] = truth


@hot_loop
def _answer(work: Work, question: Integer) -> Any:
    """The greatest truth of a question for a document of the segment; found once."""
    questions, scratch = work.questions, work.scratch
    stamp = scratch.counters[STAMP]
    if scratch.question_stamp[question] == stamp:
        return np.int64(scratch.question_truth[question])
    scope = questions.question_scope[question]
    found = np.int64(FALSE)
    if work.scopes.num_living[scope] > 0:
        program = questions.question_program[question]
        if program < 0:
            found = _conjunction(work, question, scope)
        else:
            first, end = questions.program_offsets[program], questions.program_offsets[program + 1]
            found = run_program(work, scope, questions.programs[first:end])
    scratch.question_stamp[question] = stamp
    scratch.question_truth[question] = found
    return found


@hot_loop
def _conjunction(work: Work, question: Integer, scope: Integer) -> Any:
    questions, scratch = work.questions, work.scratch
    most = np.int64(TRUE)
    count = 0
    for place in range(questions.literal_offsets[question], questions.literal_offsets[question + 1]):
        literal = questions.literals[place]
        truth = np.int64(locate(work, literal >> 1))
        if truth == OF_RANKS:
            scratch.literals[count] = literal
            count += 1
            continue
        truth = TRUE - truth if literal & 1 else truth
        if truth == FALSE:
            return np.int64(FALSE)
        most = min(most, truth)
    if count == 0:
        return most
    return min(most, _among_documents(work, scope, count, most))


@hot_loop
def _among_documents(work: Work, scope: Integer, count: Integer, most: Integer) -> Any:
    """The greatest truth of the literals noted in the scratch, `most` being enough."""
    scratch, num_documents = work.scratch, work.segment.num_documents
    num_rows = num_documents - work.scopes.first_row[scope]
    for place in range(count):
        literal = scratch.literals[place]
        num_true, num_possible = _num_documents(work, literal)
        if num_possible == 0:
            return np.int64(FALSE)
        if count == 1 and num_true >= 0 and work.scopes.num_living[scope] == num_documents:
            return np.int64(TRUE) if num_true > 0 else np.int64(UNKNOWN)
        # The literal that fewest documents fit comes first; one that cannot be walked fits as many as there are.
        gap = place
        while gap > 0 and scratch.num_possible[gap - 1] > num_possible:
            scratch.literals[gap] = scratch.literals[gap - 1]
            scratch.num_possible[gap] = scratch.num_possible[gap - 1]
            gap -= 1
        scratch.literals[gap] = literal
        scratch.num_possible[gap] = num_possible
    for place in range(count):
        prepare_test(work, scratch.literals[place], place)
    steps = FEWEST_WALKED + (num_rows >> 6) * count // WORDS_A_STEP
    if scratch.num_possible[0] * NARROW < num_documents:
        steps = num_documents  # few enough, and their bit vector would have to be written first
    if scratch.num_possible[0] >= num_rows:
        found, is_settled = _walk_rows(work, scope, count, most, steps)
    else:
        found, is_settled = _walk_literal(work, scope, count, most, steps)
    return found if is_settled else max(found, _by_bit_vectors(work, scope, count, most))


@hot_loop
def _num_documents(work: Work, literal: Integer) -> Any:
    """How many documents a literal is true of, and possible for; -1 and all when only going through them would tell."""
    questions = work.questions
    leaf = literal >> 1
    column = column_at(work.segment.columns, questions.leaf_column[leaf])
    hits = work.segment.fixed.hits[leaf] if leaf < questions.num_fixed else work.scratch.states.hits[leaf]
    num_ranks = column.num_ranks
    if literal & 1:
        if column.has_several:
            return np.int64(-1), np.int64(work.segment.num_documents)
        hits = int64_at(column.row_offsets, num_ranks) - hits
    num_missing = column.num_missing
    missing = _when_missing(work, literal)
    num_true = hits + (num_missing if missing == TRUE else 0)
    return np.int64(num_true), np.int64(hits + (num_missing if missing != FALSE else 0))


@hot_loop
def _when_missing(work: Work, literal: Integer) -> Any:
    missing = np.int64(work.questions.leaf_when_missing[literal >> 1])
    return TRUE - missing if literal & 1 else missing


@hot_loop
def _truth_of_row(
    work: Work, scope: Integer, first: Integer, count: Integer, row: Integer, found: Integer, least: Integer
) -> Any:  # fmt: skip
    """The truth of the noted literals from `first` on for a document, or `found` where that is less.

    FALSE where it is not above `least`, or the document is out of scope.
    """
    scopes, scratch = work.scopes, work.scratch
    if row < scopes.first_row[scope]:
        return np.int64(FALSE)
    mask = scopes.mask[scope]
    if mask >= 0 and not scopes.is_in[mask * work.segment.num_documents + row]:
        return np.int64(FALSE)
    for place in range(first, count):
        scratch.counters[EVALUATIONS] += 1
        found = min(found, test_at(work, scratch.literals[place], place, row))
        if found <= least:
            return np.int64(FALSE)
    return found


@hot_loop
def _walk_rows(work: Work, scope: Integer, count: Integer, most: Integer, steps: Integer) -> Any:
    """Look at the documents of a scope, the newest first: what was found, and whether it is all there is."""
    first_row = work.scopes.first_row[scope]
    row = work.segment.num_documents - 1
    found = np.int64(FALSE)
    while row >= first_row:
        if steps == 0:
            return found, False
        steps -= 1
        found = max(found, _truth_of_row(work, scope, 0, count, row, np.int64(TRUE), found))
        if found >= most:
            return found, True
        row -= 1
    return found, True


@hot_loop
def _walk_literal(work: Work, scope: Integer, count: Integer, most: Integer, steps: Integer) -> Any:
    """The same for the documents for which the first of the noted literals is possible."""
    scratch, questions = work.scratch, work.questions
    literal = scratch.literals[0]
    column = column_at(work.segment.columns, questions.leaf_column[literal >> 1])
    found = np.int64(FALSE)
    missing_from = int64_at(column.row_offsets, column.num_ranks)
    for place in range(_positions(work, literal)):
        is_missing = scratch.starts[place] == missing_from
        truth = _when_missing(work, literal) if is_missing else np.int64(TRUE)
        if truth <= found:
            break
        for position in range(scratch.starts[place], scratch.ends[place]):
            if steps == 0:
                return found, False
            steps -= 1
            row = int32_at(column.rows, position)
            found = max(found, _truth_of_row(work, scope, 1, count, row, truth, found))
            if found >= most:
                return found, True
    return found, True


@hot_loop
def _positions(work: Work, literal: Integer) -> Any:
    """Note the ranges of positions whose documents a literal is possible for, and return how many there are."""
    scratch, questions = work.scratch, work.questions
    leaf = literal >> 1
    column = column_at(work.segment.columns, questions.leaf_column[leaf])
    states = work.segment.fixed if leaf < questions.num_fixed else scratch.states
    num_ranks = column.num_ranks
    first = states.range_first[leaf]
    count = 0
    next_rank = np.int64(0)
    for place in range(first, first + states.num_ranges[leaf]):
        start, end = states.starts[place], states.ends[place]
        if literal & 1:
            start, end, next_rank = next_rank, start, end
        scratch.starts[count] = int64_at(column.row_offsets, start)
        scratch.ends[count] = int64_at(column.row_offsets, end)
        count += 1
    if literal & 1:
        scratch.starts[count] = int64_at(column.row_offsets, next_rank)
        scratch.ends[count] = int64_at(column.row_offsets, num_ranks)
        count += 1
    if _when_missing(work, literal) != FALSE:
        scratch.starts[count] = int64_at(column.row_offsets, num_ranks)
        scratch.ends[count] = int64_at(column.row_offsets, num_ranks + 1)
        count += 1
    return count


@hot_loop
def _by_bit_vectors(work: Work, scope: Integer, count: Integer, most: Integer) -> Any:
    """The greatest truth of the noted literals, from the intersection of their bit vectors."""
    scratch = work.scratch
    first = (work.scopes.first_row[scope] >> 6) // TILE * TILE
    found = np.int64(FALSE)
    while first < num_words(work.segment.num_documents) and found < most:
        size = tile_size(work, first)
        scope_tile(work, scope, first, size, scratch.tile_true)
        is_exact = True
        some_true, some_possible = NONE, NONE
        for place in range(count):
            literal = scratch.literals[place]
            some_true, some_possible, is_exact = narrow_tile(work, literal, first, size, is_exact)
            if some_possible == NONE:
                break
        found = max(found, capped(some_true, some_possible))
        first += TILE
    return found
