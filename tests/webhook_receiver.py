"""A receiver of webhooks on the loopback, which answers as it is told and remembers what came."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Received:
    """One request."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def seq(self) -> int:
        seq: int = self.json["data"]["seq"]
        return seq


@dataclass
class Receiver:
    """What came, and what is answered: a status, or a status with headers."""

    port: int = 0
    received: list[Received] = field(default_factory=list)
    answer: Callable[[Received], int | tuple[int, dict[str, str]]] = lambda request: 200

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?a=1"

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def seqs(self) -> list[int]:
        return [each.seq for each in self.received]


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver on a random port."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            num_bytes = int(self.headers["content-length"])
            body = self.rfile.read(num_bytes)
            if len(body) < num_bytes:  # the sender was killed
                self.close_connection = True
                return
            request = Received(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
            receiver.received.append(request)
            answer = receiver.answer(request)
            status, headers = answer if isinstance(answer, tuple) else (answer, {})
            self.send_response(status)
            for name, value in {"content-length": "0", **headers}.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def is_signed(request: Received, secret: str) -> bool:
    """Whether a request is signed as Standard Webhooks say; written from the specification, not from what signs."""
    key = base64.b64decode(secret.split("_", 1)[1])
    content = (
        ".".join((request.headers["webhook-id"], request.headers["webhook-timestamp"])).encode() + b"." + request.body
    )
    expected = base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode()
    given = [
        part.split(",", 1)[1] for part in request.headers["webhook-signature"].split(" ") if part.startswith("v1,")
    ]
    return expected in given
