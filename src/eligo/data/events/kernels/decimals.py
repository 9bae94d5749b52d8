"""Which decimals are exact as numbers? Those that are whole in 64 bits, or that a float64 holds without rounding.

A decimal is m / 10^s with m of 128 bits. It is m / (2^s 5^s), so it is a float only if 5^s divides m; what is left,
an odd number times a power of two, must have at most 53 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import u64

_INT64_MAX = 2**63 - 1
_INT64_MIN = -(2**63)


@kernel
def _fifth(top: int, bottom: int) -> tuple[Any, Any, Any]:
    """A 128-bit number divided by 5: quotient and remainder, in steps of 32 bits."""
    half = u64(0xFFFFFFFF)
    five = u64(5)
    first = top >> u64(32)
    second = ((first % five) << u64(32)) | (top & half)
    third = ((second % five) << u64(32)) | (bottom >> u64(32))
    fourth = ((third % five) << u64(32)) | (bottom & half)
    quotient_top = ((first // five) << u64(32)) | (second // five)
    quotient_bottom = ((third // five) << u64(32)) | (fourth // five)
    return quotient_top, quotient_bottom, fourth % five


@kernel
def _magnitude(top: int, bottom: int) -> tuple[bool, Any, Any]:
    """Whether a 128-bit number in two's complement is negative, and its magnitude."""
    if top >> u64(63) == 0:
        return False, top, bottom
    if bottom == u64(0):  # the carry goes into the upper word
        return True, u64(u64(~top) + u64(1)), bottom
    return True, u64(~top), u64(u64(~bottom) + u64(1))


@kernel
def decimals_to_numbers(
    words: npt.NDArray[np.uint64], scale: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.uint8]]:
    """The exact pair of each decimal (see `data.encoded_value`), and whether there is one.

    `words` has two for each decimal, the lower first, in two's complement; the scale is 0 or more.
    """
    count = len(words) // 2
    highs = np.zeros(count, np.int64)
    lows = np.zeros(count, np.float64)
    is_exact = np.zeros(count, np.uint8)
    for place in range(count):
        is_negative, top, bottom = _magnitude(u64(words[2 * place + 1]), u64(words[2 * place]))
        if top == 0 and bottom == 0:
            is_exact[place] = 1
            continue
        halvings = scale
        remainder = u64(0)
        for _ in range(scale):
            top, bottom, remainder = _fifth(top, bottom)
            if remainder != 0:
                break
        if remainder != 0:
            continue
        doublings = 0
        while bottom & u64(1) == 0:  # take out twos: first those to divide by, then those that only shift
            bottom = (bottom >> u64(1)) | ((top & u64(1)) << u64(63))
            top = top >> u64(1)
            if halvings > 0:
                halvings -= 1
            else:
                doublings += 1
        sign = -1.0 if is_negative else 1.0
        is_float = top == 0 and bottom >> u64(53) == 0
        if halvings > 0:
            if is_float:
                highs[place] = np.int64(sign * float(bottom >> u64(halvings)))
                lows[place] = sign * float(bottom & ((u64(1) << u64(halvings)) - u64(1))) * 2.0 ** (-halvings)
                is_exact[place] = 1
        elif top == 0 and doublings < 63 and bottom <= u64(_INT64_MAX) >> u64(doublings):
            whole = np.int64(bottom << u64(doublings))
            highs[place] = -whole if is_negative else whole
            is_exact[place] = 1
        elif is_negative and top == 0 and bottom == 1 and doublings == 63:
            highs[place] = _INT64_MIN
            is_exact[place] = 1
        elif is_float:
            highs[place] = _INT64_MIN if is_negative else _INT64_MAX
            lows[place] = sign * float(bottom) * 2.0**doublings
            is_exact[place] = 1
    return highs, lows, is_exact
