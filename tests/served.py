"""A service on a random port of the loopback, asked over real connections."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn

from eligo.service.http.app import create_app
from eligo.service.http.server import StoppableServer
from eligo.service.http.settings import HttpSettings
from eligo.service.service import Service

DEADLINE = 300.0
"""Seconds after which a server that does not come up, or go down, is a failure."""


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.body.splitlines()]


@dataclass(frozen=True)
class Served:
    """A service that can be asked."""

    service: Service
    port: int
    server: uvicorn.Server

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = DEADLINE,
    ) -> Answer:
        """One request over a connection of its own; what is neither bytes nor None is sent as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        try:
            connection.request(method, path, sent, {"content-type": "application/json", **(headers or {})})
            response = connection.getresponse()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def put(self, id: str, expression: str, **more: Any) -> Answer:
        return self.ask("PUT", f"/expressions/{id}", {"expression": expression, **more})

    def match(self, event: Any, query: str = "", headers: Mapping[str, str] | None = None) -> Answer:
        return self.ask("POST", f"/match{query}", event, headers)


def bearer(token: str) -> dict[str, str]:
    """The header that shows a token."""
    return {"authorization": f"Bearer {token}"}


@contextmanager
def served(settings: HttpSettings | None = None, service: Service | None = None) -> Iterator[Served]:
    """A service in memory, or the one that is given, behind a server of its own; both are closed afterwards."""
    known = service or Service.open(None)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    server = StoppableServer(create_app(known, settings or HttpSettings(max_seconds=DEADLINE)))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    ends = time.monotonic() + DEADLINE
    while not server.started:
        assert thread.is_alive() and time.monotonic() < ends
        time.sleep(0.01)
    try:
        yield Served(known, listening.getsockname()[1], server)
    finally:
        server.should_exit = True
        thread.join(DEADLINE)
        listening.close()
        known.close()
        assert not thread.is_alive()
