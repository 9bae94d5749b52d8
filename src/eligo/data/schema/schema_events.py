"""How is an event brought to a schema's kinds? Value by value, collecting everything that does not fit."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from eligo.data.schema.attribute import Attribute, parse_moment, with_article
from eligo.data.schema.guards import GUARDS, TENANT, as_guard
from eligo.errors import EventError, ExpressionValueError
from eligo.language.event_size import EventSize, is_several
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.language.text.suggest import nearest
from eligo.language.value import Scalar, event_values, flat, given_twice

if TYPE_CHECKING:
    from eligo.data.schema.schema import Schema

_INT_TEXT = re.compile(r"[+-]?[0-9]+")
_NUMBER_TEXT = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def read_event(
    attributes: Mapping[str, Attribute],
    event: Mapping[str, Any],
    *,
    from_text: bool,
    closed: bool,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[dict[str, Any], list[EventError]]:
    """The event with flat names and the schema's kinds, and everything that is wrong with it."""
    if not isinstance(event, Mapping):
        raise EventError(f"an event is a mapping from attributes to values, not {type(event).__name__}")
    coerced: dict[str, Any] = {}
    errors: list[EventError] = []
    size = EventSize(limits)
    for name, raw in flat(event, limits):
        attribute = attributes.get(name)
        given = raw
        if attribute is None:
            if closed:
                errors.append(unknown_attribute(name, attributes))
        else:
            size.add(raw)
            try:
                values = read_values(attribute, raw, from_text=from_text)
            except EventError as error:
                errors.append(error)
                continue
            given = list(values) if attribute.several else values[0] if values else None
        if is_empty(given):
            continue
        if name in coerced:
            errors.append(given_twice(name))
        coerced[name] = given
    return coerced, errors


def is_empty(raw: Any) -> bool:
    """Whether what an attribute is given is plainly nothing."""
    if is_several(raw):
        return len(raw) == 0
    return raw is None or (isinstance(raw, float) and raw != raw)


def read_values(attribute: Attribute, raw: Any, *, from_text: bool = False) -> tuple[Scalar, ...]:
    """The values that an event gives an attribute, of its kind; none when missing."""
    try:
        items = raw if isinstance(raw, (list, tuple, set, frozenset)) else (raw,)
        read = [_read_text(attribute, item, from_text) if isinstance(item, str) else item for item in items]
    except ExpressionValueError as error:
        raise EventError(error.message, attribute=attribute.name, help=error.help) from None
    values = event_values(read if items is raw else read[0], attribute.name)
    if attribute.name in GUARDS:
        values = as_guard(attribute, values)
    for value in values:
        if wrong := attribute.whats_wrong(value):
            raise EventError(wrong, attribute=attribute.name)
    if len(values) > 1 and not attribute.several:
        raise EventError(
            f"{len(values)} values, but the schema allows one",
            attribute=attribute.name,
            help=f'declare it as "list[{attribute.kind}]" to allow several',
        )
    return values


def _read_text(attribute: Attribute, text: str, from_text: bool) -> Any:
    """The value that a string stands for: a date or timestamp by its kind, any kind in a format of text only."""
    kind = attribute.kind
    if attribute.name == TENANT:
        return text  # which has a rule of its own
    if kind == "string" or not from_text:
        return parse_moment(text, kind)
    stripped = text.strip()
    if not stripped:
        return None
    if kind in ("date", "timestamp"):
        return parse_moment(stripped, kind)
    if kind == "bool" and stripped.lower() in ("true", "false"):
        return stripped.lower() == "true"
    if kind in ("int", "float") and (number := read_number(stripped)) is not None:
        return number
    raise ExpressionValueError(f"{text!r} is not {with_article(kind)}")


def read_number(text: str) -> int | float | None:
    """The number that a text writes, NaN and infinities among them, or None."""
    if _INT_TEXT.fullmatch(text) and len(text) < 400:
        return int(text)
    if _NUMBER_TEXT.fullmatch(text):
        return float(text)
    special = {"nan": math.nan, "inf": math.inf, "infinity": math.inf, "-inf": -math.inf, "-infinity": -math.inf}
    return special.get(text.lower())


def without_roles(event: dict[str, Any], roles: Collection[str], schema: Schema | None) -> dict[str, Any]:
    """The event without what says which event it is, whose and when, where a closed schema has no such attributes."""
    if schema is None or not schema.closed:
        return event
    return {name: value for name, value in event.items() if name not in roles or name in schema}


def unknown_attribute(name: str, attributes: Iterable[str]) -> EventError:
    """The error for an attribute that a closed schema does not have."""
    close = nearest(name, attributes)
    return EventError(
        "the schema has no such attribute, and it is closed",
        attribute=name,
        help=f"did you mean {close!r}?" if close else "",
    )
