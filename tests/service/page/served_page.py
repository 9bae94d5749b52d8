"""A service with its page, on a random port of the loopback."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import uvicorn

from eligo.service.http.app import create_app
from eligo.service.http.server import server_config
from eligo.service.http.settings import HttpSettings
from eligo.service.service import Service

DEADLINE = 240.0
"""Seconds after which a server that does not come up, answer or go down is a failure; kernels may be compiled."""


class Asked:
    """A server that can be asked."""

    def __init__(self, service: Service, port: int, token: str) -> None:
        self.service = service
        self.port = port
        self.address = f"http://127.0.0.1:{port}/"
        self._own = {"authorization": f"Bearer {token}"} if token else {}

    def ask(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Any:
        """Status, headers and body of an answer; a body that is JSON is read."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        sent = None if body is None else msgspec.json.encode(body)
        try:
            connection.request(method, path, sent, {"content-type": "application/json", **self._own, **(headers or {})})
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            content = response.read()
        finally:
            connection.close()
        return response.status, found, json.loads(content) if "json" in found.get("content-type", "") else content


@contextmanager
def served_page(service: Service | None = None, tokens: Path | None = None, token: str = "") -> Iterator[Asked]:
    """A service in memory, or one that is given, closed afterwards; `token` is what it is asked with."""
    known = service or Service.open(None)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    settings = HttpSettings(tokens=tokens, max_seconds=DEADLINE)
    server = uvicorn.Server(server_config(create_app(known, settings)))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    ends = time.monotonic() + DEADLINE
    while not server.started:
        assert thread.is_alive() and time.monotonic() < ends
        time.sleep(0.01)
    try:
        yield Asked(known, listening.getsockname()[1], token)
    finally:
        server.should_exit = True
        thread.join(DEADLINE)
        listening.close()
        known.close()
        assert not thread.is_alive()
