"""What does one value of an event hit, and how do the hits of an event become its keys and cells?

A reader goes through the values of an event and adds each; what they hit is collected in scratch, and `finish_row` puts
it behind the events before. Everything is given by its address: the vocabulary as its `book`, an address and a length
for each of its arrays, and the scratch and the room for events as one record, an `EventRoom`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.kernels.vocabulary_book import (
    AXES,
    HAS_TAXONOMY,
    KINDS,
    NOTHING,
    PAIR_ATTRIBUTE,
    PAIR_KEY_OFFSETS,
    PAIR_KEYS,
    PAIR_SLOTS,
    PAIR_STRING,
    REACH,
    SEEDS,
    STRING_BYTES,
    STRING_OFFSETS,
    find_cell,
    find_key,
    find_string,
    find_text_cell,
)
from eligo.data.kernels.vocabulary_lookup import NUM_KINDS, TAXONOMY
from eligo.data.kernels.whole_numbers import CELL, KEY, slot_of
from eligo.kernels.byte_texts import text_order
from eligo.kernels.codes import NUMBER, STRING, UNDER_NODE
from eligo.kernels.compiled import hot_loop
from eligo.kernels.hashing import hash_words, i64, u64
from eligo.kernels.memory import read_i64, read_u8, read_u32, read_u64, write_i64, write_u32, write_u64

SLASH = ord("/")
HASHED_PATH = 256
"""Bytes of a path up to which each of its starts is looked up by its hash."""


# The record of an `EventRoom`: eight bytes each. First three lists of 64-bit items, each with its address, how many
# there are of this event, and for how many there is room.
PRESENT, KEYS, CELLS = 0, 24, 48
COUNT, ROOM = 8, 16
NUM_VALUES, NUM_BYTES = 72, 80
"""Values, and bytes of text, of this event."""
OUT_KEY_OFFSETS, OUT_KEYS, OUT_NUM_KEYS, OUT_ROOM_FOR_KEYS = 88, 96, 104, 112
OUT_CELL_OFFSETS, OUT_AXES, OUT_CELLS, OUT_NUM_CELLS, OUT_ROOM_FOR_CELLS = 120, 128, 136, 144, 152
OUT_NUM_EVENTS = 160
MOST_VALUES, MOST_BYTES = 168, 176
"""The most that any event had so far."""
RECORD_WORDS = 23


@hot_loop
def begin_row(record: int) -> None:
    """Forget the hits of the event before."""
    write_i64(record + PRESENT + COUNT, 0)
    write_i64(record + KEYS + COUNT, 0)
    write_i64(record + CELLS + COUNT, 0)
    write_i64(record + NUM_VALUES, 0)
    write_i64(record + NUM_BYTES, 0)


@hot_loop
def push(record: int, of: int, item: Any) -> None:
    """Add an item to a list; one for which there is no room is counted only."""
    count = read_i64(record + of + COUNT)
    if count < read_i64(record + of + ROOM):
        write_u64(read_i64(record + of) + 8 * count, item)
    write_i64(record + of + COUNT, count + 1)


@hot_loop
def add_value(
    book: int, record: int, attribute: int, kind: int, high: int, low: float, low_bits: Any, text: int, length: int
) -> None:
    """Add what a value hits: its key, the nodes that it is under, its cell.

    A string is so many bytes from the address `text` on; any other value is `high` and `low`, as `encoded_value` says.
    """
    if kind == NUMBER and low_bits == u64(0):
        slot = slot_of(book, attribute, high)
        if slot != 0:
            _add_slot(book, record, attribute, slot)
            return
    is_compared = (i64(read_u8(read_i64(book + KINDS) + attribute)) >> kind) & 1 == 1
    if kind == STRING:
        reach = i64(read_u32(read_i64(book + REACH) + 4 * attribute))
        is_in_taxonomy = reach != 0 and read_u8(read_i64(book + HAS_TAXONOMY) + attribute) != 0
        if is_compared or is_in_taxonomy:
            high = find_string(book, text, length)
            is_compared = is_compared and high >= 0
            if is_in_taxonomy and high >= 0:
                _add_taxonomy(book, record, attribute, high)
        if reach != 0 and not is_in_taxonomy:
            _add_path(book, record, attribute, text, length, reach)
    if is_compared:
        key = find_key(book, attribute, kind, high, low_bits)
        if key >= 0:
            push(record, KEYS, u64(key))
    axis = i64(read_u32(read_i64(book + AXES) + 4 * (attribute * NUM_KINDS + kind)))
    if axis != NOTHING:
        cell = find_text_cell(book, axis, text, length) if kind == STRING else find_cell(book, axis, high, low)
        push(record, CELLS, u64(axis) << u64(32) | u64(cell))


@hot_loop
def _add_slot(book: int, record: int, attribute: int, slot: int) -> None:
    """Add what is written down for a whole number."""
    key, cell = read_u32(slot + KEY), read_u32(slot + CELL)
    if key != NOTHING:
        push(record, KEYS, u64(key))
    if cell != NOTHING:
        push(
            record,
            CELLS,
            u64(read_u32(read_i64(book + AXES) + 4 * (attribute * NUM_KINDS + NUMBER))) << u64(32) | u64(cell),
        )


@hot_loop
def _add_taxonomy(book: int, record: int, attribute: int, string: int) -> None:
    """Add the nodes that a taxonomy puts a string under."""
    slots = read_i64(book + PAIR_SLOTS)
    mask = u64(read_i64(book + PAIR_SLOTS + 8) - 1)
    seed = read_i64(read_i64(book + SEEDS) + 8 * TAXONOMY)
    slot = hash_words(attribute, string, u64(0), seed) & mask
    while True:
        pair = i64(read_u32(slots + 4 * i64(slot)))
        if pair == NOTHING:
            return
        if (
            i64(read_u32(read_i64(book + PAIR_ATTRIBUTE) + 4 * pair)) == attribute
            and i64(read_u32(read_i64(book + PAIR_STRING) + 4 * pair)) == string
        ):
            break
        slot = (slot + u64(1)) & mask
    offsets, keys = read_i64(book + PAIR_KEY_OFFSETS), read_i64(book + PAIR_KEYS)
    for node in range(read_i64(offsets + 8 * pair), read_i64(offsets + 8 * pair + 8)):
        push(record, KEYS, u64(read_u32(keys + 4 * node)))


@hot_loop
def _add_path(book: int, record: int, attribute: int, text: int, length: int, reach: int) -> None:
    """Add the nodes that a string is under by its own path.

    Nothing beyond the longest node is looked at. A short start of the path is hashed; for a longer one the sorted
    strings are narrowed step by step, because hashing every start would take quadratic time.
    """
    offsets, data = read_i64(book + STRING_OFFSETS), read_i64(book + STRING_BYTES)
    low, high, known = 0, read_i64(book + STRING_OFFSETS + 8) - 1, 0
    for border in range(min(length, reach - 1) + 1):
        if border < length and read_u8(text + border) != SLASH:
            continue
        string = -1
        if border <= HASHED_PATH:
            string = find_string(book, text, border)
        else:
            low = _border(offsets, data, low, high, text, known, border, 0)
            high = _border(offsets, data, low, high, text, known, border, 1)
            known = border
            if low == high:
                return
            if read_i64(offsets + 8 * low + 8) - read_i64(offsets + 8 * low) == border:
                string = low
        if string >= 0:
            key = find_key(book, attribute, UNDER_NODE, string, u64(0))
            if key >= 0:
                push(record, KEYS, u64(key))


@hot_loop
def _border(offsets: int, data: int, low: int, high: int, text: int, known: int, length: int, least: int) -> Any:
    """Of the sorted strings low … high - 1, all of which begin with `known` bytes of the text: the first whose order
    relative to those that begin with `length` bytes is at least so much.
    """
    first, end = low, high
    while first < end:
        middle = (first + end) >> 1
        start = read_i64(offsets + 8 * middle)
        own = min(read_i64(offsets + 8 * middle + 8) - start, length)
        if text_order(data + start + known, own - known, text + known, length - known) < least:
            first = middle + 1
        else:
            end = middle
    return first


@hot_loop
def finish_row(record: int) -> bool:
    """Put the event behind those before it; False when there is no room, and nothing was done."""
    num_present = read_i64(record + PRESENT + COUNT)
    num_keys = read_i64(record + KEYS + COUNT)
    num_cells = read_i64(record + CELLS + COUNT)
    key, cell = read_i64(record + OUT_NUM_KEYS), read_i64(record + OUT_NUM_CELLS)
    if (
        num_present > read_i64(record + PRESENT + ROOM)
        or num_keys > read_i64(record + KEYS + ROOM)
        or num_cells > read_i64(record + CELLS + ROOM)
        or key + num_present + num_keys > read_i64(record + OUT_ROOM_FOR_KEYS)
        or cell + num_cells > read_i64(record + OUT_ROOM_FOR_CELLS)
    ):
        return False
    out_keys = read_i64(record + OUT_KEYS)
    for of in (PRESENT, KEYS):
        items = read_i64(record + of)
        count = distinct_items(items, read_i64(record + of + COUNT))
        for place in range(count):
            write_u32(out_keys + 4 * (key + place), np.uint32(read_u64(items + 8 * place)))
        key += count
    items = read_i64(record + CELLS)
    num_cells = distinct_items(items, num_cells)
    out_axes, out_cells = read_i64(record + OUT_AXES), read_i64(record + OUT_CELLS)
    for place in range(num_cells):
        item = read_u64(items + 8 * place)
        write_u32(out_axes + 4 * (cell + place), np.uint32(item >> u64(32)))
        write_u32(out_cells + 4 * (cell + place), np.uint32(item & u64(0xFFFFFFFF)))
    cell += num_cells
    events = read_i64(record + OUT_NUM_EVENTS) + 1
    write_i64(record + OUT_NUM_EVENTS, events)
    write_i64(record + OUT_NUM_KEYS, key)
    write_i64(record + OUT_NUM_CELLS, cell)
    write_i64(read_i64(record + OUT_KEY_OFFSETS) + 8 * events, key)
    write_i64(read_i64(record + OUT_CELL_OFFSETS) + 8 * events, cell)
    write_i64(record + MOST_VALUES, max(read_i64(record + MOST_VALUES), read_i64(record + NUM_VALUES)))
    write_i64(record + MOST_BYTES, max(read_i64(record + MOST_BYTES), read_i64(record + NUM_BYTES)))
    return True


@hot_loop
def order_last(record: int, of: int, first: int) -> None:
    """Sort the items of a list from one on, each once."""
    count, room = read_i64(record + of + COUNT), read_i64(record + of + ROOM)
    if first + 1 < count <= room:
        write_i64(record + of + COUNT, first + distinct_items(read_i64(record + of) + 8 * first, count - first))


@hot_loop
def distinct_items(items: int, count: int) -> Any:
    """Sort items, each once; how many they are then. Most come in order already, and few need Shell's sort."""
    is_sorted = True
    for place in range(1, count):
        if read_u64(items + 8 * place - 8) >= read_u64(items + 8 * place):
            is_sorted = False
            break
    if is_sorted:
        return count
    gap = 1
    while gap < count // 3:
        gap = gap * 3 + 1
    while gap > 0:
        for place in range(gap, count):
            item = read_u64(items + 8 * place)
            hole = place
            while hole >= gap and read_u64(items + 8 * (hole - gap)) > item:
                write_u64(items + 8 * hole, read_u64(items + 8 * (hole - gap)))
                hole -= gap
            write_u64(items + 8 * hole, item)
        gap = (gap - 1) // 3
    size = 1
    for place in range(1, count):
        item = read_u64(items + 8 * place)
        if item != read_u64(items + 8 * (size - 1)):
            write_u64(items + 8 * size, item)
            size += 1
    return size
