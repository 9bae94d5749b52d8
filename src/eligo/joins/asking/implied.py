"""What must documents be like for an expression to be true at all? Constraints that it implies (Tatbul 2001, 4.3.2).

    price < 10 and exists d (d.price <= price and d.shop = 'A')

    with one price     some document satisfies   price < 10 and shop = 'A'
    with several       some document satisfies   price exists and shop = 'A'

They can be looked at before an event comes. Taken from an existential part, a constraint must be satisfied by some
document; from a universal one, by all. Three kinds, as in the paper: a joined attribute exists; constant predicates on
the document; constant predicates on the event and a join together, which is Table 2 with intervals for constants.

Several values mean *some value*: `price = 10 and exists d (d.price = price)` is true of an event with the prices 10 and
20 and a document with the price 20. So what comes of constants on the event holds for events that have one value of the
attribute; for others there is the weaker constraint. Only what an expression asks of every event that it is true of
implies something: parts that stand in its outermost conjunction, and what stands in the outermost one of their bodies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from eligo.language.evaluate import Missing
from eligo.language.quantified import FLIPPED, Joined, OfDocument, Quantified
from eligo.language.tree import (
    FALSE,
    And,
    Between,
    Equals,
    Exists,
    Expression,
    Greater,
    GreaterOrEqual,
    In,
    Less,
    LessOrEqual,
    Predicate,
)
from eligo.language.value import Kind, Scalar, identity, kind_of


class Span(NamedTuple):
    """What one value may be: a listed one, or one of a kind within bounds."""

    kind: Kind | None = None
    """None for listed values, which may be of several kinds."""
    low: Scalar | None = None
    is_low_in: bool = False
    high: Scalar | None = None
    is_high_in: bool = False
    members: tuple[Scalar, ...] | None = None
    """The listed values; those of an interval are None."""

    def holds(self, value: Scalar) -> bool:
        """Whether it may be this value."""
        if self.members is not None:
            return identity(value) in map(identity, self.members)
        if kind_of(value) is not self.kind:
            return False
        own = identity(value)
        is_above = self.low is None or identity(self.low) < own or (self.is_low_in and identity(self.low) == own)
        is_below = self.high is None or identity(self.high) > own or (self.is_high_in and identity(self.high) == own)
        return is_above and is_below


NOTHING = Span(members=())


class Implied(NamedTuple):
    """What a quantified part of an expression implies of documents; the names in it are those of documents."""

    part: Quantified
    constraint: Expression | None
    """For events with one value of each of `single`; None where nothing is implied."""
    single: frozenset[str]
    """The attributes of the event on which the constraint depends."""
    weaker: Expression | None
    """For all events; None where nothing is implied."""
    replaces: bool
    """Whether, with one value of each of `single`, the constraint says all that the part does: each attribute that is
    joined is one value (in Table 2, where OP2 is =)."""


def implied(tree: Expression, missing: Missing) -> list[Implied]:
    """What an expression implies of documents: one for each part in its outermost conjunction that says something."""
    own = list(conjuncts(tree))
    constants = [leaf for leaf in own if isinstance(leaf, Predicate) and not isinstance(leaf, Quantified)]
    found = (_of_part(part, constants, missing) for part in own if isinstance(part, Quantified))
    return [each for each in found if each.constraint is not None]


def conjuncts(tree: Expression) -> Iterator[Expression]:
    """What is true whenever the tree is: the operands of its outermost AND, and of those inside of it; else itself."""
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, And):
            pending.extend(reversed(node.children))
        else:
            yield node


def _of_part(part: Quantified, constants: list[Predicate], missing: Missing) -> Implied:
    if part.is_universal and part.last is not None:  # says nothing of documents that are out of its scope
        return Implied(part, None, frozenset(), None, False)
    leaves = list(conjuncts(part.body))
    spans = spans_of([*constants, *(leaf for leaf in leaves if isinstance(leaf, Predicate))])
    weak: list[Expression] = []
    strong: list[Expression] = []
    single: set[str] = set()
    replaces = part.last is None
    for leaf in leaves:
        if isinstance(leaf, OfDocument):
            weak.append(leaf.predicate)
            strong.append(leaf.predicate)
        elif isinstance(leaf, Joined):
            if leaf.operator != "!=" or missing == "unknown":
                weak.append(Exists(leaf.document_attribute))
            span = spans.get(leaf.attribute)
            from_join = None if span is None else implied_by_join(FLIPPED[leaf.operator], leaf.document_attribute, span)
            replaces &= from_join is not None and span is not None and len(span.members or ()) == 1
            if from_join is not None:
                single.add(leaf.attribute)
                strong.append(from_join)
            elif leaf.operator != "!=" or missing == "unknown":
                strong.append(Exists(leaf.document_attribute))
        else:  # of the event, or a tree of its own
            replaces &= isinstance(leaf, Predicate)
    return Implied(part, _all_of(strong), frozenset(single), _all_of(weak), replaces and bool(single))


def _all_of(constraints: Iterable[Expression]) -> Expression | None:
    distinct = list(dict.fromkeys(constraints))
    if FALSE in distinct:
        return FALSE
    return And(tuple(distinct)) if len(distinct) > 1 else (distinct[0] if distinct else None)


def implied_by_join(operator: str, name: str, span: Span) -> Expression | None:
    """What `d.name operator a` implies of d when a is one value within the span; None when that is nothing.

    Table 2 has the spans `a OP2 c`, and `operator` is its OP1.
    """
    if span == NOTHING:
        return FALSE
    if operator == "=":
        return _within(name, span)
    hull = span if span.members is None else _hull(span.members)
    if hull is None:
        return None
    if operator in ("<", "<=") and hull.high is not None:
        return _below(name, hull.high, is_in=operator == "<=" and hull.is_high_in)
    if operator in (">", ">=") and hull.low is not None:
        return _above(name, hull.low, is_in=operator == ">=" and hull.is_low_in)
    return None


def _within(name: str, span: Span) -> Expression | None:
    if span.members is not None:
        return Equals(name, span.members[0]) if len(span.members) == 1 else In(name, span.members)
    if span.low is not None and span.high is not None and span.is_low_in and span.is_high_in:
        return Between(name, span.low, span.high)
    low = None if span.low is None else _above(name, span.low, is_in=span.is_low_in)
    high = None if span.high is None else _below(name, span.high, is_in=span.is_high_in)
    return _all_of(bound for bound in (low, high) if bound is not None)


def _below(name: str, bound: Scalar, *, is_in: bool) -> Expression:
    return LessOrEqual(name, bound) if is_in else Less(name, bound)


def _above(name: str, bound: Scalar, *, is_in: bool) -> Expression:
    return GreaterOrEqual(name, bound) if is_in else Greater(name, bound)


def _hull(members: tuple[Scalar, ...]) -> Span | None:
    """The interval around listed values; None when they have no order."""
    kinds = {kind_of(value) for value in members}
    if len(kinds) != 1 or Kind.BOOL in kinds:
        return None
    ordered = sorted(members, key=identity)
    return Span(kinds.pop(), ordered[0], True, ordered[-1], True)


def spans_of(predicates: Iterable[Predicate]) -> Mapping[str, Span]:
    """For each attribute that has one value, and of which all these predicates are true: what it may be."""
    found: dict[str, Span] = {}
    for predicate in predicates:
        if (span := span_of(predicate)) is not None:
            name = predicate.attribute
            found[name] = met(found[name], span) if name in found else span
    return found


def span_of(predicate: Predicate) -> Span | None:
    """What one value may be that satisfies a predicate; None where that is not an interval or a list."""
    if isinstance(predicate, Equals):
        return Span(members=(predicate.value,))
    if isinstance(predicate, In):
        return Span(members=tuple({identity(value): value for value in predicate.members}.values()))
    if isinstance(predicate, Between):
        return Span(kind_of(predicate.low), predicate.low, True, predicate.high, True)
    if isinstance(predicate, Less | LessOrEqual):
        is_in = isinstance(predicate, LessOrEqual)
        return Span(kind_of(predicate.value), high=predicate.value, is_high_in=is_in)
    if isinstance(predicate, Greater | GreaterOrEqual):
        is_in = isinstance(predicate, GreaterOrEqual)
        return Span(kind_of(predicate.value), predicate.value, is_in)
    return None


def met(one: Span, other: Span) -> Span:
    """What is within both."""
    if one.members is not None or other.members is not None:
        listed, bounds = (one, other) if one.members is not None else (other, one)
        return Span(members=tuple(value for value in listed.members or () if bounds.holds(value)))
    if one.kind is not other.kind:
        return NOTHING
    low, is_low_in = _tighter((one.low, one.is_low_in), (other.low, other.is_low_in), is_low=True)
    high, is_high_in = _tighter((one.high, one.is_high_in), (other.high, other.is_high_in), is_low=False)
    span = Span(one.kind, low, is_low_in, high, is_high_in)
    if low is None or high is None:
        return span
    if identity(low) > identity(high) or (identity(low) == identity(high) and not (is_low_in and is_high_in)):
        return NOTHING
    return span if identity(low) < identity(high) else Span(members=(low,))


Bound = tuple[Scalar | None, bool]
"""A bound, None where there is none, and whether it is in itself."""


def _tighter(one: Bound, other: Bound, *, is_low: bool) -> Bound:
    if one[0] is None or other[0] is None:
        return one if other[0] is None else other
    if identity(one[0]) == identity(other[0]):
        return one[0], one[1] and other[1]
    return one if (identity(one[0]) > identity(other[0])) == is_low else other
