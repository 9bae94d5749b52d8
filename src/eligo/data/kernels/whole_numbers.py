"""What does a whole number hit, by one look? A slot for each number of an attribute's stretch has its key and its cell.

    price in (5, 9) or price < 7        stretch 4 … 10        slots  –·0  k5·0  –·0  –·1  –·2  k9·2  –·2

A stretch has the numbers that expressions name, those between, and one more at each end. Numbers beyond it, and those
that are not whole, are looked up in the vocabulary. The slots of all stretches are filled by that very look-up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.kernels.vocabulary_book import NOTHING, find_cell, find_key
from eligo.data.kernels.vocabulary_lookup import VocabularyArrays
from eligo.kernels.codes import NUMBER
from eligo.kernels.compiled import hot_loop
from eligo.kernels.hashing import u64
from eligo.kernels.memory import read_i64, write_u32

STRETCHES = 16 * len(VocabularyArrays._fields)
"""Where a book has the address of the stretches, behind its arrays; 0 where there are none."""

# A stretch, one for each attribute: eight bytes each.
LOW, SIZE, SLOTS, AXIS = range(0, 32, 8)
"""SIZE is 0 where an attribute has no stretch; AXIS is -1 where it has no axis of numbers."""
STRETCH_WORDS = 4
# A slot: four bytes each, NOTHING where there is none.
KEY, CELL = 0, 4


@hot_loop
def fill_stretch(book: int, attribute: int, stretch: int) -> None:
    """Fill the slots of one attribute."""
    low, slots, axis = read_i64(stretch + LOW), read_i64(stretch + SLOTS), read_i64(stretch + AXIS)
    for place in range(read_i64(stretch + SIZE)):
        key = find_key(book, attribute, NUMBER, low + place, u64(0))
        cell = find_cell(book, axis, low + place, 0.0) if axis >= 0 else NOTHING
        write_u32(slots + 8 * place + KEY, np.uint32(key if key >= 0 else NOTHING))
        write_u32(slots + 8 * place + CELL, np.uint32(cell))


@hot_loop
def fill_stretches(book: int, stretches: int, num_attributes: int) -> None:
    """Fill the slots of all attributes that have a stretch."""
    for attribute in range(num_attributes):
        stretch = stretches + 8 * STRETCH_WORDS * attribute
        if read_i64(stretch + SIZE) > 0:
            fill_stretch(book, attribute, stretch)


@hot_loop
def slot_of(book: int, attribute: int, number: int) -> Any:
    """The address of a number's slot, or 0."""
    stretches = read_i64(book + STRETCHES)
    if stretches == 0:
        return 0
    stretch = stretches + 8 * STRETCH_WORDS * attribute
    # A difference that is too large for 64 bits never comes to lie within the stretch.
    place = number - read_i64(stretch + LOW)
    if place < 0 or place >= read_i64(stretch + SIZE):
        return 0
    return read_i64(stretch + SLOTS) + 8 * place
