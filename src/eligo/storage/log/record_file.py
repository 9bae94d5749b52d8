"""How is a file of records written so that a torn record is told from a damaged one?

    0        64
    ├ head ──┼ record │ record │ record …
      magic    each in a frame
      format
      of what  a number that the owner of the file gives it
      mark     up to where the file has reached the disk, and whether it goes on in another

A record is appended, the file is fsynced, and then the mark is moved behind it. What is not whole behind the mark is a
tail that was torn when a process or machine stopped, and that no one was told of: it is cut off. What is not whole
before the mark was acknowledged, so the file is damaged and nothing is answered from it.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from eligo.errors import StorageError
from eligo.storage.log.frames import frame, framed_records
from eligo.storage.refusal import damaged, foreign, newer, unusable
from eligo.storage.replace_file import replace_file

FORMAT = 1
HEAD = struct.Struct("<8sIQI24s")
"""Magic, format, the number of the file, CRC-32 of these 20 bytes, 24 zeros; the mark follows."""
MARK = struct.Struct("<QII")
"""Position in bytes, its CRC-32, 1 when the file goes on in another and else 0."""
MARK_AT = HEAD.size
START = HEAD.size + MARK.size
"""Where the first record begins."""


class RecordFileKind(NamedTuple):
    """Whose file of records it is."""

    magic: bytes
    called: str
    """What such a file is: "the log of a document base"."""
    numbered: str
    """What a file of a number is: "the log of checkpoint"."""
    goes_on: bool = False
    """Whether a file can go on in another."""
    is_private: bool = False
    """Whether nobody but its owner may read it."""


class RecordFileContent(NamedTuple):
    """What could be read of a file of records."""

    records: list[bytes]
    ends: list[int]
    """Behind each record."""
    num_torn: int
    """Bytes behind the last whole record."""
    marked: int
    """Up to where the file had reached the disk, at least."""
    goes_on: bool
    """Whether there was a file after this one."""

    @property
    def end(self) -> int:
        """Behind the last whole record."""
        return self.ends[-1] if self.ends else START


def new_record_file(path: Path, kind: RecordFileKind, number: int) -> None:
    """Makes an empty file of records, durably."""
    head = HEAD.pack(kind.magic, FORMAT, number, 0, bytes(24))[:20]
    head += struct.pack("<I24s", zlib.crc32(head), bytes(24))
    replace_file(path, [head, _mark(START)], is_private=kind.is_private)


def read_record_file(path: Path, kind: RecordFileKind, number: int) -> RecordFileContent:
    """The records of a file up to the first that is not whole; refused when that was acknowledged."""
    try:
        with open(path, "rb") as file:
            head = file.read(START)
            data = file.read()
    except OSError as error:
        raise unusable(path, "read", error) from error
    marked, goes_on = _checked_head(path, head, kind, number)
    records: list[bytes] = []
    ends: list[int] = []
    for record in framed_records(data):
        records.append(record.body)
        ends.append(START + record.end)
    content = RecordFileContent(records, ends, 0, marked, goes_on)
    size = START + len(data)
    if content.end < marked:
        missing = f"it ends after {size:,} bytes" if size < marked else "a record is not whole"
        raise damaged(path, f"{missing} at byte {content.end:,}, and {marked:,} bytes were acknowledged")
    return content._replace(num_torn=size - content.end)


def _checked_head(path: Path, head: bytes, kind: RecordFileKind, number: int) -> tuple[int, bool]:
    """The mark of a file whose head is right."""
    if not head.startswith(kind.magic):
        raise foreign(path, f"is not {kind.called}")
    if len(head) < START:
        raise damaged(path, f"it is cut off after {len(head)} bytes")
    _, format_number, own, crc32, zeros = HEAD.unpack(head[: HEAD.size])
    if zlib.crc32(head[:20]) != crc32 or any(zeros):
        raise damaged(path, "the checksum of its head does not fit")
    if format_number > FORMAT:
        raise newer(path, format_number, FORMAT)
    if own != number:
        raise damaged(path, f"it is {kind.numbered} {own}, not of {number}")
    position, _, goes_on = MARK.unpack(head[MARK_AT:])
    if head[MARK_AT:] != _mark(position, goes_on) or position < START or goes_on > kind.goes_on:
        raise damaged(path, "the checksum of its mark does not fit")
    return int(position), bool(goes_on)


def _mark(position: int, goes_on: int = 0) -> bytes:
    return MARK.pack(position, zlib.crc32(struct.pack("<Q", position)), goes_on)


class RecordWriter:
    """Appends to a file of records; whoever calls sees to it that one does at a time, and knows where it ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = FileIO(os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW), "r+")
        except OSError as error:
            raise unusable(path, "open", error) from error

    def append(self, bodies: Sequence[bytes], end: int, number: int) -> list[int]:
        """Write records behind the end, the first with the number; where each ends. On the disk after `sync`.

        What a call that was interrupted has left behind the end is cut off first.
        """
        pieces: list[bytes] = []
        ends: list[int] = []
        place = end
        for own_number, body in enumerate(bodies, number):
            head = frame(body, own_number)
            pieces += (head, body)
            place += len(head) + len(body)
            ends.append(place)
        self.cut(end)
        try:
            self._write(b"".join(pieces), end)
        except OSError as error:
            with suppress(StorageError):  # else it is cut before the next record
                self.cut(end)
            raise unusable(self.path, "write", error) from error
        return ends

    def _write(self, data: bytes, at: int) -> None:
        view = memoryview(data)
        written = 0
        while written < len(view):
            written += os.pwrite(self._file.fileno(), view[written:], at + written)

    def write_again(self, start: int, end: int) -> None:
        """Have the bytes of a region written once more: after a failed fsync they may be in memory alone."""
        try:
            self._write(os.pread(self._file.fileno(), end - start, start), start)
        except OSError as error:
            raise unusable(self.path, "write", error) from error

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

    def mark(self, end: int, *, goes_on: bool = False) -> None:
        """Note up to where the file has reached the disk; without the note less is known, and nothing is lost."""
        with suppress(OSError):
            os.pwrite(self._file.fileno(), _mark(end, int(goes_on)), MARK_AT)

    def close(self) -> None:
        self._file.close()
