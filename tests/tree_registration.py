"""What must an event have for a predicate to be hit? Values, nodes, ranges, or just the attribute.

state in ('CA'^3, 'NY')        members CA (weight 3) and NY
age between 18 and 24          one range, 18 to 24, both ends in
name starts with 'Jo'          one range of strings, 'Jo' (in) to 'Jp' (out)
day under '2024/01'            a node for strings, a range of dates and one of timestamps
email exists                   present
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from eligo.data.encoded_value import EncodedValue, encode
from eligo.errors import InputError
from eligo.language.paths import date_node_range, timestamp_node_range
from eligo.language.tree import (
    Between,
    Comparison,
    Equals,
    Exists,
    Greater,
    GreaterOrEqual,
    In,
    IsTrue,
    Less,
    LessOrEqual,
    Predicate,
    StartsWith,
    Under,
)
from eligo.language.value import Kind


class Range(NamedTuple):
    """A range on the axis of one kind; an end that is None is open."""

    kind: int
    low: EncodedValue | None
    is_low_in: bool
    high: EncodedValue | None
    is_high_in: bool


@dataclass(slots=True)
class Registration:
    """Under what a predicate registers."""

    attribute: str
    is_present: bool = False
    """Hit by any value at all."""
    members: dict[EncodedValue, float] = field(default_factory=dict)
    """Hit by these values; each with its weight."""
    nodes: dict[bytes, float] = field(default_factory=dict)
    """Hit by strings under these nodes; each with its weight."""
    ranges: tuple[Range, ...] = ()
    weight: float = 1.0
    """The weight of the ranges, but of those of nodes."""
    node_ranges: tuple[tuple[Range, float], ...] = ()
    """The ranges of nodes that are dates, each with its weight."""
    is_set: bool = False
    """Whether each hit adds to the score; else the largest counts."""


TRUE_VALUE = encode(True)


def registration(predicate: Predicate) -> Registration:
    """What hits a predicate of negation normal form."""
    register = _REGISTER.get(type(predicate))
    if register is None:
        raise InputError(
            f"'{predicate.operator}' has no registration of its own",
            help="bring expressions into negation normal form",
        )
    return register(predicate)


def _equals(predicate: Equals) -> Registration:
    return Registration(predicate.attribute, members={encode(predicate.value): predicate.weight}, is_set=True)


def _in(predicate: In) -> Registration:
    members: dict[EncodedValue, float] = {}
    for value, weight in predicate.weighted():
        encoded = encode(value)
        members[encoded] = max(weight, members.get(encoded, 0.0))
    return Registration(predicate.attribute, members=members, is_set=True)


def _comparison(predicate: Comparison) -> Registration:
    bound = encode(predicate.value)
    if isinstance(predicate, Greater | GreaterOrEqual):
        span = Range(bound.kind, bound, isinstance(predicate, GreaterOrEqual), None, False)
    else:
        span = Range(bound.kind, None, False, bound, isinstance(predicate, LessOrEqual))
    return Registration(predicate.attribute, ranges=(span,), weight=predicate.weight)


def _between(predicate: Between) -> Registration:
    low, high = encode(predicate.low), encode(predicate.high)
    ranges = (Range(low.kind, low, True, high, True),) if low <= high else ()
    return Registration(predicate.attribute, ranges=ranges, weight=predicate.weight)


def _starts_with(predicate: StartsWith) -> Registration:
    prefix = predicate.operand.encode()
    span = Range(Kind.STRING, None, False, None, False)
    if prefix:
        # UTF-8 has no byte 255, so the last byte can always be raised by one.
        end = prefix[:-1] + bytes([prefix[-1] + 1])
        first, last = (EncodedValue(Kind.STRING, 0, 0.0, text) for text in (prefix, end))
        span = Range(Kind.STRING, first, True, last, False)
    return Registration(predicate.attribute, ranges=(span,), weight=predicate.weight)


def date_node_ranges(node: str) -> tuple[Range, ...]:
    """The days and moments under a node, if it is a date."""
    days, moments = date_node_range(node), timestamp_node_range(node)
    if days is None or moments is None:
        return ()
    return (
        Range(Kind.DATE, encode(days[0]), True, encode(days[1]), True),
        Range(Kind.TIMESTAMP, encode(moments[0]), True, encode(moments[1]), True),
    )


def _under(predicate: Under) -> Registration:
    nodes: dict[str, float] = {}
    for node, weight in zip(predicate.nodes, predicate.weights or (1.0,) * len(predicate.nodes), strict=True):
        nodes[node] = max(weight, nodes.get(node, 0.0))
    return Registration(
        predicate.attribute,
        nodes={node.encode(): weight for node, weight in nodes.items()},
        node_ranges=tuple((span, weight) for node, weight in nodes.items() for span in date_node_ranges(node)),
        is_set=not nodes,
    )


_REGISTER: dict[type[Predicate], Callable[[Any], Registration]] = {
    Equals: _equals,
    In: _in,
    IsTrue: lambda predicate: Registration(predicate.attribute, members={TRUE_VALUE: 1.0}, is_set=True),
    Exists: lambda predicate: Registration(predicate.attribute, is_present=True, is_set=True),
    **dict.fromkeys((Less, LessOrEqual, Greater, GreaterOrEqual), _comparison),
    Between: _between,
    StartsWith: _starts_with,
    Under: _under,
}
