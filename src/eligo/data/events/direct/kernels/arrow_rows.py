"""How do the columns of a record batch become keys and cells in one pass? Row by row, from Arrow's own buffers.

A record batch comes as the address of its ArrowArray, the struct of Arrow's C data interface, and a plan: for each
column that is read which child it is, and what is to be made of its values. Columns stand in the order of their
attributes, so what an event hits comes out in order but for lists.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.events.direct.kernels.event_rows import (
    CELLS,
    COUNT,
    KEYS,
    NUM_BYTES,
    NUM_VALUES,
    OUT_NUM_EVENTS,
    PRESENT,
    ROOM,
    add_value,
    begin_row,
    finish_row,
    order_last,
    push,
)
from eligo.data.kernels.vocabulary_book import NOTHING, NUM_ATTRIBUTES
from eligo.kernels.byte_texts import is_unicode
from eligo.kernels.codes import BOOL, DATE, NUMBER, STRING, TIMESTAMP
from eligo.kernels.compiled import hot_loop
from eligo.kernels.hashing import i64, u64
from eligo.kernels.memory import (
    read_f32,
    read_f64,
    read_i8,
    read_i16,
    read_i32,
    read_i64,
    read_u8,
    read_u16,
    read_u32,
    read_u64,
    write_i64,
    write_u32,
    write_u64,
)

# What a value is read as.
BITS, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64 = range(9)
FLOAT32, FLOAT64, TEXT, LARGE_TEXT, DATE32, DATE64, MOMENT = range(9, 16)
# How values belong to rows.
ONE_EACH, LIST, LARGE_LIST, FIXED_LIST = range(4)

# A column of a plan: eight bytes each.
CHILD, ATTRIBUTE, VALUE, LISTED, FACTOR, INDEX, MAY_KEEP, IS_BAD = range(0, 64, 8)
"""FACTOR: microseconds of a tick, 0 for nanoseconds. INDEX: what the indices of a dictionary are read as, or -1.
MAY_KEEP: whether a word hits one key at most. IS_BAD is set where something is no value."""
LIST_SIZE = 64
PLAN_WORDS = 9

# The ArrowArray of the C data interface.
_LENGTH, _OFFSET, _BUFFERS, _CHILDREN, _DICTIONARY = 0, 16, 40, 48, 56

# Where the values of a column are: eight bytes each.
_LIST_VALID, _LIST_OFFSET, _LIST_ENDS, _VALID, _FIRST, _DATA, _BYTES = range(0, 56, 8)
_INDICES, _WORD_VALID, _WORD_FIRST, _NUM_WORDS, _KEPT, _NUM_LISTED, _NUM_BYTES = range(56, 112, 8)
PLACE_WORDS = 14
"""_NUM_LISTED and _NUM_BYTES: within these the elements of lists and the bytes of texts lie, if nothing is wrong."""
KEPT_WORDS = 2
"""What was found for a word of a dictionary: 32 bits, 1 once it was, its key or NOTHING, its cell or NO_CELL."""
NO_CELL = 0xFFFFFFFFFFFFFFFF
WORDS_PER_ROW = 4
"""A dictionary with more words than so many a row is not remembered."""

FIRST_DAY, LAST_DAY = -719_162, 2_932_896
"""The years 1 to 9999."""
MILLISECONDS_OF_DAY = 86_400_000
MICROSECONDS_OF_DAY = 86_400_000_000
FIRST_MOMENT, LAST_MOMENT = FIRST_DAY * MICROSECONDS_OF_DAY, (LAST_DAY + 1) * MICROSECONDS_OF_DAY - 1
INT64_MAX, INT64_MIN = 2**63 - 1, -(2**63)
TWO_TO_63 = 2.0**63


@hot_loop
def is_there(bits: int, place: int) -> bool:
    """Whether a bit is set; without bits all are."""
    return bits == 0 or (i64(read_u8(bits + (place >> 3))) >> (place & 7)) & 1 == 1


@hot_loop
def whole_at(data: int, place: int, kind: int) -> Any:
    """An integer of some width."""
    if kind == INT64 or kind == UINT64:
        return read_i64(data + 8 * place)
    if kind == INT32:
        return i64(read_i32(data + 4 * place))
    if kind == INT8:
        return i64(read_i8(data + place))
    if kind == INT16:
        return i64(read_i16(data + 2 * place))
    if kind == UINT32:
        return i64(read_u32(data + 4 * place))
    if kind == UINT8:
        return i64(read_u8(data + place))
    return i64(read_u16(data + 2 * place))


@hot_loop
def num_bytes(array: int, kind: int) -> Any:
    """Where the last text of an array ends among its bytes: Arrow has looked at this offset, and at no other."""
    ends, place = read_i64(read_i64(array + _BUFFERS) + 8), read_i64(array + _OFFSET) + read_i64(array + _LENGTH)
    if read_i64(array + _LENGTH) == 0:
        return 0
    return i64(read_i32(ends + 4 * place)) if kind == TEXT else read_i64(ends + 8 * place)


@hot_loop
def find_places(array: int, plan: int, num_columns: int, places: int, kept: int, kept_room: int) -> Any:
    """Note where the values of each column are; how many words of dictionaries are to be remembered.

    They are remembered where there is room for all.
    """
    num_kept = 0
    for column in range(num_columns):
        of, place = plan + 8 * PLAN_WORDS * column, places + 8 * PLACE_WORDS * column
        own = read_i64(read_i64(array + _CHILDREN) + 8 * read_i64(of + CHILD))
        if read_i64(of + LISTED) != ONE_EACH:
            write_i64(place + _LIST_VALID, read_i64(read_i64(own + _BUFFERS)))
            write_i64(place + _LIST_OFFSET, read_i64(own + _OFFSET))
            if read_i64(of + LISTED) != FIXED_LIST:
                write_i64(place + _LIST_ENDS, read_i64(read_i64(own + _BUFFERS) + 8))
            own = read_i64(read_i64(own + _CHILDREN))
            write_i64(place + _NUM_LISTED, read_i64(own + _LENGTH))
        write_i64(place + _VALID, read_i64(read_i64(own + _BUFFERS)))
        write_i64(place + _FIRST, read_i64(own + _OFFSET))
        write_i64(place + _KEPT, 0)
        if read_i64(of + INDEX) >= 0:
            write_i64(place + _INDICES, read_i64(read_i64(own + _BUFFERS) + 8))
            own = read_i64(own + _DICTIONARY)
            write_i64(place + _WORD_VALID, read_i64(read_i64(own + _BUFFERS)))
            write_i64(place + _WORD_FIRST, read_i64(own + _OFFSET))
            num_words = read_i64(own + _LENGTH)
            write_i64(place + _NUM_WORDS, num_words)
            if read_i64(of + MAY_KEEP) == 1 and num_words <= WORDS_PER_ROW * read_i64(array + _LENGTH):
                if num_kept + num_words <= kept_room:
                    write_i64(place + _KEPT, kept + 8 * KEPT_WORDS * num_kept)
                num_kept += num_words
        write_i64(place + _DATA, read_i64(read_i64(own + _BUFFERS) + 8))
        if read_i64(of + VALUE) == TEXT or read_i64(of + VALUE) == LARGE_TEXT:
            write_i64(place + _BYTES, read_i64(read_i64(own + _BUFFERS) + 16))
            write_i64(place + _NUM_BYTES, num_bytes(own, read_i64(of + VALUE)))
    return num_kept


@hot_loop
def encode_rows(
    book: int,
    record: int,
    array: int,
    plan: int,
    num_columns: int,
    places: int,
    first_row: int,
    more: int,
    skipped: int,
) -> Any:
    """Encode the rows from one on; the first for which there was no room, or their number.

    `more` has what else the events hit, from columns that are read elsewhere: the addresses of key_offsets, keys,
    cell_offsets, axes and cells of the events that are encoded; or it is 0. Rows are left out where the bytes at
    `skipped` are not 0.
    """
    num_rows = read_i64(array + _LENGTH)
    for row in range(first_row, num_rows):
        if skipped != 0 and read_u8(skipped + row) != 0:
            continue
        begin_row(record)
        for column in range(num_columns):
            of, place = plan + 8 * PLAN_WORDS * column, places + 8 * PLACE_WORDS * column
            first, last = row, row + 1
            listed = read_i64(of + LISTED)
            if listed == ONE_EACH:
                # Most events lack most attributes of a wide table.
                if not is_there(read_i64(place + _VALID), read_i64(place + _FIRST) + row):
                    continue
            else:
                list_place = read_i64(place + _LIST_OFFSET) + row
                if not is_there(read_i64(place + _LIST_VALID), list_place):
                    continue
                ends = read_i64(place + _LIST_ENDS)
                if listed == LIST:
                    first, last = i64(read_i32(ends + 4 * list_place)), i64(read_i32(ends + 4 * list_place + 4))
                elif listed == LARGE_LIST:
                    first, last = read_i64(ends + 8 * list_place), read_i64(ends + 8 * list_place + 8)
                else:
                    first = list_place * read_i64(of + LIST_SIZE)
                    last = first + read_i64(of + LIST_SIZE)
                if first < 0 or last < first or last > read_i64(place + _NUM_LISTED):  # which Arrow does not look at
                    write_i64(of + IS_BAD, 1)
                    continue
            keys, cells = read_i64(record + KEYS + COUNT), read_i64(record + CELLS + COUNT)
            is_present = _add_values(book, record, of, place, first, last)
            if last - first > 1:
                order_last(record, KEYS, keys)
                order_last(record, CELLS, cells)
            if is_present:
                push(record, PRESENT, u64(read_i64(of + ATTRIBUTE)))
        if more != 0:
            _add_more(book, record, more)
        if not finish_row(record):
            return row
    return num_rows


@hot_loop
def _add_values(book: int, record: int, of: int, place: int, first: int, last: int) -> bool:
    """Add some values of a column; whether one of them is there."""
    attribute, value = read_i64(of + ATTRIBUTE), read_i64(of + VALUE)
    valid, offset, data = read_i64(place + _VALID), read_i64(place + _FIRST), read_i64(place + _DATA)
    index, kept = read_i64(of + INDEX), read_i64(place + _KEPT)
    is_present = False
    for element in range(first, last):
        at = offset + element
        if not is_there(valid, at):
            continue
        kind, high, low, text, length = NUMBER, 0, 0.0, 0, 0
        low_bits = u64(0)
        word = at
        if index >= 0:
            number_of_word = whole_at(read_i64(place + _INDICES), at, index)
            if number_of_word < 0 or number_of_word >= read_i64(place + _NUM_WORDS):  # which Arrow does not look at
                write_i64(of + IS_BAD, 1)
                continue
            word = read_i64(place + _WORD_FIRST) + number_of_word
            if not is_there(read_i64(place + _WORD_VALID), word):
                continue
        if value == TEXT or value == LARGE_TEXT:
            kind = STRING
            start, end = _text_at(data, word, value)
            if start < 0 or end < start or end > read_i64(place + _NUM_BYTES):
                write_i64(of + IS_BAD, 1)
                continue
            text, length = read_i64(place + _BYTES) + start, end - start
            write_i64(record + NUM_BYTES, read_i64(record + NUM_BYTES) + length)
        elif value <= UINT64:
            if value == BITS:
                kind = BOOL
                high = 1 if is_there(data, at) else 0
            else:
                high = whole_at(data, at, value)
                if value == UINT64 and high < 0:
                    write_i64(of + IS_BAD, 1)
        elif value <= FLOAT64:
            number = read_f64(data + 8 * at) if value == FLOAT64 else float(read_f32(data + 4 * at))
            if number != number:
                continue
            high, low = exact_pair(number)
            low_bits = bits_of(low)
        else:
            kind, high = _moment_at(of, data, at, value)
        is_present = True
        write_i64(record + NUM_VALUES, read_i64(record + NUM_VALUES) + 1)
        known = 0
        if kept != 0:
            known = kept + 8 * KEPT_WORDS * (word - read_i64(place + _WORD_FIRST))
            if read_u32(known) != 0:
                _add_known(record, known)
                continue
        if kind == STRING and not is_unicode(text, length):
            write_i64(of + IS_BAD, 1)
        keys, cells = read_i64(record + KEYS + COUNT), read_i64(record + CELLS + COUNT)
        add_value(book, record, attribute, kind, high, low, low_bits, text, length)
        if known != 0:
            _keep(record, known, keys, cells)
    return is_present


@hot_loop
def _text_at(ends: int, place: int, kind: int) -> tuple[int, int]:
    """Where a text begins and ends, as its column says."""
    if kind == TEXT:
        return i64(read_i32(ends + 4 * place)), i64(read_i32(ends + 4 * place + 4))
    return read_i64(ends + 8 * place), read_i64(ends + 8 * place + 8)


@hot_loop
def _add_known(record: int, known: int) -> None:
    """Add what a word of a dictionary hits, which was found before."""
    key, cell = read_u32(known + 4), read_u64(known + 8)
    if key != NOTHING:
        push(record, KEYS, u64(key))
    if cell != u64(NO_CELL):
        push(record, CELLS, cell)


@hot_loop
def _keep(record: int, known: int, keys: int, cells: int) -> None:
    """Remember what a word hit: a key and a cell at most, which are the last ones if there are more than before."""
    has_key, has_cell = read_i64(record + KEYS + COUNT) > keys, read_i64(record + CELLS + COUNT) > cells
    if keys >= read_i64(record + KEYS + ROOM) or cells >= read_i64(record + CELLS + ROOM):
        return
    write_u32(known, np.uint32(1))
    write_u32(known + 4, np.uint32(read_u64(read_i64(record + KEYS) + 8 * keys) if has_key else u64(NOTHING)))
    write_u64(known + 8, read_u64(read_i64(record + CELLS) + 8 * cells) if has_cell else u64(NO_CELL))


@hot_loop
def _moment_at(of: int, data: int, at: int, value: int) -> tuple[int, int]:
    """The kind and the days or microseconds of a date or timestamp; the column is bad if it has no such value."""
    if value != MOMENT:
        days = i64(read_i32(data + 4 * at)) if value == DATE32 else read_i64(data + 8 * at) // MILLISECONDS_OF_DAY
        if days < FIRST_DAY or days > LAST_DAY:
            write_i64(of + IS_BAD, 1)
        return DATE, days
    ticks, factor = read_i64(data + 8 * at), read_i64(of + FACTOR)
    if factor == 0:
        if ticks % 1000 != 0:
            write_i64(of + IS_BAD, 1)
        return TIMESTAMP, ticks // 1000
    if ticks < -(-FIRST_MOMENT // factor) or ticks > LAST_MOMENT // factor:
        write_i64(of + IS_BAD, 1)
        return TIMESTAMP, 0
    return TIMESTAMP, ticks * factor


@hot_loop
def exact_pair(number: float) -> tuple[int, float]:
    """The exact pair of a float that is not NaN; see `data.encoded_value`."""
    if number >= TWO_TO_63:
        return INT64_MAX, number
    if number < -TWO_TO_63:
        return INT64_MIN, number
    whole = np.trunc(number)
    return i64(int(whole)), number - whole + 0.0  # no negative zero


@hot_loop
def bits_of(number: float) -> Any:
    """The bits of a float."""
    return np.float64(number).view(np.uint64)


@hot_loop
def _add_more(book: int, record: int, more: int) -> None:
    """Add what columns that are read elsewhere give this event."""
    event = read_i64(record + OUT_NUM_EVENTS)
    num_attributes = read_i64(book + NUM_ATTRIBUTES)
    offsets, keys = read_i64(more), read_i64(more + 8)
    for place in range(read_i64(offsets + 8 * event), read_i64(offsets + 8 * event + 8)):
        key = i64(read_u32(keys + 4 * place))
        push(record, PRESENT if key < num_attributes else KEYS, u64(key))
    offsets, axes, cells = read_i64(more + 16), read_i64(more + 24), read_i64(more + 32)
    for place in range(read_i64(offsets + 8 * event), read_i64(offsets + 8 * event + 8)):
        push(record, CELLS, u64(read_u32(axes + 4 * place)) << u64(32) | u64(read_u32(cells + 4 * place)))
