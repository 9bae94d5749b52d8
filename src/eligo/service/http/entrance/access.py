"""What may a request do? What its token allows; without tokens anything, but only from this machine.

A page of another origin may ask nothing unless its origin is named, also where a browser would let it send: a request
with a foreign Origin is refused. Where no token is needed, Host must be a name of this machine, so that no name
that was made to point here leads in.
"""

from __future__ import annotations

import re
from functools import partial

from eligo.service.http.call import Call
from eligo.service.http.entrance.tokens import Token, Tokens
from eligo.service.http.problems import HttpProblem
from eligo.service.http.settings import HttpSettings

OPEN = frozenset({"/", "/healthz", "/readyz", "/openapi.json", "/errors", "/favicon.ico"})
"""Paths that everybody may read: they hold no data."""
OPEN_BELOW = ("/page/assets/",)
_OWN_HOST = re.compile(rb"(localhost|127(\.[0-9]{1,3}){3}|\[::1\])(:[0-9]{1,5})?")
_WRITING_POSTS = frozenset({"/expressions", "/documents"})
_ADMIN = ("/log", "/checkpoint")
_CONSUMING = re.compile(r"/subscriptions/[^/]+/(?:pull|ack|nack|stream|dead/resend)")
"""What takes messages, or has them wait again: others do not get them any more, or once more."""


def scope_of(method: str, path: str) -> str | None:
    """The scope that a request needs; None for what is open."""
    if path in OPEN or path.startswith(OPEN_BELOW):
        return None
    if path.startswith(_ADMIN):
        return "admin"
    if path == "/publish":
        return "publish"
    if method in ("PUT", "DELETE", "PATCH") or (method == "POST" and path in _WRITING_POSTS):
        return "write"
    return "consume" if is_consuming(path) else "read"


def is_consuming(path: str) -> bool:
    """Whether what is asked there takes messages."""
    return _CONSUMING.fullmatch(path) is not None


class Access:
    """Decides who may do what."""

    def __init__(self, settings: HttpSettings) -> None:
        self._tokens = None if settings.tokens is None else Tokens(settings.tokens)
        self._origins = frozenset(origin.encode() for origin in settings.allow_origins)
        self._known_hosts: set[bytes] = set()

    def is_allowed_origin(self, origin: bytes) -> bool:
        return origin in self._origins

    def admit(self, call: Call) -> None:
        """Say whose the request is, or raise the problem that it has."""
        token = self._checked(call)
        if token is not None:
            call.client = f"token {token.name}"
            call.tenant = token.tenant
        call.may_go_on = partial(self._may_go_on, call)

    def _may_go_on(self, call: Call) -> bool:
        """Whether a request that was let in would still be: its token may have been revoked since."""
        try:
            self._checked(call)
        except HttpProblem:
            return False
        return True

    def _checked(self, call: Call) -> Token | None:
        """The token of a request where one is needed; the problem that the request has is raised."""
        if call.origin and not self._is_own_origin(call) and not self.is_allowed_origin(call.origin):
            raise HttpProblem(
                403, "pages of another origin may not ask here", help="name it: --allow-origin", name="foreign-origin"
            )
        scope = scope_of(call.method, call.path)
        if self._tokens is None or not self._tokens.are_needed:
            self._require_own_host(call)
            return None
        if scope is None:
            return None
        kind, _, text = call.token.partition(b" ")
        token = self._tokens.find(text.strip()) if kind.lower() == b"bearer" else None
        if token is None:
            raise HttpProblem(
                401,
                "this needs a token" if not call.token else "this token is not known",
                help="send Authorization: Bearer …; `eligo token create` makes one",
                name="no-token",
                headers={"www-authenticate": "Bearer"},
            )
        if not token.may(scope):
            raise HttpProblem(
                403, f"this needs a token with the scope {scope}", help="`eligo token create` makes one", name="scope"
            )
        return token

    def _is_own_origin(self, call: Call) -> bool:
        return call.origin.partition(b"//")[2] == call.host

    def _require_own_host(self, call: Call) -> None:
        host = call.host
        if host in self._known_hosts or not host:
            return
        if not _OWN_HOST.fullmatch(host):
            raise HttpProblem(
                403,
                "without tokens this service answers to names of this machine only",
                name="foreign-host",
                help="ask 127.0.0.1 or localhost, or make a token: eligo token create",
            )
        if len(self._known_hosts) < 100:
            self._known_hosts.add(host)
