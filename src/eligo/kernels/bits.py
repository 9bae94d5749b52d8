"""How many ones does a word have, and where are they? One instruction each, where there is a compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from eligo.kernels.compiled import IS_INTERPRETED, hot_loop
from eligo.kernels.parameter_types import Integer, UInt64s


def _count_ones(word: Any) -> Any:
    return np.uint64(int(word).bit_count())


def _lowest_one(word: Any) -> Any:
    return np.uint64((int(word) & -int(word)).bit_length() - 1 if word else 64)


def _leading_zeros(word: Any) -> Any:
    return np.uint64(64 - int(word).bit_length())


def _without_lowest(word: Any) -> Any:
    return np.uint64(int(word) & (int(word) - 1) if word else 0)


@intrinsic
def _compiled_count(_typing_context: Any, word: Any) -> Any:
    """The instruction that counts ones."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return (types.uint64(types.uint64), generate) if word == types.uint64 else None


@intrinsic
def _compiled_lowest(_typing_context: Any, word: Any) -> Any:
    """The instruction that counts the zeros below the lowest one."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], cgutils.false_bit)

    return (types.uint64(types.uint64), generate) if word == types.uint64 else None


@intrinsic
def _compiled_leading(_typing_context: Any, word: Any) -> Any:
    """The instruction that counts the zeros above the highest one."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], cgutils.false_bit)

    return (types.uint64(types.uint64), generate) if word == types.uint64 else None


@intrinsic
def _compiled_without(_typing_context: Any, word: Any) -> Any:
    """The two instructions that clear the lowest one."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.and_(arguments[0], builder.sub(arguments[0], arguments[0].type(1)))

    return (types.uint64(types.uint64), generate) if word == types.uint64 else None


count_ones: Callable[[Any], Any] = _count_ones if IS_INTERPRETED else _compiled_count
"""How many bits of a 64-bit word are set."""
lowest_one: Callable[[Any], Any] = _lowest_one if IS_INTERPRETED else _compiled_lowest
"""Which bit is the lowest that is set in a 64-bit word; 64 when none is."""
leading_zeros: Callable[[Any], Any] = _leading_zeros if IS_INTERPRETED else _compiled_leading
"""How many bits are above the highest that is set in a 64-bit word; 64 when none is."""
without_lowest: Callable[[Any], Any] = _without_lowest if IS_INTERPRETED else _compiled_without
"""A 64-bit word without its lowest bit that is set; 0 when none is."""


@hot_loop
def _swap_halves(words: UInt64s, start: Integer, width: Integer, low: Integer) -> None:
    block = start
    while block < start + np.uint64(64):
        for row in range(block, block + width):
            upper, lower = np.uint64(row), np.uint64(row) + width
            swapped = ((words[upper] >> width) ^ words[lower]) & low
            words[lower] ^= swapped
            words[upper] ^= swapped << width
        block += np.uint64(2) * width


@hot_loop
def transpose(words: UInt64s, start: Integer) -> None:
    """Turn 64 words of 64 bits, from `start` on, round in place: bit c of word r becomes bit r of word c.

    Halves of blocks are swapped across the diagonal, of 64 x 64 bits, then of 32 x 32, down to 2 x 2.
    """
    first = np.uint64(start)
    # Six calls and not a loop: with widths that the compiler knows, it works on several words at once.
    _swap_halves(words, first, np.uint64(32), np.uint64(0x00000000FFFFFFFF))
    _swap_halves(words, first, np.uint64(16), np.uint64(0x0000FFFF0000FFFF))
    _swap_halves(words, first, np.uint64(8), np.uint64(0x00FF00FF00FF00FF))
    _swap_halves(words, first, np.uint64(4), np.uint64(0x0F0F0F0F0F0F0F0F))
    _swap_halves(words, first, np.uint64(2), np.uint64(0x3333333333333333))
    _swap_halves(words, first, np.uint64(1), np.uint64(0x5555555555555555))
