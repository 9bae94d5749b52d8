"""Which number does a JSON text write? The nearest float, as Python reads it, to which hard cases are left.

Digits and a power of ten that are both exact as doubles need one operation, which rounds correctly (Clinger 1990).
Else the digits are multiplied by 128 bits of the power of five, which tells the nearest double unless the product may
lie in the middle of two (Lemire 2021, *Number parsing at a gigabyte per second*, section 5).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.kernels.compiled import hot_loop
from eligo.kernels.hashing import i64, u64
from eligo.kernels.memory import read_u8

POINT, MINUS, PLUS, ZERO, NINE = 46, 45, 43, 48, 57

EXACT_DIGITS = 18
"""Decimal digits that always fit 64 bits."""
MOST_DIGITS = 4_000
"""Python refuses integers that are little longer."""
EXACT_MANTISSA = 2**53
EXACT_POWER = 22
"""10**22 is the largest power of ten that is a double."""
POWERS_OF_TEN = tuple(float(f"1e{power}") for power in range(EXACT_POWER + 1))

WHOLE, EXACT, INEXACT = 0, 1, 2
"""What a number is: an integer, a float that was read exactly, or one that is left to Python."""

FARTHEST_POWER = 64
"""Powers of ten beyond this are left to Python."""


def _fives(power: int) -> int:
    """The leading 128 bits of a power of five; of a negative one rounded up, so that a product is never too small."""
    if power >= 0:
        five: int = 5**power
        return five << 128 >> five.bit_length()
    inverse: int = 5**-power
    return (1 << (inverse.bit_length() + 127)) // inverse + 1


FIVES = np.array(
    [
        word
        for power in range(-FARTHEST_POWER, FARTHEST_POWER + 1)
        for word in (_fives(power) >> 64, _fives(power) & (2**64 - 1))
    ],
    np.uint64,
)
"""Two words for each power of five, the upper one first."""

MOST_TWOS = 320
TWO_TO = np.array([2.0**power for power in range(-MOST_TWOS, MOST_TWOS + 1)], np.float64)
"""Powers of two, exactly."""


@hot_loop
def product(left: Any, right: Any) -> tuple[Any, Any]:
    """The upper and the lower word of a product of two words."""
    half = u64(0xFFFFFFFF)
    low = u64((left & half) * (right & half))
    middle = u64((left >> u64(32)) * (right & half)) + (low >> u64(32))
    other = u64((left & half) * (right >> u64(32))) + (middle & half)
    high = u64((left >> u64(32)) * (right >> u64(32))) + (middle >> u64(32)) + (other >> u64(32))
    return u64(high), u64((other << u64(32)) | (low & half))


@hot_loop
def nearest_float(mantissa: int, power: int) -> Any:
    """The double that is nearest to mantissa * 10^power; -1 when that is not told here."""
    if mantissa == 0:
        return 0.0
    if mantissa <= EXACT_MANTISSA and -EXACT_POWER <= power <= EXACT_POWER:
        exact = float(mantissa)
        return exact / POWERS_OF_TEN[-power] if power < 0 else exact * POWERS_OF_TEN[power]
    if power < -FARTHEST_POWER or power > FARTHEST_POWER:
        return -1.0
    digits, shift = u64(mantissa), 0
    while digits >> u64(63) == 0:
        digits = u64(digits << u64(1))
        shift += 1
    at = 2 * (power + FARTHEST_POWER)
    high, low = product(digits, u64(FIVES[at]))
    if high & u64(0x1FF) == u64(0x1FF):  # the bits that are cut off may carry into those that are kept
        more, _ = product(digits, u64(FIVES[at + 1]))
        low = u64(low + more)
        if more > low:
            high = u64(high + u64(1))
    if low == u64(0xFFFFFFFFFFFFFFFF) or low <= u64(1):
        return -1.0  # it may lie in the middle of two doubles
    upper = i64(high >> u64(63))
    kept = i64(high >> u64(upper + 9))
    exponent = ((217_706 * power) >> 16) + 63 + upper - shift  # 217,706 / 65,536 is log2(10), near enough
    kept = (kept + (kept & 1)) >> 1
    return float(kept) * TWO_TO[exponent - 52 + MOST_TWOS]


@hot_loop
def digits_end(place: int, end: int) -> Any:
    """The first byte that is no digit."""
    while place < end and ZERO <= read_u8(place) <= NINE:
        place += 1
    return place


@hot_loop
def read_number(place: int, end: int) -> tuple[int, int, int, float]:
    """Where the number that begins at a place ends, what it is, and its value as an integer or as a float."""
    is_negative = read_u8(place) == MINUS
    first = place + 1 if is_negative else place
    place = digits_end(first, end)
    num_digits = place - first
    if num_digits == 0 or (num_digits > 1 and read_u8(first) == ZERO):
        return -1, INEXACT, 0, 0.0
    mantissa, num_decimals = 0, 0
    if num_digits <= EXACT_DIGITS:
        for at in range(first, place):
            mantissa = 10 * mantissa + i64(read_u8(at)) - ZERO
    is_whole = True
    if place < end and read_u8(place) == POINT:
        is_whole = False
        start = place + 1
        place = digits_end(start, end)
        num_decimals = place - start
        num_digits += num_decimals
        if num_decimals == 0:
            return -1, INEXACT, 0, 0.0
        if num_digits <= EXACT_DIGITS:
            for at in range(start, place):
                mantissa = 10 * mantissa + i64(read_u8(at)) - ZERO
    power = 0
    if place < end and read_u8(place) | 32 == 101:  # e
        is_whole = False
        place += 1
        is_small = place < end and read_u8(place) == MINUS
        if is_small or (place < end and read_u8(place) == PLUS):
            place += 1
        start = place
        place = digits_end(start, end)
        if place == start:
            return -1, INEXACT, 0, 0.0
        for at in range(start, min(place, start + 6)):
            power = 10 * power + i64(read_u8(at)) - ZERO
        if place - start > 6:
            return place, INEXACT, 0, 0.0
        power = -power if is_small else power
    if is_whole:
        if num_digits > MOST_DIGITS:
            return -1, INEXACT, 0, 0.0
        if num_digits > EXACT_DIGITS:
            return place, INEXACT, 0, 0.0
        return place, WHOLE, -mantissa if is_negative else mantissa, 0.0
    if num_digits > EXACT_DIGITS:
        return place, INEXACT, 0, 0.0
    number = nearest_float(mantissa, power - num_decimals)
    if number < 0.0:
        return place, INEXACT, 0, 0.0
    return place, EXACT, 0, -number if is_negative else number
