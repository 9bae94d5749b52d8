"""The page behind a server of its own, with the other routes that it asks, on a random port of the loopback."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec
import uvicorn
from fastapi import FastAPI, Request, Response

from eligo.errors import EligoError
from eligo.language.canonical import canonical_text
from eligo.language.lint.lint import lint
from eligo.language.text.parse import parse
from eligo.service.http.problems import problem_answer
from eligo.service.page.routes import router
from eligo.service.service import Service
from eligo.service.state.stored_expression import StoredExpression

DEADLINE = 240.0
"""Seconds after which a server that does not come up, answer or go down is a failure; kernels may be compiled."""


def page_app(service: Service, tenant: str | None = None, token: str = "") -> FastAPI:
    """The routes; `tenant` is the one that all requests are bound to, `token` what all questions must bring."""
    app = FastAPI()
    app.include_router(router(lambda request: service))

    @app.middleware("http")
    async def known(request: Request, call_next: Any) -> Response:
        request.state.tenant = tenant
        is_open = request.url.path == "/" or request.url.path.startswith("/page/assets/")
        if token and not is_open and request.headers.get("authorization") != f"Bearer {token}":
            return Response('{"detail": "a token is wanted"}', 401, media_type="application/problem+json")
        answer: Response = await call_next(request)
        return answer

    @app.exception_handler(EligoError)
    def refuse(request: Request, error: EligoError) -> Response:
        status, headers, body = problem_answer(error, "")
        return Response(body, status, headers)

    @app.post("/check")
    async def check(request: Request) -> Any:
        tree = parse((await request.json())["expression"])
        return {"canonical": canonical_text(tree), "findings": [each.to_json() for each in lint({"": tree})]}

    @app.get("/expressions")
    def expressions(prefix: str = "", contains: str = "", limit: int = 50) -> Any:
        found = service.expressions.page(prefix=prefix, contains=contains, limit=limit)
        return {"expressions": [_shown(each) for each in found]}

    @app.get("/expressions/{id}")
    def expression(id: str) -> Any:
        return _shown(service.expressions.get(id))

    @app.get("/subscriptions")
    def subscriptions() -> Any:
        delivery = {"kind": "pull"}
        counts = {"lag": 61.2, "pending": 3, "in_flight": 1, "dropped": 0, "dead": 2}
        return {"subscriptions": [{"name": "golfers", "expression": "golf", "delivery": delivery, **counts}]}

    return app


def _shown(stored: StoredExpression) -> dict[str, Any]:
    return {"id": stored.id, "expression": stored.expression, "tenant": stored.tenant}


class Asked:
    """A server that can be asked."""

    def __init__(self, service: Service, port: int) -> None:
        self.service = service
        self.port = port
        self.address = f"http://127.0.0.1:{port}/"

    def ask(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Any:
        """Status, headers and body of an answer; a body that is JSON is read."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        sent = None if body is None else msgspec.json.encode(body)
        try:
            connection.request(method, path, sent, {"content-type": "application/json", **(headers or {})})
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            content = response.read()
        finally:
            connection.close()
        return response.status, found, json.loads(content) if "json" in found.get("content-type", "") else content


@contextmanager
def served_page(service: Service | None = None, tenant: str | None = None, token: str = "") -> Iterator[Asked]:
    """The page of a service in memory, or of one that is given; both are closed afterwards."""
    known = service or Service.open(None)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    config = uvicorn.Config(page_app(known, tenant, token), log_config=None, lifespan="off", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    ends = time.monotonic() + DEADLINE
    while not server.started:
        assert thread.is_alive() and time.monotonic() < ends
        time.sleep(0.01)
    try:
        yield Asked(known, listening.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(DEADLINE)
        listening.close()
        known.close()
        assert not thread.is_alive()
