"""Which day, which microsecond, or how long a time does this text write?

Dates are `YYYY-MM-DD`; timestamps `YYYY-MM-DDThh:mm[:ss[.f…]][Z|±hh:mm]`, a space for the `T` allowed, UTC where no
zone is given. Both are counted from 1970-01-01, in days and in microseconds, and lie in the years 1 to 9999 (UTC).
A length of time is `1 day 12 hours`, as `language.duration` reads it, in microseconds.
"""

from __future__ import annotations

from eligo.kernels.compiled import part
from eligo.language.text.kernels import parse_errors
from eligo.language.text.kernels.tokens import FOLDED_LETTERS, Text, fold_word

MICROSECONDS = 1_000_000
MICROSECONDS_OF_DAY = 86_400 * MICROSECONDS
FIRST_DAY = -719_162
"""0001-01-01."""
LAST_DAY = 2_932_896
"""9999-12-31."""
LONGEST = 2**62
"""Microseconds that no length of time reaches; the same as `language.duration.LONGEST`."""
COUNT_DIGITS = 15
"""Digits of the number before a unit."""
UNIT_WEEK = fold_word("week")
UNIT_DAY = fold_word("day")
UNIT_HOUR = fold_word("hour")
UNIT_MINUTE = fold_word("minute")
UNIT_SECOND = fold_word("second")
UNIT_MILLISECOND = fold_word("millisecond")
UNIT_MICROSECOND = fold_word("microsecond")
PLURAL = 19
"""An s, as `fold_word` has it."""


@part
def decode_digits(text: Text, start: int, end: int) -> int:
    """The number that the digits write; -1 where one is no digit."""
    number = 0
    for position in range(start, end):
        digit = text[position] - 48
        if digit < 0 or digit > 9:
            return -1
        number = number * 10 + digit
    return number


@part
def days_of_month(year: int, month: int) -> int:
    """How many days the month has, in the Gregorian calendar."""
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month == 4 or month == 6 or month == 9 or month == 11 else 31


@part
def day_number(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01; years begin in March so that a leap day is the last of its year."""
    if month <= 2:
        year -= 1
        month += 12
    days_before_month = (153 * (month - 3) + 2) // 5
    return year * 365 + year // 4 - year // 100 + year // 400 + days_before_month + day - 719_469


@part
def decode_date(text: Text, start: int, end: int) -> tuple[int, int]:
    """An error, and the days since 1970-01-01."""
    if end - start != 10 or text[start + 4] != 45 or text[start + 7] != 45:
        return parse_errors.MALFORMED_DATE, 0
    year = decode_digits(text, start, start + 4)
    month = decode_digits(text, start + 5, start + 7)
    day = decode_digits(text, start + 8, start + 10)
    if year < 0 or month < 0 or day < 0:
        return parse_errors.MALFORMED_DATE, 0
    if year < 1 or month < 1 or month > 12 or day < 1 or day > days_of_month(year, month):
        return parse_errors.IMPOSSIBLE_DATE, 0
    return parse_errors.NONE, day_number(year, month, day)


@part
def decode_offset(text: Text, start: int, end: int) -> tuple[int, int]:
    """An error, and the minutes that a zone `Z` or `±hh:mm` is ahead of UTC."""
    if start == end or (end - start == 1 and text[start] == 90):
        return parse_errors.NONE, 0
    is_west = text[start] == 45
    if end - start != 6 or text[start + 3] != 58 or not (is_west or text[start] == 43):
        return parse_errors.MALFORMED_TIMESTAMP, 0
    hours = decode_digits(text, start + 1, start + 3)
    minutes = decode_digits(text, start + 4, start + 6)
    if hours < 0 or minutes < 0:
        return parse_errors.MALFORMED_TIMESTAMP, 0
    if hours > 23 or minutes > 59:
        return parse_errors.IMPOSSIBLE_TIMESTAMP, 0
    ahead = hours * 60 + minutes
    return parse_errors.NONE, -ahead if is_west else ahead


@part
def decode_seconds(text: Text, start: int, end: int) -> tuple[int, int, int]:
    """An error, the microseconds of an optional `:ss[.f…]`, and where it ends."""
    if start >= end or text[start] != 58:
        return parse_errors.NONE, 0, start
    if start + 3 > end:
        return parse_errors.MALFORMED_TIMESTAMP, 0, start
    seconds = decode_digits(text, start + 1, start + 3)
    if seconds < 0:
        return parse_errors.MALFORMED_TIMESTAMP, 0, start
    if seconds > 59:
        return parse_errors.IMPOSSIBLE_TIMESTAMP, 0, start
    position = start + 3
    fraction = 0
    if position < end and text[position] == 46:
        unit = MICROSECONDS
        position += 1
        while position < end and 48 <= text[position] <= 57:
            unit //= 10
            fraction += (text[position] - 48) * unit
            position += 1
        num_decimals = position - start - 4
        if num_decimals < 1 or num_decimals > 6:
            return parse_errors.MALFORMED_TIMESTAMP, 0, start
    return parse_errors.NONE, seconds * MICROSECONDS + fraction, position


@part
def decode_timestamp(text: Text, start: int, end: int) -> tuple[int, int]:
    """An error, and the microseconds since 1970-01-01 in UTC."""
    if end - start < 16 or text[start + 13] != 58 or not (text[start + 10] == 84 or text[start + 10] == 32):
        return parse_errors.MALFORMED_TIMESTAMP, 0
    error, day = decode_date(text, start, start + 10)
    if error == parse_errors.IMPOSSIBLE_DATE:
        return parse_errors.IMPOSSIBLE_TIMESTAMP, 0
    hour = decode_digits(text, start + 11, start + 13)
    minute = decode_digits(text, start + 14, start + 16)
    if error != parse_errors.NONE or hour < 0 or minute < 0:
        return parse_errors.MALFORMED_TIMESTAMP, 0
    if hour > 23 or minute > 59:
        return parse_errors.IMPOSSIBLE_TIMESTAMP, 0
    error, microseconds, zone = decode_seconds(text, start + 16, end)
    if error != parse_errors.NONE:
        return error, 0
    error, ahead = decode_offset(text, zone, end)
    if error != parse_errors.NONE:
        return error, 0
    total = day * MICROSECONDS_OF_DAY + (hour * 60 + minute - ahead) * 60 * MICROSECONDS + microseconds
    if total < FIRST_DAY * MICROSECONDS_OF_DAY or total >= (LAST_DAY + 1) * MICROSECONDS_OF_DAY:
        return parse_errors.IMPOSSIBLE_TIMESTAMP, 0
    return parse_errors.NONE, total


@part
def unit_length(word: int) -> int:
    """The microseconds of a folded unit of time, one or several; 0 for what is none."""
    if word == UNIT_MICROSECOND:
        return 1
    if word == UNIT_MILLISECOND:
        return 1_000
    if word == UNIT_SECOND:
        return MICROSECONDS
    if word == UNIT_MINUTE:
        return 60 * MICROSECONDS
    if word == UNIT_HOUR:
        return 3_600 * MICROSECONDS
    if word == UNIT_DAY:
        return MICROSECONDS_OF_DAY
    return 7 * MICROSECONDS_OF_DAY if word == UNIT_WEEK else 0


@part
def skip_white(text: Text, position: int, end: int) -> int:
    """The first byte at or after `position` that is no white space."""
    while position < end and (text[position] == 32 or 9 <= text[position] <= 13):
        position += 1
    return position


@part
def decode_duration(text: Text, start: int, end: int) -> tuple[int, int]:
    """An error, and the microseconds of a length of time: numbers with units."""
    total = 0
    position = skip_white(text, start, end)
    if position == end:
        return parse_errors.MALFORMED_DURATION, 0
    while position < end:
        digits = position
        count = 0
        while position < end and 48 <= text[position] <= 57 and position - digits <= COUNT_DIGITS:
            count = count * 10 + (text[position] - 48)
            position += 1
        if position == digits or position - digits > COUNT_DIGITS:
            return parse_errors.MALFORMED_DURATION, 0
        position = skip_white(text, position, end)
        letters = position
        word = 0
        while position < end and 97 <= (text[position] | 32) <= 122 and position - letters < FOLDED_LETTERS:
            word = word << 5 | ((text[position] | 32) - 96)
            position += 1
        unit = unit_length(word)
        if unit == 0 and word & 31 == PLURAL:
            unit = unit_length(word >> 5)
        if unit == 0:
            return parse_errors.MALFORMED_DURATION, 0
        if count > (LONGEST - 1 - total) // unit:
            return parse_errors.DURATION_TOO_LONG, 0
        total += count * unit
        position = skip_white(text, position, end)
        if position < end and text[position] == 44:
            position = skip_white(text, position + 1, end)
    return parse_errors.NONE, total
