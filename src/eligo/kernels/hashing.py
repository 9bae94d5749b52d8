"""How is something found by its content? Flat hash tables: a power of two of uint32 slots, probed one after another.

A slot holds the number of an item or `NONE`. A table is at most half full, so a probe always ends; what a slot holds
is compared with what is looked for, so a hash never decides. Items go in by number, so a table is a function of its
content. Content that was chosen to collide makes long probes; then the table is made again with the next seed:

    items 0, 1, 2 with hashes 5, 9, 13 in 8 slots (places 5, 1, and 5 again):     . 1 . . . 0 2 .
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types

from eligo.kernels.compiled import kernel
from eligo.kernels.numba_inside import lower_builtin, signature, type_callable, unliteral
from eligo.kernels.parameter_types import Integer

NONE = np.uint32(0xFFFFFFFF)
"""An empty slot, and the answer for what a table does not hold."""

MAX_SEEDS = 16
"""Seeds that are tried before long probes are accepted."""

_MASK = 0xFFFFFFFFFFFFFFFF
_GOLDEN = 0x9E3779B97F4A7C15


def u64(number: Any) -> Any:
    """The number as 64 unsigned bits: a uint64 when compiled, a Python int (which cannot overflow) when interpreted."""
    return int(number) & _MASK


def i64(number: Any) -> Any:
    """The number as 64 bits with a sign when compiled; interpreted, where all numbers are Python's, it is as it is."""
    return number


def _convert(function: Callable[[Any], Any], number: Any) -> None:
    """Have a function compiled to a conversion to a type of number."""

    def generate(context: Any, builder: Any, used: Any, arguments: Any) -> Any:
        return context.cast(builder, arguments[0], used.args[0], number)

    type_callable(function)(lambda _context: lambda number_given: signature(number, unliteral(number_given)))
    for kind in (types.Number, types.Boolean):
        lower_builtin(function, kind)(generate)


_convert(u64, types.uint64)
_convert(i64, types.int64)


@kernel
def mix(bits: Integer) -> Any:
    """A bijection of 64 bits in which every bit of the result depends on every bit given (splitmix64's finaliser)."""
    bits = u64(bits)
    bits = ((bits ^ (bits >> u64(30))) * u64(0xBF58476D1CE4E5B9)) & u64(_MASK)
    bits = ((bits ^ (bits >> u64(27))) * u64(0x94D049BB133111EB)) & u64(_MASK)
    return bits ^ (bits >> u64(31))


@kernel
def hash_bytes(data: npt.NDArray[np.uint8], start: Integer, end: Integer, seed: Integer) -> Any:
    """The hash of data[start:end]."""
    state = mix(u64(seed) ^ ((u64(end - start) * u64(_GOLDEN)) & u64(_MASK)))
    place = u64(start)
    end = u64(end)
    while place + u64(8) <= end:
        word = u64(0)
        for byte in range(8):
            word |= u64(data[place + u64(byte)]) << u64(8 * byte)
        state = mix(state ^ word)
        place += u64(8)
    word = u64(0)
    shift = u64(0)
    while place < end:
        word |= u64(data[place]) << shift
        shift += u64(8)
        place += u64(1)
    return mix(state ^ word)


@kernel
def hash_words(first: Integer, second: Integer, third: Integer, seed: Integer) -> Any:
    """The hash of three words."""
    return mix(mix(mix(u64(seed) ^ u64(first)) ^ u64(second)) ^ u64(third))


@kernel
def fill_slots(hashes: npt.NDArray[np.uint64], slots: npt.NDArray[np.uint32]) -> int:
    """Put item i into the slots by hashes[i]; the longest probe."""
    mask = u64(len(slots) - 1)
    slots[:] = NONE
    longest = 0
    for item in range(len(hashes)):
        slot = u64(hashes[item]) & mask
        probe = 0
        while slots[slot] != NONE:
            slot = (slot + u64(1)) & mask
            probe += 1
        slots[slot] = item
        longest = max(longest, probe)
    return longest


@kernel
def hash_texts(offsets: npt.NDArray[np.uint64], data: npt.NDArray[np.uint8], seed: int) -> npt.NDArray[np.uint64]:
    """The hash of each data[offsets[i]:offsets[i + 1]]."""
    hashes = np.empty(len(offsets) - 1, np.uint64)
    for item in range(len(hashes)):
        hashes[item] = hash_bytes(data, offsets[item], offsets[item + 1], seed)
    return hashes


@kernel
def hash_columns(
    first: npt.NDArray[np.uint64], second: npt.NDArray[np.uint64], third: npt.NDArray[np.uint64], seed: int
) -> npt.NDArray[np.uint64]:
    """The hash of each row of three columns of words."""
    hashes = np.empty(len(first), np.uint64)
    for item in range(len(hashes)):
        hashes[item] = hash_words(first[item], second[item], third[item], seed)
    return hashes


def build_table(
    num_items: int, hashes_of: Callable[[int], npt.NDArray[np.uint64]]
) -> tuple[npt.NDArray[np.uint32], int]:
    """The slots of a table of distinct items, and its seed; `hashes_of(seed)` gives the hash of each item."""
    size = max(2, 1 << (2 * num_items - 1).bit_length()) if num_items else 2
    acceptable = 32 + 8 * size.bit_length()  # longer probes do not happen by chance at half load
    slots = np.empty(size, np.uint32)
    for seed in range(MAX_SEEDS):
        if fill_slots(hashes_of(seed), slots) <= acceptable:
            break
    return slots, seed
