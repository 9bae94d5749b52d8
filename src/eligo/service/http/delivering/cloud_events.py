"""How does a publication come over HTTP? As a JSON object, or as a CloudEvent 1.0: structured, binary, or in a batch.

    content-type: application/json                     {"price": 30}                                 plain
    content-type: application/json, ce-id: 7, …        {"price": 30}                                 binary
    content-type: application/cloudevents+json         {"specversion": "1.0", …, "data": {…}}        structured
    content-type: application/cloudevents-batch+json   [{"specversion": "1.0", …, "data": {…}}, …]   batch

The context attributes (`id`, `source`, `type`, …, extensions) are delivered as the message's envelope. (CloudEvents
1.0.2, "Context Attributes"; its JSON Event Format; its HTTP Protocol Binding, 3.1 to 3.3.)
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

import msgspec

from eligo.errors import EligoError, EventError, shown
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.service.delivery.event import event_of
from eligo.service.http.problems import HttpProblem
from eligo.service.records import NONE, Publish

STRUCTURED = "application/cloudevents+json"
BATCH = "application/cloudevents-batch+json"
PLAIN = ("application/json", "", "application/x-www-form-urlencoded")
"""The last is what curl says of `-d` when nobody tells it."""
HEADER_PREFIX = "ce-"
REQUIRED = ("id", "source", "specversion", "type")
SPECVERSION = "1.0"
DATA = ("data", "data_base64")
_NAME = re.compile("[a-z0-9]{1,64}")
_JSON_TYPE = re.compile(r"[^/;]+/(?:[^/;]+\+)?json\s*(?:;.*)?", re.IGNORECASE)


class CloudEventError(EligoError):
    """An event that is no CloudEvent 1.0."""


def media_type(content_type: str) -> str:
    """A content type without its parameters."""
    return content_type.partition(";")[0].strip().lower()


def publications(
    body: bytes, headers: Sequence[tuple[str, str]], tenant: str | None, limits: Limits = DEFAULT_LIMITS
) -> list[Publish | EligoError]:
    """What a body publishes: one record, or for a batch one for each event, or what is wrong with it."""
    content_type = next((value for name, value in headers if name == "content-type"), "")
    kind, now = media_type(content_type), datetime.now(UTC)
    if kind == BATCH:
        events = _decoded(body, list[msgspec.Raw])
        return [_tried(bytes(event), tenant, now, limits) for event in events]
    if kind == STRUCTURED:
        return [_structured(body, tenant, now, limits)]
    context = _context_of(headers)
    if context:
        if content_type:
            context["datacontenttype"] = content_type
        return [_published(body, context, tenant, now, limits)]
    if kind not in PLAIN:
        raise HttpProblem(
            415,
            f"a body of type {kind[:60]!r} cannot be published",
            help=f"send application/json, {STRUCTURED} or {BATCH}",
            name="media-type",
        )
    return [_checked(Publish(document=_document(body), time=now, tenant=tenant), limits)]


def _tried(event: bytes, tenant: str | None, now: datetime, limits: Limits) -> Publish | EligoError:
    try:
        return _structured(event, tenant, now, limits)
    except EligoError as error:
        return error


def _structured(body: bytes, tenant: str | None, now: datetime, limits: Limits) -> Publish:
    fields = _decoded(body, dict[str, msgspec.Raw])
    context = {name: value for name, raw in fields.items() if name not in DATA and (value := _value(raw)) is not None}
    if all(name in fields for name in DATA):
        raise CloudEventError("a CloudEvent has data or data_base64, not both")
    data = _from_base64(fields["data_base64"]) if "data_base64" in fields else bytes(fields.get("data", NONE))
    return _published(data, context, tenant, now, limits)


def _value(raw: msgspec.Raw) -> Any:
    """What was taken over as it came, and looked at for its brackets only."""
    return _decoded(bytes(raw), Any)


def _context_of(headers: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The context attributes of an event in binary mode; none where it is no CloudEvent."""
    return {
        name.removeprefix(HEADER_PREFIX): unquote(value)
        for name, value in headers
        if name.startswith(HEADER_PREFIX) and name != f"{HEADER_PREFIX}datacontenttype"
    }


def _published(data: bytes, context: dict[str, Any], tenant: str | None, now: datetime, limits: Limits) -> Publish:
    check_context(context)
    record = Publish(
        document=_document(data),
        time=now,
        tenant=tenant,
        source=context["source"],
        id=context["id"],
        envelope=msgspec.Raw(msgspec.json.encode(context)),
    )
    return _checked(record, limits)


def check_context(context: Mapping[str, Any]) -> None:
    """Refuse context attributes that are none, or that lack what every CloudEvent has."""
    for name in REQUIRED:
        if name not in context:
            raise CloudEventError(f"the CloudEvent has no {name}", help=f"every one has {', '.join(REQUIRED)}")
    for name, value in context.items():
        if not _NAME.fullmatch(name):
            raise CloudEventError(
                f"{shown(name)} is no name of a context attribute", help="lower-case letters and digits"
            )
        if not isinstance(value, str | bool | int) or (isinstance(value, int) and abs(value) >= 2**31):
            raise CloudEventError(f"the context attribute {name} is a string, a Boolean or an integer of 32 bits")
    for name in (*REQUIRED, "subject", "dataschema", "datacontenttype", "time"):
        if name in context and (not isinstance(context[name], str) or not context[name]):
            raise CloudEventError(f"the context attribute {name} is a string that is not empty")
    if context["specversion"] != SPECVERSION:
        raise CloudEventError(f"CloudEvents {shown(context['specversion'])} are not known", help="1.0 are")
    if "time" in context and not _is_moment(context["time"]):
        raise CloudEventError(f"{shown(context['time'])} is no moment", help="such as 2026-01-31T10:00:00Z")
    if not _JSON_TYPE.fullmatch(context.get("datacontenttype", "application/json")):
        raise CloudEventError(
            f"data of type {shown(context['datacontenttype'])} cannot be matched", help="documents are JSON objects"
        )


def _is_moment(text: str) -> bool:
    try:
        return msgspec.convert(text, datetime).tzinfo is not None
    except msgspec.ValidationError:
        return False


def _from_base64(raw: msgspec.Raw) -> bytes:
    text = _value(raw)
    try:
        return base64.b64decode(text if isinstance(text, str) else "-", validate=True)
    except (binascii.Error, ValueError):
        raise CloudEventError("data_base64 is no base64") from None


def _document(body: bytes) -> msgspec.Raw:
    """A document that can stand in a record: JSON as it is defined, of which Python's own parser takes more."""
    if not isinstance(_decoded(body, Any), dict):
        raise EventError("a document is a JSON object", help='publish {"price": 30}')
    return msgspec.Raw(body)


def _checked(record: Publish, limits: Limits) -> Publish:
    event_of(record, limits)
    return record


def _decoded(body: bytes, type: Any) -> Any:
    try:
        return msgspec.json.decode(body, type=type)
    except msgspec.ValidationError as error:
        raise HttpProblem(422, f"the body is not what is asked for: {error}", name="body") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise HttpProblem(400, f"the body is not JSON: {error}", name="not-json") from None
    except RecursionError:
        raise HttpProblem(422, "the body is nested too deep", name="body") from None
