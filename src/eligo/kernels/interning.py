"""How does each distinct thing get a number, in the order of first use, while there is no telling how many there are?

A table of 64-bit slots, probed one after another: the upper half of a slot is a tag, 32 bits of a hash, the lower half
the number of the thing. A table that is half full is doubled, and for that the tags suffice. A tag only saves
comparisons: things are equal when their content is.

    tags 5, 9, 13 in 8 slots (places 5, 1, and 5 again):     .  9|1  .  .  .  5|0  13|2  .

Interpreted, tables are lists and texts are bytes, and Python's own hash takes the place of ours: numbers go by first
use, so a hash decides nothing but how fast a thing is found.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.kernels.codes import IS_ESCAPED
from eligo.kernels.compiled import compiled_form_of, kernel, part
from eligo.kernels.hashing import hash_words, i64, mix, u64
from eligo.kernels.parameter_types import Element, Integer

Slots = npt.NDArray[np.uint64]
"""A table: a power of two of slots, at most half of them taken."""
Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]

EMPTY = 0xFFFFFFFFFFFFFFFF
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


def free_slots(slots: Any, size: int) -> Any:
    """An empty table of so many slots, of the kind of another."""
    return [EMPTY] * size if isinstance(slots, list) else np.full(size, EMPTY, np.uint64)


@compiled_form_of(free_slots)
def _compiled_free_slots(slots: Any, size: Any) -> Any:
    return np.full(size, EMPTY, np.uint64)


@part
def doubled_slots(slots: Slots) -> Slots:
    """The same table with twice as many slots."""
    larger: Slots = free_slots(slots, 2 * len(slots))
    one, half, mask = u64(1), u64(32), u64(len(larger) - 1)
    for content in slots:
        if content == EMPTY:
            continue
        slot = (content >> half) & mask
        while larger[slot] != EMPTY:
            slot = (slot + one) & mask
        larger[slot] = content
    return larger


def enlarged(array: npt.NDArray[Element], size: Integer) -> npt.NDArray[Element]:
    """An array with room for at least so many elements, and for twice as many as it has now."""
    more = max(int(size), 2 * len(array)) - len(array)
    if isinstance(array, np.ndarray):
        return np.concatenate([array, np.zeros(more, array.dtype)])
    given: Any = array  # interpreted: a list, or bytes that can be written
    given.extend(bytes(more) if isinstance(given, bytearray) else [0] * more)
    return array


@compiled_form_of(enlarged)
def _compiled_enlarged(array: Any, size: Any) -> Any:
    larger = np.empty(max(size, 2 * len(array)), array.dtype)
    for place in range(len(array)):  # a slice here would take seconds to compile
        larger[place] = array[place]
    return larger


@part
def tag_of(code: Integer) -> int:
    """The tag of a thing with this hash."""
    tag: int = u64(code) & u64(0xFFFFFFFF)
    return tag


@part
def slot_content(tag: Integer, number: Integer) -> int:
    """What a slot holds."""
    content: int = (u64(tag) << u64(32)) | u64(number)
    return content


@part
def number_in(content: Integer) -> int:
    """The number of the thing that a slot holds."""
    number: int = i64(u64(content) & u64(0xFFFFFFFF))
    return number


def words_code(first: int, second: int, third: int, seed: int) -> int:
    """The hash of three words."""
    return hash((seed, first, second, third))


@compiled_form_of(words_code)
def _compiled_words_code(first: Any, second: Any, third: Any, seed: Any) -> Any:
    return hash_words(first, second, third, seed)


def text_code(data: Any, start: int, end: int, quote: int, seed: int) -> int:
    """The hash of data[start:end], in which `quote` stands doubled for itself."""
    return hash((seed, unquoted(data, start, end, quote)))


@compiled_form_of(text_code)
def _compiled_text_code(data: Any, start: Any, end: Any, quote: Any, seed: Any) -> Any:
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


def unquoted(data: bytes, start: int, end: int, quote: int) -> bytes:
    """data[start:end] with every doubled `quote` once; for interpreted loops."""
    text = data[start:end]
    return text if quote == NO_QUOTE else text.replace(bytes((quote, quote)), bytes((quote,)))


def is_text(data: Any, start: int, end: int, quote: int, known: Any, first: int, last: int) -> bool:
    """Whether data[start:end], in which `quote` stands doubled for itself, is known[first:last]."""
    return bool(unquoted(data, start, end, quote) == known[first:last])


@compiled_form_of(is_text)
def _compiled_is_text(data: Any, start: Any, end: Any, quote: Any, known: Any, first: Any, last: Any) -> Any:
    place = start
    while place < end and first < last:
        byte = data[place]
        if byte != known[first]:
            return False
        place += 2 if byte == quote else 1
        first += 1
    return place >= end and first == last


def copy_text(data: Any, start: int, end: int, quote: int, known: Any, first: int) -> int:
    """Write data[start:end] to known[first:…], a doubled `quote` once; where it ends there."""
    text = unquoted(data, start, end, quote)
    known[first : first + len(text)] = text
    return first + len(text)


@compiled_form_of(copy_text)
def _compiled_copy_text(data: Any, start: Any, end: Any, quote: Any, known: Any, first: Any) -> Any:
    place = start
    while place < end:
        byte = data[place]
        known[first] = byte
        first += 1
        place += 2 if byte == quote else 1
    return first


@part
def find_text_slot(
    slots: Slots, tag: int, data: Bytes, start: int, end: int, quote: int, offsets: Places, known: Bytes
) -> int:
    """The slot of the text data[start:end], or the empty one to put it in."""
    one, half, mask = u64(1), u64(32), u64(len(slots) - 1)
    slot: int = tag & mask
    while slots[slot] != EMPTY:
        if slots[slot] >> half == tag:
            number = number_in(slots[slot])
            if is_text(data, start, end, quote, known, offsets[number], offsets[number + 1]):
                break
        slot = (slot + one) & mask
    return slot


@kernel
def number_texts(
    data: Bytes,
    text_offsets: Places,
    rows: Places,
    item_offsets: Places,
    kinds: Bytes,
    starts: npt.NDArray[np.int32],
    ends: npt.NDArray[np.int32],
    flags: Bytes,
    lowest: int,
    highest: int,
    quote: int,
    trim: int,
    seed: int,
    slots: Slots,
    offsets: Places,
    known: Bytes,
    numbers: npt.NDArray[np.uint32],
) -> tuple[int, Places, Bytes]:
    """Number the texts of items, names of nodes or string operands, in the postfix form of the expressions `rows`.

    Items are those whose kind is from `lowest` to `highest`; an item's text is between its start and end, less `trim`
    bytes on both sides, and where it is escaped `quote` stands doubled for itself. `slots` is an empty table;
    `offsets`, which begin with 0, and `known` have room for texts to begin with. Writes the number of each item's
    text; gives how many distinct texts there are, their offsets and their bytes, both with room to spare.
    """
    num_texts = 0
    for row in rows:
        base = text_offsets[row]
        for item in range(item_offsets[row], item_offsets[row + 1]):
            if kinds[item] < lowest or kinds[item] > highest:
                continue
            start = base + starts[item] + trim
            end = base + ends[item] - trim
            doubled = quote if flags[item] & IS_ESCAPED else NO_QUOTE
            tag = tag_of(text_code(data, start, end, doubled, seed))
            slot = find_text_slot(slots, tag, data, start, end, doubled, offsets, known)
            if slots[slot] != EMPTY:
                numbers[item] = number_in(slots[slot])
                continue
            # A text that is new goes behind the others; both arrays and the table grow where they are full.
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
