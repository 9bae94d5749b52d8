"""What does a value of an attribute hit? Items, found by one look or by a search; here is what all such look-ups share.

A value hits the presence of its attribute, the key that it has among the expressions' values, the nodes that it is
under, and its cell; all are items, see `event_items`. Of `price in (5, 9) or price < 7`, price being attribute 2:

    5   (2, 4, 2^32)          7   (2, 2^32 + 1)          9   (2, 5, 2^32 + 2)          6   (2, 2^32), by bisection

So each value that an expression names is found by one look, any other number by a binary search; a value off the
expressions hits presence alone. Presence always comes first. Items are kept as the bytes that a kernel reads, so those
of an event are put together without a look at any of them.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from struct import Struct
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from eligo.data.events.kernels.event_items import CELLS_FROM
from eligo.data.kernels.vocabulary_lookup import NUM_KINDS, VocabularyArrays
from eligo.kernels.hashing import NONE

Items = bytes
"""What is hit, as numbers of eight bytes one after another."""
ITEM = 8
"""Bytes of an item."""

one_item = Struct("=Q").pack
two_items = Struct("=QQ").pack


def packed(items: Iterable[int]) -> Items:
    """Items as bytes."""
    return array("Q", items).tobytes()


class NotPlainError(Exception):
    """What is given has to be read with more care."""


class Hits(Protocol):
    """What the values of one Python type hit."""

    def __getitem__(self, value: Any, /) -> Items:
        """What a value of an event hits, nothing when it means missing; a `NotPlainError` when that is uncertain."""

    def of(self, value: Any) -> Items:
        """The same for a canonical value."""


class _Nothing(dict[None, Items]):
    """What None hits."""

    def of(self, value: None) -> Items:
        return self[value]


NOTHING = _Nothing({None: b""})


class AttributeParts:
    """Where an attribute's entries and bounds lie in the arrays of a vocabulary."""

    def __init__(self, data: VocabularyArrays, attribute: int) -> None:
        self._data, self._attribute = data, attribute
        self._entries = range_of(data.entry_attribute, attribute)
        self._kinds = data.entry_kind[self._entries.start : self._entries.stop]

    def entries(self, kind: int) -> range:
        """The entries of one kind."""
        own = range_of(self._kinds, kind)
        return range(self._entries.start + own.start, self._entries.start + own.stop)

    def bounds(self, kind: int) -> tuple[range, int]:
        """The bounds of the axis for one kind, and the item of its first cell."""
        axis = int(self._data.attribute_axes[self._attribute * NUM_KINDS + kind])
        if axis == NONE:
            return range(0), 0
        offsets = self._data.bound_offsets
        return range(int(offsets[axis]), int(offsets[axis + 1])), (axis + 1) * CELLS_FROM


def range_of(column: npt.NDArray[Any], value: int) -> range:
    """The places of a value in a sorted column."""
    typed = column.dtype.type(value)
    return range(int(np.searchsorted(column, typed)), int(np.searchsorted(column, typed, "right")))
