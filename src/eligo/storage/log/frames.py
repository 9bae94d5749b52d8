"""How is a record told from what only looks like one? By a frame with its length, a checksum and its number.

    ├ length ─┼ CRC-32 ─┼ number ─┼ body …
      4 bytes   4         4         length

The checksum is that of length, number and body, so that a record which stands where another belongs is none.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from eligo.errors import InputError

FRAME = struct.Struct("<III")
"""Bytes of the body, CRC-32, number of the record in its file."""
MAX_RECORD_BYTES = 1 << 30
_COVERED = struct.Struct("<II")


class Framed(NamedTuple):
    """A record that was found whole."""

    body: bytes
    end: int
    """Behind it."""


def frame(body: bytes, number: int) -> bytes:
    """What stands before the body of a record."""
    if len(body) > MAX_RECORD_BYTES:
        raise InputError(f"a record of {len(body):,} bytes is too large for the log", help="add fewer at a time")
    return FRAME.pack(len(body), _crc32(len(body), number, body), number)


def framed_records(data: bytes | memoryview, number: int = 0) -> Iterator[Framed]:
    """The records with which the data begin, up to the first that is not whole; the first has the number."""
    view = memoryview(data)
    place = 0
    while place + FRAME.size <= len(view):
        length, crc32, own_number = FRAME.unpack_from(view, place)
        end = place + FRAME.size + length
        body = bytes(view[place + FRAME.size : end])
        if len(body) < length or own_number != number or _crc32(length, number, body) != crc32:
            return
        yield Framed(body, end)
        place, number = end, number + 1


def _crc32(length: int, number: int, body: bytes) -> int:
    return zlib.crc32(body, zlib.crc32(_COVERED.pack(length, number)))
