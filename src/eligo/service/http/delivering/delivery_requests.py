"""What do the routes of publications and subscriptions share? How bodies are read, conditions, and whose things are."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from eligo.errors import UnknownIdError, shown
from eligo.service.delivery.deliverer import Deliverer
from eligo.service.delivery.subscription import Incarnation
from eligo.service.http.bodies import decoded, read_body
from eligo.service.http.call import call_of
from eligo.service.http.forms import Form, given_form
from eligo.service.http.problems import HttpProblem
from eligo.service.service import Service
from eligo.service.state.outcome import FollowerError

MOST_BYTES = 1 << 20
"""Of a body."""
Body = TypeVar("Body")


def deliverer_of(request: Request) -> Deliverer:
    """Who delivers for the app that was asked."""
    found: Deliverer = request.app.state.deliverer
    return found


def bound_tenant(request: Request) -> str | None:
    """The tenant that the token of a request is bound to."""
    return call_of(request).tenant


async def said(request: Request, decoder: msgspec.json.Decoder[Body]) -> Body:
    """What a body says; an empty one says nothing but defaults."""
    given_form(call_of(request).content_type, Form.JSON)
    return decoded(await read_body(request, MOST_BYTES) or b"{}", decoder)


def condition(if_match: str | None, if_none_match: str | None = None) -> str | None:
    """What `If-Match` or `If-None-Match` demands, as records have it."""
    if if_none_match is not None:
        if if_none_match.strip() != "*" or if_match is not None:
            raise HttpProblem(400, "If-None-Match is understood as * alone, without If-Match", name="condition")
        return ""
    if if_match is None:
        return None
    etag = if_match.strip().removeprefix("W/").strip('"')
    if not etag or "," in etag:
        raise HttpProblem(400, "If-Match is understood with one etag, or as *", name="condition")
    return etag


def visible(service: Service, name: str, tenant: str | None) -> Incarnation:
    """A subscription that a token of this tenant may see; others are not there for it.

    A request goes on with what it was given here: the name may be another tenant's by then.
    """
    following = service.following
    if following is not None:
        source = following["source"]
        raise FollowerError(f"this service follows {source} and delivers nothing", help=f"ask the owner: {source}")
    found = service.subscriptions.incarnation(name)
    if tenant is not None and service.subscriptions.get(found).tenant != tenant:
        raise UnknownIdError(f"there is no subscription {shown(name)}")
    return found


def answer(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A value as JSON."""
    return Response(msgspec.json.encode(value), status, headers, "application/json")
