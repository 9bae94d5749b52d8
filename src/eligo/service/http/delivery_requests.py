"""What do the routes of publications and subscriptions share? How bodies are read, conditions, and whose things are."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from eligo.errors import UnknownIdError, shown
from eligo.service.delivery.deliverer import Deliverer
from eligo.service.delivery.subscription import Subscription
from eligo.service.http.problems import HttpProblem
from eligo.service.service import Service

Body = TypeVar("Body")


def deliverer_of(request: Request) -> Deliverer:
    """Who delivers for the app that was asked."""
    found: Deliverer = request.app.state.deliverer
    return found


def bound_tenant(request: Request) -> str | None:
    """The tenant that the token of a request is bound to."""
    found: str | None = getattr(request.state, "tenant", None)
    return found


async def body_bytes(request: Request, most: int) -> bytes:
    """A whole body, of at most so many bytes."""
    pieces: list[bytes] = []
    num_bytes = 0
    async for piece in request.stream():
        num_bytes += len(piece)
        if num_bytes > most:
            raise HttpProblem(413, f"a body has at most {most:,} bytes here", help="send less", name="too-large")
        pieces.append(piece)
    return b"".join(pieces)


def decoded(body: bytes, type: type[Body]) -> Body:
    """What a body says; an empty one says nothing but defaults."""
    try:
        return msgspec.json.decode(body or b"{}", type=type)
    except msgspec.ValidationError as error:
        raise HttpProblem(422, f"the body is not what is asked for: {error}", name="body") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise HttpProblem(400, f"the body is not JSON: {error}", name="not-json") from None
    except RecursionError:
        raise HttpProblem(422, "the body is nested too deep", name="body") from None


def condition_of(request: Request) -> str | None:
    """What `If-Match` or `If-None-Match` demands, as records have it."""
    wanted, unwanted = request.headers.get("if-match"), request.headers.get("if-none-match")
    if unwanted is not None:
        if unwanted.strip() != "*" or wanted is not None:
            raise HttpProblem(400, "If-None-Match is understood as * alone", name="condition")
        return ""
    if wanted is None:
        return None
    etag = wanted.strip().removeprefix("W/").strip('"')
    if not etag or "," in etag:
        raise HttpProblem(400, "If-Match is understood with one etag, or as *", name="condition")
    return etag


def visible(service: Service, name: str, tenant: str | None) -> Subscription:
    """A subscription that a token of this tenant may see; others are not there for it."""
    found = service.subscriptions.get(name)
    if tenant is not None and found.tenant != tenant:
        raise UnknownIdError(f"there is no subscription {shown(name)}")
    return found


def whole_number(request: Request, name: str, default: int, most: int) -> int:
    """A number of the query."""
    given = request.query_params.get(name)
    if given is None:
        return default
    if not given.isascii() or not given.isdigit() or len(given) > 18 or int(given) > most:
        raise HttpProblem(422, f"{name} is a number from 0 to {most:,}, not {shown(given)}", name="query")
    return int(given)


def answer(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A value as JSON."""
    return Response(msgspec.json.encode(value), status, headers, "application/json")
