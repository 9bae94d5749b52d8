"""How does each distinct thing get a number, in the order of first use, while there is no telling how many there are?

A table of 64-bit slots, probed one after another: the upper half of a slot is a tag, 32 bits of a hash, the lower half
the number of the thing. A table that is half full is doubled, and for that the tags suffice. A tag only saves
comparisons: things are equal when their content is.

    tags 5, 9, 13 in 8 slots (places 5, 1, and 5 again):     .  9|1  .  .  .  5|0  13|2  .
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.kernels.codes import IS_ESCAPED
from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import mix, u64
from eligo.kernels.parameter_types import Element, Int64s, Integer, Integers, UInt8s, UInt32s

Slots = npt.NDArray[np.uint64]
"""A table: a power of two of slots, at most half of them taken."""

EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
"""A slot that nothing has taken."""

ROOM = 1 << 10
"""Slots of a table when it is made, and things that there is room for."""

NO_QUOTE = 256
"""For a text in which no quote stands doubled."""

ONE = np.uint64(1)
HALF = np.uint64(32)
"""Bits of a tag and of a number."""
LOW_HALF = np.uint64(0xFFFFFFFF)


@kernel
def new_slots() -> Slots:
    """An empty table."""
    return np.full(ROOM, EMPTY, np.uint64)


@kernel
def doubled_slots(slots: Slots) -> Slots:
    """The same table with twice as many slots."""
    larger = np.full(2 * len(slots), EMPTY, np.uint64)
    mask = np.uint64(len(larger) - 1)
    for content in slots:
        if content == EMPTY:
            continue
        slot = (content >> HALF) & mask
        while larger[slot] != EMPTY:
            slot = (slot + ONE) & mask
        larger[slot] = content
    return larger


@kernel
def enlarged(array: npt.NDArray[Element], size: Integer) -> npt.NDArray[Element]:
    """A copy of an array with room for at least so many elements, and for twice as many as it has now."""
    larger = np.empty(max(size, 2 * len(array)), array.dtype)
    for place in range(len(array)):  # a slice here would take seconds to compile
        larger[place] = array[place]
    return larger


@kernel
def tag_of(code: Integer) -> Any:
    """The tag of a thing with this hash."""
    return np.uint64(code) & LOW_HALF


@kernel
def slot_content(tag: Integer, number: Integer) -> Any:
    """What a slot holds."""
    return (tag << HALF) | np.uint64(number)


@kernel
def number_in(content: Integer) -> Any:
    """The number of the thing that a slot holds."""
    return np.int64(content & LOW_HALF)


@kernel
def hash_text(data: UInt8s, start: int, end: int, quote: int, seed: Integer) -> Any:
    """The hash of data[start:end], in which `quote` stands doubled for itself."""
    state = u64(seed)
    word = np.uint64(0)
    shift = np.uint64(0)
    place = start
    while place < end:
        byte = data[place]
        word |= np.uint64(byte) << shift
        shift += np.uint64(8)
        if shift == np.uint64(64):
            state = mix(state ^ u64(word))
            word = np.uint64(0)
            shift = np.uint64(0)
        place += 2 if byte == quote else 1
    return mix(mix(state ^ u64(word)) ^ u64(shift))


@kernel
def is_text(data: UInt8s, start: int, end: int, quote: int, known: UInt8s, first: int, last: int) -> bool:
    """Whether data[start:end], in which `quote` stands doubled for itself, is known[first:last]."""
    place = start
    while place < end and first < last:
        byte = data[place]
        if byte != known[first]:
            return False
        place += 2 if byte == quote else 1
        first += 1
    return place >= end and first == last


@kernel
def copy_text(data: UInt8s, start: int, end: int, quote: int, known: UInt8s, first: int) -> int:
    """Write data[start:end] to known[first:…], a doubled `quote` once; where it ends there."""
    place = start
    while place < end:
        byte = data[place]
        known[first] = byte
        first += 1
        place += 2 if byte == quote else 1
    return first


@kernel
def number_texts(
    data: UInt8s, text_offsets: Int64s, rows: Int64s, item_offsets: Integers, kinds: UInt8s, starts: Integers,
    ends: Integers, flags: UInt8s, lowest: int, highest: int, quote: int, trim: int, seed: int, numbers: UInt32s,
) -> Any:  # fmt: skip
    """Number the texts of items, names of nodes or string operands, in the postfix form of the expressions `rows`.

    Items are those whose kind is from `lowest` to `highest`; an item's text is between its start and end, less `trim`
    bytes on both sides, and where it is escaped `quote` stands doubled for itself. Writes the number of each item's
    text; gives how many distinct texts there are, their offsets and their bytes, both with room to spare.
    """
    slots = new_slots()
    offsets = np.zeros(ROOM, np.int64)
    known = np.empty(ROOM, np.uint8)
    num_texts = 0
    for row in rows:
        base = text_offsets[row]
        for item in range(item_offsets[row], item_offsets[row + 1]):
            if kinds[item] < lowest or kinds[item] > highest:
                continue
            start = base + starts[item] + trim
            end = base + ends[item] - trim
            doubled = quote if flags[item] & IS_ESCAPED else NO_QUOTE
            tag = tag_of(hash_text(data, start, end, doubled, seed))
            mask = np.uint64(len(slots) - 1)
            slot = tag & mask
            number = -1
            while slots[slot] != EMPTY:
                if slots[slot] >> HALF == tag:
                    candidate = number_in(slots[slot])
                    if is_text(data, start, end, doubled, known, offsets[candidate], offsets[candidate + 1]):
                        number = candidate
                        break
                slot = (slot + ONE) & mask
            if number < 0:
                number = num_texts
                slots[slot] = slot_content(tag, number)
                num_texts += 1
                if num_texts == len(offsets):
                    offsets = enlarged(offsets, 0)
                first = offsets[number]
                if first + end - start > len(known):
                    known = enlarged(known, first + end - start)
                offsets[num_texts] = copy_text(data, start, end, doubled, known, first)
                if 2 * num_texts > len(slots):
                    slots = doubled_slots(slots)
            numbers[item] = number
    return num_texts, offsets, known
