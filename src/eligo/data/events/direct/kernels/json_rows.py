"""How do JSON texts become keys and cells without an object for any value? In one pass over their bytes.

What is usual is read here: objects and lists, texts, numbers of moderate length, names without escapes. What is not, or
is an error, or might be one, makes the event one for the long way, which tells exactly; so this loop need only be right
where it says so. It takes time linear in the text, whatever that holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.events.direct.kernels.arrow_rows import bits_of, exact_pair
from eligo.data.events.direct.kernels.event_rows import (
    CELLS,
    COUNT,
    KEYS,
    PRESENT,
    ROOM,
    add_value,
    begin_row,
    finish_row,
    push,
)
from eligo.data.events.direct.kernels.json_numbers import EXACT, INEXACT, read_number
from eligo.data.events.direct.kernels.json_tokens import (
    NO_MOMENT,
    after_blanks,
    read_day,
    read_moment,
    string_end,
    unescape,
)
from eligo.data.events.kernels.event_items import CELLS_FROM
from eligo.data.kernels.vocabulary_book import find_attribute
from eligo.kernels.byte_texts import hash_text
from eligo.kernels.codes import BOOL, DATE, NUMBER, STRING, TIMESTAMP
from eligo.kernels.compiled import brief_hot_loop, hot_loop
from eligo.kernels.hashing import i64, u64
from eligo.kernels.memory import read_i64, read_u8, read_u32, read_u64, write_i64, write_u8, write_u64

# The record of a `JsonScratch`: eight bytes each.
ROLES, SEEN, NAMES, PATH, LONGEST, TEXT, LEVELS, STAMP = range(0, 64, 8)
MOST_BYTES, MOST_VALUES, MOST_LEVELS = range(64, 88, 8)
"""ROLES: for each attribute what is done with it, a byte. SEEN: for each attribute the stamp of the event that had it
last. NAMES: slots of a hash and a stamp, for names that are no attributes. PATH: the names of the objects around, with
dots. LONGEST: bytes of the longest attribute. TEXT: room for texts without their escapes. LEVELS: the objects and lists
around. STAMP: the number of the event, from 1. Beyond MOST_BYTES, MOST_VALUES or MOST_LEVELS it goes the long way."""
SCRATCH_WORDS = 11
PASSED_OVER, READ, READ_DATES, READ_MOMENTS, LEFT = range(5)
"""Roles: an attribute that no event gives, one that is read as it is, those whose texts are dates or timestamps;
and one that leaves the event for the long way."""
NULL = -1
"""In place of a kind."""
NAME_SLOTS = 1 << 12
MOST_PROBES = 64
LEVEL_WORDS = 4
_IS_OBJECT, _NUMBER, _PATH_LENGTH, _IS_WALKED = 0, 8, 16, 24

_NULL, _TRUE, _FALS = (int.from_bytes(word, "little") for word in (b"null", b"true", b"fals"))
FIRST_NAME, NAME, AFTER, VALUE, FIRST_VALUE = range(5)
"""What may come next: after a brace, after a comma in an object, after a value, before one, after a bracket."""


@hot_loop
def note_name(scratch: int, number: int, name: int, length: int) -> bool:
    """Note the name of something in an object; False if the object may have it already."""
    own = hash_text(name, length, number) | u64(1)
    stamp = read_u64(scratch + STAMP)
    slots = read_i64(scratch + NAMES)
    for probe in range(MOST_PROBES):
        slot = slots + 16 * ((i64(own >> u64(20)) + probe) & (NAME_SLOTS - 1))
        if read_u64(slot + 8) != stamp:
            write_u64(slot, own)
            write_u64(slot + 8, stamp)
            return True
        if read_u64(slot) == own:
            return False
    return False


@hot_loop
def copy(source: int, length: int, target: int) -> None:
    """Copy bytes."""
    for step in range(length):
        write_u8(target + step, read_u8(source + step))


@hot_loop
def find_given(book: int, scratch: int, path_length: int, is_walked: bool, name: int, length: int) -> tuple[Any, Any]:
    """The attribute that a name stands for behind a path, and its role: LEFT if the event has it twice.

    -1 and PASSED_OVER where there is none that an event gives.
    """
    if is_walked and path_length + length <= read_i64(scratch + LONGEST):
        path = name
        if path_length > 0:
            path = read_i64(scratch + PATH)
            copy(name, length, path + path_length)
        attribute = find_attribute(book, path, path_length + length)
        if attribute >= 0:
            role = i64(read_u8(read_i64(scratch + ROLES) + attribute))
            if role != PASSED_OVER:
                seen, stamp = read_i64(scratch + SEEN) + 8 * attribute, read_i64(scratch + STAMP)
                if read_i64(seen) == stamp:
                    return attribute, LEFT
                write_i64(seen, stamp)
                return attribute, role
    return -1, PASSED_OVER


@hot_loop
def find_name(
    book: int, scratch: int, number: int, path_length: int, is_walked: bool, name: int, length: int
) -> tuple[Any, Any]:
    """The attribute that a name in an object stands for, or -1, and its role: LEFT if it may be there twice."""
    attribute, role = find_given(book, scratch, path_length, is_walked, name, length)
    if attribute < 0 and not note_name(scratch, number, name, length):
        return -1, LEFT
    return attribute, role


@hot_loop
def enter_path(path: int, path_length: int, name: int, length: int) -> Any:
    """Put a name and a dot behind a path; how long it is then."""
    copy(name, length, path + path_length)
    write_u8(path + path_length + length, np.uint8(46))
    return path_length + length + 1


@hot_loop
def read_scalar(scratch: int, place: int, end: int, role: int) -> tuple[Any, Any, Any, Any, Any, Any]:
    """Where the scalar at a place ends, its kind or NULL, its high and low part, and its text with its length.

    The place is -1 if it is one for the long way.
    """
    byte = i64(read_u8(place))
    if byte == 34:
        text = place + 1
        close, has_escapes = string_end(text, end)
        length = close - text
        if has_escapes:
            length = unescape(text, close, read_i64(scratch + TEXT))
            text = read_i64(scratch + TEXT)
        if close < 0 or length < 0:
            return -1, STRING, 0, 0.0, text, 0
        if role == READ_DATES:
            day = read_day(text, length)
            return close + 1 if day != NO_MOMENT else -1, DATE, day, 0.0, 0, 0
        if role == READ_MOMENTS:
            moment = read_moment(text, length)
            return close + 1 if moment != NO_MOMENT else -1, TIMESTAMP, moment, 0.0, 0, 0
        return close + 1, STRING, 0, 0.0, text, length
    if byte == 116 or byte == 102 or byte == 110:
        word = i64(read_u32(place)) if place + 4 <= end else 0
        if word == _NULL:
            return place + 4, NULL, 0, 0.0, 0, 0
        if word == _TRUE:
            return place + 4, BOOL, 1, 0.0, 0, 0
        is_false = word == _FALS and place + 5 <= end and read_u8(place + 4) == 101
        return place + 5 if is_false else -1, BOOL, 0, 0.0, 0, 0
    after, what, whole, number = read_number(place, end)
    if what == EXACT:
        high, low = exact_pair(number)
        return after, NUMBER, high, low, 0, 0
    return -1 if what == INEXACT and role != PASSED_OVER else after, NUMBER, whole, 0.0, 0, 0


@hot_loop
def read_event(book: int, record: int, scratch: int, place: int, end: int) -> bool:
    """Read the event that a text is; False if it is one for the long way."""
    begin_row(record)
    write_i64(scratch + STAMP, read_i64(scratch + STAMP) + 1)
    place = after_blanks(place, end)
    if place >= end or read_u8(place) != 123:
        return False
    place += 1
    # The object or list that the place is in: what it is, its number, how much of the path is its, and whether names in
    # it are those of attributes. The attribute is that of the value that comes next, or of the list.
    depth, num_objects, num_values = 0, 0, 0
    is_object, number, path_length, is_walked = True, 0, 0, True
    attribute, role, name, length, num_in_list = -1, PASSED_OVER, 0, 0, 0
    state = FIRST_NAME
    while True:
        place = after_blanks(place, end)
        if place >= end:
            return False
        byte = i64(read_u8(place))
        if state <= NAME and byte == 34:
            name = place + 1
            close, has_escapes = string_end(name, end)
            if close < 0 or has_escapes:
                return False
            length = close - name
            attribute, role = find_name(book, scratch, number, path_length, is_walked, name, length)
            place = after_blanks(close + 1, end)
            if role == LEFT or place >= end or read_u8(place) != 58:
                return False
            place += 1
            state = VALUE
        elif state == AFTER and byte == 44:
            place += 1
            state = NAME if is_object else VALUE
        elif (byte == 125 and is_object and (state == AFTER or state == FIRST_NAME)) or (
            byte == 93 and not is_object and (state == AFTER or state == FIRST_VALUE)
        ):
            if not is_object and attribute >= 0 and num_in_list > 0:
                push(record, PRESENT, u64(attribute))
            place += 1
            if depth == 0:
                return bool(after_blanks(place, end) == end)
            depth -= 1
            own = read_i64(scratch + LEVELS) + 8 * LEVEL_WORDS * depth
            is_object, number = read_i64(own + _IS_OBJECT) == 1, read_i64(own + _NUMBER)
            path_length, is_walked = read_i64(own + _PATH_LENGTH), read_i64(own + _IS_WALKED) == 1
            state = AFTER
        elif state < VALUE:
            return False
        elif byte == 123 or byte == 91:
            if (attribute >= 0 and not is_object) or depth >= read_i64(scratch + MOST_LEVELS):
                return False
            own = read_i64(scratch + LEVELS) + 8 * LEVEL_WORDS * depth
            write_i64(own + _IS_OBJECT, 1 if is_object else 0)
            write_i64(own + _NUMBER, number)
            write_i64(own + _PATH_LENGTH, path_length)
            write_i64(own + _IS_WALKED, 1 if is_walked else 0)
            depth += 1
            place += 1
            num_in_list = 0
            state = FIRST_VALUE
            if byte == 123:
                num_objects += 1
                number = num_objects
                is_walked = is_walked and is_object and path_length + length < read_i64(scratch + LONGEST)
                if is_walked:
                    path_length = enter_path(read_i64(scratch + PATH), path_length, name, length)
                state = FIRST_NAME
            is_object = byte == 123
        else:
            place, kind, high, low, text, text_length = read_scalar(scratch, place, end, role)
            if place < 0:
                return False
            state = AFTER
            if attribute >= 0 and kind != NULL:
                num_values += 1
                num_in_list += 1
                if num_values > read_i64(scratch + MOST_VALUES):
                    return False
                if is_object:
                    push(record, PRESENT, u64(attribute))
                add_value(book, record, attribute, kind, high, low, bits_of(low), text, text_length)


@hot_loop
def encode_texts(
    book: int, record: int, scratch: int, data: int, offsets: int, first: int, num_texts: int, is_left: int
) -> Any:
    """Encode the texts from one on; the first for which there was no room, or their number.

    Text i is what is between offsets i and i + 1. A byte for each tells which are left for the long way.
    """
    for number in range(first, num_texts):
        start, end = read_i64(offsets + 8 * number), read_i64(offsets + 8 * number + 8)
        is_read = end - start <= read_i64(scratch + MOST_BYTES) and read_event(
            book, record, scratch, data + start, data + end
        )
        write_u8(is_left + number, np.uint8(0 if is_read else 1))
        if is_read and not finish_row(record):
            return number
    return num_texts


@hot_loop
def write_items(record: int, items: int, num_items: int) -> Any:
    """Write the hits of the last event as items for which there is so much room; how many, or -2 without room."""
    count = 0
    for of in (PRESENT, KEYS, CELLS):
        own, num_own = read_i64(record + of), read_i64(record + of + COUNT)
        if num_own > read_i64(record + of + ROOM) or count + num_own > num_items:
            return -2
        # A cell's axis is counted from 1 in an item.
        more = u64(CELLS_FROM if of == CELLS else 0)
        for place in range(num_own):
            write_u64(items + 8 * (count + place), read_u64(own + 8 * place) + more)
        count += num_own
    return count


@brief_hot_loop
def encode_text(book: int, record: int, scratch: int, start: int, length: int, items: int, num_items: int) -> Any:
    """Write what the event of one text hits, as items for which there is so much room; how many they are.

    -1 when the text is left for the long way, -2 when there was no room.
    """
    if not read_event(book, record, scratch, start, start + length):
        return -1
    return write_items(record, items, num_items)
