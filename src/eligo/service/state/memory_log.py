"""What does a service without a directory write to? A log that counts records and keeps none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol


class RecordLog(Protocol):
    """What a committer needs of a log; `storage.log` has the one on disk."""

    def append(self, payloads: Sequence[bytes]) -> range:
        """Give records the next numbers, and return when they are as durable as the log is."""

    def close(self) -> None:
        """Let it go."""


class MemoryLog:
    """Numbers records, and keeps none."""

    first_seq = 1
    num_bytes = 0
    num_syncs = 0
    sync_seconds = 0.0

    def __init__(self, last_seq: int = 0) -> None:
        self.last_seq = last_seq

    def append(self, payloads: Sequence[bytes]) -> range:
        """Give records the next numbers."""
        first = self.last_seq + 1
        self.last_seq += len(payloads)
        return range(first, first + len(payloads))

    def read(self, first_seq: int) -> Iterator[tuple[int, bytes]]:
        """Nothing is kept."""
        return iter(())

    def drop_before(self, seq: int) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """Nothing is open."""
