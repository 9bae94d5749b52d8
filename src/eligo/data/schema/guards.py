"""Whose is an event, and when is it? Two attributes that guards of expressions ask for, brought to the index's kind.

    tenants of the index    taken as it is    brought to it                      refused
    string                  'acme', '007'     7 becomes '7'                      true, 7.5, dates
    int                     7                 '7' becomes 7                      'acme', '007', ' 7', true, 7.5

A text is a tenant's number only if it is what that number is written as, so that no two texts become one tenant. A
time may be a timestamp, a date (its midnight in UTC), or the ISO text of either. An event has one tenant and one time.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, date, datetime, time
from typing import Literal, Protocol

from eligo.data.schema.attribute import Attribute, AttributeKind
from eligo.errors import EventError
from eligo.language.canonical import value_text
from eligo.language.value import INT64_MAX, INT64_MIN, Kind, Scalar

TENANT = "@tenant"
"""The attribute of an event with its tenant."""
TIME = "@time"
"""The attribute of an event with its time, which decides whether an expression is in force."""
GUARDS = (TENANT, TIME)

TENANT_WORDS: Mapping[str, str] = {"string": "strings", "int": "integers"}
"""The kinds of tenants, as they are called in messages."""
_INT_TEXT = re.compile(r"0|-?[1-9][0-9]{0,18}")


def as_tenant(kind: AttributeKind, value: Scalar) -> Scalar:
    """A canonical value as a tenant of an index whose tenants are of this kind; an `EventError` where it is none."""
    if isinstance(value, str):
        if kind == "string":
            return value
        if kind == "int" and _INT_TEXT.fullmatch(value) and INT64_MIN <= int(value) <= INT64_MAX:
            return int(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        return str(value) if kind == "string" else value
    raise no_tenant(kind, value_text(value))


def no_tenant(kind: AttributeKind, shown: str) -> EventError:
    """The error for what cannot be a tenant of this kind."""
    wanted = "write it as an integer, without zeros in front" if kind == "int" else "use a string or an integer"
    return EventError(
        f"the tenants of this index are {TENANT_WORDS.get(kind, kind)}, and {shown} is none",
        attribute=TENANT,
        help=wanted,
    )


def as_guard(attribute: Attribute, values: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    """The values that an event gives a tenant or a time, in the kind that the index has."""
    if attribute.name == TENANT and attribute.kind in TENANT_WORDS:
        return tuple(as_tenant(attribute.kind, value) for value in values)
    if attribute.name == TIME and attribute.kind == "timestamp":
        return tuple(_midnight(value) for value in values)
    return values


def _midnight(value: Scalar) -> Scalar:
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime.combine(value, time(), tzinfo=UTC)
    return value


class Attributes(Protocol):
    """What is known of attributes, as a schema is."""

    def get(self, name: str, /) -> Attribute | None: ...


def tenant_kind(
    attributes: Attributes | None, compared: Iterable[Collection[Kind]]
) -> AttributeKind | Literal["mixed"] | None:
    """The kind of an index's tenants: declared, or else what all its parts compare them with; None without tenants.

    What is neither strings nor integers throughout, as in an index that was put together before kinds were kept, is
    `"mixed"`.
    """
    declared = attributes.get(TENANT) if attributes is not None else None
    if declared is not None:
        return declared.kind
    kinds = frozenset[Kind]().union(*compared)
    if not kinds:
        return None
    if kinds == {Kind.STRING}:
        return "string"
    return "int" if kinds == {Kind.NUMBER} else "mixed"
