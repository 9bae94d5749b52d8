"""How does a kernel look something up in a vocabulary that it knows by address? As `vocabulary_lookup` does.

A vocabulary's book has the address and the length of each of its arrays. A loop that gets it by one address costs
little to call, and counts no references.
"""

from __future__ import annotations

from typing import Any

from eligo.data.kernels.vocabulary_lookup import ATTRIBUTES, ENTRIES, STRINGS, VocabularyArrays
from eligo.kernels.byte_texts import hash_text, is_same, text_order
from eligo.kernels.compiled import hot_loop
from eligo.kernels.hashing import hash_words, i64, u64
from eligo.kernels.memory import read_f64, read_i64, read_u8, read_u32, read_u64

NOTHING = 0xFFFFFFFF
"""`NONE` as a number: an empty slot, or what is not there."""


def in_book(name: str) -> int:
    """Where the book has the address of an array; its length follows."""
    return 16 * VocabularyArrays._fields.index(name)


KINDS = in_book("attribute_kinds")
AXES = in_book("attribute_axes")
REACH = in_book("attribute_node_reach")
HAS_TAXONOMY = in_book("attribute_has_taxonomy")
STRING_OFFSETS = in_book("string_offsets")
STRING_BYTES = in_book("string_bytes")
STRING_SLOTS = in_book("string_slots")
ENTRY_ATTRIBUTE = in_book("entry_attribute")
ENTRY_KIND = in_book("entry_kind")
ENTRY_HIGH = in_book("entry_high")
ENTRY_LOW = in_book("entry_low")
ENTRY_SLOTS = in_book("entry_slots")
BOUND_OFFSETS = in_book("bound_offsets")
BOUND_HIGH = in_book("bound_high")
BOUND_LOW = in_book("bound_low")
BOUND_TEXT_OFFSETS = in_book("bound_text_offsets")
BOUND_TEXT_BYTES = in_book("bound_text_bytes")
PAIR_ATTRIBUTE = in_book("taxonomy_attribute")
PAIR_STRING = in_book("taxonomy_string")
PAIR_SLOTS = in_book("taxonomy_slots")
PAIR_KEY_OFFSETS = in_book("taxonomy_key_offsets")
PAIR_KEYS = in_book("taxonomy_keys")
SEEDS = in_book("seeds")
NAME_SLOTS = in_book("attribute_slots")
NAME_OFFSETS = in_book("attribute_offsets")
NAME_BYTES = in_book("attribute_bytes")
NUM_ATTRIBUTES = KINDS + 8


@hot_loop
def find_named(slots: int, num_slots: int, offsets: int, data: int, seed: int, text: int, length: int) -> Any:
    """The number of a text in a table of texts, or -1."""
    mask = u64(num_slots - 1)
    slot = hash_text(text, length, seed) & mask
    while True:
        item = i64(read_u32(slots + 4 * i64(slot)))
        if item == NOTHING:
            return -1
        first = read_i64(offsets + 8 * item)
        if read_i64(offsets + 8 * item + 8) - first == length and is_same(data + first, text, length):
            return item
        slot = (slot + u64(1)) & mask


@hot_loop
def find_string(book: int, text: int, length: int) -> Any:
    """The number of a string of the vocabulary, or -1."""
    return find_named(
        read_i64(book + STRING_SLOTS),
        read_i64(book + STRING_SLOTS + 8),
        read_i64(book + STRING_OFFSETS),
        read_i64(book + STRING_BYTES),
        read_i64(read_i64(book + SEEDS) + 8 * STRINGS),
        text,
        length,
    )


@hot_loop
def find_key(book: int, attribute: int, kind: int, high: int, low_bits: Any) -> Any:
    """The key of (attribute, kind, value), or -1."""
    slots = read_i64(book + ENTRY_SLOTS)
    mask = u64(read_i64(book + ENTRY_SLOTS + 8) - 1)
    seed = read_i64(read_i64(book + SEEDS) + 8 * ENTRIES)
    slot = hash_words((u64(attribute) << u64(8)) | u64(kind), high, low_bits, seed) & mask
    while True:
        entry = i64(read_u32(slots + 4 * i64(slot)))
        if entry == NOTHING:
            return -1
        if (
            read_i64(read_i64(book + ENTRY_HIGH) + 8 * entry) == high
            and i64(read_u32(read_i64(book + ENTRY_ATTRIBUTE) + 4 * entry)) == attribute
            and i64(read_u8(read_i64(book + ENTRY_KIND) + entry)) == kind
            and read_u64(read_i64(book + ENTRY_LOW) + 8 * entry) == low_bits
        ):
            return read_i64(book + KINDS + 8) + entry
        slot = (slot + u64(1)) & mask


@hot_loop
def find_cell(book: int, axis: int, high: int, low: float) -> Any:
    """The cell of a number on an axis; see `vocabulary_lookup.find_number_cell`."""
    first = read_i64(read_i64(book + BOUND_OFFSETS) + 8 * axis)
    last = read_i64(read_i64(book + BOUND_OFFSETS) + 8 * axis + 8)
    highs, lows = read_i64(book + BOUND_HIGH), read_i64(book + BOUND_LOW)
    below, count = first, last - first
    while count > 1:  # by the high parts alone, without a branch that could be guessed wrong
        half = count >> 1
        below += half * i64(read_i64(highs + 8 * (below + half - 1)) < high)
        count -= half
    if count == 1:
        below += i64(read_i64(highs + 8 * below) < high)
    if below == last:
        return 2 * (below - first)
    is_on = read_i64(highs + 8 * below) == high
    if is_on and read_f64(lows + 8 * below) < low:  # bounds with the same whole part
        below, above = below + 1, last
        while below < above:
            middle = (below + above) >> 1
            if read_i64(highs + 8 * middle) == high and read_f64(lows + 8 * middle) < low:
                below = middle + 1
            else:
                above = middle
        if below == last:
            return 2 * (below - first)
        is_on = read_i64(highs + 8 * below) == high
    return 2 * (below - first) + i64(is_on & (read_f64(lows + 8 * below) == low))


@hot_loop
def find_text_cell(book: int, axis: int, text: int, length: int) -> Any:
    """The cell of a string on an axis."""
    first = read_i64(read_i64(book + BOUND_OFFSETS) + 8 * axis)
    last = read_i64(read_i64(book + BOUND_OFFSETS) + 8 * axis + 8)
    offsets, data = read_i64(book + BOUND_TEXT_OFFSETS), read_i64(book + BOUND_TEXT_BYTES)
    below, above = first, last
    while below < above:
        middle = (below + above) >> 1
        start = read_i64(offsets + 8 * middle)
        order = text_order(data + start, read_i64(offsets + 8 * middle + 8) - start, text, length)
        if order == 0:
            return 2 * (middle - first) + 1
        if order < 0:
            below = middle + 1
        else:
            above = middle
    return 2 * (below - first)


@hot_loop
def find_attribute(book: int, name: int, length: int) -> Any:
    """The number of the attribute of a name, or -1."""
    return find_named(
        read_i64(book + NAME_SLOTS),
        read_i64(book + NAME_SLOTS + 8),
        read_i64(book + NAME_OFFSETS),
        read_i64(book + NAME_BYTES),
        read_i64(read_i64(book + SEEDS) + 8 * ATTRIBUTES),
        name,
        length,
    )
