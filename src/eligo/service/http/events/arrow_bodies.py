"""How is a table of events read that came as an Arrow stream? When it is small enough, not compressed, and sound.

What is compressed could grow to any size while it is read, so it is refused by its header (Arrow's `RecordBatch`, whose
fourth field is its compression).
"""

from __future__ import annotations

import struct

import pyarrow as pa

from eligo.service.http.problems import HttpProblem, too_large

_RECORD_BATCH, _DICTIONARY_BATCH = 3, 2


def read_table(body: bytes, most_rows: int) -> pa.Table:
    """The table of a stream."""
    try:
        for message in pa.ipc.MessageReader.open_stream(body):
            if _is_compressed(message.metadata.to_pybytes()):
                raise HttpProblem(
                    415, "an Arrow stream is not compressed here", help="write it without", name="media-type"
                )
        table = pa.ipc.open_stream(body).read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError, struct.error, IndexError) as error:
        raise HttpProblem(422, f"the body is no Arrow stream: {str(error)[:200]}", name="body") from None
    if table.num_rows > most_rows:
        raise too_large(f"{table.num_rows:,} events", most_rows, "send them in parts")
    return table


def _is_compressed(metadata: bytes) -> bool:
    """Whether a message's header says so; it is a flatbuffer."""
    message = _root(metadata)
    kind_at, header_at = _field(metadata, message, 1), _field(metadata, message, 2)
    if kind_at is None or header_at is None:
        return False
    header = _pointed(metadata, header_at)
    kind = metadata[kind_at]
    if kind == _DICTIONARY_BATCH:
        data_at = _field(metadata, header, 1)
        if data_at is None:
            return False
        header = _pointed(metadata, data_at)
    elif kind != _RECORD_BATCH:
        return False
    return _field(metadata, header, 3) is not None


def _root(data: bytes) -> int:
    return int(struct.unpack_from("<I", data, 0)[0])


def _pointed(data: bytes, place: int) -> int:
    return int(place + struct.unpack_from("<I", data, place)[0])


def _field(data: bytes, table: int, number: int) -> int | None:
    """Where a field of a table stands; None when it is not there."""
    vtable = table - struct.unpack_from("<i", data, table)[0]
    (size,) = struct.unpack_from("<H", data, vtable)
    entry = 4 + 2 * number
    if entry + 2 > size:
        return None
    (offset,) = struct.unpack_from("<H", data, vtable + entry)
    return int(table + offset) if offset else None
