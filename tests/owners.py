"""An owner that followers ask: a service behind a real server on the loopback, which can go and come back."""

from __future__ import annotations

import json
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import uvicorn

from eligo.service.http.app import create_app
from eligo.service.http.server import server_config
from eligo.service.http.settings import HttpSettings
from eligo.service.records import PutExpression
from eligo.service.service import Service, ServiceOptions

DEADLINE = 60.0
"""Seconds after which something that does not come is a failure."""


class Owner:
    """A service that can be asked over HTTP at one port, while it runs."""

    def __init__(self, service: Service, *, port: int = 0, settings: HttpSettings | None = None) -> None:
        self.service = service
        self._listening = socket.socket()
        self._listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listening.bind(("127.0.0.1", port))
        self.port = int(self._listening.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self._server = uvicorn.Server(server_config(create_app(service, settings or HttpSettings())))
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._listening]}, daemon=True)
        self._thread.start()
        until(lambda: self._server.started)

    @classmethod
    def of(cls, directory: Path, *, port: int = 0, **options: Any) -> Self:
        return cls(Service.open(directory, ServiceOptions(**options)), port=port)

    def stop(self) -> None:
        """Have server and service go."""
        self._server.should_exit = True
        self._thread.join(DEADLINE)
        assert not self._thread.is_alive()
        self._listening.close()
        self.service.close()

    def put(self, id: str, expression: str) -> int:
        return self.service.write(PutExpression(id=id, expression=expression)).seq

    def get(self, path: str, headers: dict[str, str] | None = None) -> tuple[int, bytes]:
        """Status and body."""
        return asked(f"{self.url}{path}", headers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


def asked(url: str, headers: dict[str, str] | None = None, body: Any = None) -> tuple[int, bytes]:
    """Status and body of an answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json", **(headers or {})})
    try:
        with urllib.request.urlopen(request, timeout=DEADLINE) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    ends = time.monotonic() + DEADLINE
    while not holds():
        assert time.monotonic() < ends, "it did not come"
        time.sleep(0.01)
