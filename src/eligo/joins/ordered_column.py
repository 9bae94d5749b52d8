"""How are the documents found whose value is below, equal to or above another? By ranks, made at first demand.

Tatbul 2001, section 4.2, puts a B-tree with document bit vectors on each joined attribute. A segment does not change,
so sorted arrays do what the tree would, in a fraction of its memory; see `kernels.column_arrays`, which draws them. A
column is made for an attribute of a segment when a question first asks for it, and kept with the segment.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eligo.data.encoded_value import encode_floats
from eligo.joins.kernels.column_arrays import NUM_KINDS, ColumnArrays
from eligo.joins.kernels.document_words import fill_checkpoints, words_of_rows
from eligo.joins.segment import Column, ColumnKind, Segment
from eligo.kernels.codes import BOOL, DATE, NUMBER, STRING, TIMESTAMP

FEWEST_FOR_CHECKPOINTS = 4096
"""Below so many documents a bit vector is written from its rows at once."""

_KINDS = {BOOL: ColumnKind.BOOL, DATE: ColumnKind.DATE, TIMESTAMP: ColumnKind.TIMESTAMP}
_NO_INTS = np.zeros(0, np.int64)
_NO_FLOATS = np.zeros(0, np.float64)
_NO_ROWS = np.zeros(0, np.int32)


class OrderedColumn(NamedTuple):
    """The values of one attribute in a segment, in order."""

    arrays: ColumnArrays
    num_documents: int

    @property
    def num_ranks(self) -> int:
        """Distinct values."""
        return int(self.arrays.kind_offsets[-1])

    @property
    def num_missing(self) -> int:
        """Documents without a value."""
        offsets = self.arrays.row_offsets
        return int(offsets[-1] - offsets[-2])

    @property
    def has_several(self) -> bool:
        """Whether some document has several values."""
        return len(self.arrays.several_offsets) > 1

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.arrays)

    def strings(self) -> list[str]:
        """The distinct strings, in their order."""
        offsets, data = self.arrays.text_offsets, self.arrays.texts.tobytes()
        return [data[begin:end].decode() for begin, end in pairwise(offsets)]


def ordered_column(segment: Segment, attribute: str) -> OrderedColumn:
    """The ordered column of an attribute, as it is kept with the segment."""
    key = ("ordered column", attribute)
    found: OrderedColumn | None = segment.memo.get(key)
    if found is None:
        # Whoever is first leaves his; two that ask at once both make one.
        found = segment.memo.setdefault(key, _made(segment, attribute))
    return found


class _Block(NamedTuple):
    """The values of one kind."""

    rows: npt.NDArray[np.int32]
    ranks: npt.NDArray[np.int64]
    """For each value: its rank within the kind."""
    num_ranks: int
    highs: npt.NDArray[np.int64] = _NO_INTS
    lows: npt.NDArray[np.float64] = _NO_FLOATS


def _made(segment: Segment, attribute: str) -> OrderedColumn:
    columns = segment.columns(attribute)
    texts = columns.get(ColumnKind.STRING)
    string_block, text_offsets, text_bytes = _strings(texts)
    blocks = {kind: _whole(columns.get(name)) for kind, name in _KINDS.items()}
    blocks[NUMBER] = _numbers(columns.get(ColumnKind.INT), columns.get(ColumnKind.FLOAT))
    blocks[STRING] = string_block
    in_order = [blocks[kind] for kind in range(NUM_KINDS)]
    kind_offsets = np.cumsum([0, *(block.num_ranks for block in in_order)]).astype(np.int64)
    rows = np.concatenate([block.rows for block in in_order])
    ranks = np.concatenate([block.ranks + start for block, start in zip(in_order, kind_offsets[:-1], strict=True)])
    highs = np.concatenate([block.highs for block in in_order])
    places = _placed(rows, ranks, segment.num_documents, int(kind_offsets[-1]))
    arrays = ColumnArrays(kind_offsets, highs, blocks[NUMBER].lows, text_offsets, text_bytes, *places)
    return OrderedColumn(arrays, segment.num_documents)


def _distinct(values: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    found, ranks = np.unique(values, return_inverse=True)
    return found.astype(np.int64, copy=False), ranks.astype(np.int64, copy=False).reshape(-1)


def _whole(column: Column | None) -> _Block:
    if column is None:
        return _Block(_NO_ROWS, _NO_INTS, 0)
    found, ranks = _distinct(column.values)
    return _Block(column.rows, ranks, len(found), found)


def _numbers(ints: Column | None, floats: Column | None) -> _Block:
    """Ints and floats together, as exact pairs."""
    if floats is None:
        return _whole(ints)
    highs, lows = encode_floats(floats.values)
    rows = floats.rows
    if ints is not None:
        rows = np.concatenate([ints.rows, rows])
        highs = np.concatenate([ints.values, highs])
        lows = np.concatenate([np.zeros(len(ints.values)), lows])
    order = np.lexsort((lows, highs))
    highs, lows = highs[order], lows[order]
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = (highs[1:] != highs[:-1]) | (lows[1:] != lows[:-1])
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.cumsum(is_new) - 1
    return _Block(rows, ranks, int(is_new.sum()), highs[is_new], lows[is_new])


def _strings(column: Column | None) -> tuple[_Block, npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    if column is None:
        return _Block(_NO_ROWS, _NO_INTS, 0), np.zeros(1, np.int64), np.zeros(0, np.uint8)
    encoded: Any = column.values.dictionary_encode()
    order = pc.sort_indices(encoded.dictionary)  # by bytes, which is the order of code points
    found: Any = encoded.dictionary.take(order).cast(pa.large_string())
    rank_of_code = np.empty(len(order), np.int64)
    rank_of_code[order.to_numpy()] = np.arange(len(order))
    ranks = rank_of_code[encoded.indices.to_numpy(zero_copy_only=False)]
    _, offsets, data = found.buffers()
    text_offsets = np.frombuffer(offsets, np.int64)[found.offset : found.offset + len(found) + 1].copy()
    texts = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)[: text_offsets[-1]].copy()
    return _Block(column.rows, ranks, len(found)), text_offsets, texts


def _placed(
    rows: npt.NDArray[np.int32], ranks: npt.NDArray[np.int64], num_documents: int, num_ranks: int
) -> tuple[npt.NDArray[Any], ...]:
    """The fields of `ColumnArrays` from `row_offsets` on: who has which rank."""
    pairs = np.unique(ranks * num_documents + rows) if num_documents else _NO_INTS
    ranks, rows = np.divmod(pairs, max(num_documents, 1))[0], (pairs % max(num_documents, 1)).astype(np.int32)
    num_values = np.bincount(rows, minlength=num_documents)
    missing = np.flatnonzero(num_values == 0).astype(np.int32)
    counts = np.append(np.bincount(ranks, minlength=num_ranks), len(missing))
    row_offsets = np.append(0, np.cumsum(counts)).astype(np.int64)
    rank_of_document = np.full(num_documents, num_ranks, np.int32)
    rank_of_document[rows] = ranks
    several = np.flatnonzero(num_values > 1)
    several_offsets, several_ranks = np.zeros(1, np.int64), _NO_ROWS
    if len(several):
        rank_of_document[several] = -1 - np.arange(len(several))
        by_document = np.argsort(rows, kind="stable")
        by_document = by_document[num_values[rows[by_document]] > 1]
        several_offsets = np.append(0, np.cumsum(num_values[several])).astype(np.int64)
        several_ranks = ranks[by_document].astype(np.int32)
    rows = np.concatenate([rows, missing])
    present = np.zeros(0, np.uint64)
    if len(missing):
        present = ~words_of_rows(missing, num_documents)
        # Bits beyond the last document stay 0.
        present &= words_of_rows(np.arange(num_documents, dtype=np.int32), num_documents)
    checkpoints = np.zeros(0, np.uint64)
    if num_documents >= FEWEST_FOR_CHECKPOINTS and not len(several):
        checkpoints = fill_checkpoints(rows, num_documents)
    return row_offsets, rows, rank_of_document, several_offsets, several_ranks, present, checkpoints
