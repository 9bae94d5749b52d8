"""Which values of one attribute does a predicate hit? Sets of values that can be united, complemented and compared.

Each kind of value is a line, and a set is cut out of it. Cuts lie before or after a value; at the first, third, … the
set begins, at the second, fourth, … it ends. `a between 1 and 3 or a > 7` cuts the line of numbers so:

    NUMBER   ───[1════3]───(7════▶        cuts: before 1, after 3, after 7, end of the line

Bools, dates and timestamps have a next value, so a cut after one is the cut before the next, and `d > date '2024-01-30'
and d < date '2024-02-01'` is one day. Numbers and strings are taken as if others lay between any two: some sets that
hold no value are then not known to be empty, but none is called empty that is not.

What `under` hits depends on the attribute's hierarchy, which is not known here, so it is kept by name ("opaque").
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from eligo.language.tree import (
    Between,
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
from eligo.language.value import Kind, Scalar, kind_of

Cut = tuple[Any, ...]
"""(1, value, 0) lies before the value, (1, value, 1) after it; cuts of one kind are in the order of their places."""
START: Cut = (0,)
END: Cut = (2,)
LINE = (START, END)
KINDS = tuple(Kind)

FIRST: dict[Kind, Scalar] = {
    Kind.BOOL: False,
    Kind.STRING: "",
    Kind.DATE: date.min,
    Kind.TIMESTAMP: datetime.min.replace(tzinfo=UTC),
}
LAST: dict[Kind, Scalar] = {
    Kind.BOOL: True,
    Kind.DATE: date.max,
    Kind.TIMESTAMP: datetime.max.replace(tzinfo=UTC),
}
STEP = {Kind.DATE: timedelta(days=1), Kind.TIMESTAMP: timedelta(microseconds=1)}
LISTED_RUN = 3
"""Dates, or timestamps, one after the other that are listed one by one beside other values; longer runs are ranges."""
LAST_CHARACTER = "\U0010ffff"


def before(value: Scalar) -> Cut:
    """The cut before a value."""
    return START if FIRST.get(kind_of(value)) == value else (1, value, 0)


def after(value: Scalar) -> Cut:
    """The cut after a value."""
    kind = kind_of(value)
    if LAST.get(kind) == value:
        return END
    if isinstance(value, bool):
        return (1, True, 0)
    if isinstance(value, date):
        return (1, value + STEP[kind], 0)
    return (1, value, 1)


def after_prefix(prefix: str) -> Cut:
    """The cut after all strings that begin with the prefix."""
    stem = prefix.rstrip(LAST_CHARACTER)
    if not stem:
        return END
    code_point = ord(stem[-1]) + 1
    following = "\ue000" if 0xD800 <= code_point <= 0xDFFF else chr(code_point)  # surrogates are in no string
    return (1, stem[:-1] + following, 0)


@dataclass(frozen=True)
class ValueSet:
    """The values of one attribute that a predicate hits."""

    cuts_of_kind: tuple[tuple[Cut, ...], ...]
    """For each `Kind` the cuts in order; their number is even."""
    opaque: frozenset[str] = frozenset()
    """Nodes of `under`: what is below them belongs to the set as well."""

    @property
    def num_cuts(self) -> int:
        return sum(map(len, self.cuts_of_kind))

    @property
    def is_empty(self) -> bool:
        return not self.opaque and not any(self.cuts_of_kind)

    @property
    def is_all(self) -> bool:
        return all(cuts == LINE for cuts in self.cuts_of_kind)

    def complement(self) -> ValueSet:
        """All other values; not for sets with opaque parts."""
        assert not self.opaque
        return ValueSet(tuple(map(_complement, self.cuts_of_kind)))

    def is_within(self, other: ValueSet) -> bool:
        """Whether every value of this set is known to be in the other."""
        if other.is_all:
            return True
        if not self.opaque <= other.opaque:
            return False
        return all(map(_is_within, self.cuts_of_kind, other.cuts_of_kind))

    def intervals(self) -> Iterator[tuple[Kind, Cut, Cut]]:
        """Each unbroken part: its kind, where it begins and where it ends."""
        for kind, cuts in zip(KINDS, self.cuts_of_kind, strict=True):
            for low, high in zip(cuts[::2], cuts[1::2], strict=True):
                yield kind, low, high

    def points(self) -> list[Scalar] | None:
        """All values in their order, or None when some part is neither one value nor a short run of them."""
        if self.opaque:
            return None
        values: list[Scalar] = []
        for kind, low, high in self.intervals():
            if kind is Kind.BOOL:
                values += [value for value, start in ((False, START), (True, before(True))) if low <= start < high]
            elif kind in STEP and low > START and high < END and (high[1] - low[1]) <= LISTED_RUN * STEP[kind]:
                values += [low[1] + step * STEP[kind] for step in range((high[1] - low[1]) // STEP[kind])]
            elif low != START and low[2] == 0 and after(low[1]) == high:
                values.append(low[1])
            elif kind is Kind.STRING and low == START and high == after(""):
                values.append("")
            else:
                return None
        return values


def _complement(cuts: tuple[Cut, ...]) -> tuple[Cut, ...]:
    inner = cuts[1:] if cuts[:1] == (START,) else (START, *cuts)
    return inner[:-1] if inner[-1:] == (END,) else (*inner, END)


def _is_within(inner: tuple[Cut, ...], outer: tuple[Cut, ...]) -> bool:
    for low, high in zip(inner[::2], inner[1::2], strict=True):
        end = bisect_right(outer, low)  # odd within a part of the outer set: the place where that part ends
        if end % 2 == 0 or high > outer[end]:
            return False
    return True


EMPTY = ValueSet(((),) * len(KINDS))
ALL = ValueSet((LINE,) * len(KINDS))


def interval(kind: Kind, low: Cut, high: Cut) -> ValueSet:
    """One unbroken part of one kind's line."""
    if low >= high:
        return EMPTY
    return ValueSet(tuple((low, high) if each is kind else () for each in KINDS))


def listed(values: Iterable[Scalar]) -> ValueSet:
    """Just these values."""
    parts: list[list[tuple[Cut, Cut]]] = [[] for _ in KINDS]
    for value in values:
        parts[kind_of(value)].append((before(value), after(value)))
    return ValueSet(tuple(map(_joined, parts)))


def union(sets: Iterable[ValueSet]) -> ValueSet:
    """Every value that is in one of the sets; sorts once, however many there are."""
    parts: list[list[tuple[Cut, Cut]]] = [[] for _ in KINDS]
    opaque: frozenset[str] = frozenset()
    for each in sets:
        opaque |= each.opaque
        for part, cuts in zip(parts, each.cuts_of_kind, strict=True):
            part.extend(zip(cuts[::2], cuts[1::2], strict=True))
    united = ValueSet(tuple(map(_joined, parts)), opaque)
    return ALL if united.is_all else united


def _joined(parts: list[tuple[Cut, Cut]]) -> tuple[Cut, ...]:
    cuts: list[Cut] = []
    for low, high in sorted(parts):
        if cuts and low <= cuts[-1]:
            cuts[-1] = max(cuts[-1], high)
        else:
            cuts += (low, high)
    return tuple(cuts)


def intersection(sets: Iterable[ValueSet]) -> ValueSet:
    """Every value that is in all of the sets; not for sets with opaque parts."""
    return union(each.complement() for each in sets).complement()


def values_hit(predicate: Predicate) -> ValueSet:
    """The values that a positive predicate hits; `exists` hits every value."""
    if isinstance(predicate, Equals):
        return listed((predicate.value,))
    if isinstance(predicate, In):
        return listed(predicate.members)
    if isinstance(predicate, Exists):
        return ALL
    if isinstance(predicate, IsTrue):
        return listed((True,))
    if isinstance(predicate, StartsWith):
        return interval(Kind.STRING, before(predicate.operand), after_prefix(predicate.operand))
    if isinstance(predicate, Under):
        return ValueSet(EMPTY.cuts_of_kind, frozenset(predicate.nodes))
    if isinstance(predicate, Between):
        return interval(kind_of(predicate.low), before(predicate.low), after(predicate.high))
    if isinstance(predicate, Less):
        return interval(kind_of(predicate.value), START, before(predicate.value))
    if isinstance(predicate, LessOrEqual):
        return interval(kind_of(predicate.value), START, after(predicate.value))
    if isinstance(predicate, Greater):
        return interval(kind_of(predicate.value), after(predicate.value), END)
    assert isinstance(predicate, GreaterOrEqual), f"{type(predicate).__name__} has no set of values"
    return interval(kind_of(predicate.value), before(predicate.value), END)


def predicate_hitting(attribute: str, values: ValueSet) -> Predicate | None:
    """The one positive predicate that hits just these values, if there is one; `exists` for all of them."""
    if values.is_all:
        return Exists(attribute)
    if values.opaque:
        return None if any(values.cuts_of_kind) else Under(attribute, sorted(values.opaque))
    points = values.points()
    if points is not None and len(points) == 1:
        return IsTrue(attribute) if points[0] is True else Equals(attribute, points[0])
    kind, low, high = next(values.intervals(), (Kind.BOOL, START, START))
    if kind is not Kind.BOOL and values.num_cuts == 2:
        return _range_predicate(attribute, kind, low, high)
    return None if points is None else In(attribute, tuple(points))


def _range_predicate(attribute: str, kind: Kind, low: Cut, high: Cut) -> Predicate | None:
    if kind is Kind.STRING and low in (START, before(low[1] if low != START else "")):
        prefix = "" if low == START else low[1]
        if after_prefix(prefix) == high:
            return StartsWith(attribute, prefix)
    if low == START:
        if high == END:
            return None
        return LessOrEqual(attribute, high[1]) if high[2] else Less(attribute, high[1])
    if high == END:
        return Greater(attribute, low[1]) if low[2] else GreaterOrEqual(attribute, low[1])
    if low[2]:
        return None
    if high[2]:
        return Between(attribute, low[1], high[1])
    if kind in STEP:
        return Between(attribute, low[1], high[1] - STEP[kind])
    return None
