"""Is a body one event, or many? It is many when it has a member `events` that can be nothing else.

    {"events": [{"age": 30}, …]}, {"weights": {…}, "events": […]}     many, whatever stands first
    {"events": ["golf"], "age": 30}, {"events": "golf"}               one, with an attribute of that name

Many they are when `events` is a list, and nothing but `weights` stands beside it, or there are objects in the list,
which no attribute has. What is many and is not as `EventsBody` says is refused, and never matched as something else.
"""

from __future__ import annotations

from typing import Any

import msgspec

from eligo.data.events.event_json import BYTE_ORDER_MARK, parsed_event
from eligo.errors import EligoError
from eligo.language.limits import DEFAULT_LIMITS
from eligo.service.http.bodies import decoded
from eligo.service.http.forms import Form
from eligo.service.http.messages import EventsBody
from eligo.service.http.problems import too_large

_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])
_MANY = frozenset({"events", "weights"})
_events = msgspec.json.Decoder(EventsBody)


def are_many(body: bytes) -> bool:
    """Whether a body of JSON holds many events; what cannot be read does not."""
    if b'events"' not in body and b"\\u" not in body:  # a name can be written with escapes, too
        return False
    text = body.removeprefix(BYTE_ORDER_MARK)
    try:
        members = _MEMBERS.decode(text)
        items = _ITEMS.decode(members["events"])
    except (KeyError, msgspec.ValidationError):
        return False
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _are_many_as_events_are_read(text)
    return members.keys() <= _MANY or any(bytes(item).lstrip()[:1] == b"{" for item in items)


def _are_many_as_events_are_read(text: bytes) -> bool:
    """The same of a text that is JSON for those alone who read events, as with NaN in it: it must not become one."""
    try:
        given = parsed_event(text, DEFAULT_LIMITS)
    except EligoError:  # which who reads it as one event will say
        return False
    items = given.get("events")
    return isinstance(items, list) and (given.keys() <= _MANY or any(isinstance(item, dict) for item in items))


def texts_of(body: bytes, form: Form, most: int) -> tuple[list[bytes], bool, dict[str, Any] | None]:
    """The events of a body as texts, whether it was one event by itself, and weights that came with many."""
    if form is Form.LINES:
        texts, weights = [line for line in body.split(b"\n") if line and not line.isspace()], None
    elif are_many(body):
        given = decoded(body.removeprefix(BYTE_ORDER_MARK), _events)
        texts, weights = [bytes(text) for text in given.events], given.weights
    else:
        return [body], True, None
    if len(texts) > most:
        raise too_large(f"{len(texts):,} events", most, "send them in parts, or as lines (NDJSON)")
    return texts, False, weights
