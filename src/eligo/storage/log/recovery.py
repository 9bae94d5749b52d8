"""What is left of a log after its process, or the machine, has stopped? All that was acknowledged, or a refusal.

Behind the last segment's mark a record that is not whole is a torn tail: it is cut off, and said. Everywhere else it is
damage, and so are a segment that is missing between two others, or behind one that says that it goes on.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from eligo.storage.log.record_file import RecordFileContent, RecordWriter, new_record_file, read_record_file
from eligo.storage.log.segment import SEGMENT, SEGMENT_NAME, Segment
from eligo.storage.refusal import damaged, unusable
from eligo.storage.replace_file import TEMPORARY_NAME, make_directory, sync_above, sync_directory


class LogRecovery(NamedTuple):
    """What opening a log has found."""

    num_segments: int
    num_records: int
    num_torn: int
    """Bytes of a torn tail that were cut off; no one had been told that they were written."""
    torn_path: Path | None = None
    """The file that they stood in."""

    def __str__(self) -> str:
        found = f"{self.num_records:,} records in {self.num_segments:,} segments"
        if not self.num_torn:
            return found
        return (
            f"{found}; {self.torn_path} ended in the middle of a record: its last {self.num_torn:,} bytes were cut "
            "off, which no one had been told of"
        )


class RecoveredLog(NamedTuple):
    """A log that can be gone on with."""

    segments: tuple[Segment, ...]
    writer: RecordWriter
    """Of the last segment."""
    recovery: LogRecovery


def recovered(directory: Path, after: int) -> RecoveredLog:
    """Read all segments, cut off a torn tail, and see to it that what is left is on the disk.

    Records up to `after` are known from elsewhere: the log may begin behind them, and begins anew where it has fewer.
    """
    make_directory(directory, is_private=True)
    segments: list[Segment] = []
    content: RecordFileContent | None = None
    for first_seq in _first_seqs(directory):
        if segments:
            _require_whole(segments[-1], content, first_seq)
        segment = Segment.empty(directory, first_seq)
        content = read_record_file(segment.path, SEGMENT, first_seq)
        segments.append(segment.grown(content.ends))
    if not segments or content is None:
        return _begun_anew(directory, after)
    if segments[0].first_seq > after + 1:
        raise damaged(directory, f"records {after + 1} to {segments[0].first_seq - 1} are missing")
    last = segments[-1]
    if content.goes_on:
        raise damaged(directory, f"the segment that follows {last.path.name}, from record {last.next_seq}, is missing")
    writer = RecordWriter(last.path)
    try:
        _settle(writer, last, content)
    except BaseException:
        writer.close()
        raise
    num_records = sum(segment.num_records for segment in segments)
    torn_path = last.path if content.num_torn else None
    found = RecoveredLog(tuple(segments), writer, LogRecovery(len(segments), num_records, content.num_torn, torn_path))
    if last.next_seq > after:
        return found
    writer.close()
    remove_segments(directory, segments)
    return _begun_anew(directory, after)._replace(recovery=found.recovery)


def _first_seqs(directory: Path) -> list[int]:
    """With which records segments begin, in order; what a killed process left unfinished is removed."""
    try:
        names = os.listdir(directory)
        for name in filter(TEMPORARY_NAME.fullmatch, names):
            with suppress(FileNotFoundError):
                os.unlink(directory / name)
    except OSError as error:
        raise unusable(directory, "read", error) from error
    return sorted(int(found[1]) for found in map(SEGMENT_NAME.fullmatch, names) if found)


def _require_whole(segment: Segment, content: RecordFileContent | None, next_first: int) -> None:
    """A segment that is followed by another was on the disk whole before that one was made."""
    if content is not None and content.num_torn:
        raise damaged(segment.path, f"a record is not whole at byte {content.end:,}, and another segment follows")
    if segment.next_seq != next_first:
        raise damaged(
            segment.path, f"it ends before record {segment.next_seq}, and the next segment begins with {next_first}"
        )


def _settle(writer: RecordWriter, last: Segment, content: RecordFileContent) -> None:
    writer.cut(last.end)
    # An fsync that failed before may have left records that only memory has, and that no later fsync would write.
    if last.end > content.marked:
        writer.write_again(content.marked, last.end)
    writer.sync()
    writer.mark(last.end)


def _begun_anew(directory: Path, after: int) -> RecoveredLog:
    """A log whose first record comes behind those that are known from elsewhere."""
    sync_above(directory)
    segment = Segment.empty(directory, after + 1)
    new_record_file(segment.path, SEGMENT, after + 1)
    return RecoveredLog((segment,), RecordWriter(segment.path), LogRecovery(1, 0, 0))


def remove_segments(directory: Path, segments: Sequence[Segment]) -> None:
    """Remove files of segments, the oldest first, so that what stays has no gap wherever this ends."""
    try:
        for segment in segments:
            segment.path.unlink(missing_ok=True)
        if segments:
            sync_directory(directory)
    except OSError as error:
        raise unusable(directory, "remove old segments from", error) from error
