"""What does an event say that is a plain dict? The same as `value.event_attributes` finds, without looking twice."""

from __future__ import annotations

from collections.abc import Container
from datetime import date, datetime
from typing import Any

from eligo.language.limits import Limits
from eligo.language.value import INT64_MAX, INT64_MIN, Scalar

LONGEST_TEXT = 1_000
"""Characters of a text that is not looked at further."""
BYTES_OF_LETTER = 4
"""Bytes that a character takes in UTF-8 at most."""

_UNREAD = frozenset({bool, int, float, str, date, datetime, type(None), list, tuple})
"""What is passed over where no one asks for it; other types might be objects with attributes."""


def plain_attributes(event: Any, known: Container[str], limits: Limits) -> dict[str, tuple[Scalar, ...]] | None:
    """The attributes of an event that are known, with their values; None for what has to be read with care."""
    if type(event) is not dict:
        return None
    found: dict[str, tuple[Scalar, ...]] = {}
    num_values = 0
    for name, raw in event.items():
        kind = type(raw)
        if type(name) is not str or kind not in _UNREAD:
            return None
        if name not in known:
            continue
        if kind is str or kind is int:
            if not _is_plain(raw):
                return None
            found[name] = (raw,)
            num_values += 1
        elif kind is bool:
            found[name] = (raw,)
            num_values += 1
        elif kind is list:
            values = dict.fromkeys(raw) if all(map(_is_plain, raw)) else None
            if values is None:
                return None
            num_values += len(raw)
            if values:
                found[name] = tuple(values)
        elif raw is not None:
            return None
    is_small = num_values <= limits.event_values and BYTES_OF_LETTER * LONGEST_TEXT * num_values <= limits.event_bytes
    return found if is_small else None


def _is_plain(value: Any) -> bool:
    """Whether a value is its own canonical form, and of moderate size."""
    kind = type(value)
    if kind is str:
        return value.isascii() and len(value) <= LONGEST_TEXT
    return kind is int and INT64_MIN <= value <= INT64_MAX
