"""How does a store misbehave in tests? A server in front of a real one, that breaks the requests which it is told to.

    with faulty_store(server.endpoint) as faults:
        faults.when("PUT", r"versions/2\\.json", lost_answer)      done, and not told
        faults.when("GET", r"\\.eligo", silent, times=None)        never answered, from now on

It knows nothing of S3: it hands bytes on, both ways.
"""

from __future__ import annotations

import http.client
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Answer:
    """What the real store has answered."""

    def __init__(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body


class Exchange(BaseHTTPRequestHandler):
    """One request, and what can be done with it."""

    protocol_version = "HTTP/1.1"
    server: FaultyStore

    def forwarded(self) -> Answer:
        """Have it done by the real store."""
        host, _, port = self.server.upstream.rpartition("//")[2].partition(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=60)
        try:
            connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                    connection.putheader(name, value)
            if self.body or self.command in ("PUT", "POST"):
                connection.putheader("Content-Length", str(len(self.body)))
            connection.endheaders(self.body or None)
            found = connection.getresponse()
            kept = [pair for pair in found.getheaders() if pair[0].lower() not in ("connection", "transfer-encoding")]
            return Answer(found.status, kept, found.read())
        finally:
            connection.close()

    def give(self, answer: Answer, num_bytes: int | None = None) -> None:
        """Answer; of the body, only so many bytes where a number is given, after which the connection ends."""
        self.send_response_only(answer.status)
        for name, value in answer.headers:
            if name.lower() != "content-length" or self.command == "HEAD":
                self.send_header(name, value)
        if self.command != "HEAD":
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body[:num_bytes])
        if num_bytes is not None:
            self.hang_up()

    def hang_up(self) -> None:
        """End the connection, whatever was announced."""
        self.close_connection = True
        self.wfile.flush()
        with suppress(OSError):
            self.connection.shutdown(2)

    def handle_any(self) -> None:
        if self.headers.get("Transfer-Encoding"):
            raise RuntimeError("a body without a length is not handed on")
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        break_it = self.server.fault_for(self.command, self.path)
        with suppress(ConnectionError):
            if break_it is not None:
                break_it(self)
            else:
                self.give(self.forwarded())

    do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = handle_any

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


Fault = Callable[[Exchange], None]


class FaultyStore(ThreadingHTTPServer):
    """A server that hands requests on, but for those that are to fail."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, upstream: str) -> None:
        super().__init__(("127.0.0.1", 0), Exchange)
        self.upstream = upstream
        self.ended = threading.Event()
        self._faults: list[list[Any]] = []
        self._lock = threading.Lock()
        self.num_requests = 0
        self.num_broken = 0

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def when(self, method: str, pattern: str, fault: Fault, *, times: int | None = 1) -> None:
        """Break the next requests of a method for paths that a pattern is found in; None for all from now on."""
        with self._lock:
            self._faults.append([method, re.compile(pattern), fault, times])

    def heal(self) -> None:
        """Break nothing any more."""
        with self._lock:
            self._faults.clear()

    def fault_for(self, method: str, path: str) -> Fault | None:
        with self._lock:
            self.num_requests += 1
            for fault in self._faults:
                if fault[0] in (method, "*") and fault[1].search(path) and fault[3] != 0:
                    if fault[3] is not None:
                        fault[3] -= 1
                    self.num_broken += 1
                    found: Fault = fault[2]
                    return found
        return None


def refusing(status: int, code: str, message: str = "", more: str = "") -> Fault:
    """An answer as S3 words its refusals."""
    body = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code><Message>{message}</Message>{more}</Error>'
    )

    def refuse(exchange: Exchange) -> None:
        exchange.give(Answer(status, [("Content-Type", "application/xml")], body.encode()))

    return refuse


def lost_request(exchange: Exchange) -> None:
    """The connection ends, and nothing was done."""
    exchange.hang_up()


def lost_answer(exchange: Exchange) -> None:
    """It is done, and the connection ends before anything is said."""
    exchange.forwarded()
    exchange.hang_up()


def cut_answer(exchange: Exchange) -> None:
    """Half of the body comes."""
    answer = exchange.forwarded()
    exchange.give(answer, len(answer.body) // 2)


def silent(exchange: Exchange) -> None:
    """Nothing comes, and the connection stays."""
    exchange.server.ended.wait(600)
    exchange.hang_up()


def dripping(exchange: Exchange) -> None:
    """A byte of the body comes now and then, so that there is always some progress."""
    answer = exchange.forwarded()
    exchange.send_response_only(answer.status)
    for name, value in answer.headers:
        exchange.send_header(name, value)
    exchange.end_headers()
    for at in range(len(answer.body)):
        if exchange.server.ended.wait(0.2):
            break
        exchange.wfile.write(answer.body[at : at + 1])
        exchange.wfile.flush()
    exchange.hang_up()


@contextmanager
def faulty_store(upstream: str) -> Iterator[FaultyStore]:
    """Such a server for a while."""
    server = FaultyStore(upstream)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.ended.set()
        server.shutdown()
        server.server_close()
        thread.join(60)
