"""What is known of a request before it is answered? Who asks, by which id it is spoken of, and since when it waits."""

from __future__ import annotations

import asyncio
import itertools
import re
import secrets
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qsl, unquote_to_bytes

from starlette.requests import Request

from eligo.service.http.problems import HttpProblem

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]

STATE_KEY = "eligo_call"
_GIVEN_ID = re.compile(rb"[A-Za-z0-9._:-]{1,64}")
_first = secrets.token_hex(4)
_count = itertools.count(1)


class Call:
    """One request."""

    __slots__ = (
        "accept",
        "client",
        "content_length",
        "content_type",
        "host",
        "id",
        "is_late",
        "last",
        "lasts",
        "may_go_on",
        "method",
        "num_matches",
        "origin",
        "path",
        "query",
        "route",
        "started",
        "status",
        "task",
        "tenant",
        "token",
    )

    def __init__(self, scope: Scope) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query: bytes = scope["query_string"]
        self.started = time.perf_counter()
        self.content_type = self.accept = self.origin = self.token = self.host = b""
        self.content_length = -1
        given_id = b""
        for name, value in scope["headers"]:
            if name == b"content-type":
                self.content_type = value
            elif name == b"host":
                self.host = value
            elif name == b"content-length":
                self.content_length = int(value) if value.isdigit() else -1
            elif name == b"accept":
                self.accept = value
            elif name == b"authorization":
                self.token = value
            elif name == b"x-request-id":
                given_id = value
            elif name == b"origin":
                self.origin = value
        self.id = given_id if given_id and _GIVEN_ID.fullmatch(given_id) else b"%b-%x" % (_first.encode(), next(_count))
        """The client's own where it is one, so that it can be found in its logs and in ours."""
        client = scope.get("client")
        self.client: str = client[0] if client else ""
        """Whom limits are counted for: the name of a token, or an address."""
        self.tenant: str | None = None
        """The one that the token is bound to."""
        self.route = ""
        """What its figures are counted under; an attribute of the request would make as many as there are ids."""
        self.status = 0
        self.num_matches = 0
        self.is_late = False
        self.lasts = False
        """Whether it takes as long as it takes, by its nature."""
        self.last: Callable[[], None] = lambda: None
        """Told by a route whose request lasts, when that has been read: it is counted among those that last then."""
        self.may_go_on: Callable[[], bool] = lambda: True
        """Whether a request that was let in would still be; asked by those that last."""
        self.task: asyncio.Task[Any] | None = None

    @property
    def request_id(self) -> str:
        return self.id.decode("ascii")

    def parameters(self) -> dict[str, str]:
        """Those of its query."""
        if not self.query:
            return {}
        return dict(parse_qsl(self.query.decode("ascii", "replace"), keep_blank_values=True))


def call_of(request: Request) -> Call:
    """What is known of a request that FastAPI was given."""
    found: Call = request.scope["state"][STATE_KEY]
    return found


def allowed_tenant(bound: str | None, asked: str | None) -> str | None:
    """Whose the events are: the tenant that is asked for, unless a token is bound to another."""
    if bound is None:
        return asked
    if asked not in (None, bound):
        raise HttpProblem(403, "this token is for another tenant", help="ask without ?tenant, or with the token's own")
    return bound


def require_plain_path(scope: Scope) -> None:
    """Refuse a path that would be taken for another one.

    Behind a path that a route has, Starlette lets a line end stand (`$`): such a request would reach a route whose
    scope nobody has asked for, and an id would lose it. Of what is not UTF-8 the server reads two paths as one.
    """
    if "\n" in scope["path"]:
        raise HttpProblem(
            400,
            "the path has a line end",
            help="an expression whose id has one is put and deleted by lines: POST /expressions",
            name="path",
        )
    if "\ufffd" not in scope["path"]:
        return
    try:
        unquote_to_bytes(scope["raw_path"]).decode()
    except UnicodeDecodeError:
        raise HttpProblem(
            400, "the path is not UTF-8", help="write what is not ASCII as %-escapes of its UTF-8", name="path"
        ) from None


def require_no_tenant(tenant: str | None) -> None:
    """Documents are everybody's: who is bound to one tenant neither sees nor changes them."""
    if tenant is not None:
        raise HttpProblem(
            403, "documents belong to no tenant, and this token to one", help="use a token without a tenant"
        )
