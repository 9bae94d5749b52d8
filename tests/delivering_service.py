"""A service that delivers, behind a real server on a random port of the loopback."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn

from eligo.service.delivery.deliverer import DeliveryOptions
from eligo.service.http.app import create_app
from eligo.service.http.front import Front
from eligo.service.http.server import server_config
from eligo.service.http.settings import HttpSettings
from eligo.service.service import Service

DEADLINE = 60.0
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
    app: Front

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


@contextmanager
def running(
    options: DeliveryOptions | None = None, service: Service | None = None, settings: HttpSettings | None = None
) -> Iterator[Running]:
    """A service in memory, or the one that is given, which is closed afterwards."""
    known = service or Service.open(None)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    app = create_app(known, settings, options)
    server = uvicorn.Server(server_config(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    eventually(lambda: server.started)
    try:
        yield Running(known, listening.getsockname()[1], app)
    finally:
        server.should_exit = True
        thread.join(DEADLINE)
        listening.close()
        known.close()
        assert not thread.is_alive()
