"""With what does an expression of the tail compare attributes? By kind, as the vocabulary of a part says it.

What a text in a JSON event stands for depends on all expressions of an index, those of the tail too; see
`one_event.json_event`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from eligo.language.tree import (
    Exists,
    Expression,
    IsMissing,
    IsTrue,
    Predicate,
    RangePredicate,
    SetPredicate,
    TextPredicate,
    Under,
    ValuePredicate,
    distinct_nodes,
)
from eligo.language.value import Scalar, kind_of

KindBits = Mapping[str, int]
"""For each attribute: a bit for each kind that it is compared with, as `Vocabulary` has them."""


def kind_bits(tree: Expression) -> KindBits | None:
    """With what an expression compares each attribute; None where that takes more than a look at it."""
    bits: dict[str, int] = {}
    for node in distinct_nodes(tree):
        if not isinstance(node, Predicate):
            continue
        if isinstance(node, Under):
            return None  # whose nodes may be dates, by the attribute's hierarchy
        own = 0
        for value in _operands(node):
            own |= 1 << kind_of(value)
        bits[node.attribute] = bits.get(node.attribute, 0) | own
    return bits


def _operands(predicate: Predicate) -> Iterable[Scalar]:
    if isinstance(predicate, ValuePredicate):
        return (predicate.value,)
    if isinstance(predicate, RangePredicate):
        low, high = predicate.low, predicate.high
        is_empty = kind_of(low) == kind_of(high) and low > high  # type: ignore[operator]
        return () if is_empty else (low, high)
    if isinstance(predicate, SetPredicate):
        return predicate.members
    if isinstance(predicate, TextPredicate):
        return (predicate.operand,)
    if isinstance(predicate, IsTrue):
        return (True,)
    assert isinstance(predicate, Exists | IsMissing), "of each class of predicates something is known"
    return ()


def joined_bits(all_bits: Iterable[KindBits | None]) -> KindBits | None:
    """The same for several expressions."""
    found: dict[str, int] = {}
    for bits in all_bits:
        if bits is None:
            return None
        for name, own in bits.items():
            found[name] = found.get(name, 0) | own
    return found
