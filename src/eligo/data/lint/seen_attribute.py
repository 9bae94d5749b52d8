"""What did events have of one attribute? The kinds, whether several at once, the least, the largest, the values if few.

age: 18, 44, 31        kinds {NUMBER}           18 to 44     values 18, 31, 44
day: '2026-11-18'      kinds {STRING, DATE}     where texts may stand for dates, as in JSON
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from eligo.data.schema.attribute import VALUE_KINDS, Attribute, AttributeKind, parse_moment
from eligo.data.schema.schema_events import read_number
from eligo.errors import EventError, ExpressionValueError
from eligo.language.value import Kind, Scalar, event_values, identity, kind_of

MOST_VALUES = 1_000
"""So many different values of an attribute are remembered; of one that has more, the least and the largest."""
LONGEST_VALUE = 1_000
"""Longer strings are not remembered, so that the values of their attribute are not all known."""

_PADDED = re.compile(r"\s*[+-]?0[0-9]")

Readings = Callable[[Scalar], Iterable[Scalar]]
"""All that a value of an event may stand for, itself included."""


class Extent(NamedTuple):
    """The least and the largest value of one kind."""

    low: Scalar
    high: Scalar


class SeenAttribute:
    """What was seen of one attribute so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.kinds: set[Kind] = set()
        """The kinds that some value can be read as."""
        self.common: set[Kind] | None = None
        """The kinds that every value can be read as; None before there is one."""
        self.several = False
        """Whether an event may have more than one value."""
        self.is_whole = False
        """Whether it holds integers by its type, so that no fraction can come."""
        self.extents: dict[Kind, Extent] = {}
        self._values: dict[tuple[Kind, Scalar], Scalar] | None = {}

    @property
    def values(self) -> dict[tuple[Kind, Scalar], Scalar] | None:
        """All values by their identities, or None where there are too many."""
        return self._values

    @property
    def has_values(self) -> bool:
        """Whether any event had it."""
        return bool(self.extents)

    def add_kind(self, kind: Kind) -> None:
        """Take note of a kind that a column has by its type."""
        self.kinds.add(kind)
        self.common = {kind} if self.common is None else self.common & {kind}

    def add(self, value: Scalar, readings: Readings | None = None) -> None:
        """Take note of a canonical value, and of what else it may stand for."""
        own = [value] if readings is None else list(readings(value))
        kinds = {kind_of(reading) for reading in own}
        self.kinds |= kinds
        if isinstance(value, str) and _PADDED.match(value):
            kinds = kinds - {Kind.NUMBER}  # a code such as 01234 is no number, although it can be read as one
        self.common = kinds if self.common is None else self.common & kinds
        for reading in own:
            self._extend(reading)
        if self._values is not None:
            self._values.update((identity(reading), reading) for reading in own)
            if len(self._values) > MOST_VALUES or (isinstance(value, str) and len(value) > LONGEST_VALUE):
                self._values = None

    def add_extent(self, values: Iterable[Scalar]) -> None:
        """Take note of the least and the largest of values that are too many."""
        for value in values:
            self.kinds.add(kind_of(value))
            self._extend(value)
        self._values = None

    def _extend(self, value: Scalar) -> None:
        kind = kind_of(value)
        known = self.extents.get(kind)
        if known is None:
            self.extents[kind] = Extent(value, value)
        else:
            self.extents[kind] = Extent(
                min(known.low, value, key=identity),
                max(known.high, value, key=identity),
            )

    def kind(self) -> AttributeKind | None:
        """The kind that a schema has for it; None where its values are of several, or where there are none."""
        for kind, name in _SCHEMA_KINDS.items():
            if self.common and kind in self.common:
                return name if kind is not Kind.NUMBER else "int" if self._holds_ints() else "float"
        return None

    def _holds_ints(self) -> bool:
        if self.is_whole or self._values is None or not self.has_values:
            return self.is_whole
        return all(isinstance(value, int) for kind, value in self._values if kind is Kind.NUMBER)

    def attribute(self, *, bounds: bool = False, values: int = 0) -> Attribute | None:
        """As a schema has it: with the least and the largest value, or with all of at most so many, if asked for."""
        kind = self.kind()
        if kind is None:
            return None
        value_kind = VALUE_KINDS[kind]
        own = [value for (of, _), value in (self._values or {}).items() if of is value_kind]
        listed = tuple(sorted(own, key=identity)) if self._values is not None and len(own) <= values else ()
        extent = self.extents.get(value_kind) if bounds and kind != "bool" and not listed else None
        low, high = extent if extent is not None else (None, None)
        return Attribute(self.name, kind, self.several, low=low, high=high, values=listed)


_SCHEMA_KINDS: dict[Kind, AttributeKind] = {
    Kind.BOOL: "bool",
    Kind.NUMBER: "float",
    Kind.DATE: "date",
    Kind.TIMESTAMP: "timestamp",
    Kind.STRING: "string",
}
"""The kinds of a schema, those that say more first: a text that is always a number is one."""


def moments_of(value: Scalar) -> Iterator[Scalar]:
    """What a value of JSON may stand for: a string also for the date or the timestamp that it writes."""
    yield value
    if isinstance(value, str):
        for name in ("date", "timestamp"):
            try:
                yield parse_moment(value, name)
            except ExpressionValueError:
                continue


def readings_of_text(value: Scalar) -> Iterator[Scalar]:
    """What a field of CSV may stand for: itself, a number, a truth value, a date or a timestamp."""
    assert isinstance(value, str)
    stripped = value.strip()
    if (number := read_number(stripped)) is not None:
        with suppress(EventError):  # beyond 64 bits
            yield from event_values(number)
    if stripped.lower() in ("true", "false"):
        yield stripped.lower() == "true"
    yield from moments_of(value if value == stripped else stripped)
    if value != stripped:
        yield value
