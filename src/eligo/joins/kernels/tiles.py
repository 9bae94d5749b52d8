"""What do leaves say of a few thousand documents at once? A tile: some words of a bit vector.

A leaf's bit vector has the documents with a value that is hit. With it, and with who has a value at all, the tile of a
literal is where it is true, and where it is possible, which is true or unknown:

    true        hit, or missing where that counts as true
    possible    hit, or missing where that counts as true or unknown
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.joins.kernels.column_arrays import column_at
from eligo.joins.kernels.document_words import num_words, write_words
from eligo.joins.kernels.leaf_states import truth_at
from eligo.joins.kernels.work_arrays import (
    FALSE,
    NUM_SLOTS,
    STAMP,
    TILE,
    TRUE,
    UNKNOWN,
    Work,
)
from eligo.kernels.compiled import hot_loop
from eligo.kernels.loads import int32_at, uint64_at
from eligo.kernels.parameter_types import Integer, UInt64s

ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
NONE = np.uint64(0)


@hot_loop
def scope_tile(work: Work, scope: Integer, first: Integer, size: Integer, into: UInt64s) -> None:
    """Write the documents of a scope in the words from `first` on."""
    scopes, num_documents = work.scopes, work.segment.num_documents
    mask = scopes.mask[scope]
    if mask >= 0:
        base = mask * num_words(num_documents) + first
        for word in range(size):
            into[word] = scopes.words[base + word]
    else:
        for word in range(size):
            into[word] = ALL
        beyond = (first + size) * 64 - num_documents
        if beyond > 0:
            into[size - 1] = ALL >> np.uint64(beyond)
    first_row = scopes.first_row[scope]
    for word in range(size):
        before = first_row - (first + word) * 64
        if before <= 0:
            break
        into[word] &= ALL << np.uint64(before) if before < 64 else NONE


@hot_loop
def ensure_words(work: Work, leaf: Integer) -> Any:
    """Where the bit vector of a leaf begins, in `fixed_words` or in the scratch's; -1 when there is no room for it."""
    questions, segment, scratch = work.questions, work.segment, work.scratch
    width = num_words(segment.num_documents)
    if _is_kept(work, leaf):
        return segment.fixed_slots[leaf] * width
    if scratch.slot_stamp[leaf] == scratch.counters[STAMP]:
        return scratch.slots[leaf] * width
    slot = scratch.counters[NUM_SLOTS]
    base = slot * width
    if base + width > len(scratch.words):
        return np.int64(-1)
    scratch.counters[NUM_SLOTS] = slot + 1
    scratch.slots[leaf] = slot
    scratch.slot_stamp[leaf] = scratch.counters[STAMP]
    column = column_at(segment.columns, questions.leaf_column[leaf])
    states = segment.fixed if leaf < questions.num_fixed else scratch.states
    begin, count = states.range_first[leaf], states.num_ranges[leaf]
    write_words(column, states.starts, states.ends, begin, count, scratch.words, base, width)
    return base


@hot_loop
def hit_tile(work: Work, leaf: Integer, first: Integer, size: Integer, into: UInt64s, at: Integer) -> None:
    """Write who is hit by a leaf that is OF_RANKS at `into[at:at + size]`."""
    base = ensure_words(work, leaf)
    if base < 0:
        _hits_one_by_one(work, leaf, first, size, into, at)
        return
    words = work.segment.fixed_words if _is_kept(work, leaf) else work.scratch.words
    for word in range(size):
        into[at + word] = words[base + first + word]


@hot_loop
def _is_kept(work: Work, leaf: Integer) -> Any:
    """Whether the bit vector of a leaf is kept with the segment."""
    return leaf < work.questions.num_fixed and work.segment.fixed_slots[leaf] >= 0


@hot_loop
def _hits_one_by_one(
    work: Work, leaf: Integer, first: Integer, size: Integer, into: UInt64s, at: Integer
) -> None:  # fmt: skip
    column = column_at(work.segment.columns, work.questions.leaf_column[leaf])
    num_ranks = column.num_ranks
    for word in range(size):
        found = NONE
        row = (first + word) * 64
        for bit in range(min(64, work.segment.num_documents - row)):
            if int32_at(column.rank_of_document, row + bit) != num_ranks and truth_at(work, leaf, row + bit) == TRUE:
                found |= np.uint64(1) << np.uint64(bit)
        into[at + word] = found


@hot_loop
def narrow_tile(work: Work, literal: Integer, first: Integer, size: Integer, is_exact: Any) -> Any:
    """Take a literal's tile from those at work: what is left of what is true, of what is possible, and if they differ.

    While they do not (`is_exact`), only `tile_true` counts.
    """
    questions, scratch = work.questions, work.scratch
    leaf, is_negated = literal >> 1, literal & 1
    column = column_at(work.segment.columns, questions.leaf_column[leaf])
    base = ensure_words(work, leaf)
    words = scratch.stack_true
    if base < 0:
        _hits_one_by_one(work, leaf, first, size, words, 0)
        base = np.int64(0)
    else:
        words = work.segment.fixed_words if _is_kept(work, leaf) else work.scratch.words
        base += first
    flip = ALL if is_negated else NONE
    missing = np.int64(questions.leaf_when_missing[leaf])
    missing = TRUE - missing if is_negated else missing
    is_true, is_possible = scratch.tile_true, scratch.tile_possible
    if is_exact and column.num_missing > 0 and missing == UNKNOWN:
        for word in range(size):
            is_possible[word] = is_true[word]
        is_exact = False
    some_true = NONE
    if column.num_missing == 0 and is_exact:
        for word in range(size):
            is_true[word] &= words[base + word] ^ flip
            some_true |= is_true[word]
        return some_true, some_true, is_exact
    missing_is_true = ALL if missing == TRUE else NONE
    missing_is_possible = ALL if missing != FALSE else NONE
    some_possible = NONE
    for word in range(size):
        present = uint64_at(column.present, first + word) if column.num_missing else ALL
        hit = (words[base + word] ^ flip) & present
        is_true[word] &= hit | (missing_is_true & ~present)
        is_possible[word] &= hit | (missing_is_possible & ~present)
        some_true |= is_true[word]
        some_possible |= is_possible[word]
    return some_true, some_true if is_exact else some_possible, is_exact


@hot_loop
def leaf_tile(work: Work, leaf: Integer, truth: Integer, first: Integer, size: Integer, at: Integer) -> None:
    """Write where a leaf is true and where it is false to the stacks at `at`, from its truth as `locate` gives it."""
    is_true, is_false = work.scratch.stack_true, work.scratch.stack_false
    if truth <= TRUE:
        for word in range(at, at + size):
            is_true[word] = ALL if truth == TRUE else NONE
            is_false[word] = ALL if truth == FALSE else NONE
        return
    hit_tile(work, leaf, first, size, is_true, at)
    column = column_at(work.segment.columns, work.questions.leaf_column[leaf])
    missing = work.questions.leaf_when_missing[leaf]
    for word in range(size):
        present = uint64_at(column.present, first + word) if column.num_missing else ALL
        hit = is_true[at + word]
        is_true[at + word] = hit | (~present if missing == TRUE else NONE)
        is_false[at + word] = (present & ~hit) | (~present if missing == FALSE else NONE)


@hot_loop
def tile_size(work: Work, first: Integer) -> Any:
    """Words of the tile that begins at a word."""
    return min(TILE, num_words(work.segment.num_documents) - first)


@hot_loop
def capped(some_true: Integer, some_possible: Integer) -> Any:
    """TRUE, UNKNOWN or FALSE, from what is left of a tile."""
    if some_true != NONE:
        return np.int64(TRUE)
    return np.int64(UNKNOWN) if some_possible != NONE else np.int64(FALSE)
