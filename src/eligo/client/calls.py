"""What does a question to a service look like on the wire? One function for each verb; clients send what it gives.

    match({"age": 30})  ──▶  Call("POST", "/match", content=b'{"age":30}', read=…)  ──▶  ["ad-7"]

Nothing here waits, so that the client that waits and the one that does not (`client`, `async_client`) share all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import wraps
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar
from urllib.parse import quote

import msgspec

from eligo.client.answers import (
    Bulk,
    Found,
    Message,
    Published,
    Pulled,
    RowResult,
    StoredDocument,
    StoredExpression,
    Written,
)
from eligo.client.arrow_tables import ARROW, from_stream, is_table, to_stream
from eligo.client.problems import error_of
from eligo.errors import EligoError, EventError, InputError, shown

JSON = "application/json"
LINES = "application/x-ndjson"

_JSON_BODY = {"content-type": JSON}

ExpressionId = str | int
Answer = TypeVar("Answer")
Given = ParamSpec("Given")


class Received(NamedTuple):
    """What came back."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    def json(self) -> Any:
        return msgspec.json.decode(self.content)


class Call(NamedTuple, Generic[Answer]):
    """One request, and how its answer is read."""

    method: str
    path: str
    read: Callable[[Received], Answer]
    query: Mapping[str, str | int | float] = {}
    content: bytes = b""
    headers: Mapping[str, str] = {}
    is_repeatable: bool = True
    """Whether it does no harm when it comes twice."""
    is_read: bool = True
    """Whether it is to see what this client has written."""


def _hook(value: Any) -> Any:
    item = getattr(value, "item", None)  # of numpy
    if callable(item):
        return item()
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise InputError(f"{shown(value)} cannot be sent as JSON", help="give strings, numbers, dates, lists and dicts")


_encoder = msgspec.json.Encoder(enc_hook=_hook)


def to_json(value: Any) -> bytes:
    """Bytes of JSON."""
    try:
        return _encoder.encode(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{shown(value)} cannot be sent as JSON: {error}") from None


def _sendable(make: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Have what cannot be put into a request refused by an error of ours, before anything is sent."""

    @wraps(make)
    def made(*given: Given.args, **named: Given.kwargs) -> Answer:
        try:
            return make(*given, **named)
        except EligoError:
            raise
        except (TypeError, ValueError, AttributeError, LookupError, RecursionError, Warning) as error:
            raise InputError(f"a service cannot be asked this: {error}", help="see docs/service.md") from error

    return made


def _lines(rows: Iterable[Any]) -> bytes:
    return b"\n".join(row if isinstance(row, bytes) else to_json(row) for row in rows)


def _given(**parameters: Any) -> dict[str, str | int | float]:
    found: dict[str, str | int | float] = {}
    for name, value in parameters.items():
        if value is None or value is False:
            continue
        if not isinstance(value, datetime | str | int | float):
            raise InputError(f"{name} cannot be {shown(value)}")
        found[name] = value.isoformat() if isinstance(value, datetime) else "true" if value is True else value
    return found


def _at(*names: str | int) -> str:
    return "".join(f"/{quote(str(name), safe='')}" for name in names)


def _written(received: Received) -> Written:
    return msgspec.convert({**received.json(), "etag": _etag(received)}, Written, strict=False)


def _etag(received: Received) -> str | None:
    tag = received.headers.get("etag")
    return None if tag is None else tag.removeprefix("W/").strip('"')


def _conditions(if_match: str | None, if_absent: bool) -> dict[str, str]:
    if if_absent:
        return {"if-none-match": "*"}
    return {} if if_match is None else {"if-match": "*" if if_match == "*" else f'"{if_match}"'}


@_sendable
def put_expression(
    id: ExpressionId,
    expression: Any,
    *,
    tenant: str | None = None,
    valid_from: datetime | None = None,
    valid_to: datetime | None = None,
    metadata: Mapping[str, Any] | None = None,
    if_match: str | None = None,
    if_absent: bool = False,
) -> Call[Written]:
    """Add an expression, or replace the one of its id."""
    body = {"expression": expression_text(expression), "tenant": tenant, "valid_from": valid_from}
    body |= {"valid_to": valid_to, "metadata": metadata}
    content = to_json({name: value for name, value in body.items() if value is not None})
    return Call(
        "PUT",
        _at("expressions", id),
        _written,
        content=content,
        headers={"content-type": JSON, **_conditions(if_match, if_absent)},
        is_repeatable=if_match is None and not if_absent,
        is_read=False,
    )


def expression_text(expression: Any) -> Any:
    """An expression as a service takes it: its text; of the builder and of trees the canonical one."""
    if isinstance(expression, str | Mapping):
        return expression
    from eligo.language.canonical import canonical_text
    from eligo.language.forms.any_form import as_tree

    return canonical_text(as_tree(expression))


@_sendable
def get_expression(id: ExpressionId) -> Call[StoredExpression]:
    """One expression with what came with it."""

    def read(received: Received) -> StoredExpression:
        return msgspec.convert({**received.json(), "etag": _etag(received)}, StoredExpression, strict=False)

    return Call("GET", _at("expressions", id), read)


@_sendable
def delete_expression(id: ExpressionId, *, if_match: str | None = None) -> Call[Written]:
    """Give up an expression."""
    headers = _conditions(if_match, False)
    return Call("DELETE", _at("expressions", id), _written, headers=headers, is_repeatable=False, is_read=False)


@_sendable
def change(puts: Any, deletes: Iterable[ExpressionId]) -> Call[Bulk]:
    """Many changes, each of which is made or refused by itself."""
    pairs = puts.items() if isinstance(puts, Mapping) else puts
    rows = [
        {**expression, "id": id}
        if isinstance(expression, Mapping) and "expression" in expression
        else {"id": id, "expression": expression_text(expression)}
        for id, expression in pairs
    ]
    rows += [{"id": id, "delete": True} for id in deletes]

    def read(received: Received) -> Bulk:
        lines = [line for line in received.content.splitlines() if line.strip()]
        return Bulk([msgspec.json.decode(line, type=RowResult, strict=False) for line in lines])

    return Call("POST", "/expressions", read, content=_lines(rows), headers={"content-type": LINES}, is_read=False)


@_sendable
def match(
    event: Mapping[str, Any] | str | bytes, *, tenant: str | None = None, at: datetime | None = None
) -> Call[list[ExpressionId]]:
    """The ids of the expressions that an event satisfies."""
    is_wrapped = isinstance(event, Mapping) and "events" in event  # else it could be taken for many events
    given = {"events": [event]} if is_wrapped else event
    content = given.encode() if isinstance(given, str) else given if isinstance(given, bytes) else to_json(given)

    def read(received: Received) -> list[ExpressionId]:
        found = received.json()["matches"]
        return list(found[0] if is_wrapped else found)

    return Call(
        "POST",
        "/match",
        read,
        _given(tenant=tenant, at=at),
        content,
        {"content-type": JSON},
    )


@_sendable
def match_batch(events: Any, *, tenant: str | None = None, at: datetime | None = None) -> Call[Any]:
    """Those of many events: of a table an Arrow table of (event, expression_id), else a list for each event."""
    query = _given(tenant=tenant, at=at)
    if is_table(events):
        headers = {"content-type": ARROW, "accept": ARROW}
        return Call("POST", "/match", _table, query, to_stream(events), headers)
    return Call("POST", "/match", _each("matches"), query, _lines(events), {"content-type": LINES, "accept": LINES})


def _table(received: Received) -> Any:
    return from_stream(received.content)


def _each(field: str) -> Callable[[Received], list[Any]]:
    return lambda received: [answer[field] for answer in _answers(received)]


def _answers(received: Received) -> list[Any]:
    """An answer for each line; the error of the first that has one is raised."""
    found = []
    for row, line in enumerate(received.content.splitlines()):
        answer = msgspec.json.decode(line)
        if "error" in answer:
            error = error_of(422, {}, to_json(answer["error"]))
            if isinstance(error, EventError):
                error.row = row
            raise error
        found.append(answer)
    return found


def _pairs(answer: Sequence[Any]) -> list[tuple[ExpressionId, float]]:
    return [(each["id"], each["score"]) for each in answer]


@_sendable
def top(
    event: Mapping[str, Any],
    n: int,
    *,
    weights: Mapping[str, Any] | None = None,
    tenant: str | None = None,
    at: datetime | None = None,
) -> Call[list[tuple[ExpressionId, float]]]:
    """The n best matches of an event with their scores."""
    is_wrapped = weights is not None or "events" in event
    body: Any = {"events": [event], "weights": weights} if is_wrapped else event

    def read(received: Received) -> list[tuple[ExpressionId, float]]:
        found = received.json()["matches"]
        return _pairs(found[0] if is_wrapped else found)

    return Call("POST", "/top", read, _given(n=n, tenant=tenant, at=at), to_json(body), {"content-type": JSON})


@_sendable
def top_batch(events: Any, n: int, *, tenant: str | None = None, at: datetime | None = None) -> Call[Any]:
    """The n best of many events: of a table an Arrow table of (event, expression_id, score), else lists of pairs."""
    query = _given(n=n, tenant=tenant, at=at)
    if is_table(events):
        return Call("POST", "/top", _table, query, to_stream(events), {"content-type": ARROW, "accept": ARROW})
    each = _each("matches")
    headers = {"content-type": LINES, "accept": LINES}
    return Call("POST", "/top", lambda received: list(map(_pairs, each(received))), query, _lines(events), headers)


@_sendable
def count(events: Any, *, tenant: str | None = None) -> Call[dict[ExpressionId, int]]:
    """How many of the events, a table's too, each expression matches; those that none does are left out."""

    def read(received: Received) -> dict[ExpressionId, int]:
        return {each["id"]: each["count"] for each in received.json()["counts"]}

    content, form = (to_stream(events), ARROW) if is_table(events) else (_lines(events), LINES)
    headers = {"content-type": form, "accept": JSON}
    return Call("POST", "/count", read, _given(tenant=tenant), content, headers)


@_sendable
def explain_batch(id: ExpressionId, events: Any, *, at: datetime | None = None) -> Call[list[dict[str, Any]]]:
    """Why each of many events, a table's too, does or does not satisfy an expression."""
    content, form = (to_stream(events), ARROW) if is_table(events) else (_lines(events), LINES)
    headers = {"content-type": form, "accept": LINES}
    return Call("POST", "/explain", _answers, _given(id=id, at=at), content, headers)


@_sendable
def explain(id: ExpressionId, event: Mapping[str, Any], *, at: datetime | None = None) -> Call[dict[str, Any]]:
    """Why an event does or does not satisfy an expression."""
    return Call("POST", "/explain", Received.json, _given(id=id, at=at), to_json(event), {"content-type": JSON})


@_sendable
def check(expression: Any) -> Call[dict[str, Any]]:
    """What an expression says: its canonical text, tree and findings."""
    body = to_json({"expression": expression_text(expression)})
    return Call("POST", "/check", Received.json, content=body, headers={"content-type": JSON})


@_sendable
def check_batch(expressions: Iterable[Any]) -> Call[list[dict[str, Any]]]:
    """What each of many expressions says; of one that says nothing, its `error`."""
    body = to_json({"expressions": [expression_text(each) for each in expressions]})
    return Call("POST", "/check", lambda received: list(received.json()["checks"]), content=body, headers=_JSON_BODY)


@_sendable
def add_documents(documents: Iterable[Mapping[str, Any]]) -> Call[list[int]]:
    """Put documents into the base; their numbers."""
    headers = {"content-type": LINES}
    return Call(
        "POST",
        "/documents",
        lambda received: list(received.json()["numbers"]),
        content=_lines(documents),
        headers=headers,
        is_repeatable=False,
        is_read=False,
    )


@_sendable
def document(number: int) -> Call[StoredDocument]:
    """One document of the base."""
    return Call("GET", _at("documents", number), lambda received: msgspec.convert(received.json(), StoredDocument))


@_sendable
def find_documents(expression: Any) -> Call[Found]:
    """The documents that satisfy an expression over their own attributes."""
    body = to_json({"expression": expression_text(expression)})
    return Call(
        "POST",
        "/documents/find",
        lambda received: msgspec.convert(received.json(), Found),
        content=body,
        headers={"content-type": JSON},
    )


@_sendable
def publish(
    document: Mapping[str, Any], *, id: str | None = None, source: str | None = None, tenant: str | None = None
) -> Call[Published]:
    """Publish a document; with an id and a source, one that comes again is recognised."""
    headers = {"content-type": JSON}
    if id is not None:
        headers |= {"ce-id": id, "ce-source": source or "eligo.Client", "ce-specversion": "1.0", "ce-type": "document"}
    return Call(
        "POST",
        "/publish",
        lambda received: msgspec.convert(received.json(), Published),
        _given(tenant=tenant),
        to_json(document),
        headers,
        is_repeatable=id is not None,
        is_read=False,
    )


@_sendable
def put_subscription(name: str, expression: Any, **definition: Any) -> Call[Written]:
    """Subscribe, or change a subscription."""
    body = {"expression": expression_text(expression), **{k: v for k, v in definition.items() if v is not None}}
    return Call(
        "PUT",
        _at("subscriptions", name),
        _written,
        content=to_json(body),
        headers={"content-type": JSON},
        is_read=False,
    )


@_sendable
def get_subscription(name: str) -> Call[dict[str, Any]]:
    """A subscription, and how far its subscriber is."""
    return Call("GET", _at("subscriptions", name), Received.json)


@_sendable
def delete_subscription(name: str) -> Call[Written]:
    """Give up a subscription, with what waits for it."""
    return Call("DELETE", _at("subscriptions", name), _written, is_repeatable=False, is_read=False)


@_sendable
def pull(name: str, most: int, wait: float) -> Call[Pulled]:
    """What waits for a subscription; `wait` is how many seconds may pass until something does."""
    return Call(
        "POST",
        _at("subscriptions", name, "pull"),
        lambda received: msgspec.convert(received.json(), Pulled),
        content=to_json({"max": most, "wait": wait}),
        headers={"content-type": JSON},
        is_repeatable=False,
    )


@_sendable
def settle(name: str, verb: str, messages: Iterable[Message | int], **more: Any) -> Call[Written]:
    """Say that messages were taken (`ack`), or could not be (`nack`)."""
    seqs = [each.seq if isinstance(each, Message) else each for each in messages]
    return Call(
        "POST",
        _at("subscriptions", name, verb),
        _written,
        content=to_json({"seqs": seqs, **more}),
        headers={"content-type": JSON},
        is_read=False,
    )


def status() -> Call[dict[str, Any]]:
    """How the service is."""
    return Call("GET", "/status", Received.json, is_read=False)
