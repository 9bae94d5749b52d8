"""How is a route described for OpenAPI? By the classes of `messages`, from which the schemas are made once.

Routes read their bodies themselves, for bounds and for speed, so that FastAPI cannot see what they take: it is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from eligo.service.http import messages
from eligo.service.http.delivering import subscription_messages
from eligo.service.http.forms import Form
from eligo.service.http.problems import PROBLEM_JSON

REFERENCE = "#/components/schemas/{name}"
ALWAYS = {
    400: "The request cannot be read.",
    401: "There is no token, or it is not known.",
    403: "The token may not do this.",
    409: "This service follows another, which is named: changes are for that one.",
    413: "Too much at once.",
    415: "The body has a type that is not understood here.",
    422: "What was asked cannot be: what, where, and what to do.",
    429: "This client asks too much at once; Retry-After says when to come back.",
    431: "The head of the request is too large, its address included.",
    503: "Not now; Retry-After says when to come back.",
}
FURTHER = {
    404: "There is none.",
    406: "There is no answer in a form that is accepted.",
    408: "The body did not come.",
    410: "The log does not go back so far any more: begin with the checkpoint.",
    412: "The condition does not hold; nothing was changed.",
}
STAMPS = {
    "eligo-version": {"description": "The last published version.", "schema": {"type": "integer"}},
    "eligo-seq": {"description": "The last write that is seen.", "schema": {"type": "integer"}},
    "x-request-id": {"description": "By which the logs know the request.", "schema": {"type": "string"}},
}

_structs = [
    each
    for module in (messages, subscription_messages)
    for each in vars(module).values()
    if isinstance(each, type) and issubclass(each, msgspec.Struct) and each.__module__ == module.__name__
]


def components() -> dict[str, Any]:
    """The schemas of all bodies and answers by name."""
    _, found = msgspec.json.schema_components(_structs, ref_template=REFERENCE)
    return dict(found)


def _schema(kind: Any) -> dict[str, Any]:
    if isinstance(kind, tuple):
        return {"anyOf": [_schema(each) for each in kind]}
    if kind is dict:
        return {"type": "object"}
    return {"$ref": REFERENCE.format(name=kind.__name__)}


def _problem(text: str) -> dict[str, Any]:
    return {"description": text, "content": {PROBLEM_JSON: {"schema": _schema(messages.Problem)}}, "headers": STAMPS}


def problem_responses() -> dict[str, Any]:
    """The answers that every request may get."""
    return {str(status): _problem(text) for status, text in ALWAYS.items()}


def described(
    answer: Any = None,
    body: Any = None,
    *,
    statuses: Mapping[int, Any] | None = None,
    refuses: tuple[int, ...] = (),
    empty: tuple[int, ...] = (),
    events: bool = False,
    event_too: bool = False,
    lines: Any = None,
    body_lines: Any = None,
    arrow: bool = False,
    arrow_in: bool = False,
    text: bool = False,
    events_out: bool = False,
    bytes_out: bool = False,
) -> dict[str, Any]:
    """What a route's decorator is given: the schemas of its body and of its answers."""
    taken: dict[str, Any] = {}
    if events:
        schema = {"oneOf": [{"type": "object", "title": "One event"}, _schema(messages.EventsBody)]}
        taken[Form.JSON.value] = {"schema": {"anyOf": schema["oneOf"]}}
        taken[Form.LINES.value] = {"schema": {"type": "string", "description": "An event a line."}}
    elif body is not None:
        plain = _schema(body)
        taken[Form.JSON.value] = {"schema": {"anyOf": [plain, {"type": "object"}]} if event_too else plain}
    if body_lines is not None:
        taken[Form.LINES.value] = {"schema": {"type": "string", "description": f"One a line: {body_lines.__name__}."}}
    if arrow or arrow_in:
        taken[Form.ARROW.value] = {"schema": {"type": "string", "format": "binary"}}
    given: dict[str, Any] = {}
    if answer is not None:
        given[Form.JSON.value] = {"schema": _schema(answer)}
    if text:
        given["text/plain"] = {"schema": {"type": "string"}}
    if events_out:
        given["text/event-stream"] = {"schema": {"type": "string", "description": "Server-sent events."}}
    if bytes_out:
        given["application/octet-stream"] = {"schema": {"type": "string", "format": "binary"}}
    if lines is not None:
        given[Form.LINES.value] = {"schema": {"type": "string", "description": f"One a line: {lines.__name__}."}}
    if arrow:
        given[Form.ARROW.value] = {"schema": {"type": "string", "format": "binary"}}
    responses: dict[int | str, Any] = {200: {"description": "Fine.", "content": given, "headers": STAMPS}}
    for status, kind in (statuses or {}).items():
        own = {Form.JSON.value: {"schema": _schema(kind)}}
        responses[status] = {"description": "Fine.", "content": own, "headers": STAMPS}
    responses |= {status: {"description": "As it is known.", "headers": STAMPS} for status in empty}
    responses |= {status: _problem(FURTHER.get(status, ALWAYS.get(status, ""))) for status in refuses}
    extra: dict[str, Any] = {"responses": responses}
    if taken:
        extra["requestBody"] = {"required": True, "content": taken}
    return {"openapi_extra": extra, "response_model": None, "responses": {}}
