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
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec

from eligo.errors import EligoError
from eligo.service.http.asking import MOST_TENANT
from eligo.service.http.call import (
    STATE_KEY,
    AsgiApp,
    Call,
    Message,
    Receive,
    Scope,
    Send,
    allowed_tenant,
    require_plain_path,
)
from eligo.service.http.entrance.access import Access, is_consuming
from eligo.service.http.entrance.admission import Admission
from eligo.service.http.entrance.cross_origin import answers_preflight, cross_origin_headers
from eligo.service.http.events.event_block import EventBlock
from eligo.service.http.events.one_or_many import are_many
from eligo.service.http.problems import problem_answer, too_large, unforeseen
from eligo.service.http.reads import moment_of, seen_up_to
from eligo.service.http.settings import HttpSettings
from eligo.service.http.watching.decisions import Decisions
from eligo.service.http.watching.figures import Figures
from eligo.service.http.watching.request_log import log_request
from eligo.service.service import Service

logger = logging.getLogger("eligo.service")

_JSON = b"application/json"
_HOT_TYPES = {b"", _JSON, b"application/x-www-form-urlencoded"}
_HOT_PARAMETERS = {"tenant", "at", "min_seq"}
_encode = msgspec.json.Encoder().encode


class Front:
    """The ASGI app of a service."""

    def __init__(
        self,
        service: Service,
        settings: HttpSettings,
        inner: AsgiApp,
        decisions: Decisions | None = None,
        end_streams: Callable[[], None] = lambda: None,
        openapi: Callable[[], dict[str, Any]] = dict,
    ) -> None:
        self.service = service
        self.settings = settings
        self.figures = Figures()
        self.admission = Admission(settings)
        self.end_streams = end_streams
        """Has those go who would never end, so that a server can stop."""
        self.openapi = openapi
        """Describes all routes."""
        self._access = Access(settings)
        self._inner = inner
        self._decisions = decisions
        self._block: EventBlock | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        call = Call(scope)
        try:
            require_plain_path(scope)
            await self._answer_call(call, scope, receive, send)
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
            if call.status != 500:  # which FastAPI has answered already
                await self._refuse(call, unforeseen(), send)
        finally:
            seconds = time.perf_counter() - call.started
            self.figures.note(call.route or "none", call.status, seconds, call.num_matches)
            if call.status >= 500 or self.settings.log_requests or seconds >= self.settings.slow_seconds:
                log_request(call, self.settings)

    async def _answer_call(self, call: Call, scope: Scope, receive: Receive, send: Send) -> None:
        if call.path == "/healthz" and call.method == "GET":
            call.route = "/healthz"
            seq, version = self.service.seq, self.service.version
            await self._answer(call, send, b'{"status":"alive","seq":%d,"version":%d}' % (seq, version), seq)
            return
        if call.origin and call.method == "OPTIONS" and self._access.is_allowed_origin(call.origin):
            await answers_preflight(call, send)
            return
        self._access.admit(call)
        self.admission.enter(call)
        try:
            if call.path == "/match" and call.method == "POST" and self._is_hot(call):
                await self._match(call, scope, receive, send)
            else:
                await self._pass_on(call, scope, receive, send)
        finally:
            self.admission.leave(call)

    def _is_hot(self, call: Call) -> bool:
        """Whether the body can be one event as JSON; that it is will be seen."""
        return (
            0 <= call.content_length <= self.settings.max_line
            and call.content_type.partition(b";")[0] in _HOT_TYPES
            and (call.accept in (b"", b"*/*", _JSON))
        )

    async def _match(self, call: Call, scope: Scope, receive: Receive, send: Send) -> None:
        call.route = "/match"
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
            is_plain = parameters.keys() <= _HOT_PARAMETERS and len(parameters.get("tenant", "")) <= MOST_TENANT
            if is_plain:
                tenant = allowed_tenant(tenant, parameters.get("tenant"))
                at = moment_of(parameters.get("at"))
                await seen_up_to(self.service, parameters.get("min_seq"), self.settings.max_wait)
        if not is_plain or are_many(body):
            await self._pass_on(call, scope, _again(body, receive), send)
            return
        await self._match_one(call, body, tenant, at, send)

    async def _match_one(self, call: Call, body: bytes, tenant: str | None, at: datetime | None, send: Send) -> None:
        seq = self.service.seq
        block = self._block
        if block is None:
            block = self._block = EventBlock(self.service, self.settings.max_block)
        ids = await block.ask(body, tenant, at)
        call.num_matches = len(ids)
        await self._answer(
            call, send, b'{"matches":%b,"seq":%d,"version":%d}' % (_encode(ids), seq, self.service.version), seq
        )
        if self._decisions is not None:
            self._decisions.note(call.request_id, seq, tenant, body, ids)

    async def _answer(self, call: Call, send: Send, body: bytes, seq: int) -> None:
        """Send JSON."""
        call.status = 200
        headers = [
            (b"content-type", _JSON),
            (b"content-length", b"%d" % len(body)),
            (b"eligo-version", b"%d" % self.service.version),
            (b"eligo-seq", b"%d" % seq),
            (b"x-request-id", call.id),
        ]
        if call.origin:
            headers += cross_origin_headers(call, self._access)
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _refuse(self, call: Call, error: EligoError, send: Send) -> None:
        """Answer with a problem; where the answer has begun already, the connection is closed by the server."""
        if call.status:
            raise error
        call.status, given, body = problem_answer(error, call.request_id)
        headers = [(name.encode(), value.encode()) for name, value in given.items()]
        headers += [(b"content-length", b"%d" % len(body)), *self._stamps(call)]
        await send({"type": "http.response.start", "status": call.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if call.method == "HEAD" else body})

    def _stamps(self, call: Call) -> list[tuple[bytes, bytes]]:
        """What every answer has."""
        stamps = [
            (b"eligo-version", b"%d" % self.service.version),
            (b"eligo-seq", b"%d" % self.service.seq),
            (b"x-request-id", call.id),
        ]
        return stamps + cross_origin_headers(call, self._access) if call.origin else stamps

    async def _pass_on(self, call: Call, scope: Scope, receive: Receive, send: Send) -> None:
        """Have FastAPI answer."""
        if call.content_length > self.settings.max_stream:
            raise too_large("the body", self.settings.max_stream, "send it in parts")
        if call.method == "HEAD" and not is_consuming(call.path):  # the server sends no body for it
            scope = {**scope, "method": "GET"}
        state: dict[str, Any] = scope.setdefault("state", {})
        state |= {STATE_KEY: call, "tenant": call.tenant, "request_id": call.request_id}

        async def stamped(message: Message) -> None:
            if message["type"] == "http.response.start":
                call.status = message["status"]
                message["headers"] = [*message.get("headers", ()), *self._stamps(call)]
            await send(message)

        try:
            await self._inner(scope, receive, stamped)
        finally:
            route = scope.get("route")
            call.route = getattr(route, "path", "") or "none"

    def close(self) -> None:
        """Look after requests no more."""
        self.admission.close()


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
