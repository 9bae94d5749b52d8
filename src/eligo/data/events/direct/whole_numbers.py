"""For which whole numbers is what they hit written down? For the stretches that an attribute's expressions name.

Ages, prices in cents, counts: where the numbers that expressions name lie close together, a long table of events finds
each by one look; see `kernels.whole_numbers`. What is written down is bounded, and made for the first long table.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.vocabulary_lookup import NUM_KINDS
from eligo.data.kernels.whole_numbers import AXIS, LOW, SIZE, SLOTS, STRETCH_WORDS, fill_stretches
from eligo.data.vocabulary import Vocabulary
from eligo.kernels import codes
from eligo.kernels.hashing import NONE
from eligo.kernels.kernel import call_compiled

LONG = 4_096
"""Events of a batch for which it is worth it."""
MOST_SLOTS = 1 << 19
"""Of all attributes together, eight bytes each; those with the shortest stretches come first."""
SLOTS_OF_NUMBER = 8
"""A stretch has at most so many slots for each number that is named, and some more."""
FEW_SLOTS = 1_024


class NumberBook(NamedTuple):
    """A vocabulary's book with stretches, and what it leads to."""

    book: npt.NDArray[np.int64]
    stretches: npt.NDArray[np.int64]
    slots: npt.NDArray[np.uint64]


def book_for(vocabulary: Vocabulary, num_events: int) -> int:
    """The address of the book with which a batch of so many events is encoded; it lives as long as the vocabulary."""
    kept: NumberBook | None = vocabulary.kept.get("number_book")
    if kept is None and num_events >= LONG:
        kept = vocabulary.kept.setdefault("number_book", number_book(vocabulary))
    address: int = (vocabulary.book if kept is None else kept.book).ctypes.data
    return address


def number_book(vocabulary: Vocabulary) -> NumberBook:
    """The book of a vocabulary with the stretches of its attributes."""
    lows, sizes = stretches_of(vocabulary)
    ends = np.cumsum(sizes)
    slots = np.empty(int(ends[-1]) if len(ends) else 0, np.uint64)
    stretches = np.zeros((vocabulary.num_attributes, STRETCH_WORDS), np.int64)
    stretches[:, LOW >> 3], stretches[:, SIZE >> 3] = lows, sizes
    stretches[:, SLOTS >> 3] = slots.ctypes.data + 8 * (ends - sizes)
    axes = _axes(vocabulary)
    stretches[:, AXIS >> 3] = np.where(axes == NONE, -1, axes.astype(np.int64))
    flat = stretches.reshape(-1)
    call_compiled(fill_stretches, vocabulary.book.ctypes.data, flat.ctypes.data, vocabulary.num_attributes)
    book = vocabulary.book.copy()
    book[-2:] = flat.ctypes.data, len(flat)
    return NumberBook(book, flat, slots)


def stretches_of(vocabulary: Vocabulary) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The lowest number of each attribute's stretch, and how many it has; 0 for none."""
    data = vocabulary.data
    least = np.full(vocabulary.num_attributes, np.iinfo(np.int64).max)
    most = np.full(vocabulary.num_attributes, np.iinfo(np.int64).min)
    named = np.zeros(vocabulary.num_attributes, np.int64)
    axes = _axes(vocabulary)
    with_axis = np.flatnonzero(axes != NONE)
    own = axes[with_axis].astype(np.int64)
    counts = (data.bound_offsets[own + 1] - data.bound_offsets[own]).astype(np.int64)
    bound_attributes = np.repeat(with_axis, counts)
    bounds = np.concatenate(
        [
            np.zeros(0, np.int64),
            *(data.bound_high[data.bound_offsets[axis] : data.bound_offsets[axis + 1]] for axis in own),
        ]
    )
    is_number = data.entry_kind == codes.NUMBER
    for attributes, highs in (
        (bound_attributes, bounds),
        (data.entry_attribute[is_number], data.entry_high[is_number]),
    ):
        np.minimum.at(least, attributes, highs)
        np.maximum.at(most, attributes, highs)
        np.add.at(named, attributes, 1)
    # One more at each end, where a number of 64 bits has neighbours.
    has_ends = (named > 0) & (least > np.iinfo(np.int64).min) & (most < np.iinfo(np.int64).max)
    widths = most.astype(np.uint64) - least.astype(np.uint64)
    sizes = np.where(has_ends & (widths < MOST_SLOTS), widths, 0).astype(np.int64) + 3
    is_close = has_ends & (widths < MOST_SLOTS) & (sizes <= SLOTS_OF_NUMBER * named + FEW_SLOTS)
    sizes[~is_close] = 0
    order = np.argsort(sizes, kind="stable")
    sizes[order[np.cumsum(sizes[order]) > MOST_SLOTS]] = 0
    return np.where(sizes > 0, least, 1) - 1, sizes


def _axes(vocabulary: Vocabulary) -> npt.NDArray[np.uint32]:
    """The axis of each attribute's numbers, or NONE."""
    return vocabulary.data.attribute_axes[codes.NUMBER :: NUM_KINDS]
