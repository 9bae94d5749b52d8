"""Do the page's questions leave workers to others, and those of browsers that have gone undone?"""

from __future__ import annotations

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from eligo.service.http.settings import HttpSettings
from eligo.service.page import routes
from served import DEADLINE, Served, served

SETTINGS = HttpSettings(num_workers=2, max_seconds=DEADLINE)
BODY = b'{"expression": "a = 1"}'


class Slow:
    """A draft that is tried until it may end."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun = 0
        self.may_end = threading.Event()
        monkeypatch.setattr(routes, "_tried_draft", self._tried)

    def _tried(self, *given: Any) -> dict[str, Any]:
        self.begun += 1
        assert self.may_end.wait(DEADLINE)
        return {}

    def has_begun(self) -> None:
        ends = time.monotonic() + DEADLINE
        while not self.begun:
            assert time.monotonic() < ends
            time.sleep(0.01)


def explain(asked: Served) -> int:
    return asked.ask("POST", "/page/explain", BODY).status


def test_a_page_leaves_a_worker_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow(monkeypatch)
    with served(SETTINGS) as asked, ThreadPoolExecutor() as pages:
        asked.put("a", "x = 1")
        tries = [pages.submit(explain, asked) for _ in range(4)]
        slow.has_begun()
        assert asked.ask("POST", "/top", {"events": [{"x": 1}]}).status == 200
        assert slow.begun == 1
        slow.may_end.set()
        assert [each.result(DEADLINE) for each in tries] == [200] * 4


def test_what_a_browser_gave_up_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow(monkeypatch)
    head = b"POST /page/explain HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(BODY)
    with served(SETTINGS) as asked, ThreadPoolExecutor() as pages:
        first = pages.submit(explain, asked)
        slow.has_begun()
        with socket.create_connection(("127.0.0.1", asked.port), timeout=DEADLINE) as gone:
            gone.sendall(head + BODY)
            time.sleep(0.3)
        time.sleep(0.3)
        slow.may_end.set()
        assert first.result(DEADLINE) == 200
        assert explain(asked) == 200
        assert slow.begun == 2
