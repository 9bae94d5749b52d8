"""What can be said of a text that lies somewhere in memory? Its hash, its order, whether it is UTF-8."""

from __future__ import annotations

from typing import Any

from eligo.kernels.compiled import hot_loop
from eligo.kernels.hashing import i64, mix, u64
from eligo.kernels.memory import read_u8, read_u16, read_u32, read_u64

_MASK = 0xFFFFFFFFFFFFFFFF
_GOLDEN = 0x9E3779B97F4A7C15
_HIGH_BITS = 0x8080808080808080


@hot_loop
def hash_text(text: int, length: int, seed: int) -> Any:
    """The hash of so many bytes from an address on: that of `hashing.hash_bytes`."""
    state = mix(u64(seed) ^ ((u64(length) * u64(_GOLDEN)) & u64(_MASK)))
    place = text
    for _ in range(length >> 3):
        state = mix(state ^ read_u64(place))
        place += 8
    word = u64(0)
    shift = u64(0)
    if length & 4 != 0:
        word = u64(read_u32(place))
        shift = u64(32)
        place += 4
    if length & 2 != 0:
        word |= u64(read_u16(place)) << shift
        shift += u64(16)
        place += 2
    if length & 1 != 0:
        word |= u64(read_u8(place)) << shift
    return mix(state ^ word)


@hot_loop
def is_same(left: int, right: int, length: int) -> bool:
    """Whether so many bytes are the same at two addresses."""
    for _ in range(length >> 3):
        if read_u64(left) != read_u64(right):
            return False
        left += 8
        right += 8
    if length & 4 != 0:
        if read_u32(left) != read_u32(right):
            return False
        left += 4
        right += 4
    if length & 2 != 0:
        if read_u16(left) != read_u16(right):
            return False
        left += 2
        right += 2
    return length & 1 == 0 or bool(read_u8(left) == read_u8(right))


@hot_loop
def text_order(left: int, left_length: int, right: int, right_length: int) -> Any:
    """-1, 0 or 1: the order of two texts, which for UTF-8 is that of code points."""
    shorter = min(left_length, right_length)
    for place in range(shorter):
        a, b = read_u8(left + place), read_u8(right + place)
        if a != b:
            return -1 if a < b else 1
    if left_length == right_length:
        return 0
    return -1 if left_length < right_length else 1


@hot_loop
def is_unicode(text: int, length: int) -> bool:
    """Whether bytes are UTF-8; of ASCII, which is most common, eight at a time."""
    place, end = text, text + length
    while place + 8 <= end and read_u64(place) & u64(_HIGH_BITS) == 0:
        place += 8
    while place < end:
        byte = i64(read_u8(place))
        if byte < 0x80:
            place += 1
            continue
        # What may follow the first byte: no form longer than needed, no half of a surrogate pair, none beyond 10FFFF.
        least, most, more = 0x80, 0xBF, 1
        if byte < 0xC2 or byte > 0xF4:
            return False
        if byte >= 0xF0:
            more = 3
            if byte == 0xF0:
                least = 0x90
            elif byte == 0xF4:
                most = 0x8F
        elif byte >= 0xE0:
            more = 2
            if byte == 0xE0:
                least = 0xA0
            elif byte == 0xED:
                most = 0x9F
        if place + more >= end or read_u8(place + 1) < least or read_u8(place + 1) > most:
            return False
        for step in range(2, more + 1):
            if read_u8(place + step) & 0xC0 != 0x80:
                return False
        place += more + 1
    return True
