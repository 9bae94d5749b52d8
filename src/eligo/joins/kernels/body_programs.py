"""Of which documents is a body true, false, or neither? Any tree, run as a program over bit vectors, tile by tile.

A program is the body in postfix form; its stack holds, for each node, where it is true and where it is false.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.joins.kernels.document_words import num_words
from eligo.joins.kernels.leaf_states import locate
from eligo.joins.kernels.tiles import ALL, NONE, capped, leaf_tile, scope_tile, tile_size
from eligo.joins.kernels.work_arrays import (
    AND_CODE,
    FALSE,
    FALSE_CODE,
    NOT_CODE,
    NUM_RANGES,
    NUM_RANKS,
    NUM_SLOTS,
    OR_CODE,
    STAMP,
    TILE,
    TRUE,
    TRUE_CODE,
    XOR_CODE,
    Work,
)
from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Int64s, Integer, UInt64s


@hot_loop
def begin_segment(work: Work) -> None:
    """Forget what was found in another segment, or for another event."""
    counters = work.scratch.counters
    counters[STAMP] += 1
    counters[NUM_RANGES] = 0
    counters[NUM_RANKS] = 0
    counters[NUM_SLOTS] = 0


@hot_loop
def run_program(work: Work, scope: Integer, codes: Int64s) -> Any:
    """Whether a document in scope satisfies a body: the greatest truth that the body has for one."""
    first = (work.scopes.first_row[scope] >> 6) // TILE * TILE
    found = np.int64(FALSE)
    is_in = work.scratch.tile_true
    while first < num_words(work.segment.num_documents) and found != TRUE:
        size = tile_size(work, first)
        scope_tile(work, scope, first, size, is_in)
        _run_on_tile(work, codes, first, size)
        some_true, some_possible = NONE, NONE
        for word in range(size):
            some_true |= work.scratch.stack_true[word] & is_in[word]
            some_possible |= ~work.scratch.stack_false[word] & is_in[word]
        found = max(found, capped(some_true, some_possible))
        first += TILE
    return found


@hot_loop
def documents_of_program(
    work: Work, scope: Integer, codes: Int64s, is_true: UInt64s, is_false: UInt64s, is_unknown: UInt64s
) -> None:  # fmt: skip
    """Write the bit vectors of the documents in scope of which a body is true, false, and neither."""
    begin_segment(work)
    is_in = work.scratch.tile_true
    for first in range(0, num_words(work.segment.num_documents), TILE):
        size = tile_size(work, first)
        scope_tile(work, scope, first, size, is_in)
        _run_on_tile(work, codes, first, size)
        for word in range(size):
            true, false = work.scratch.stack_true[word], work.scratch.stack_false[word]
            is_true[first + word] = true & is_in[word]
            is_false[first + word] = false & is_in[word]
            is_unknown[first + word] = ~(true | false) & is_in[word]


@hot_loop
def _run_on_tile(work: Work, codes: Int64s, first: Integer, size: Integer) -> None:
    """Leave at the bottom of the stacks where the body is true and where it is false."""
    is_true, is_false = work.scratch.stack_true, work.scratch.stack_false
    top = -TILE
    for code in codes:
        if code >= 0:
            top += TILE
            leaf_tile(work, code, locate(work, code), first, size, top)
        elif code == NOT_CODE:
            for word in range(top, top + size):
                is_true[word], is_false[word] = is_false[word], is_true[word]
        elif code == TRUE_CODE or code == FALSE_CODE:
            top += TILE
            for word in range(top, top + size):
                is_true[word] = ALL if code == TRUE_CODE else NONE
                is_false[word] = NONE if code == TRUE_CODE else ALL
        else:
            top -= TILE
            for word in range(top, top + size):
                true, false = is_true[word], is_false[word]
                true_too, false_too = is_true[word + TILE], is_false[word + TILE]
                if code == AND_CODE:
                    is_true[word], is_false[word] = true & true_too, false | false_too
                elif code == OR_CODE:
                    is_true[word], is_false[word] = true | true_too, false & false_too
                else:
                    differ = (true & false_too) | (false & true_too)
                    agree = (true & true_too) | (false & false_too)
                    is_true[word] = differ if code == XOR_CODE else agree
                    is_false[word] = agree if code == XOR_CODE else differ
