"""How is an answer sent? As JSON with the version and the last write that it saw, as lines, or as an Arrow stream."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import IO, Any

import msgspec
import pyarrow as pa
from starlette.responses import Response, StreamingResponse

from eligo.service.http.forms import Form
from eligo.service.http.problems import problem_answer
from eligo.service.records import ExpressionId
from eligo.service.service import Service

HELD_IN_MEMORY = 8 << 20
"""Bytes of lines; more are held in a file until they are sent."""
PIECE = 1 << 18

_encoder = msgspec.json.Encoder(enc_hook=str)


def json_bytes(value: Any) -> bytes:
    """A value as JSON."""
    return _encoder.encode(value)


def json_answer(
    service: Service,
    fields: Mapping[str, Any],
    *,
    seq: int | None = None,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """An object with `seq` and `version`; `seq` is of the write that was made, or the last that was seen for sure."""
    stamped = {**fields, "seq": service.seq if seq is None else seq, "version": service.version}
    return Response(json_bytes(stamped), status, dict(headers or ()), Form.JSON.value)


def arrow_answer(table: pa.Table) -> Response:
    """A table as an Arrow stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return Response(sink.getvalue().to_pybytes(), media_type=Form.ARROW.value)


def id_array(service: Service, ids: Sequence[ExpressionId]) -> pa.Array:
    """Ids as a column has them, whose type does not depend on how many there are."""
    return pa.array(ids) if ids else pa.array([], pa.int64() if service.expressions.id_type is int else pa.string())


def lines_answer(lines: Iterable[bytes]) -> Response:
    """Lines, each with its end."""
    held = HeldLines()
    held.add(b"".join(lines))
    return held.answer()


def problem_response(error: Any, request_id: str) -> Response:
    """The answer to an error."""
    status, headers, body = problem_answer(error, request_id)
    return Response(body, status, headers)


class HeldLines:
    """Lines of an answer that are sent when the request has been read whole.

    Most clients read nothing before they have sent everything: a server that would answer meanwhile could come to wait
    for a client that waits for it.
    """

    def __init__(self) -> None:
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(HELD_IN_MEMORY)  # noqa: SIM115
        self._num_bytes = 0

    @property
    def is_empty(self) -> bool:
        """Whether there are none yet."""
        return self._num_bytes == 0

    def add(self, lines: bytes) -> None:
        """Hold lines, each with its end."""
        self._file.write(lines)
        self._num_bytes += len(lines)

    def answer(self) -> Response:
        """All of them."""
        headers = {"content-length": str(self._num_bytes)}
        return StreamingResponse(self._pieces(), headers=headers, media_type=Form.LINES.value)

    async def _pieces(self) -> AsyncIterator[bytes]:
        try:
            self._file.seek(0)
            while piece := self._file.read(PIECE):
                yield piece
        finally:
            self._file.close()

    def close(self) -> None:
        """Give them up."""
        self._file.close()
