"""What is where in an array file?

    0        64                    data             data + 64        data + 128
    ├ prefix ┼ header ── zeros ────┼ array ── zeros ┼ array ── zeros ┤ end of file
      magic    JSON: name, dtype,    every part begins at a multiple of 64
      format   length, offset and
      sizes    CRC-32 of each array

The prefix has a checksum of its own and of the header, the header one of each array, and padding is zero: so there is
no bit in the file that can change unnoticed. `docs/shard-format.md` has it byte by byte.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eligo.storage.canonical_json import Json, from_bytes, to_canonical
from eligo.storage.refusal import damaged, foreign, newer

MAGIC = b"ELIGO\x00\r\n"
FORMAT = 1
ALIGNMENT = 64
MAX_HEADER_BYTES = 16 << 20
"""Bound on the header; large data belongs in arrays, not in `meta`."""

PREFIX = struct.Struct("<8sIIQI32s")
"""Magic, format, header bytes, file bytes, header CRC-32, 32 zeros; the CRC-32 of these 60 bytes follows."""
PREFIX_BYTES = PREFIX.size + 4

DTYPES = {code: np.dtype(f"<{code}") for code in ("b1", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8")}
"""The element types a file may have, little-endian; `b1` is a byte that is 0 or 1."""

ARRAY_NAME = re.compile(r"[A-Za-z0-9_./-]{1,200}")
CRC_TEXT = re.compile(r"[0-9a-f]{8}")


@dataclass(frozen=True)
class ArrayEntry:
    """What the header says of one array."""

    name: str
    dtype: np.dtype[Any]
    length: int
    """Number of elements."""
    offset: int
    """First byte, counted from the start of the data."""
    crc32: int

    @property
    def num_bytes(self) -> int:
        return self.length * self.dtype.itemsize

    def to_json(self) -> dict[str, Json]:
        return {
            "bytes": self.num_bytes,
            "crc32": f"{self.crc32:08x}",
            "dtype": self.dtype.newbyteorder("<").str[1:],
            "length": self.length,
            "name": self.name,
            "offset": self.offset,
        }


@dataclass(frozen=True)
class Head:
    """The prefix and header of a file, read and checked."""

    entries: tuple[ArrayEntry, ...]
    meta: dict[str, Json]
    data_start: int
    checksum: int
    """CRC-32 of the prefix; through the header's checksum and the arrays' it stands for the whole file."""


def padded(num_bytes: int) -> int:
    """The next multiple of the alignment."""
    return -(-num_bytes // ALIGNMENT) * ALIGNMENT


def prefix_checksum(head: bytes) -> int:
    """The CRC-32 that the prefix ends with."""
    return int.from_bytes(head[PREFIX.size : PREFIX_BYTES], "little")


def encode_head(entries: list[ArrayEntry], meta: Mapping[str, Json]) -> bytes:
    """Prefix, header and padding; a `ValueError` for `meta` that is not JSON or too large."""
    header = to_canonical({"arrays": [entry.to_json() for entry in entries], "meta": meta})
    if len(header) > MAX_HEADER_BYTES:
        raise ValueError(f"the header takes {len(header)} bytes, more than {MAX_HEADER_BYTES}")
    data_start = padded(PREFIX_BYTES + len(header))
    file_bytes = data_start + (entries[-1].offset + padded(entries[-1].num_bytes) if entries else 0)
    prefix = PREFIX.pack(MAGIC, FORMAT, len(header), file_bytes, zlib.crc32(header), bytes(32))
    prefix += zlib.crc32(prefix).to_bytes(4, "little")
    return (prefix + header).ljust(data_start, b"\x00")


def decode_head(data: memoryview, path: Path) -> Head:
    """Reads and checks prefix and header against each other and against the file's real size."""
    prefix = bytes(data[:PREFIX_BYTES])
    if not prefix.startswith(MAGIC) and not MAGIC.startswith(prefix):
        raise foreign(path, "is not an eligo file")
    if len(prefix) < PREFIX_BYTES:
        raise damaged(path, f"it is cut off after {len(prefix)} bytes")
    _, format_number, header_bytes, file_bytes, header_crc32, reserved = PREFIX.unpack(prefix[:-4])
    checksum = prefix_checksum(prefix)
    if zlib.crc32(prefix[:-4]) != checksum:
        raise damaged(path, "the checksum of its first 64 bytes does not fit")
    if format_number > FORMAT:
        raise newer(path, format_number, FORMAT)
    if format_number != FORMAT or any(reserved):
        raise damaged(path, f"its first 64 bytes are not those of format {FORMAT}")
    if file_bytes != len(data):
        what = "cut off" if len(data) < file_bytes else "followed by other data"
        raise damaged(path, f"it is {what}: {len(data)} bytes, and it was written with {file_bytes}")
    data_start = padded(PREFIX_BYTES + header_bytes)
    if header_bytes > MAX_HEADER_BYTES or data_start > len(data):
        raise damaged(path, f"a header of {header_bytes} bytes does not fit in it")
    header = bytes(data[PREFIX_BYTES : PREFIX_BYTES + header_bytes])
    if zlib.crc32(header) != header_crc32:
        raise damaged(path, "the checksum of its header does not fit")
    if any(data[PREFIX_BYTES + header_bytes : data_start]):
        raise damaged(path, "the padding after its header is not zero")
    entries, meta = _parse_header(header, len(data) - data_start, path)
    return Head(entries, meta, data_start, checksum)


def _parse_header(header: bytes, data_bytes: int, path: Path) -> tuple[tuple[ArrayEntry, ...], dict[str, Json]]:
    try:
        document = from_bytes(header)
    except ValueError as error:
        raise damaged(path, f"its header is not JSON: {error}") from None
    if not isinstance(document, dict) or document.keys() != {"arrays", "meta"}:
        raise damaged(path, "its header does not have exactly the fields 'arrays' and 'meta'")
    arrays, meta = document["arrays"], document["meta"]
    if not isinstance(arrays, list) or not isinstance(meta, dict):
        raise damaged(path, "in its header 'arrays' is not a list or 'meta' is not an object")
    entries: list[ArrayEntry] = []
    end = 0
    for array in arrays:
        entry = _parse_entry(array, path)
        if entries and entry.name <= entries[-1].name:
            raise damaged(path, f"array {entry.name!r} is out of order or given twice")
        # Arrays follow each other without gaps, so they cannot overlap and the last must end with the file.
        if entry.offset != end:
            raise damaged(path, f"array {entry.name!r} begins at {entry.offset} instead of {end}")
        end += padded(entry.num_bytes)
        if end > data_bytes:
            raise damaged(path, f"array {entry.name!r} ends beyond the file")
        entries.append(entry)
    if end != data_bytes:
        raise damaged(path, f"its arrays take {end} bytes of {data_bytes}")
    return tuple(entries), meta


def _parse_entry(array: Json, path: Path) -> ArrayEntry:
    if not isinstance(array, dict) or array.keys() != {"bytes", "crc32", "dtype", "length", "name", "offset"}:
        raise damaged(path, "an array of its header does not have exactly the fields of an array")
    name, code, crc32 = array["name"], array["dtype"], array["crc32"]
    if not isinstance(name, str) or not ARRAY_NAME.fullmatch(name):
        raise damaged(path, f"{name!r} cannot be the name of an array")
    if not isinstance(code, str) or code not in DTYPES:
        raise damaged(path, f"array {name!r} has the unknown dtype {code!r}")
    if not isinstance(crc32, str) or not CRC_TEXT.fullmatch(crc32):
        raise damaged(path, f"array {name!r} has no checksum")
    numbers = [array[field] for field in ("length", "offset", "bytes")]
    if any(type(number) is not int or number < 0 for number in numbers):
        raise damaged(path, f"the sizes of array {name!r} are not all numbers from 0 on")
    length, offset, num_bytes = (int(number) for number in numbers)
    entry = ArrayEntry(name, DTYPES[code], length, offset, int(crc32, 16))
    if num_bytes != entry.num_bytes:
        raise damaged(path, f"array {name!r} of {length} elements of {code} cannot take {num_bytes} bytes")
    return entry
