"""Is every limit told, with a time to come back?"""

from __future__ import annotations

import http.client
import socket
import threading
import time
from typing import Any

import pytest

from eligo.index.one_event.explanation import explanation_of
from eligo.service.http.routes import explaining
from eligo.service.http.settings import HttpSettings
from served import DEADLINE, Served, served

JSON = {"content-type": "application/json"}


def test_a_body_that_is_too_large_is_refused_before_it_is_read() -> None:
    with served(HttpSettings(max_body=1_000, max_line=500, max_stream=5_000)) as asked:
        for path in ("/match", "/top", "/count", "/documents", "/page/explain", "/page/sample"):
            answer = asked.ask("POST", path, b" " * 2_000)
            assert (answer.status, answer.json["type"]) == (413, "/errors#too-large"), path
        assert asked.ask("PUT", "/expressions/a", b" " * 501).status == 413
        huge = asked.ask("POST", "/match", b" " * 6_000)
        assert huge.status == 413 and "5,000" in huge.json["detail"]


@pytest.mark.parametrize("path", ["/match", "/page/explain", "/page/sample"])
def test_a_body_of_unknown_length_is_counted(path: str) -> None:
    with served(HttpSettings(max_body=1_000)) as asked:
        connection = http.client.HTTPConnection("127.0.0.1", asked.port, timeout=DEADLINE)
        connection.request("POST", path, (b"x" * 100 for _ in range(50)), JSON, encode_chunked=True)
        assert connection.getresponse().status == 413
        connection.close()


def waiting(asked: Served) -> socket.socket:
    """A client that has sent the head of a request, and not its body."""
    client = socket.create_connection(("127.0.0.1", asked.port), timeout=DEADLINE)
    client.sendall(b"POST /match HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{")
    return client


def _soon(condition: object) -> None:
    ends = time.monotonic() + DEADLINE
    while not condition() and time.monotonic() < ends:  # type: ignore[operator]
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("settings", "status"),
    [
        (HttpSettings(max_concurrent=2, max_seconds=DEADLINE), 503),
        (HttpSettings(max_concurrent_per_client=2, max_seconds=DEADLINE), 429),
    ],
)
def test_too_many_requests_at_once_are_told_when_to_come_back(settings: HttpSettings, status: int) -> None:
    with served(settings) as asked:
        clients = [waiting(asked) for _ in range(2)]
        _soon(lambda: asked.match({}).status == status)
        refused = asked.match({})
        assert (refused.status, refused.headers["retry-after"]) == (status, "1")
        assert refused.json["type"] == "/errors#too-busy"
        assert asked.ask("GET", "/healthz").status == 200
        for client in clients:
            client.close()
        _soon(lambda: asked.match({}).status == 200)
        assert asked.match({}).status == 200


@pytest.mark.parametrize(
    "path", ["PUT /expressions/a/log", "PUT /expressions/a/stream", "POST /subscriptions/s/pull", "POST /match/pull"]
)
def test_the_end_of_a_path_gives_no_more_time(path: str) -> None:
    with served(HttpSettings(max_seconds=0.2)) as asked:
        asked.ask("PUT", "/subscriptions/s", {"expression": "x = 1"})
        head = f"{path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{{".encode()
        with socket.create_connection(("127.0.0.1", asked.port), timeout=DEADLINE) as client:
            client.sendall(head)
            assert client.recv(10_000)[:12] in (b"HTTP/1.1 503", b"HTTP/1.1 404")


def test_streams_do_not_use_up_the_places_of_requests() -> None:
    with served(HttpSettings(max_concurrent=2, max_lasting=3, max_lasting_per_client=3, max_seconds=DEADLINE)) as asked:
        body = {"expression": "x = 1", "delivery": {"kind": "stream"}}
        asked.ask("PUT", "/subscriptions/s", body)
        clients = []
        for held in range(1, 4):
            client = socket.create_connection(("127.0.0.1", asked.port), timeout=DEADLINE)
            client.sendall(b"GET /subscriptions/s/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
            clients.append(client)
            wanted = f"eligo_requests_held {held}.0".encode()
            _soon(lambda wanted=wanted: wanted in asked.ask("GET", "/metrics").body)  # type: ignore[misc]
            assert wanted in asked.ask("GET", "/metrics").body
        assert asked.match({}).status == 200
        refused = asked.ask("GET", "/subscriptions/s/stream")
        assert refused.status == 503 and "3 streams" in refused.json["detail"]
        for client in clients:
            client.close()
        _soon(lambda: b"eligo_requests_held 0.0" in asked.ask("GET", "/metrics").body)
        assert b"eligo_requests_held 0.0" in asked.ask("GET", "/metrics").body


def test_a_request_that_takes_too_long_is_given_up() -> None:
    with served(HttpSettings(max_seconds=0.2)) as asked, waiting(asked) as client:
        answer = client.recv(10_000)
        assert answer.startswith(b"HTTP/1.1 503") and b"retry-after: 1" in answer
        assert b'"type":"/errors#late"' in answer and b"may have been changed" in answer
        _soon(lambda: asked.match({}).status == 200)
        assert asked.match({}).status == 200


def test_questions_of_a_request_that_was_given_up_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []

    def slowly(*given: Any) -> Any:
        begun.append(1)
        time.sleep(0.1)
        return explanation_of(*given)

    monkeypatch.setattr(explaining, "explanation_of", slowly)
    with served(HttpSettings(max_seconds=0.5)) as asked:
        asked.put("a", "x = 1")
        late = asked.ask("POST", "/explain?id=a", {"events": [{"x": 1}] * 1_000})
        assert (late.status, late.headers["retry-after"]) == (503, "1")
        time.sleep(0.5)
        number = len(begun)
        time.sleep(0.5)
        assert 0 < number == len(begun) < 1_000


@pytest.mark.parametrize(
    "sent", [b"", b"POST /match HTTP/1.1\r\nHost: local", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /he"]
)
def test_half_a_head_is_given_up(sent: bytes) -> None:
    with served(HttpSettings(max_head_seconds=0.2)) as asked:
        with socket.create_connection(("127.0.0.1", asked.port), timeout=DEADLINE) as client:
            client.sendall(sent)
            received = b""
            while piece := client.recv(10_000):
                received += piece
        assert received.count(b"HTTP/1.1 408") == 1 and b"/errors#too-slow" in received
        assert asked.match({}).status == 200


def test_a_head_without_an_end_is_given_up(asked: Served) -> None:
    with socket.create_connection(("127.0.0.1", asked.port), timeout=DEADLINE) as client:
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * 70_000)
        assert client.recv(10_000).startswith(b"HTTP/1.1 431")


@pytest.mark.parametrize(
    ("sent", "status", "name"),
    [
        (b"GET /match?" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 431, b"request-header-fields"),
        (b"GARBAGE\r\n\r\n", 400, b"not-http"),
        (b"POST /match HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400, b"not-http"),
        (b"POST /match HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n{}", 400, b"not-http"),
    ],
)
def test_what_is_no_http_is_told_as_a_problem(asked: Served, sent: bytes, status: int, name: bytes) -> None:
    with socket.create_connection(("127.0.0.1", asked.port), timeout=DEADLINE) as client:
        client.sendall(sent)
        received = b""
        while piece := client.recv(10_000):
            received += piece
    assert received.count(b"content-length: ") == 1 and received.startswith(b"HTTP/1.1 %d " % status)
    assert b"content-type: application/problem+json" in received and b"/errors#" + name in received


def test_connections_have_a_bound() -> None:
    with served(HttpSettings(max_connections=3, max_head_seconds=DEADLINE)) as asked:
        idle = [socket.create_connection(("127.0.0.1", asked.port), timeout=DEADLINE) for _ in range(3)]
        with socket.create_connection(("127.0.0.1", asked.port), timeout=DEADLINE) as client:
            assert client.recv(10_000).startswith(b"HTTP/1.1 503")
        for client in idle:
            client.close()

        def is_answered() -> bool:
            try:
                return asked.match({}).status == 200
            except (OSError, http.client.HTTPException):
                return False

        _soon(is_answered)
        assert is_answered()


def test_lines_that_stop_coming_are_given_up() -> None:
    with served(HttpSettings(max_seconds=0.2)) as asked:
        client = socket.create_connection(("127.0.0.1", asked.port), timeout=DEADLINE)
        head = b"POST /match HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
        client.sendall(head + b"Content-Length: 99\r\n\r\n{}\n")
        assert client.recv(10_000).startswith(b"HTTP/1.1 408")
        client.close()


def test_a_client_that_goes_leaves_nothing_behind(asked: Served) -> None:
    for _ in range(20):
        waiting(asked).close()
    _soon(lambda: asked.ask("GET", "/metrics").body.count(b"eligo_requests_in_progress 1.0"))
    assert b"eligo_requests_in_progress 1.0" in asked.ask("GET", "/metrics").body


def test_many_clients_at_once_are_all_answered(asked: Served) -> None:
    asked.put("a", "x = 1")
    statuses: list[int] = []

    def ask() -> None:
        statuses.append(asked.match({"x": 1}).status)

    threads = [threading.Thread(target=ask) for _ in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [200] * 100
