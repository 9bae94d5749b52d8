"""How do events that were read in two ways come together? In their order, each from the side that has it.

first   A   C     second   B      is_second  0 1 0      together   A B C
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import read_only

Arrays = tuple[npt.NDArray[Any], ...]
"""The arrays of events that `EventArrays.of_unweighted` takes."""


def events_in_order(first: Arrays, second: Arrays, is_second: npt.NDArray[np.bool_]) -> list[npt.NDArray[Any]]:
    """The arrays of events that are taken from two sides in turn."""
    keys = _in_order(first[:2], second[:2], is_second)
    return keys + _in_order(first[2:], second[2:], is_second)


def _in_order(first: Arrays, second: Arrays, is_second: npt.NDArray[np.bool_]) -> list[npt.NDArray[Any]]:
    """Offsets, and columns of the items between them."""
    own_offsets, other_offsets = first[0].astype(np.int64), second[0].astype(np.int64)
    lengths = np.empty(len(is_second), np.int64)
    starts = np.empty(len(is_second), np.int64)
    lengths[~is_second], lengths[is_second] = np.diff(own_offsets), np.diff(other_offsets)
    starts[~is_second], starts[is_second] = own_offsets[:-1], other_offsets[:-1] + own_offsets[-1]
    ends = np.cumsum(lengths)
    places = np.arange(int(lengths.sum())) + np.repeat(starts - (ends - lengths), lengths)
    offsets = np.concatenate([[0], ends]).astype(np.uint64)
    columns = zip(first[1:], second[1:], strict=True)
    return [read_only(offsets), *(read_only(np.concatenate(column)[places]) for column in columns)]
