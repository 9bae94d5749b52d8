"""Which number do these digits write?

Integers are exact within 64 bits. A decimal whose digits and power of ten are both exact as doubles needs one
operation, which rounds correctly (Clinger 1990); any other is flagged for the caller, who has `float()`. Whether a
decimal is too large for a double is always decided here, by comparing its digits with those of the bound.
"""

from __future__ import annotations

import numpy as np

from eligo.kernels.compiled import part
from eligo.language.text.kernels import parse_errors
from eligo.language.text.kernels.postfix_rows import IS_FLOAT, IS_SLOW
from eligo.language.text.kernels.tokens import Text

EXACT_DIGITS = 18
"""Decimal digits that always fit 64 bits."""
EXACT_MANTISSA = 2**53
EXACT_POWER = 22
"""10**22 is the largest power of ten that is a double."""
POWERS_OF_TEN = tuple(float(f"1e{power}") for power in range(EXACT_POWER + 1))
INT64_LEADING = -922337203685477580
"""All but the last digit of -2**63; the last one is 8."""
TWO_TO_63 = 9223372036854775808.0
FAR_EXPONENT = 10**12
"""Exponents are not counted beyond this; no text has as many digits to make up for it."""

INFINITE_POWER = 308
INFINITE_DIGITS = np.array([int(digit) for digit in str(2**1024 - 2**970)], np.uint8)
"""The digits of the least number that rounds to infinity; the first stands for 10**308."""


@part
def decode_integer(text: Text, start: int, end: int) -> tuple[int, int]:
    """An error, and the integer written from `start` to `end`."""
    is_negative = text[start] == 45
    value = 0  # counted down, because 64 bits reach one further below zero
    for position in range(start + 1 if is_negative else start, end):
        digit = text[position] - 48
        if value < INT64_LEADING or (value == INT64_LEADING and digit > 8):
            return parse_errors.INTEGER_TOO_LARGE, 0
        value = value * 10 - digit
    if is_negative:
        return parse_errors.NONE, value
    if value == INT64_LEADING * 10 - 8:
        return parse_errors.INTEGER_TOO_LARGE, 0
    return parse_errors.NONE, -value


@part
def decode_exponent(text: Text, start: int, end: int) -> int:
    """The exponent after the `e` that is at `start`; 0 when `start` is the end."""
    if start >= end:
        return 0
    position = start + 1
    is_negative = text[position] == 45
    if is_negative or text[position] == 43:
        position += 1
    exponent = 0
    while position < end:
        if exponent < FAR_EXPONENT:
            exponent = exponent * 10 + (text[position] - 48)
        position += 1
    return -exponent if is_negative else exponent


@part
def is_infinite(text: Text, start: int, end: int) -> bool:
    """Whether significant digits from `start` on, the first standing for 10**308, round to infinity."""
    compared = 0
    for position in range(start, end):
        byte = text[position]
        if byte == 46:
            continue
        if compared == len(INFINITE_DIGITS):
            return True
        bound = INFINITE_DIGITS[compared]
        if byte - 48 != bound:
            return bool(byte - 48 > bound)
        compared += 1
    return compared == len(INFINITE_DIGITS)


@part
def decode_decimal(text: Text, start: int, end: int) -> tuple[int, int, float, int]:
    """An error, the whole number, the float, and flags, of a number with a point or an exponent."""
    mantissa = 0
    num_digits = 0  # significant digits, up to the last that is not 0
    num_zeros = 0  # zeros since then
    num_decimals = 0
    first = end
    is_after_point = False
    position = start + 1 if text[start] == 45 else start
    while position < end:
        byte = text[position]
        if byte == 46:
            is_after_point = True
        elif byte > 57:
            break
        else:
            if is_after_point:
                num_decimals += 1
            if byte != 48:
                if num_digits == 0:
                    first = position
                    num_zeros = 0
                num_digits += num_zeros + 1
                if num_digits <= EXACT_DIGITS:
                    for _ in range(num_zeros + 1):
                        mantissa *= 10
                    mantissa += byte - 48
                num_zeros = 0
            else:
                num_zeros += 1
        position += 1
    if num_digits == 0:
        return parse_errors.NONE, 0, 0.0, 0
    power = decode_exponent(text, position, end) - num_decimals + num_zeros  # of the last significant digit
    leading_power = power + num_digits - 1
    if leading_power > INFINITE_POWER or (leading_power == INFINITE_POWER and is_infinite(text, first, position)):
        return parse_errors.NUMBER_INFINITE, 0, 0.0, 0
    if num_digits > EXACT_DIGITS or mantissa > EXACT_MANTISSA or not -EXACT_POWER <= power <= EXACT_POWER:
        return parse_errors.NONE, 0, 0.0, IS_FLOAT | IS_SLOW
    number = float(mantissa)
    if power < 0:
        number /= POWERS_OF_TEN[-power]
    else:
        number *= POWERS_OF_TEN[power]
    if text[start] == 45:
        number = -number
    if -TWO_TO_63 < number < TWO_TO_63:
        whole = int(number)
        if float(whole) == number:
            return parse_errors.NONE, whole, 0.0, 0
    return parse_errors.NONE, 0, number, IS_FLOAT


@part
def is_above_power(text: Text, start: int, end: int, power: int) -> bool:
    """Whether a number without a sign, with a point or an exponent, is above a power of ten."""
    leading_power = 0
    is_after_point = False
    has_digits = False
    is_more = False  # than a 1 and zeros
    position = start
    while position < end and text[position] <= 57:
        byte = text[position]
        if byte == 46:
            is_after_point = True
        else:
            is_more = is_more or (byte != 48 if has_digits else byte > 49)
            if has_digits and not is_after_point:
                leading_power += 1
            elif is_after_point and not has_digits:
                leading_power -= 1
            has_digits = has_digits or byte != 48
        position += 1
    leading_power += decode_exponent(text, position, end)
    return has_digits and (leading_power > power or (leading_power == power and is_more))


@part
def decode_number(text: Text, start: int, end: int) -> tuple[int, int, float, int]:
    """An error, the whole number, the float, and flags, of the number written from `start` to `end`."""
    for position in range(start, end):
        if text[position] == 46 or text[position] > 57:
            return decode_decimal(text, start, end)
    error, whole = decode_integer(text, start, end)
    return error, whole, 0.0, 0
