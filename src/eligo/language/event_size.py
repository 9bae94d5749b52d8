"""Is an event within its limits? Values and bytes of text are counted before anything is made of them.

Counted is what the event gives to attributes that are read: every value, repeated ones too, but not null and NaN.
"""

from __future__ import annotations

from typing import Any

from eligo.errors import EventLimitError
from eligo.language.limits import Limits

_LONGEST_LETTER = 4
"""Bytes that a character takes in UTF-8 at most."""


class EventSize:
    """Counts what one event gives, attribute by attribute."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._uncounted: list[Any] = []
        """What has been estimated from above, and not counted yet."""
        self._num_values = 0
        self._num_bytes = 0
        self._most_values = 0
        self._most_bytes = 0

    def add(self, raw: Any) -> None:
        """Count the value or values of one attribute; an `EventLimitError` as soon as there are too many."""
        self._uncounted.append(raw)
        if isinstance(raw, str):
            self._most_values += 1
            self._most_bytes += _LONGEST_LETTER * len(raw)
        elif is_several(raw):
            self._most_values += len(raw)
            if self._most_values <= self._limits.event_values:
                self._most_bytes += _LONGEST_LETTER * sum(len(item) for item in raw if isinstance(item, str))
        else:
            self._most_values += 1
        if self._most_values > self._limits.event_values or self._most_bytes > self._limits.event_bytes:
            self._count()

    def _count(self) -> None:
        for raw in self._uncounted:
            num_values, num_bytes = exact_size(raw)
            self._num_values += num_values
            self._num_bytes += num_bytes
        self._uncounted = []
        self._most_values, self._most_bytes = self._num_values, self._num_bytes
        check_size(self._num_values, self._num_bytes, self._limits)


def exact_size(raw: Any) -> tuple[int, int]:
    """The values that an attribute is given, and the bytes of their text."""
    values = raw if is_several(raw) else (raw,)
    texts = (value for value in values if isinstance(value, str))
    num_bytes = sum(len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass")) for text in texts)
    return sum(not _is_nothing(value) for value in values), num_bytes


def _is_nothing(value: Any) -> bool:
    return (
        value is None
        or (isinstance(value, float) and value != value)
        or type(value).__name__ in ("NAType", "NaTType")  # pandas
    )


def is_several(raw: Any) -> bool:
    """Whether what an attribute is given is a list of values."""
    return isinstance(raw, (list, tuple, set, frozenset)) or (
        getattr(raw, "ndim", 0) == 1 and not isinstance(raw, memoryview)
    )


def check_size(num_values: int, num_bytes: int, limits: Limits) -> None:
    """Raise an `EventLimitError` unless so many values and bytes are within the limits."""
    if num_values > limits.event_values:
        raise EventLimitError(
            f"the event has {num_values:,} values, more than the {limits.event_values:,} that one may have",
            help="split the event, or raise Limits.event_values",
        )
    if num_bytes > limits.event_bytes:
        raise EventLimitError(
            f"the event has {num_bytes:,} bytes of text, more than the {limits.event_bytes:,} that one may have",
            help="shorten its strings, or raise Limits.event_bytes",
        )


def too_deep(limits: Limits) -> EventLimitError:
    """The error for objects that are nested too deep."""
    return EventLimitError(
        f"the event has objects nested more than {limits.event_depth:,} deep",
        help="give attributes by dotted names, or raise Limits.event_depth",
    )
