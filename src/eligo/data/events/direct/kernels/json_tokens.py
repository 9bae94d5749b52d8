"""What does a token of JSON say? Where it ends, which text or moment it writes; unusual ones are left to Python.

A function that gives -1 for a place has found no such token, or one that the long way is to read.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.kernels.byte_texts import is_unicode
from eligo.kernels.compiled import hot_loop
from eligo.kernels.hashing import i64, u64
from eligo.kernels.memory import read_u8, read_u64, write_u8
from eligo.language.text.kernels.times import (
    FIRST_DAY,
    LAST_DAY,
    MICROSECONDS,
    MICROSECONDS_OF_DAY,
    day_number,
    days_of_month,
)

QUOTE, BACKSLASH, ZERO, NINE, HYPHEN, PLUS, POINT, COLON = 34, 92, 48, 57, 45, 43, 46, 58
NO_MOMENT = -(2**62)
"""What is no date or timestamp that is read here."""
ONES, HIGHS = 0x0101010101010101, 0x8080808080808080
QUOTES, BACKSLASHES, BLANKS = QUOTE * ONES, BACKSLASH * ONES, 32 * ONES


@hot_loop
def after_blanks(place: int, end: int) -> Any:
    """The first byte that is no white space of JSON."""
    while place < end:
        byte = read_u8(place)
        if byte != 32 and byte != 10 and byte != 13 and byte != 9:
            break
        place += 1
    return place


@hot_loop
def string_end(place: int, end: int) -> tuple[int, bool]:
    """Where the string that begins at a place, after its quote, has the other quote, and whether it has escapes."""
    start = place
    has_escapes = False
    seen = u64(0)
    while place < end:
        if place + 8 <= end:
            word = read_u64(place)
            quotes, slashes = word ^ u64(QUOTES), word ^ u64(BACKSLASHES)
            found = (u64(quotes - u64(ONES)) & ~quotes) | (u64(slashes - u64(ONES)) & ~slashes)
            found |= u64(word - u64(BLANKS)) & ~word
            if found & u64(HIGHS) == 0:
                seen |= word
                place += 8
                continue
        byte = read_u8(place)
        if byte == QUOTE:
            if seen & u64(HIGHS) != 0 and not is_unicode(start, place - start):
                return -1, False
            return place, has_escapes
        if byte < 32:
            return -1, False
        seen |= u64(byte)
        place += 1
        if byte == BACKSLASH:
            has_escapes = True
            if place >= end:
                return -1, False
            place += 1  # what is escaped is looked at when the text is made
    return -1, False


@hot_loop
def hex_digit(byte: int) -> Any:
    """The value of a hexadecimal digit, or -1."""
    if ZERO <= byte <= NINE:
        return byte - ZERO
    if 97 <= byte <= 102:
        return byte - 87
    if 65 <= byte <= 70:
        return byte - 55
    return -1


@hot_loop
def code_unit(place: int, end: int) -> Any:
    """The four hexadecimal digits from a place on, or -1."""
    if place + 4 > end:
        return -1
    unit = 0
    for step in range(4):
        digit = hex_digit(i64(read_u8(place + step)))
        if digit < 0:
            return -1
        unit = 16 * unit + digit
    return unit


@hot_loop
def write_code_point(target: int, point: int) -> Any:
    """Write a code point in UTF-8; where it ends."""
    if point < 0x80:
        write_u8(target, np.uint8(point))
        return target + 1
    if point < 0x800:
        write_u8(target, np.uint8(0xC0 | point >> 6))
        write_u8(target + 1, np.uint8(0x80 | point & 0x3F))
        return target + 2
    if point < 0x10000:
        write_u8(target, np.uint8(0xE0 | point >> 12))
        write_u8(target + 1, np.uint8(0x80 | point >> 6 & 0x3F))
        write_u8(target + 2, np.uint8(0x80 | point & 0x3F))
        return target + 3
    write_u8(target, np.uint8(0xF0 | point >> 18))
    write_u8(target + 1, np.uint8(0x80 | point >> 12 & 0x3F))
    write_u8(target + 2, np.uint8(0x80 | point >> 6 & 0x3F))
    write_u8(target + 3, np.uint8(0x80 | point & 0x3F))
    return target + 4


@hot_loop
def unescape(place: int, end: int, target: int) -> Any:
    """Write the text of a string without its escapes, which is never longer; its length, or -1."""
    start = target
    while place < end:
        byte = read_u8(place)
        place += 1
        if byte != BACKSLASH:
            write_u8(target, byte)
            target += 1
            continue
        byte = read_u8(place)
        place += 1
        point = -1
        if byte == 117:  # u
            point = code_unit(place, end)
            place += 4
            if 0xD800 <= point < 0xDC00:
                if place + 2 > end or read_u8(place) != BACKSLASH or read_u8(place + 1) != 117:
                    return -1
                second = code_unit(place + 2, end)
                place += 6
                if second < 0xDC00 or second > 0xDFFF:
                    return -1
                point = 0x10000 + ((point - 0xD800) << 10) + second - 0xDC00
            elif 0xDC00 <= point <= 0xDFFF:
                return -1
        elif byte == QUOTE or byte == BACKSLASH or byte == 47:
            point = i64(byte)
        elif byte == 98:
            point = 8
        elif byte == 102:
            point = 12
        elif byte == 110:
            point = 10
        elif byte == 114:
            point = 13
        elif byte == 116:
            point = 9
        if point < 0:
            return -1
        target = write_code_point(target, point)
    return target - start


@hot_loop
def digits_at(place: int, count: int) -> Any:
    """The number that so many digits write, or -1."""
    number = 0
    for step in range(count):
        digit = i64(read_u8(place + step)) - ZERO
        if digit < 0 or digit > 9:
            return -1
        number = 10 * number + digit
    return number


@hot_loop
def read_day(text: int, length: int) -> Any:
    """The days from 1970-01-01 to a date YYYY-MM-DD, or NO_MOMENT."""
    if length != 10 or read_u8(text + 4) != HYPHEN or read_u8(text + 7) != HYPHEN:
        return NO_MOMENT
    year, month, day = digits_at(text, 4), digits_at(text + 5, 2), digits_at(text + 8, 2)
    if year < 1 or month < 1 or month > 12 or day < 1 or day > days_of_month(year, month):
        return NO_MOMENT
    return day_number(year, month, day)


@hot_loop
def read_moment(text: int, length: int) -> Any:
    """The microseconds of a date, or of YYYY-MM-DDThh:mm[:ss[.f…]][Z|±hh:mm], or NO_MOMENT."""
    day = read_day(text, min(length, 10))
    if day == NO_MOMENT or length == 10:
        return day if day == NO_MOMENT else day * MICROSECONDS_OF_DAY
    place, end = text + 16, text + length
    if length < 16 or read_u8(text + 13) != COLON or (read_u8(text + 10) != 84 and read_u8(text + 10) != 32):
        return NO_MOMENT
    hour, minute, second, fraction = digits_at(text + 11, 2), digits_at(text + 14, 2), 0, 0
    if place < end and read_u8(place) == COLON:
        second = -1 if place + 3 > end else digits_at(place + 1, 2)
        place += 3
        if place < end and read_u8(place) == POINT:
            unit, place = MICROSECONDS, place + 1
            start = place
            while place < end and unit > 1 and ZERO <= read_u8(place) <= NINE:
                unit //= 10
                fraction += unit * (i64(read_u8(place)) - ZERO)
                place += 1
            if place == start:
                return NO_MOMENT
    ahead = 0
    if place < end and read_u8(place) == 90:  # Z
        place += 1
    elif place + 6 == end and (read_u8(place) == HYPHEN or read_u8(place) == PLUS) and read_u8(place + 3) == COLON:
        hours, minutes = digits_at(place + 1, 2), digits_at(place + 4, 2)
        if hours < 0 or hours > 23 or minutes < 0 or minutes > 59:
            return NO_MOMENT
        ahead = -(60 * hours + minutes) if read_u8(place) == HYPHEN else 60 * hours + minutes
        place += 6
    if place != end or hour < 0 or hour > 23 or minute < 0 or minute > 59 or second < 0 or second > 59:
        return NO_MOMENT
    moment = day * MICROSECONDS_OF_DAY + (60 * (60 * hour + minute - ahead) + second) * MICROSECONDS + fraction
    is_beyond = moment < FIRST_DAY * MICROSECONDS_OF_DAY or moment >= (LAST_DAY + 1) * MICROSECONDS_OF_DAY
    return NO_MOMENT if is_beyond else moment
