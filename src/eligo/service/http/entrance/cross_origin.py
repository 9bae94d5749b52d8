"""What does a page of another origin hear? Nothing, unless its origin was named; then what the browser asks for it."""

from __future__ import annotations

from eligo.service.http.call import Call, Send
from eligo.service.http.entrance.access import Access

_ALLOWED = [
    (b"access-control-allow-methods", b"GET, POST, PUT, DELETE"),
    (
        b"access-control-allow-headers",
        b"authorization, content-type, if-match, if-none-match, last-event-id, x-request-id",
    ),
    (b"access-control-max-age", b"600"),
]


def cross_origin_headers(call: Call, access: Access) -> list[tuple[bytes, bytes]]:
    """What lets a page of an origin that was named read the answer."""
    if not access.is_allowed_origin(call.origin):
        return []
    return [
        (b"access-control-allow-origin", call.origin),
        (b"access-control-expose-headers", b"etag, eligo-seq, eligo-version, retry-after, x-request-id"),
        (b"vary", b"Origin"),
    ]


async def answers_preflight(call: Call, send: Send) -> None:
    """The answer to a browser that asks before it asks, for an origin that was named."""
    call.status = 204
    call.route = "preflight"
    headers = [
        (b"access-control-allow-origin", call.origin),
        (b"vary", b"Origin"),
        *_ALLOWED,
        (b"x-request-id", call.id),
    ]
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
