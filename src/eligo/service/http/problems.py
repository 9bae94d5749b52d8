"""How does a client hear that something is wrong? As a problem of RFC 9457: what, where, and what to do.

{"type": "/errors#expression-syntax", "title": "A text that is not an expression", "status": 422,
 "detail": "expected a value, found the end of the expression", "line": 1, "column": 8,
 "excerpt": "state =", "caret": "       ^", "help": "write a number, …", "request_id": "5f0c-2a"}
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec

from eligo import errors
from eligo.errors import EligoError, EventError, ExpressionError, excerpt, printable
from eligo.service.state.outcome import BusyError, ConditionError, FollowerError, ForeignTenantError, ReadOnlyError

PROBLEM_JSON = "application/problem+json"
RETRY_AFTER = 1
"""Seconds after which a client may come again where nothing better is known."""

STATUSES: dict[type[EligoError], int] = {
    errors.UnknownIdError: 404,
    errors.DuplicateIdError: 409,
    errors.MergeError: 503,
    errors.StorageError: 503,
    errors.MissingExtraError: 501,
    ForeignTenantError: 403,
    ConditionError: 412,
    FollowerError: 409,
    ReadOnlyError: 503,
    BusyError: 503,
    EligoError: 422,
}
"""By the class of an error, or the nearest one above it."""


class HttpProblem(EligoError):
    """Something that concerns HTTP rather than what was asked."""

    def __init__(
        self, status: int, message: str, *, help: str = "", name: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, help=help)
        self.status = status
        self.name = name or _kebab(HTTPStatus(status).phrase.replace(" ", ""))
        self.headers = dict(headers or ())


def too_large(what: str, most: int, help: str) -> HttpProblem:
    """What is beyond a limit."""
    return HttpProblem(413, f"{what} is more than {most:,}, which is the most", help=help, name="too-large")


def too_busy(status: int, message: str, seconds: int = RETRY_AFTER) -> HttpProblem:
    """What could be done at another time: 429 when the client asks too much, 503 when the server has too much to do."""
    return HttpProblem(
        status, message, help=f"come again in {seconds} s", name="too-busy", headers={"retry-after": str(seconds)}
    )


def status_of(error: EligoError) -> int:
    """The status of the answer to an error."""
    if isinstance(error, HttpProblem):
        return error.status
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


def name_of(error: EligoError) -> str:
    """What a program knows an error by."""
    return error.name if isinstance(error, HttpProblem) else _kebab(type(error).__name__.removesuffix("Error"))


def _kebab(words: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", words).lower()


def _title(error: EligoError) -> str:
    if isinstance(error, HttpProblem):
        return HTTPStatus(error.status).phrase
    return re.split(r"[.;]", (type(error).__doc__ or "").partition("\n")[0])[0]


def problem(error: EligoError, request_id: str = "") -> dict[str, Any]:
    """An error as JSON."""
    fields: dict[str, Any] = {
        "type": f"/errors#{name_of(error)}",
        "title": _title(error),
        "status": status_of(error),
        "detail": printable(error.message, keep="\n"),
    }
    if isinstance(error, EventError):
        fields |= {key: own for key in ("row", "attribute") if (own := getattr(error, key)) is not None}
    if isinstance(error, ExpressionError) and error.position is not None:
        source, caret = excerpt(error.text, error.position)
        fields |= {"line": error.position.line, "column": error.position.column, "offset": error.position.offset}
        fields |= {"excerpt": source, "caret": caret}
    if error.help:
        fields["help"] = printable(error.help, keep="\n")
    if request_id:
        fields["request_id"] = request_id
    return fields


def problem_answer(error: EligoError, request_id: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of the answer to an error."""
    headers = {"content-type": PROBLEM_JSON}
    status = status_of(error)
    if isinstance(error, HttpProblem):
        headers |= error.headers
    elif status == 503:
        headers["retry-after"] = str(math.ceil(error.retry_after) if isinstance(error, BusyError) else RETRY_AFTER)
    return status, headers, msgspec.json.encode(problem(error, request_id))


def unforeseen() -> HttpProblem:
    """For an exception that is none of ours; what it says is in the log only."""
    return HttpProblem(500, "this is a bug in Eligo", help="report it with the request id; the log says more")
