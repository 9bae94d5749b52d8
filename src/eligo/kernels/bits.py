"""How many ones does a word have, and where are they? One instruction each, where there is a compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils

from eligo.kernels.compiled import hot_loop
from eligo.kernels.numba_inside import lower_builtin, type_callable
from eligo.kernels.parameter_types import Integer, UInt64s


def count_ones(word: Any) -> Any:
    """How many bits of a 64-bit word are set."""
    return np.uint64(int(word).bit_count())


def lowest_one(word: Any) -> Any:
    """Which bit is the lowest that is set in a 64-bit word; 64 when none is."""
    return np.uint64((int(word) & -int(word)).bit_length() - 1 if word else 64)


def leading_zeros(word: Any) -> Any:
    """How many bits are above the highest that is set in a 64-bit word; 64 when none is."""
    return np.uint64(64 - int(word).bit_length())


def without_lowest(word: Any) -> Any:
    """A 64-bit word without its lowest bit that is set; 0 when none is."""
    return np.uint64(int(word) & (int(word) - 1) if word else 0)


def _instruct(function: Callable[[Any], Any], instruction: Callable[[Any, Any], Any]) -> None:
    """Have a function of a word compiled to what `instruction` writes with a builder."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return instruction(builder, arguments[0])

    type_callable(function)(lambda _context: lambda word: types.uint64 if word == types.uint64 else None)
    lower_builtin(function, types.uint64)(generate)


_instruct(count_ones, lambda builder, word: builder.ctpop(word))
_instruct(lowest_one, lambda builder, word: builder.cttz(word, cgutils.false_bit))
_instruct(leading_zeros, lambda builder, word: builder.ctlz(word, cgutils.false_bit))
_instruct(without_lowest, lambda builder, word: builder.and_(word, builder.sub(word, word.type(1))))


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
