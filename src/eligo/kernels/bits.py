"""How many ones does a word have, and where are they? One instruction each, where there is a compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from eligo.kernels.compiled import IS_INTERPRETED, hot_loop
from eligo.kernels.parameter_types import UInt64s


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
def transpose(square: UInt64s) -> None:
    """Turn 64 words of 64 bits round in place: bit c of word r becomes bit r of word c.

    Halves of blocks are swapped across the diagonal, of 64 x 64 bits, then of 32 x 32, down to 2 x 2.
    """
    width = np.uint64(32)
    low = np.uint64(0x00000000FFFFFFFF)
    while width != 0:
        row = np.uint64(0)
        while row < np.uint64(64):
            other = row + width
            swapped = ((square[row] >> width) ^ square[other]) & low
            square[other] ^= swapped
            square[row] ^= swapped << width
            row = (other + np.uint64(1)) & ~width
        width >>= np.uint64(1)
        low ^= low << width
