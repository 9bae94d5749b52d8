"""How does a client ask a service that is killed again and again? It waits for it, and hears when it goes."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Mapping
from typing import Any, NamedTuple

TIMEOUT = 20.0


class BrokenError(Exception):
    """The service went while it was asked: what became of the request is not known."""


class Reply(NamedTuple):
    """What came back."""

    status: int
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Scene:
    """The service, as clients see it."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.is_up = threading.Event()
        self.is_over = threading.Event()
        """No more is written or published."""
        self.is_finished = threading.Event()
        """No more is read."""
        self.generation = 0
        """How often it was started."""


class Line:
    """One connection, made anew when it breaks; for one thread."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._connection: http.client.HTTPConnection | None = None

    def ask(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Reply:
        """One request; a `BrokenError` when the service goes meanwhile, or was not there."""
        if not self._scene.is_up.wait(0.5):
            raise BrokenError
        try:
            if self._connection is None:
                self._connection = http.client.HTTPConnection("127.0.0.1", self._scene.port, timeout=TIMEOUT)
            sent = None if body is None else json.dumps(body).encode()
            self._connection.request(method, path, sent, {"content-type": "application/json", **(headers or {})})
            response = self._connection.getresponse()
            return Reply(response.status, response.read())
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise BrokenError from error

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
