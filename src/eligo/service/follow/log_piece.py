"""What does an owner tell a follower that has begun? The records behind the last one that it has, in frames.

`GET /log?from=813&crc=2868613310&rules=1190394627` asks for records from 813 on, by one who has 812 with this CRC-32
and applies records by rules with that one. Records that the log no longer has, a 812 that is another one here, as when
the owner's directory was restored from an older copy, and records that are applied by other rules here are gone (410):
the follower begins anew with the checkpoint, which has the rules.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from eligo.errors import InputError, LogGoneError, StorageError
from eligo.service.records import AnyRecord, from_bytes
from eligo.service.service import Service
from eligo.service.state.memory_log import RecordLog
from eligo.storage.log.frames import frame, framed_records
from eligo.storage.log.log import Log

MOST_BYTES = 4 << 20
"""Of one answer, but for a last record that is larger."""


def log_piece(service: Service, first_seq: int, crc: int | None, rules: int | None = None) -> bytes:
    """The records from a number on that are seen here, as many as one answer has; empty when there are none yet."""
    log, last = service.log, service.seq
    if not isinstance(log, Log):
        raise LogGoneError("this service has no log", help="follow one with a directory")
    if rules is not None and service.checkpoints is not None and service.checkpoints.rules.crc != rules:
        raise LogGoneError("records are applied by other rules here", help="begin with a checkpoint")
    if first_seq > last + 1:
        raise LogGoneError(f"there is no record {first_seq - 1} here; the last is {last}", help="begin anew")
    if crc is not None and record_crc(log, first_seq - 1) not in (None, crc):
        raise LogGoneError(f"record {first_seq - 1} is another one here", help="begin anew")
    pieces: list[bytes] = []
    num_bytes = 0
    for number, (seq, payload) in enumerate(_read(log, first_seq)):
        if seq > last or num_bytes >= MOST_BYTES:
            break
        pieces += (frame(payload, number), payload)
        num_bytes += len(payload)
    return b"".join(pieces)


def record_crc(log: RecordLog, seq: int) -> int | None:
    """The CRC-32 of a record; None where the log does not have it."""
    if not isinstance(log, Log) or not log.first_seq <= seq <= log.last_seq:
        return None
    try:
        _, record = next(log.read(seq))
    except LogGoneError:  # it was removed just now
        return None
    return zlib.crc32(record)


def _read(log: Log, first_seq: int) -> Iterator[tuple[int, bytes]]:
    try:
        return log.read(first_seq)
    except InputError as error:  # before the first record
        raise LogGoneError(error.message, help="begin with a checkpoint") from None


def records_of(piece: bytes) -> tuple[list[AnyRecord], int | None]:
    """The records of an answer, all of them or an error, and the CRC-32 of the last."""
    records: list[AnyRecord] = []
    end, crc = 0, None
    for record in framed_records(piece):
        try:
            records.append(from_bytes(record.body))
        except ValueError as error:
            raise StorageError(
                f"the owner has sent a record that cannot be read: {error}", help="upgrade this follower"
            ) from None
        end, crc = record.end, zlib.crc32(record.body)
    if end != len(piece):
        raise StorageError("the owner's answer is not whole", help="it is asked again")
    return records, crc
