"""How does an event that is a dict become keys and cells in one call? Its objects are looked at where they lie.

What is usual is read here: strings, ints, floats, bools, None, lists and tuples of them, dicts within the dict. What is
not, or is an error, or might be one, makes the event one for the long way, which tells exactly; so this loop need only
be right where it says so.
"""

from __future__ import annotations

from typing import Any

from eligo.data.events.direct.kernels.arrow_rows import bits_of, exact_pair
from eligo.data.events.direct.kernels.event_rows import PRESENT, add_value, begin_row, push
from eligo.data.events.direct.kernels.json_rows import (
    LEFT,
    LEVEL_WORDS,
    LEVELS,
    LONGEST,
    MOST_BYTES,
    MOST_LEVELS,
    MOST_VALUES,
    PATH,
    SCRATCH_WORDS,
    STAMP,
    enter_path,
    find_given,
    write_items,
)
from eligo.data.events.direct.kernels.python_objects import (
    PLAIN_TYPES,
    float_of,
    forget_error,
    item_of_list,
    item_of_tuple,
    length_of_list,
    length_of_tuple,
    next_of_dict,
    type_of,
    utf8_of,
    whole_of,
)
from eligo.kernels.codes import BOOL, NUMBER, STRING
from eligo.kernels.compiled import hot_loop, interpreted_as, object_loop
from eligo.kernels.hashing import u64
from eligo.kernels.memory import read_i32, read_i64, write_i64

# The record of an `ObjectScratch`: that of a `JsonScratch`, and then eight bytes each.
_MORE = 8 * SCRATCH_WORDS
BOOK, RECORD, ITEMS, NUM_ITEMS = range(_MORE, _MORE + 32, 8)
"""What else the call needs: the vocabulary's book, the record of an `EventRoom`, where items go, and how many may."""
_PLACE, _NAME, _VALUE, _SIZE, _OVERFLOW = range(_MORE + 32, _MORE + 72, 8)
"""What Python writes: the place in a dict, its name and value, the bytes of a string, whether an int is long."""
TRUE, DICT, PLAIN = range(_MORE + 72, _MORE + 96, 8)
"""The addresses of True and of types: dict, then those of `PLAIN_TYPES`."""
STR, INT, FLOAT, NONE, BOOLEAN, LIST, TUPLE = (PLAIN + 8 * place for place in range(7))
NUM_PLAIN = len(PLAIN_TYPES)
OBJECT_WORDS = SCRATCH_WORDS + 11 + NUM_PLAIN
_MAPPING, _PLACE_IN_IT, _PATH_LENGTH, _IS_WALKED = 0, 8, 16, 24

NOT_READ = -1
"""In place of a number of items: the event is one for the long way."""


@hot_loop
def _add_object(book: int, record: int, scratch: int, attribute: int, value: int) -> Any:
    """Add what a scalar of an attribute hits: 1, 0 if it means missing, -1 if it is one for the long way."""
    own = type_of(value)
    kind, high, low, text, length = NUMBER, 0, 0.0, 0, 0
    if own == read_i64(scratch + STR):
        kind = STRING
        text = utf8_of(value, scratch + _SIZE)
        if text == 0:
            forget_error()
            return -1
        length = read_i64(scratch + _SIZE)
        if length > read_i64(scratch + MOST_BYTES):
            return -1
    elif own == read_i64(scratch + INT):
        high = whole_of(value, scratch + _OVERFLOW)
        if read_i32(scratch + _OVERFLOW) != 0:
            return -1
    elif own == read_i64(scratch + FLOAT):
        number = float_of(value)
        if number != number:
            return 0
        high, low = exact_pair(number)
    elif own == read_i64(scratch + NONE):
        return 0
    elif own == read_i64(scratch + BOOLEAN):
        kind = BOOL
        high = 1 if value == read_i64(scratch + TRUE) else 0
    else:
        return -1
    add_value(book, record, attribute, kind, high, low, bits_of(low), text, length)
    return 1


@hot_loop
def _add_objects(book: int, record: int, scratch: int, attribute: int, values: int, is_list: bool, count: int) -> bool:
    """Add what the values of a list or a tuple hit; False if one is for the long way."""
    num_there = 0
    for place in range(count):
        value = item_of_list(values, place) if is_list else item_of_tuple(values, place)
        found = _add_object(book, record, scratch, attribute, value)
        if found < 0:
            return False
        num_there += found
    if num_there > 0:
        push(record, PRESENT, u64(attribute))
    return True


@hot_loop
def _is_plain(scratch: int, kind: int) -> bool:
    """Whether a value of a type is passed over where no expression asks for it."""
    is_found = False
    for place in range(NUM_PLAIN):
        is_found |= read_i64(scratch + PLAIN + 8 * place) == kind
    return is_found


@hot_loop
def _read_mapping(book: int, record: int, scratch: int, mapping: int) -> bool:
    """Read the event that a dict is; False if it is one for the long way."""
    begin_row(record)
    write_i64(scratch + STAMP, read_i64(scratch + STAMP) + 1)
    write_i64(scratch + _PLACE, 0)
    room = read_i64(scratch + MOST_VALUES)
    depth, path_length, is_walked = 0, 0, True
    while True:
        if next_of_dict(mapping, scratch + _PLACE, scratch + _NAME, scratch + _VALUE) == 0:
            if depth == 0:
                return bool(room >= 0)
            depth -= 1
            level = read_i64(scratch + LEVELS) + 8 * LEVEL_WORDS * depth
            mapping, path_length = read_i64(level + _MAPPING), read_i64(level + _PATH_LENGTH)
            is_walked = read_i64(level + _IS_WALKED) == 1
            write_i64(scratch + _PLACE, read_i64(level + _PLACE_IN_IT))
            continue
        room -= 1
        name, value = read_i64(scratch + _NAME), read_i64(scratch + _VALUE)
        if type_of(name) != read_i64(scratch + STR) or room < 0:
            return False
        text = utf8_of(name, scratch + _SIZE)
        if text == 0:
            forget_error()
            return False
        length = read_i64(scratch + _SIZE)
        attribute, role = find_given(book, scratch, path_length, is_walked, text, length)
        if role == LEFT:
            return False
        kind = type_of(value)
        if kind == read_i64(scratch + DICT):
            if depth >= read_i64(scratch + MOST_LEVELS):
                return False
            level = read_i64(scratch + LEVELS) + 8 * LEVEL_WORDS * depth
            write_i64(level + _MAPPING, mapping)
            write_i64(level + _PLACE_IN_IT, read_i64(scratch + _PLACE))
            write_i64(level + _PATH_LENGTH, path_length)
            write_i64(level + _IS_WALKED, 1 if is_walked else 0)
            depth += 1
            mapping = value
            write_i64(scratch + _PLACE, 0)
            is_walked = is_walked and path_length + length < read_i64(scratch + LONGEST)
            if is_walked:
                path_length = enter_path(read_i64(scratch + PATH), path_length, text, length)
        elif attribute < 0:
            if not _is_plain(scratch, kind):
                return False
        elif kind == read_i64(scratch + LIST) or kind == read_i64(scratch + TUPLE):
            is_list = kind == read_i64(scratch + LIST)
            count = length_of_list(value) if is_list else length_of_tuple(value)
            room -= count
            if room < 0 or not _add_objects(book, record, scratch, attribute, value, is_list, count):
                return False
        else:
            found = _add_object(book, record, scratch, attribute, value)
            if found < 0:
                return False
            if found > 0:
                push(record, PRESENT, u64(attribute))


def _left(_mapping: int, _scratch: int) -> int:
    return NOT_READ


@object_loop
@interpreted_as(_left)
def encode_mapping(mapping: int, scratch: int) -> Any:
    """Write what the event of a dict hits, as items; how many they are.

    NOT_READ when it is left for the long way, which it always is where nothing is compiled; -2 when there was no room.
    """
    book, record = read_i64(scratch + BOOK), read_i64(scratch + RECORD)
    if not _read_mapping(book, record, scratch, mapping):
        return NOT_READ
    return write_items(record, read_i64(scratch + ITEMS), read_i64(scratch + NUM_ITEMS))
