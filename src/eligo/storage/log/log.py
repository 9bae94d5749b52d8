"""How is a record acknowledged? It is in the log, in its order, and on the disk with all that came together.

    log = Log.open("data/log", after=812)        # what a checkpoint has, up to record 812
    log.append([b"…", b"…"])                     # range(813, 815): written at once, one fsync
    for seq, record in log.read(813): …          # also while others append

`durability` says what `append` waits for: "fsync" for the disk; a number of seconds for nothing, because a thread
brings to the disk at least so often what has come. A machine that stops can then lose what came since; a process that
is killed loses nothing. After the first write or fsync that fails nothing more is taken, because it is not known what
the disk has: the log is opened again, which finds out.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, Self

from eligo.errors import DamagedFileError, EligoError, InputError, LogFailedError, LogGoneError, StorageError
from eligo.storage.log.flusher import Flusher
from eligo.storage.log.record_file import RecordWriter, new_record_file
from eligo.storage.log.recovery import RecoveredLog, recovered, remove_segments
from eligo.storage.log.segment import SEGMENT, Segment

logger = logging.getLogger("eligo")

Durability = Literal["fsync"] | float
SEGMENT_BYTES = 16 << 20
"""When a segment is as large, the next begins."""
DAMAGED_HELP = "restore the log from a copy; nothing is answered from a damaged one"
REOPEN = "see to the disk and open the log again: it has everything that was acknowledged"


class Log:
    """Records with consecutive numbers; one thread at a time appends, any number read."""

    def __init__(self, directory: Path, found: RecoveredLog, durability: Durability, segment_bytes: int) -> None:
        self.directory = directory
        self.recovery = found.recovery
        self._segment_bytes = segment_bytes
        self._segments = found.segments
        """As readers see them; the last is replaced when records were acknowledged."""
        self._written = found.segments[-1]
        """The last segment with what was written to it, acknowledged or not."""
        self._writer = found.writer
        self.synced_seq = self._written.next_seq - 1
        """The last record of which it is known that it is on the disk."""
        self.num_syncs = 0
        self.sync_seconds = 0.0
        """What all of them took."""
        self._why_not: EligoError | None = None
        self._appending = threading.Lock()
        self._syncing = threading.Lock()
        """For whoever fsyncs or changes the writer; taken after the other one by those who need both."""
        self._flusher = None if durability == "fsync" else Flusher(self.sync, durability)

    @classmethod
    def open(
        cls,
        directory: str | os.PathLike[str],
        *,
        after: int = 0,
        durability: Durability = "fsync",
        segment_bytes: int | None = None,
    ) -> Self:
        """The log of a directory, which is made where there is none; its records up to `after` may be gone.

        A torn tail is cut off, which `recovery` says. A `DamagedFileError` names the file and the byte of anything
        else that is not as it was acknowledged. A segment that has `segment_bytes` (None: 16 MiB) is the last no more.
        """
        if durability != "fsync" and not (isinstance(durability, int | float) and 0 < durability <= 3600):
            raise InputError(
                f'durability is "fsync" or seconds of at most an hour, not {durability!r}', help='take "fsync"'
            )
        most = SEGMENT_BYTES if segment_bytes is None else segment_bytes
        if after < 0 or most < 1:
            raise InputError("a log begins behind record 0 or a later one, and its segments have bytes")
        path = Path(directory)
        try:
            found = recovered(path, after)
        except DamagedFileError as error:
            error.help = DAMAGED_HELP
            raise
        if found.recovery.num_torn:
            logger.warning("%s", found.recovery)
        return cls(path, found, durability, most)

    @property
    def first_seq(self) -> int:
        """Of the first record that the log has, or will have."""
        return self._segments[0].first_seq

    @property
    def last_seq(self) -> int:
        """Of the last record that was acknowledged; 0 before the first."""
        return self._segments[-1].next_seq - 1

    @property
    def num_bytes(self) -> int:
        """Of all segments."""
        return sum(segment.end for segment in self._segments)

    @property
    def failure(self) -> EligoError | None:
        """Why nothing more is taken, if it is so."""
        return self._why_not

    def append(self, payloads: Sequence[bytes]) -> range:
        """Write records, in order and with one fsync, and return their numbers.

        After a `LogFailedError` it is not known whether they will be there when the log is opened again.
        """
        with self._appending:
            self._require_usable()
            first = self._written.next_seq
            if not payloads:
                return range(first, first)
            try:
                self._write(payloads)
            except StorageError as error:
                failed = self._failed(error)
                with suppress(StorageError):  # so that what was refused is not there later, if the disk lets us
                    self._writer.cut(self._segments[-1].end)
                raise failed from error
            self._segments = (*self._segments[:-1], self._written)
            if self._flusher is not None:
                self._flusher.due()
            return range(first, first + len(payloads))

    def _write(self, payloads: Sequence[bytes]) -> None:
        if self._written.end >= self._segment_bytes and self._written.num_records:
            self._roll()
        segment = self._written
        ends = self._writer.append(payloads, segment.end, segment.num_records)
        self._written = segment.grown(ends)
        if self._flusher is None:
            self.sync()

    def _roll(self) -> None:
        """Begin the next segment; what stands in this one is on the disk before."""
        self.sync()
        with self._syncing:
            old, segment = self._writer, Segment.empty(self.directory, self._written.next_seq)
            new_record_file(segment.path, SEGMENT, segment.first_seq)
            self._writer = RecordWriter(segment.path)
            old.mark(self._written.end, goes_on=True)
            old.close()
            self._written = segment
            self._segments = (*self._segments, segment)

    def sync(self) -> None:
        """Wait until all that was written is on the disk, and mark it as such."""
        with self._syncing:
            written = self._written
            if self.synced_seq >= written.next_seq - 1:
                return
            self._require_usable()
            started = time.perf_counter()
            try:
                self._writer.sync()
            except StorageError as error:
                raise self._failed(error) from error
            self.sync_seconds += time.perf_counter() - started
            self.num_syncs += 1
            self._writer.mark(written.end)
            self.synced_seq = written.next_seq - 1

    def _require_usable(self) -> None:
        if self._why_not is not None:
            raise type(self._why_not)(self._why_not.message, help=self._why_not.help)

    def _failed(self, error: StorageError) -> LogFailedError:
        """Take nothing more."""
        if isinstance(error, LogFailedError):
            return error
        self._why_not = LogFailedError(f"the log takes no more records: {error.message}", help=REOPEN)
        logger.error("%s", self._why_not.message)
        return LogFailedError(error.message, help=f"nothing was acknowledged; {REOPEN}")

    def read(self, first_seq: int) -> Iterator[tuple[int, bytes]]:
        """The records from a number on, with their numbers, up to the last that is acknowledged now.

        A `LogGoneError` says that the log no longer has them.
        """
        segments = self._segments
        if first_seq > segments[-1].next_seq or first_seq < 1:
            raise InputError(f"the log ends with record {segments[-1].next_seq - 1}, before {first_seq}")
        if first_seq < segments[0].first_seq:
            raise LogGoneError(
                f"the log begins with record {segments[0].first_seq}, behind {first_seq}",
                help="begin with a checkpoint",
            )
        return self._read(segments, first_seq)

    def _read(self, segments: tuple[Segment, ...], seq: int) -> Iterator[tuple[int, bytes]]:
        for segment in segments:
            if seq < segment.next_seq and segment.num_records:  # the last may have been made just now
                yield from segment.read(max(seq, segment.first_seq))

    def drop_before(self, seq: int) -> None:
        """Remove the segments all of whose records come before a number; the last one stays."""
        with self._appending:
            gone = [segment for segment in self._segments[:-1] if segment.next_seq <= seq]
            self._segments = self._segments[len(gone) :]
            remove_segments(self.directory, gone)

    def close(self) -> None:
        """Bring all of it to the disk, the mark included, and let the files go."""
        if self._flusher is not None:
            self._flusher.stop()
        with self._appending:
            try:
                if self._why_not is None:
                    self.sync()
                    self._writer.sync()
            finally:
                with self._syncing:
                    self._writer.close()
                    self._why_not = self._why_not or StorageError("the log was closed", help="open it again")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
