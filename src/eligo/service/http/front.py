"""Through which door does every request come? A plain ASGI callable that answers the hot ones itself.

    request ─ who asks? ─ is there room? ─┬─ POST /match with one event ─ block ─ answer
                                          ├─ /healthz ─ answer
                                          └─ all else ─ FastAPI ─ answer
                                                              └─ every answer: version, seq, request id

What is hot is answered without a Python object for any value of an event. What is said of a request (counters, logs) is
said here once, whoever answered it.
"""

from __future__ import annotations

import asyncio
import logging
import re
from datetime import datetime
from typing import Any

import msgspec

from eligo.errors import EligoError
from eligo.service.http.admission import Admission
from eligo.service.http.call import STATE_KEY, AsgiApp, Call, Message, Receive, Scope, Send, allowed_tenant
from eligo.service.http.event_block import EventBlock
from eligo.service.http.problems import HttpProblem, problem_answer, too_large, unforeseen
from eligo.service.http.reads import moment_of, seen_up_to
from eligo.service.http.settings import HttpSettings
from eligo.service.service import Service

logger = logging.getLogger("eligo.service")

_JSON = b"application/json"
_SEVERAL = re.compile(rb'\s*\{\s*"events"\s*:\s*\[')
"""How a body with several events begins."""
_HOT_PARAMETERS = {"tenant", "at", "min_seq"}
_encode = msgspec.json.Encoder().encode


class Front:
    """The ASGI app of a service."""

    def __init__(self, service: Service, settings: HttpSettings, inner: AsgiApp) -> None:
        self.service = service
        self.settings = settings
        self.admission = Admission(settings)
        self._inner = inner
        self._block: EventBlock | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        call = Call(scope)
        try:
            if call.path == "/healthz":
                await self._answer(call, send, 200, _JSON, b'{"status":"alive"}')
                return
            self.admission.enter(call)
            try:
                if call.path == "/match" and call.method == "POST" and self._is_hot(call):
                    await self._match(call, scope, receive, send)
                else:
                    await self._pass_on(call, scope, receive, send)
            finally:
                self.admission.leave(call)
        except EligoError as error:
            await self._refuse(call, error, send)
        except asyncio.CancelledError:
            if not call.is_late:
                raise
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()
            await self._refuse(call, self.admission.late(call), send)
        except Exception as error:
            logger.error("unforeseen", exc_info=error, extra={"request_id": call.request_id})
            await self._refuse(call, unforeseen(), send)

    def _is_hot(self, call: Call) -> bool:
        """Whether the body can be one event as JSON; that it is will be seen."""
        return call.content_type[:16] in (_JSON, b"") and 0 <= call.content_length <= self.settings.max_line

    async def _match(self, call: Call, scope: Scope, receive: Receive, send: Send) -> None:
        message = await receive()
        body: bytes = message.get("body", b"")
        while message.get("more_body"):
            message = await receive()
            body += message.get("body", b"")
        if message["type"] == "http.disconnect":
            return
        tenant, at = call.tenant, None
        is_plain = True
        if call.query:
            parameters = call.parameters()
            is_plain = parameters.keys() <= _HOT_PARAMETERS
            if is_plain:
                tenant = allowed_tenant(tenant, parameters.get("tenant"))
                at = moment_of(parameters.get("at"))
                await seen_up_to(self.service, parameters.get("min_seq"), self.settings.max_wait)
        if not is_plain or _SEVERAL.match(body):
            await self._pass_on(call, scope, _again(body, receive), send)
            return
        await self._answer_one(call, body, tenant, at, send)

    async def _answer_one(self, call: Call, body: bytes, tenant: str | None, at: datetime | None, send: Send) -> None:
        seq = self.service.seq
        block = self._block
        if block is None:
            block = self._block = EventBlock(self.service, self.settings.max_block)
        ids = await block.ask(body, tenant, at)
        call.num_matches = len(ids)
        answer = b'{"matches":%b,"seq":%d,"version":%d}' % (_encode(ids), seq, self.service.version)
        await self._answer(call, send, 200, _JSON, answer, seq)

    async def _answer(
        self, call: Call, send: Send, status: int, content_type: bytes, body: bytes, seq: int | None = None
    ) -> None:
        call.status = status
        headers = [
            (b"content-type", content_type),
            (b"content-length", b"%d" % len(body)),
            (b"eligo-version", b"%d" % self.service.version),
            (b"eligo-seq", b"%d" % (self.service.seq if seq is None else seq)),
            (b"x-request-id", call.id),
        ]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _refuse(self, call: Call, error: EligoError, send: Send) -> None:
        """Answer with a problem; where the answer has begun already, the connection is closed by the server."""
        if call.status:
            raise error
        status, headers, body = problem_answer(error, call.request_id)
        call.status = status
        await send(
            {
                "type": "http.response.start",
                "status": status,
                "headers": [
                    *((name.encode(), value.encode()) for name, value in headers.items()),
                    (b"content-length", b"%d" % len(body)),
                    *self._stamps(call),
                ],
            }
        )
        await send({"type": "http.response.body", "body": b"" if call.method == "HEAD" else body})

    def _stamps(self, call: Call) -> list[tuple[bytes, bytes]]:
        """What every answer has."""
        return [
            (b"eligo-version", b"%d" % self.service.version),
            (b"eligo-seq", b"%d" % self.service.seq),
            (b"x-request-id", call.id),
        ]

    async def _pass_on(self, call: Call, scope: Scope, receive: Receive, send: Send) -> None:
        """Have FastAPI answer."""
        if call.content_length > self.settings.max_stream:
            raise _body_too_large(self.settings.max_stream)
        state: dict[str, Any] = scope.setdefault("state", {})
        state[STATE_KEY] = call
        state["tenant"] = call.tenant
        state["request_id"] = call.request_id

        async def stamped(message: Message) -> None:
            if message["type"] == "http.response.start":
                call.status = message["status"]
                message["headers"] = [*message.get("headers", ()), *self._stamps(call)]
            await send(message)

        await self._inner(scope, receive, stamped)


def _body_too_large(most: int) -> HttpProblem:
    return too_large(f"a body of more bytes than {most:,}", most, "send it in parts")


def _again(body: bytes, receive: Receive) -> Receive:
    """What gives a body that was read already once more."""
    is_given = False

    async def given() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return given
