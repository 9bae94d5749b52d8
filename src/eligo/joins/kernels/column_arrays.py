"""What does a kernel see of an attribute's values in a segment? Their ranks, and who has which.

The distinct values of an attribute are numbered in order, kind after kind. The last rank is that of having none:

    document  0   1   2    3         value     10  25  'x'  none
    price     25  10  -   10, 'x'    rank       0   1    2     3
                                     rows     1 3   0    3     2
                                     position 0 1   2    3     4

What a comparison with a value says of documents is a range of ranks, so a range of positions in `rows`.

Compiled, the columns of a segment are one table of addresses, see `loads`; interpreted, the arrays themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.kernels.compiled import hot_loop
from eligo.kernels.loads import address_of
from eligo.kernels.parameter_types import Int64s, Integer
from eligo.kernels.work import note_work

NUM_KINDS = 5
"""Kinds of value, as in `codes`: BOOL, NUMBER, STRING, DATE, TIMESTAMP."""
NUM_CHECKPOINTS = 64
"""Bit vectors that a column keeps, so that the one of any range differs from two of them by few documents."""


class ColumnArrays(NamedTuple):
    """The values of one attribute in one segment."""

    kind_offsets: npt.NDArray[np.int64]
    """The ranks of values of kind k are `kind_offsets[k]:kind_offsets[k + 1]`."""
    highs: npt.NDArray[np.int64]
    """For each rank that is no string's: the first of the pair that `data.encoded_value` makes of the value."""
    lows: npt.NDArray[np.float64]
    """For each rank of a number: the second of the pair; empty when all of them are 0."""
    text_offsets: npt.NDArray[np.int64]
    """The i-th string is `texts[text_offsets[i]:text_offsets[i + 1]]`, in UTF-8."""
    texts: npt.NDArray[np.uint8]
    row_offsets: npt.NDArray[np.int64]
    """The documents with rank r are `rows[row_offsets[r]:row_offsets[r + 1]]`."""
    rows: npt.NDArray[np.int32]
    """Documents by rank, ascending within one."""
    rank_of_document: npt.NDArray[np.int32]
    """For each document: the rank of its value; below 0, it has several, and -1 - rank is its place among such."""
    several_offsets: npt.NDArray[np.int64]
    """The ranks of the i-th document with several values are `several[several_offsets[i]:several_offsets[i + 1]]`."""
    several: npt.NDArray[np.int32]
    present: npt.NDArray[np.uint64]
    """A bit for each document that has a value; empty when all have."""
    checkpoints: npt.NDArray[np.uint64]
    """Bit vectors one after another: the k-th has the documents at positions before `k * checkpoint_step`; empty when
    some document has several values, or there are few documents."""


class ColumnView(NamedTuple):
    """The same as `ColumnArrays`, each array by its address; see `loads`. Interpreted, they are the arrays."""

    kind_offsets: Any
    highs: Any
    lows: Any
    text_offsets: Any
    texts: Any
    row_offsets: Any
    rows: Any
    rank_of_document: Any
    several_offsets: Any
    several: Any
    present: Any
    checkpoints: Any
    num_ranks: Integer
    """Distinct values; also the rank of having none."""
    num_missing: Integer
    """Documents without a value."""
    num_documents: Integer
    has_lows: Integer
    """1 when `lows` is not empty; the same for those below."""
    has_several: Integer
    has_checkpoints: Integer


def noted_columns(columns: Sequence[ColumnArrays]) -> Any:
    """The argument for `column_at`; the arrays must outlive it."""
    views = []
    for column in columns:
        offsets = column.row_offsets
        sizes = (len(offsets) - 2, int(offsets[-1] - offsets[-2]), len(column.rank_of_document))
        has = (len(column.lows) > 0, len(column.several) > 0, len(column.checkpoints) > 0)
        addresses: list[Any] = [address_of(array) for array in column]
        views.append(ColumnView._make([*addresses, *sizes, *map(int, has)]))
    made = np.array(views, np.int64).reshape(-1, len(ColumnView._fields))
    note_work(made, sum(len(array) for column in columns for array in column))
    return made


@hot_loop
def column_at(noted: Int64s, column: Integer) -> Any:
    """A column of a segment."""
    of = noted[column]
    return ColumnView(
        of[0], of[1], of[2], of[3], of[4], of[5], of[6], of[7], of[8], of[9], of[10], of[11], of[12], of[13], of[14],
        of[15], of[16], of[17],
    )  # fmt: skip


@hot_loop
def checkpoint_step(num_documents: Integer) -> Any:
    """Positions from one checkpoint to the next."""
    return num_documents // NUM_CHECKPOINTS + 1
