"""What is a value, and when are two values equal or in order?

A value is a bool, a 64-bit int, a float, a string, a date, or a timestamp in UTC. Ints and floats are one kind,
`NUMBER`, and compare exactly; no other kinds mix, so `True` is not `1` and `'1'` is not `1`. Python disagrees on
the first, so values are never compared bare: `identity` gives what may be compared and hashed.

What Python, numpy and pandas have for a value is brought to one form, or refused where it would have to be cut, such as
nanoseconds. A decimal is read as its digits are in an expression: a whole one is an int, any other the nearest float.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import IntEnum
from typing import Any

from eligo.errors import EventError, ExpressionValueError, shown
from eligo.language.event_size import EventSize, is_several, too_deep
from eligo.language.limits import UNBOUNDED, Limits, checked_limits

Scalar = bool | int | float | str | date | datetime
"""A canonical value: whole floats within 64 bits are ints, timestamps are aware and in UTC."""

INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1

TOO_FINE = "a timestamp is finer than a microsecond"
WHOLE_TOO_LARGE = "a decimal is whole and does not fit in 64 bits with sign"


class Kind(IntEnum):
    """The kinds of value; numbers are one kind, whether whole or not."""

    BOOL = 0
    NUMBER = 1
    STRING = 2
    DATE = 3
    TIMESTAMP = 4


_KIND_OF_TYPE: dict[type, Kind] = {
    bool: Kind.BOOL,
    int: Kind.NUMBER,
    float: Kind.NUMBER,
    str: Kind.STRING,
    date: Kind.DATE,
    datetime: Kind.TIMESTAMP,
}


def kind_of(value: Scalar) -> Kind:
    """The kind of a canonical value."""
    kind = _KIND_OF_TYPE.get(type(value))
    if kind is not None:
        return kind
    if isinstance(value, bool):
        return Kind.BOOL
    if isinstance(value, (int, float)):
        return Kind.NUMBER
    if isinstance(value, str):
        return Kind.STRING
    if isinstance(value, datetime):
        return Kind.TIMESTAMP
    return Kind.DATE


def identity(value: Scalar) -> tuple[Kind, Scalar]:
    """What two canonical values must share to be equal; hashable and, within a kind, ordered."""
    return kind_of(value), value


def canonical_value(raw: Any) -> Scalar:
    """The one form of an operand's value, or an `ExpressionValueError` for what an expression cannot hold."""
    try:
        value = _canonical(raw)
    except ValueError as error:
        raise ExpressionValueError(str(error)) from None
    if isinstance(value, float) and math.isinf(value):
        raise ExpressionValueError("an infinite number cannot be an operand", help="use exists, or a finite bound")
    return value


class _NothingError(ValueError):
    """NaN, NaT or NA: missing in an event, refused as an operand."""


def _canonical(raw: Any) -> Scalar:
    """Raises ValueError with a sentence for what is no value."""
    if isinstance(raw, (bool, str)) and type(raw) in (bool, str):
        return _checked_string(raw) if isinstance(raw, str) else raw
    if type(raw) is int:
        return _checked_int(raw)
    if type(raw) is float:
        return _canonical_float(raw)
    if isinstance(raw, datetime):
        return _canonical_timestamp(raw)
    if isinstance(raw, date):
        return date(raw.year, raw.month, raw.day)
    if isinstance(raw, bool | int | float | str):  # subclasses, such as an IntEnum
        return _canonical(_plain(raw))
    if isinstance(raw, Decimal):
        return _canonical_decimal(raw)
    item = getattr(raw, "item", None)  # numpy scalars
    if callable(item) and getattr(raw, "shape", None) == ():
        return _canonical_item(raw)
    if type(raw).__name__ == "NAType":  # pandas
        raise _NothingError("NA is not a value")
    raise ValueError(f"{type(raw).__name__} is not a kind of value: {shown(raw)}")


def _plain(raw: Any) -> Scalar:
    for kind in (int, float, str):
        if isinstance(raw, kind):
            return kind(raw) if kind is not str else str.__str__(raw)
    raise ValueError(f"{type(raw).__name__} is not a kind of value")


def _canonical_timestamp(raw: datetime) -> datetime:
    if raw != raw:  # pandas' NaT, which is a datetime
        raise _NothingError("NaT is not a value")
    if getattr(raw, "nanosecond", 0):  # of a pandas Timestamp
        raise ValueError(f"{TOO_FINE}: {raw}")
    try:
        utc = (raw if raw.tzinfo is not None else raw.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{raw} is outside the years 1 to 9999 in UTC") from None
    return datetime(utc.year, utc.month, utc.day, utc.hour, utc.minute, utc.second, utc.microsecond, tzinfo=UTC)


def _canonical_item(raw: Any) -> Scalar:
    """The value of a numpy scalar."""
    if getattr(getattr(raw, "dtype", None), "kind", "") in "mM":
        return _canonical(_canonical_moment(raw))
    value = raw.item()
    if type(value) is type(raw):  # a float of more than 64 bits is its own item
        value = float(raw)
        if value == value and value != raw:
            raise ValueError(f"{shown(raw)} is not exactly a float of 64 bits")
    return _canonical(value)


def _canonical_moment(raw: Any) -> date | datetime:
    """The date or timestamp of a numpy `datetime64`, which gives a bare number for what is finer than microseconds."""
    moment = raw.item()
    if isinstance(moment, int) and raw.dtype.str.endswith(("ns]", "ps]", "fs]", "as]")) and raw.dtype.kind == "M":
        cut = raw.astype("datetime64[us]")
        if cut != raw:
            raise ValueError(f"{TOO_FINE}: {raw}")
        moment = cut.item()
    if moment is None:
        raise _NothingError("NaT is not a value")
    if not isinstance(moment, date):
        raise ValueError(f"{raw!r} is not a date or timestamp in the years 1 to 9999")
    return moment


def _canonical_decimal(raw: Decimal) -> int | float:
    if raw.is_nan():
        raise _NothingError("NaN is not a value")
    if raw.is_infinite() or raw != raw.to_integral_value():
        return _canonical_float(float(raw))
    if (raw and raw.adjusted() > 18) or not INT64_MIN <= int(raw) <= INT64_MAX:
        raise ValueError(WHOLE_TOO_LARGE)
    return int(raw)


def _canonical_float(raw: float) -> int | float:
    if math.isnan(raw):
        raise _NothingError("NaN is not a value")
    whole = raw.is_integer() and INT64_MIN <= raw <= INT64_MAX  # float bounds round up to 2^63, so check the int too
    return int(raw) if whole and INT64_MIN <= int(raw) <= INT64_MAX else raw


def _checked_int(raw: int) -> int:
    if not INT64_MIN <= raw <= INT64_MAX:
        raise ValueError(f"{_shortened(str(raw) if raw.bit_length() < 4096 else hex(raw))} does not fit in 64 bits")
    return raw


def _checked_string(raw: str) -> str:
    try:
        raw.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(
            f"{_shortened(ascii(raw))} is not valid Unicode text: it holds half a surrogate pair"
        ) from None
    return raw


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}…"


def event_values(raw: Any, attribute: str | None = None) -> tuple[Scalar, ...]:
    """The distinct values that an event gives an attribute, in their order; none when the attribute is missing.

    None, NaN and an empty list mean missing; in a list they add nothing.
    """
    if raw is None or (type(raw) is float and math.isnan(raw)):
        return ()
    if is_several(raw):
        distinct: dict[tuple[Kind, Scalar], Scalar] = {}
        for item in raw:
            if isinstance(item, (list, tuple, set, frozenset, Mapping)):
                raise EventError("a list in an event holds plain values, not lists or objects", attribute=attribute)
            for value in event_values(item, attribute):
                distinct.setdefault(identity(value), value)
        return tuple(distinct.values())
    try:
        return (_canonical(raw),)
    except _NothingError:
        return ()
    except ValueError as error:
        raise EventError(
            str(error), attribute=attribute, help="values are bool, int (64-bit), float, Decimal, str, date or datetime"
        ) from None


def checked_event(event: Any) -> Mapping[str, Any]:
    """The event, or an error for what is none."""
    if not isinstance(event, Mapping):
        raise EventError(
            f"an event is a mapping from attributes to values, not {shown(event)}",
            help='write {"attribute": value, …}',
        )
    return event


def event_attributes(
    event: Mapping[str, Any], known: Container[str] | None = None, *, limits: Limits = UNBOUNDED
) -> dict[str, tuple[Scalar, ...]]:
    """All present attributes of an event with their values; a nested object gives dotted names, `user.age`.

    Where `known` names attributes, others are passed over unread, and do not count for the limits.
    """
    values: dict[str, tuple[Scalar, ...]] = {}
    size = EventSize(checked_limits(limits))
    for path, raw in flat(checked_event(event), limits):
        if known is None or path in known:
            size.add(raw)
            if found := event_values(raw, path):
                if path in values:
                    raise given_twice(path)
                values[path] = found
    return values


def flat(event: Mapping[str, Any], limits: Limits = UNBOUNDED) -> Iterator[tuple[str, Any]]:
    """(dotted name, what it is given) of an event; a name may come twice."""
    pending: list[tuple[str, Mapping[str, Any], int]] = [("", event, 0)]
    while pending:
        prefix, mapping, depth = pending.pop()
        for name, raw in mapping.items():
            if not isinstance(name, str):
                raise EventError(f"an attribute's name is a string, not {shown(name)}")
            if not isinstance(raw, Mapping):
                yield prefix + name, raw
            elif depth < limits.event_depth:
                pending.append((f"{prefix}{name}.", raw, depth + 1))
            else:
                raise too_deep(limits)


def given_twice(attribute: str) -> EventError:
    """The error for an attribute that an event gives by a dotted name and by a nested object."""
    return EventError(
        "the event gives the attribute twice", attribute=attribute, help="give it once; several values are a list"
    )
