"""What does a leaf of a quantified part's body say of one document? A literal: a positive leaf, or its negation.

    price != d.price               not (price = d.price)
    d.shop weak not in ('A')       not (d.shop in ('A')), where `in` counts as false when d.shop is missing
    d.tags contains all (1, 2)     d.tags = 1 and d.tags = 2

A positive leaf about documents is true of those with a value in some ranges, false of others, and has a truth of its
own for those without a value.
"""

from __future__ import annotations

from typing import NamedTuple

from eligo.data.encoded_value import EncodedValue, encode
from eligo.joins.kernels.work_arrays import ANY_KIND, FALSE, TRUE, UNKNOWN
from eligo.language.evaluate import HierarchyLike, Missing
from eligo.language.paths import SEPARATOR, date_node_range, timestamp_node_range
from eligo.language.quantified import Joined, OfDocument
from eligo.language.tree import (
    Between,
    Comparison,
    ContainsAll,
    Equals,
    Exists,
    Expression,
    In,
    IsMissing,
    IsTrue,
    NotBetween,
    NotEquals,
    NotIn,
    Predicate,
    StartsWith,
    StrongNotIn,
    Under,
    WeakNotIn,
)
from eligo.language.value import Kind, identity


class JoinedLeaf(NamedTuple):
    """Some value of the event compares with some value of the document."""

    attribute: str
    operator: str
    document_attribute: str
    when_missing: int


class DocumentLeaf(NamedTuple):
    """A positive predicate on the document."""

    predicate: Predicate
    when_missing: int


class EventLeaf(NamedTuple):
    """A predicate on the event, positive or not."""

    predicate: Predicate


Leaf = JoinedLeaf | DocumentLeaf | EventLeaf
Literal = tuple[Leaf, bool]
"""A leaf, and whether it is negated."""


def literals_of(node: Expression, missing: Missing) -> list[Literal]:
    """The literals whose conjunction a leaf of a body is; at least one."""
    unknown = UNKNOWN if missing == "unknown" else FALSE
    if isinstance(node, Joined):
        operator = "=" if node.operator == "!=" else node.operator
        leaf = JoinedLeaf(node.attribute, operator, node.document_attribute, unknown)
        return [(leaf, node.operator == "!=")]
    if isinstance(node, OfDocument):
        return _of_document(node.predicate, unknown)
    assert isinstance(node, Predicate)
    return [(EventLeaf(node), False)]


def _of_document(predicate: Predicate, unknown: int) -> list[Literal]:
    attribute = predicate.attribute
    if isinstance(predicate, ContainsAll):
        members = {identity(value): value for value in predicate.members}
        leaves = [DocumentLeaf(Equals(attribute, value), unknown) for value in members.values()]
        return [(leaf, False) for leaf in leaves or [DocumentLeaf(Exists(attribute), unknown)]]
    if isinstance(predicate, Exists | IsMissing):
        return [(DocumentLeaf(Exists(attribute), FALSE), isinstance(predicate, IsMissing))]
    if isinstance(predicate, NotEquals):
        return [(DocumentLeaf(Equals(attribute, predicate.value), unknown), True)]
    if isinstance(predicate, NotBetween):
        return [(DocumentLeaf(Between(attribute, predicate.low, predicate.high), unknown), True)]
    if isinstance(predicate, NotIn | WeakNotIn | StrongNotIn):
        when_missing = FALSE if isinstance(predicate, WeakNotIn) else TRUE
        when_missing = unknown if isinstance(predicate, NotIn) else when_missing
        return [(DocumentLeaf(In(attribute, predicate.members), when_missing), True)]
    return [(DocumentLeaf(predicate, unknown), False)]


class ValueRange(NamedTuple):
    """Values of one kind between two ends, or from one on, or all of them."""

    kind: int
    """Or ANY_KIND."""
    low: EncodedValue | None = None
    high: EncodedValue | None = None
    is_low_open: bool = False
    is_high_open: bool = False


def value_ranges(predicate: Predicate, hierarchy: HierarchyLike | None) -> list[ValueRange] | None:
    """The ranges of values that satisfy a positive predicate, in order; None when a taxonomy must be asked."""
    if isinstance(predicate, Exists):
        return [ValueRange(ANY_KIND)]
    if isinstance(predicate, IsTrue):
        return [_point(encode(True))]
    if isinstance(predicate, Comparison):
        end = encode(predicate.value)
        is_open = predicate.operator in ("<", ">")
        if predicate.operator in ("<", "<="):
            return [ValueRange(end.kind, None, end, False, is_open)]
        return [ValueRange(end.kind, end, None, is_open, False)]
    if isinstance(predicate, Between):
        low, high = encode(predicate.low), encode(predicate.high)
        return [ValueRange(low.kind, low, high)]
    if isinstance(predicate, StartsWith):
        return [_prefix(predicate.operand.encode())]
    if isinstance(predicate, Under):
        return None if hierarchy is not None else _under(predicate.nodes)
    return [_point(value) for value in sorted({encode(value) for value in predicate.values()})]


def _point(value: EncodedValue) -> ValueRange:
    return ValueRange(value.kind, value, value)


def _text(data: bytes) -> EncodedValue:
    return EncodedValue(Kind.STRING, 0, 0.0, data)


def _prefix(prefix: bytes) -> ValueRange:
    """The strings that begin with some bytes, of which none is the largest byte."""
    if not prefix:
        return ValueRange(Kind.STRING)
    beyond = prefix[:-1] + bytes([prefix[-1] + 1])
    return ValueRange(Kind.STRING, _text(prefix), _text(beyond), False, True)


def _under(nodes: tuple[str, ...]) -> list[ValueRange]:
    """What is under one of the nodes by its path."""
    found: list[ValueRange] = []
    for node in sorted(set(nodes)):
        found += [_point(encode(node)), _prefix((node + SEPARATOR).encode())]
        found += moments_under(node)
    return found


def moments_under(node: str) -> list[ValueRange]:
    """The dates and timestamps under a node."""
    days, moments = date_node_range(node), timestamp_node_range(node)
    if days is None or moments is None:
        return []
    return [ValueRange(low.kind, low, high) for low, high in (map(encode, days), map(encode, moments))]
