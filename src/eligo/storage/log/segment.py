"""Which part of a log does a file hold? A segment: the records from its first number on, one after another.

00000000000000000001.log   1 … 812
00000000000000000813.log   813 … 1640
00000000000000001641.log   1641 …            the last; records are appended here
"""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Self

from eligo.errors import LogGoneError
from eligo.storage.log.frames import framed_records
from eligo.storage.log.record_file import START, RecordFileKind
from eligo.storage.refusal import damaged, unusable

SEGMENT = RecordFileKind(b"ELIGOSEG", "a segment of a log", "the segment of record", goes_on=True, is_private=True)
SEGMENT_NAME = re.compile(r"([0-9]{20})\.log")
STRIDE = 64
"""Of so many records the place of one is kept in memory."""
READ_BYTES = 1 << 20
"""Read at a time; more where a record is larger."""


class Segment(NamedTuple):
    """A segment as it was at one moment."""

    path: Path
    first_seq: int
    num_records: int
    end: int
    """Behind the last record, in bytes."""
    places: array[int]
    """Where every 64th record begins; grows with the segment, so only what its records need is looked at."""

    @classmethod
    def empty(cls, directory: Path, first_seq: int) -> Self:
        """The segment that begins with a record."""
        return cls(segment_path(directory, first_seq), first_seq, 0, START, array("Q"))

    @property
    def next_seq(self) -> int:
        return self.first_seq + self.num_records

    def grown(self, ends: Sequence[int]) -> Segment:
        """The segment with more records, by where each ends."""
        place = self.end
        del self.places[-(-self.num_records // STRIDE) :]  # of records that were to come, and did not
        for number, end in enumerate(ends, self.num_records):
            if number % STRIDE == 0:
                self.places.append(place)
            place = end
        return self._replace(num_records=self.num_records + len(ends), end=place)

    def read(self, seq: int) -> Iterator[tuple[int, bytes]]:
        """The records from a number on, up to where the segment ended."""
        number = (seq - self.first_seq) // STRIDE * STRIDE
        place = self.places[number // STRIDE]
        for bodies in self._pieces(place, number):
            for body in bodies:
                if self.first_seq + number >= seq:
                    yield self.first_seq + number, body
                number += 1

    def _pieces(self, place: int, number: int) -> Iterator[list[bytes]]:
        """Records from a place on, as many at a time as were read together."""
        try:
            with open(self.path, "rb", buffering=0) as file:
                num_bytes = READ_BYTES
                while place < self.end:
                    wanted = min(num_bytes, self.end - place)
                    data = os.pread(file.fileno(), wanted, place)
                    records = list(framed_records(data, number))
                    if not records and (len(data) < wanted or place + wanted == self.end):
                        raise damaged(
                            self.path, f"record {self.first_seq + number} is not whole any more, at byte {place:,}"
                        )
                    num_bytes = READ_BYTES if records else num_bytes * 4
                    yield [record.body for record in records]
                    place += records[-1].end if records else 0
                    number += len(records)
        except FileNotFoundError as error:
            raise LogGoneError(
                f"the log no longer has record {self.first_seq}", help="begin with a checkpoint"
            ) from error
        except OSError as error:
            raise unusable(self.path, "read", error) from error


def segment_path(directory: Path, first_seq: int) -> Path:
    """The file of the segment that begins with a record."""
    return directory / f"{first_seq:020d}.log"
