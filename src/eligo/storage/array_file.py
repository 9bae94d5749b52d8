"""How are named arrays written to one file, and read back without a copy?

    write_arrays("a.eligo", {"keys": keys, "offsets": offsets}, {"engine": "scan"})
    file = read_arrays("a.eligo")
    file.arrays["keys"]                  # read-only, memory-mapped: processes on one machine share the pages

Equal arrays and equal `meta` give equal bytes. Nothing in a file is trusted: sizes are checked before they are used,
and nothing is unpickled. See `array_layout` for what is where.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eligo.errors import InputError
from eligo.sharing import once
from eligo.storage.array_layout import (
    ARRAY_NAME,
    DTYPES,
    ArrayEntry,
    decode_head,
    encode_head,
    padded,
    prefix_checksum,
)
from eligo.storage.canonical_json import Json
from eligo.storage.refusal import damaged, foreign, unusable
from eligo.storage.replace_file import replace_file
from eligo.storage.verified_files import FileIdentity, is_verified, note_verified

Arrays = Mapping[str, np.ndarray[Any, Any]]
"""Arrays of one dimension by name."""


@dataclass(frozen=True)
class ArrayFile:
    """A file that was read: its arrays are views of the mapped file and stay valid when the file is removed."""

    path: Path
    arrays: dict[str, np.ndarray[Any, Any]]
    meta: dict[str, Json]
    num_bytes: int
    checksum: int
    """CRC-32 of the first 60 bytes, which stands for the whole file; the manifest has it too."""
    identity: FileIdentity
    """Which file it was when it was mapped: one that has another now was changed or replaced."""


@dataclass(frozen=True)
class ArrayFileContent:
    """What a file will consist of, before it is written."""

    head: bytes
    arrays: tuple[np.ndarray[Any, Any], ...]
    """In the order of the file, contiguous and little-endian."""

    @classmethod
    def of(cls, arrays: Arrays, meta: Mapping[str, Json]) -> ArrayFileContent:
        """Lays the arrays out in the order of their names; `InputError` for what a file cannot hold."""
        entries: list[ArrayEntry] = []
        laid_out: list[np.ndarray[Any, Any]] = []
        offset = 0
        for name in sorted(arrays):
            array = _storable(name, arrays[name])
            entry = ArrayEntry(name, array.dtype, len(array), offset, zlib.crc32(_bytes_of(array)))
            offset += padded(entry.num_bytes)
            entries.append(entry)
            laid_out.append(array)
        try:
            return cls(encode_head(entries, meta), tuple(laid_out))
        except ValueError as error:
            raise InputError(f"this cannot be the meta data of an array file: {error}") from None

    def chunks(self) -> Iterator[bytes | memoryview]:
        """The bytes of the file, in order."""
        yield self.head
        for array in self.arrays:
            yield _bytes_of(array)
            yield bytes(padded(array.nbytes) - array.nbytes)

    @once
    def num_bytes(self) -> int:
        return len(self.head) + sum(padded(array.nbytes) for array in self.arrays)

    @once
    def sha256(self) -> str:
        """The content hash: what `sha256sum` prints for the file."""
        digest = hashlib.sha256()
        for chunk in self.chunks():
            digest.update(chunk)
        return digest.hexdigest()

    @property
    def checksum(self) -> int:
        """As in `ArrayFile`."""
        return prefix_checksum(self.head)


def write_arrays(path: str | os.PathLike[str], arrays: Arrays, meta: Mapping[str, Json]) -> str:
    """Writes the file, atomically and durably, and returns its content hash."""
    content = ArrayFileContent.of(arrays, meta)
    replace_file(Path(path), content.chunks())
    return content.sha256


def read_arrays(path: str | os.PathLike[str], *, verify: bool = True, only: tuple[str, ...] | None = None) -> ArrayFile:
    """Maps the file, and reads it whole to compare checksums unless that has been done since its last change.

    With `only`, arrays whose names begin otherwise are neither verified nor given. `verify=False` leaves the pass over
    the arrays out, and still checks prefix, header and sizes.
    """
    path = Path(path)
    mapped, identity = _map(path)
    head = decode_head(memoryview(mapped), path)
    whole = np.frombuffer(mapped, np.uint8)
    entries = [entry for entry in head.entries if only is None or entry.name.startswith(only)]
    if verify and not is_verified(identity, head.checksum):
        began_settled = identity.is_settled
        for problem in _problems(whole, head.data_start, entries):
            raise damaged(path, problem)
        let_go(mapped)
        if len(entries) == len(head.entries):
            note_verified(identity, head.checksum, began_settled=began_settled)
    arrays = {}
    for entry in entries:
        start = head.data_start + entry.offset
        arrays[entry.name] = whole[start : start + entry.num_bytes].view(entry.dtype)
    return ArrayFile(path, arrays, head.meta, len(whole), head.checksum, identity)


def array_problems(path: str | os.PathLike[str]) -> Iterator[str]:
    """What is wrong with the arrays and the padding of a file, whose head must be right, however often it was read."""
    path = Path(path)
    mapped, _ = _map(path)
    head = decode_head(memoryview(mapped), path)
    return _problems(np.frombuffer(mapped, np.uint8), head.data_start, head.entries)


def _problems(whole: np.ndarray[Any, Any], data_start: int, entries: Sequence[ArrayEntry]) -> Iterator[str]:
    for entry in entries:
        start = data_start + entry.offset
        end = start + entry.num_bytes
        array = whole[start:end]
        if zlib.crc32(array.data) != entry.crc32:
            yield f"the checksum of array {entry.name!r} does not fit"
        if entry.dtype == np.bool_ and array.max(initial=0) > 1:
            yield f"array {entry.name!r} has bytes that are neither true nor false"
        if whole[end : start + padded(entry.num_bytes)].any():
            yield f"the padding after array {entry.name!r} is not zero"


def _map(path: Path) -> tuple[mmap.mmap | bytes, FileIdentity]:
    try:
        if os.path.exists(path) and not path.is_file():
            raise foreign(path, "is not a file")
        with open(path, "rb") as file:
            identity = FileIdentity.of(os.fstat(file.fileno()))
            if identity.num_bytes == 0:
                return b"", identity
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), identity
    except OSError as error:
        raise unusable(path, "read", error) from error


def let_go(pages: mmap.mmap | bytes) -> None:
    """Take the pages of a mapped file out of this process's memory; those that are needed are read again."""
    if isinstance(pages, mmap.mmap) and hasattr(pages, "madvise"):
        pages.madvise(mmap.MADV_DONTNEED)


def _storable(name: str, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array as the file has it: one dimension, contiguous, little-endian."""
    if not ARRAY_NAME.fullmatch(name):
        raise InputError(
            f"{name!r} cannot be the name of an array", help="use 1 to 200 letters, digits and the signs _ . / -"
        )
    if array.ndim != 1:
        raise InputError(f"array {name!r} has {array.ndim} dimensions", help="store it flat, and its shape in the meta")
    dtype = array.dtype.newbyteorder("<")
    if dtype not in DTYPES.values():
        raise InputError(f"array {name!r} has dtype {array.dtype}", help=f"use one of {', '.join(DTYPES)}")
    return np.ascontiguousarray(array, dtype=dtype)


def _bytes_of(array: np.ndarray[Any, Any]) -> memoryview:
    return array.view(np.uint8).data
