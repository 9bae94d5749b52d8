"""How is a log written so that a torn record is told from a damaged one?

    0        64
    ├ head ──┼ record │ record │ record …
      magic    length, CRC-32, number of the record in the log, then its bytes
      format
      mark     up to where the log has reached the disk

A record is appended, the log is fsynced, and then the mark is moved behind it. What is not whole behind the mark is a
tail that was torn when a process or machine stopped, and that no one was told of: it is cut off. What is not whole
before the mark was acknowledged, so the log is damaged and nothing is answered from it.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from eligo.errors import InputError, StorageError
from eligo.storage.refusal import damaged, foreign, newer, unusable
from eligo.storage.replace_file import replace_file

MAGIC = b"ELIGOLOG"
FORMAT = 1
HEAD = struct.Struct("<8sIQI24s")
"""Magic, format, checkpoint, CRC-32 of these 20 bytes, 24 zeros; the mark follows."""
MARK = struct.Struct("<QI4s")
"""Position in bytes, its CRC-32, 4 zeros."""
MARK_AT = HEAD.size
START = HEAD.size + MARK.size
"""Where the first record begins."""
RECORD = struct.Struct("<III")
"""Bytes of the record, CRC-32 of what follows and of the length, number of the record in the log."""
MAX_RECORD_BYTES = 1 << 30


class LogContent(NamedTuple):
    """What could be read of a log."""

    records: list[bytes]
    end: int
    """Behind the last whole record."""
    num_torn: int
    """Bytes behind it."""


def new_log(path: Path, checkpoint: int) -> None:
    """Makes an empty log, durably."""
    head = HEAD.pack(MAGIC, FORMAT, checkpoint, 0, bytes(24))[:20]
    head += struct.pack("<I24s", zlib.crc32(head), bytes(24))
    replace_file(path, [head, _mark(START)])


def read_log(path: Path, checkpoint: int) -> LogContent:
    """The records of a log up to the first that is not whole; refused when that was acknowledged."""
    try:
        with open(path, "rb") as file:
            head = file.read(START)
            data = file.read()
    except OSError as error:
        raise unusable(path, "read", error) from error
    marked = _checked_head(path, head, checkpoint)
    records = list(_records(memoryview(data)))
    end = START + sum(RECORD.size + len(record) for record in records)
    if end < marked:
        missing = (
            f"it ends after {START + len(data):,} bytes" if START + len(data) < marked else "a record is not whole"
        )
        raise damaged(path, f"{missing} at byte {end:,}, and {marked:,} bytes were acknowledged")
    return LogContent(records, end, START + len(data) - end)


def _checked_head(path: Path, head: bytes, checkpoint: int) -> int:
    """The mark of a log whose head is right."""
    if not head.startswith(MAGIC):
        raise foreign(path, "is not the log of a document base")
    if len(head) < START:
        raise damaged(path, f"it is cut off after {len(head)} bytes")
    _, format_number, own, crc32, zeros = HEAD.unpack(head[: HEAD.size])
    if zlib.crc32(head[:20]) != crc32 or any(zeros):
        raise damaged(path, "the checksum of its head does not fit")
    if format_number > FORMAT:
        raise newer(path, format_number, FORMAT)
    if own != checkpoint:
        raise damaged(path, f"it is the log of checkpoint {own}, not of {checkpoint}")
    position, _, _ = MARK.unpack(head[MARK_AT:])
    if head[MARK_AT:] != _mark(position) or position < START:
        raise damaged(path, "the checksum of its mark does not fit")
    return int(position)


def _records(data: memoryview) -> Iterator[bytes]:
    place = number = 0
    while place + RECORD.size <= len(data):
        length, crc32, own_number = RECORD.unpack(data[place : place + RECORD.size])
        body = bytes(data[place + RECORD.size : place + RECORD.size + length])
        if len(body) < length or own_number != number or _crc32(length, number, body) != crc32:
            return
        yield body
        place += RECORD.size + length
        number += 1


def _crc32(length: int, number: int, body: bytes) -> int:
    return zlib.crc32(body, zlib.crc32(struct.pack("<II", length, number)))


def _mark(position: int) -> bytes:
    return MARK.pack(position, zlib.crc32(struct.pack("<Q", position)), bytes(4))


class LogWriter:
    """Appends to a log; whoever calls sees to it that one does at a time, and knows where the log ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = FileIO(os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW), "r+")
        except OSError as error:
            raise unusable(path, "open", error) from error

    def append(self, body: bytes, end: int, number: int) -> int:
        """Write the record of a number behind the end, and return the new end; it is on the disk after `sync`.

        What a call that was interrupted has left behind the end is cut off first.
        """
        if len(body) > MAX_RECORD_BYTES:
            raise InputError(f"a record of {len(body):,} bytes is too large for the log", help="add fewer at a time")
        self.cut(end)
        record = RECORD.pack(len(body), _crc32(len(body), number, body), number) + body
        try:
            written = 0
            while written < len(record):
                written += os.pwrite(self._file.fileno(), record[written:], end + written)
        except OSError as error:
            with suppress(StorageError):  # else it is cut before the next record
                self.cut(end)
            raise unusable(self.path, "write", error) from error
        return end + len(record)

    def cut(self, end: int) -> None:
        """Cut off what stands behind the end."""
        try:
            if os.fstat(self._file.fileno()).st_size > end:
                os.ftruncate(self._file.fileno(), end)
        except OSError as error:
            raise unusable(self.path, "cut", error) from error

    def sync(self) -> None:
        """Wait until what was appended is on the disk."""
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise unusable(self.path, "fsync", error) from error

    def mark(self, end: int) -> None:
        """Note up to where the log has reached the disk; without the note less is known, and nothing is lost."""
        with suppress(OSError):
            os.pwrite(self._file.fileno(), _mark(end), MARK_AT)

    def close(self) -> None:
        self._file.close()
