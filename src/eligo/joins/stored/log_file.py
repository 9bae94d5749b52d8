"""Which file is the log of a checkpoint? A file of records whose number is that of the checkpoint."""

from __future__ import annotations

from pathlib import Path

from eligo.storage.log.record_file import RecordFileContent, RecordFileKind, new_record_file, read_record_file

LOG = RecordFileKind(b"ELIGOLOG", "the log of a document base", "the log of checkpoint")


def new_log(path: Path, checkpoint: int) -> None:
    """Makes an empty log, durably."""
    new_record_file(path, LOG, checkpoint)


def read_log(path: Path, checkpoint: int) -> RecordFileContent:
    """The records of a log up to the first that is not whole; refused when that was acknowledged."""
    return read_record_file(path, LOG, checkpoint)
