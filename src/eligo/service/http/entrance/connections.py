"""How long may a connection say nothing, and how many may there be? Until the head of a request has come, so long.

    connected ─ head, within `max_head_seconds` and `MOST_HEAD` bytes ─ the request, which `admission` bounds
                                                                      └─ answered ─ kept alive ─ head …

A connection costs a file of the process, whoever it is and whatever they ask: so there is a bound on all of them.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from eligo.service.http.problems import PROBLEM_JSON, HttpProblem, problem_answer
from eligo.service.http.settings import HttpSettings

MOST_HEAD = 64 << 10
"""Bytes of the head of a request, its address included."""


def bounded_protocol(settings: HttpSettings) -> type[asyncio.Protocol]:
    """The server's protocol with the bounds of some settings."""

    class BoundedProtocol(_Bounded):
        max_connections = settings.max_connections
        max_head_seconds = settings.max_head_seconds

    return BoundedProtocol


class _Bounded(HttpToolsProtocol):
    max_connections: int
    max_head_seconds: float

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._head_is_due: asyncio.TimerHandle | None = None
        """Set while the head of a request is waited for."""
        self._num_head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.max_connections:
            self._refuse(
                HttpProblem(
                    503,
                    f"{self.max_connections:,} connections are open, and no more are taken",
                    help="come again in 1 s",
                    name="too-busy",
                    headers={"retry-after": "1"},
                )
            )
            return
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_has_come()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        was_due = self._head_is_due is not None
        self._num_head_bytes += len(data)
        super().data_received(data)
        if self._head_is_due is not None:
            if not was_due:  # another request has begun in these
                self._num_head_bytes = len(data)
            if self._num_head_bytes > MOST_HEAD:
                self._refuse(_head_too_large())

    def send_400_response(self, msg: str) -> None:
        """What cannot be read as HTTP, a longer address than the parser takes among it, is answered in our words."""
        is_head = self._head_is_due is not None
        if is_head and self._num_head_bytes > MOST_HEAD:
            self._refuse(_head_too_large())
        else:
            what = "this is no request of HTTP/1.1" if is_head else "the body is not sent as HTTP/1.1 has it"
            has_begun = self.cycle is not None and self.cycle.response_started
            self._refuse(HttpProblem(400, what, name="not-http"), is_free=not has_begun)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._head_is_due is None:  # another request of a connection that was kept
            self._expect_head()

    def on_headers_complete(self) -> None:
        super().on_headers_complete()  # which may find that the address is none
        self._head_has_come()

    def _expect_head(self) -> None:
        self._num_head_bytes = 0
        self._head_is_due = self.loop.call_later(self.max_head_seconds, self._head_is_late)

    def _head_has_come(self) -> None:
        if self._head_is_due is not None:
            self._head_is_due.cancel()
            self._head_is_due = None

    def _head_is_late(self) -> None:
        self._refuse(HttpProblem(408, f"no request has come for {self.max_head_seconds:g} s", name="too-slow"))

    def _refuse(self, problem: HttpProblem, *, is_free: bool = False) -> None:
        """Say why, unless another answer is being made, and close; `is_free` when it is the answer to that request."""
        self._head_has_come()
        if is_free or self.cycle is None or self.cycle.response_complete:
            status, headers, body = problem_answer(problem, "")
            head = [f"HTTP/1.1 {status} Refused", f"content-length: {len(body)}", "connection: close"]
            head += [f"{name}: {value}" for name, value in {"content-type": PROBLEM_JSON, **headers}.items()]
            self.transport.write("\r\n".join([*head, "", ""]).encode() + body)
        self.transport.close()


def _head_too_large() -> HttpProblem:
    return HttpProblem(
        431, f"the head of a request has at most {MOST_HEAD:,} bytes", help="send what is long in the body"
    )
