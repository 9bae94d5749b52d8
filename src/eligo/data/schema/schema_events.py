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
from eligo.language.value import INT64_MAX, INT64_MIN, Scalar, event_values, flat, given_twice

if TYPE_CHECKING:
    from eligo.data.schema.schema import Schema

EXACT_TYPES: Mapping[str, type] = {"bool": bool, "int": int, "string": str}
"""The type of the values of a kind that need not be read."""
ExactType = tuple[type, bool]
"""A type, and whether there may be several values of it."""
UNKNOWN = (None, False)
UNREAD = frozenset({bool, int, str, list})
"""What an attribute that the schema does not have may be given, to be passed on as it is."""
LONGEST_PLAIN = 1_000
"""Longer strings are counted."""

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


def exact_types(attributes: Iterable[Attribute]) -> dict[str, ExactType]:
    """For each attribute that takes every value of its kind: the type of values that are as the schema has them."""
    return {
        attribute.name: (EXACT_TYPES[attribute.kind], attribute.several)
        for attribute in attributes
        if attribute.kind in EXACT_TYPES and attribute.name not in GUARDS and not attribute.is_restricted
    }


def as_it_is(
    event: Mapping[str, Any], exact: Mapping[str, ExactType], known: Collection[str], *, closed: bool, limits: Limits
) -> dict[str, Any] | None:
    """The event, if it is flat and all of its values are plainly as the schema has them; None if they have to be read.

    What is plain is within every limit: few values, and short ones.
    """
    room = min(limits.event_values, limits.event_bytes // LONGEST_PLAIN)
    found: dict[str, Any] = {}
    for name, raw in event.items():
        is_list = type(raw) is list
        values: Any = raw if is_list else (raw,)
        room -= len(values)
        exact_type, several = exact.get(name, UNKNOWN)
        if exact_type is None:
            if name in known or closed or type(name) is not str or type(raw) not in UNREAD or raw == []:
                return None
        elif (is_list and not several) or set(map(type, values)) != {exact_type}:
            return None
        elif exact_type is str:
            if not all(len(value) <= LONGEST_PLAIN and value.isascii() for value in values):
                return None
        elif not all(INT64_MIN <= value <= INT64_MAX for value in values):
            return None
        found[name] = list(dict.fromkeys(values)) if several else raw
    return found if room >= 0 else None


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
