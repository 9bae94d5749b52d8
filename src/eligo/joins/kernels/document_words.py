"""Which documents have a value in some ranges of ranks? As a bit vector: bit d of it, in words of 64, is document d.

Written bit by bit it would cost a step for each document. A column with one value a document keeps the bit vectors of
a few positions (`checkpoints`), and the documents at positions p to q are those before q without those before p:

    words = checkpoint near q, corrected by the rows between it and q,  xor  the same for p
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.joins.kernels.column_arrays import NUM_CHECKPOINTS, ColumnView, checkpoint_step
from eligo.kernels.compiled import hot_loop, kernel
from eligo.kernels.loads import int32_at, int64_at, uint64_at
from eligo.kernels.parameter_types import Int64s, Integer, Integers, UInt64s


@hot_loop
def num_words(num_documents: Integer) -> Any:
    """Words of a bit vector of documents."""
    return (num_documents + 63) >> 6


@kernel
def words_of_rows(rows: Integers, num_documents: Integer) -> Any:
    """The bit vector of some documents."""
    words = np.zeros(num_words(num_documents), np.uint64)
    for row in rows:
        words[row >> 6] |= np.uint64(1) << np.uint64(row & 63)
    return words


@kernel
def fill_checkpoints(rows: Integers, num_documents: Integer) -> Any:
    """The bit vectors of the documents before every so many positions; each document is at one position."""
    width = num_words(num_documents)
    step = checkpoint_step(num_documents)
    found = np.zeros((NUM_CHECKPOINTS + 1) * width, np.uint64)
    for checkpoint in range(1, NUM_CHECKPOINTS + 1):
        base = checkpoint * width
        for word in range(width):
            found[base + word] = found[base - width + word]
        for position in range((checkpoint - 1) * step, min(checkpoint * step, len(rows))):
            row = rows[position]
            found[base + (row >> 6)] |= np.uint64(1) << np.uint64(row & 63)
    return found


@hot_loop
def write_words(
    column: ColumnView, firsts: Int64s, ends: Int64s, begin: Integer, count: Integer, words: UInt64s, base: Integer,
    width: Integer,
) -> None:  # fmt: skip
    """Write at `words[base:base + width]` who has a value in one of the ranges of ranks from `begin` on."""
    for word in range(base, base + width):
        words[word] = np.uint64(0)
    num_documents = column.num_documents
    step = checkpoint_step(num_documents)
    for place in range(begin, begin + count):
        first, end = int64_at(column.row_offsets, firsts[place]), int64_at(column.row_offsets, ends[place])
        if not column.has_checkpoints or end - first < step:
            for position in range(first, end):
                row = int32_at(column.rows, position)
                words[base + (row >> 6)] |= np.uint64(1) << np.uint64(row & 63)
        else:
            _flip_before(column, first, words, base, width, step)
            _flip_before(column, end, words, base, width, step)


@hot_loop
def _flip_before(
    column: ColumnView, position: Integer, words: UInt64s, base: Integer, width: Integer, step: Integer
) -> None:  # fmt: skip
    """Flip the bits of the documents before a position."""
    nearest = min((position + step // 2) // step, NUM_CHECKPOINTS)
    before = nearest * width
    for word in range(width):
        words[base + word] ^= uint64_at(column.checkpoints, before + word)
    at = min(nearest * step, column.num_documents)
    for place in range(min(at, position), max(at, position)):
        row = int32_at(column.rows, place)
        words[base + (row >> 6)] ^= np.uint64(1) << np.uint64(row & 63)
