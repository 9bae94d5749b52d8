"""A service that delivers, behind a real server on a random port of the loopback."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from starlette.responses import Response

from eligo.errors import EligoError
from eligo.service.delivery.deliverer import Deliverer, DeliveryOptions
from eligo.service.http.problems import problem_answer
from eligo.service.http.routes import publish, subscriptions
from eligo.service.service import Service

DEADLINE = 20.0
"""Seconds after which what was waited for is a failure."""


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Running:
    """A service that can be asked."""

    service: Service
    port: int
    deliverer: Deliverer
    tenant: list[str | None]
    """The one that requests are bound to."""

    def ask(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Answer:
        """One request; what is neither bytes nor None is sent as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        try:
            connection.request(method, path, sent, {"content-type": "application/json", **(headers or {})})
            response = connection.getresponse()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def subscribe(self, name: str, expression: str = "x exists", **fields: Any) -> Answer:
        found = self.ask("PUT", f"/subscriptions/{name}", {"expression": expression, **fields})
        assert found.status in (200, 201), found.body
        return found

    def publish(self, document: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Any:
        found = self.ask("POST", "/publish", document, headers)
        assert found.status == 200, found.body
        return found.json

    def pull(self, name: str, most: int = 100, wait: float = 0) -> list[Any]:
        found = self.ask("POST", f"/subscriptions/{name}/pull", {"max": most, "wait": wait})
        assert found.status == 200, found.body
        messages: list[Any] = found.json["messages"]
        return messages

    def status(self, name: str) -> Any:
        return self.ask("GET", f"/subscriptions/{name}").json


def eventually(is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    ends = time.monotonic() + DEADLINE
    while not is_so():
        assert time.monotonic() < ends
        time.sleep(0.02)


def app_of(service: Service, deliverer: Deliverer, tenant: list[str | None]) -> FastAPI:
    """The routes of publications and subscriptions alone."""

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.deliverer = deliverer
        async with deliverer:
            yield

    app = FastAPI(lifespan=lifespan)

    @app.exception_handler(EligoError)
    async def refuse(request: Request, error: EligoError) -> Response:
        status, headers, body = problem_answer(error, "test")
        return Response(body, status, headers)

    @app.middleware("http")
    async def bind(request: Request, call_next: Any) -> Response:
        request.state.tenant = tenant[0]
        answer: Response = await call_next(request)
        return answer

    app.include_router(publish.router(lambda request: service))
    app.include_router(subscriptions.router(lambda request: service))
    return app


@contextmanager
def running(options: DeliveryOptions | None = None, service: Service | None = None) -> Iterator[Running]:
    """A service in memory, or the one that is given, which is closed afterwards."""
    known = service or Service.open(None)
    deliverer, tenant = Deliverer(known, options), [None]
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    app = app_of(known, deliverer, tenant)
    config = uvicorn.Config(app, log_config=None, lifespan="on", timeout_graceful_shutdown=5)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    eventually(lambda: server.started)
    try:
        yield Running(known, listening.getsockname()[1], deliverer, tenant)
    finally:
        server.should_exit = True
        thread.join(DEADLINE)
        listening.close()
        known.close()
        assert not thread.is_alive()
