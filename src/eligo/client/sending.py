"""How often is a service asked before it is given up? As often as it says that it is busy, within bounds.

A request that may come twice is sent again when the connection breaks or the service was late with it, and any when the
service has refused it for now (429, 503 with `Retry-After`); the time for it all is bounded.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple, TypeVar

from eligo.arguments import number, text, whole_number
from eligo.client.calls import Call, Received
from eligo.client.problems import error_of
from eligo.errors import EligoError, InputError, MissingExtraError, ServiceError, shown

Answer = TypeVar("Answer")

BUSY = (429, 503)
LATE = "#late"
"""How the type of the problem of a request ends that was given up, although it may have been done."""
FIRST_PAUSE = 0.1
"""Seconds before the second try; doubled each time."""
MOST_PAUSE = 10.0
HELP = "install it: pip install 'eligo[client]'"


class Settings(NamedTuple):
    """How a client asks."""

    url: str
    token: str | None
    timeout: float
    """Seconds for one request."""
    retries: int
    """How often a request is repeated."""

    @classmethod
    def checked(cls, url: str, token: str | None, timeout: float, retries: int) -> Settings:
        """What a caller gave, or an error for what cannot be."""
        address = text(url, "url").rstrip("/")
        if not address.startswith(("http://", "https://")):
            raise InputError(f"{shown(url)} is not the address of a service", help="write http://host:port")
        if token is not None and not (text(token, "token").isascii() and token.isprintable()):
            raise InputError("this is not a token", help="give one that `eligo token create` has shown")
        seconds = number(timeout, "timeout", least=0)
        if seconds == 0:
            raise InputError("timeout is more than 0 seconds")
        return cls(address, token, seconds, whole_number(retries, "retries", least=0))

    def headers(self) -> dict[str, str]:
        """What every request says."""
        return {} if self.token is None else {"authorization": f"Bearer {self.token}"}


def httpx() -> Any:
    """The library that speaks HTTP; which extra brings it is said when it is not there."""
    try:
        import httpx2
    except ImportError:
        raise MissingExtraError("a client needs the package httpx2", help=HELP) from None
    return httpx2


def request_of(call: Call[Any], min_seq: int) -> dict[str, Any]:
    """The arguments of a request."""
    query = dict(call.query)
    if call.is_read and min_seq:
        query["min_seq"] = min_seq
    return {
        "method": call.method,
        "url": call.path,
        "params": query,
        "content": call.content or None,
        "headers": dict(call.headers),
    }


def pause_after(call: Call[Any], received: Received, attempt: int, settings: Settings) -> float | None:
    """How long to wait before asking again; None when this is the answer."""
    if received.status not in BUSY or attempt >= settings.retries:
        return None
    error = error_of(received.status, received.headers, received.content)
    if not call.is_repeatable and str(error.__dict__["problem"].get("type")).endswith(LATE):
        return None
    said = error.retry_after if isinstance(error, ServiceError) else None
    return min(MOST_PAUSE, said if said is not None else own_pause(attempt))


def own_pause(attempt: int) -> float:
    """How long to wait when nobody says it; not the same for all, so that they do not come back together."""
    return float(min(MOST_PAUSE, FIRST_PAUSE * 2**attempt) * random.uniform(0.5, 1.0))


def may_repeat(call: Call[Any], attempt: int, settings: Settings) -> bool:
    """Whether a request whose fate is not known may be sent again."""
    return call.is_repeatable and attempt < settings.retries


def not_sent(error: Exception) -> EligoError:
    """The error for what no request can hold, such as a header that is not text."""
    return InputError(f"a service cannot be asked this: {error}", help="see docs/service.md")


def not_reached(settings: Settings, error: Exception) -> EligoError:
    """The error for a service that does not answer."""
    return ServiceError(
        f"the service at {settings.url} did not answer: {type(error).__name__}",
        help="see whether it runs (eligo serve) and whether the address is right",
    )


def answer(call: Call[Answer], received: Received) -> Answer:
    """What the call wanted, or the error that the service gave."""
    if received.status >= 400:
        raise error_of(received.status, received.headers, received.content)
    return call.read(received)
