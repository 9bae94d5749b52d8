"""What does a leaf of an expression say about its attribute, and when do two leaves together say what one could?

A predicate, its negation, or a literal says two things: which values must, or must not, be among those of the
attribute, and what it is when the attribute is missing:

    not a = 1      no value is 1; unknown when missing (policy "unknown") or true (policy "false")
    a exists       some value is any value at all; false when missing

On an attribute with a list of values, `a = 1 and a = 2` may well be true. On a single-valued one a leaf is just a set
that holds the value, so any two leaves meet in one set; that set need not have a predicate to write it with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eligo.language.quantified import Quantified
from eligo.language.rewrites.value_sets import ValueSet, intersection, predicate_hitting, union, values_hit
from eligo.language.tree import (
    FALSE,
    TRUE,
    And,
    Between,
    Comparison,
    ContainsAll,
    Equals,
    Exists,
    Expression,
    In,
    IsMissing,
    IsTrue,
    Literal,
    Not,
    NotBetween,
    NotEquals,
    NotIn,
    Or,
    Predicate,
    StrongNotIn,
    TextPredicate,
    Under,
    WeakNotIn,
)
from eligo.language.value import Kind, Scalar, identity
from eligo.sharing import once

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eligo.language.evaluate import Missing

NO, UNKNOWN, YES = 0, 1, 2
"""The truth of a leaf when its attribute is missing; AND takes the least, OR the greatest."""


@dataclass(frozen=True)
class Leaf:
    """Some value of the attribute is hit by the predicate (positive), or none is."""

    predicate: Predicate
    """Of a positive kind, without weights, in its plainest form."""
    positive: bool
    when_missing: int
    """NO, UNKNOWN or YES."""
    is_literal: bool = False
    """Whether it is to be written as a `Literal`."""

    @property
    def attribute(self) -> str:
        return self.predicate.attribute

    @property
    def is_opaque(self) -> bool:
        """Whether what it hits is only known by name."""
        return isinstance(self.predicate, Under)

    @once
    def values(self) -> ValueSet:
        """What the predicate hits."""
        return values_hit(self.predicate)

    @once
    def allowed(self) -> ValueSet:
        """What the value of a single-valued attribute may be; not for opaque leaves."""
        return self.values if self.positive else self.values.complement()

    @once
    def members(self) -> frozenset[tuple[Kind, Scalar]] | None:
        """The identities of the values that the predicate lists, if it lists any."""
        members = members_of(self.predicate)
        return None if members is None else frozenset(map(identity, members))

    def negated(self) -> Leaf:
        return Leaf(self.predicate, not self.positive, YES - self.when_missing, self.is_literal)


def leaf_of(node: Expression, missing: Missing) -> Leaf | None:
    """What a predicate, the negation of one, or a literal says; None for all else and for `contains all`."""
    if isinstance(node, Not):
        operand = leaf_of(node.operand, missing) if isinstance(node.operand, Predicate | Literal) else None
        return None if operand is None else operand.negated()
    if isinstance(node, Literal):
        return Leaf(plain(node.predicate), node.positive, YES if node.holds_when_missing else NO, True)
    if not isinstance(node, Predicate) or isinstance(node, ContainsAll):
        return None
    if isinstance(node, Exists | IsMissing):
        is_present = isinstance(node, Exists)
        return Leaf(Exists(node.attribute), is_present, NO if is_present else YES)
    if isinstance(node, WeakNotIn | StrongNotIn):
        return Leaf(plain(In(node.attribute, node.members)), False, YES if isinstance(node, WeakNotIn) else NO)
    positive = positive_form(node)
    return Leaf(plain(positive), positive is node, _usual(positive is node, missing))


def _usual(positive: bool, missing: Missing) -> int:
    """What an ordinary predicate is when its attribute is missing."""
    return UNKNOWN if missing == "unknown" else NO if positive else YES


def positive_form(predicate: Predicate) -> Predicate:
    """The predicate that `!=`, `not in` or `not between` denies; any other predicate itself."""
    if isinstance(predicate, NotEquals):
        return Equals(predicate.attribute, predicate.value)
    if isinstance(predicate, NotIn):
        return In(predicate.attribute, predicate.members)
    if isinstance(predicate, NotBetween):
        return Between(predicate.attribute, predicate.low, predicate.high)
    return predicate


def plain(predicate: Predicate) -> Predicate:
    """A positive predicate without weights: members in order and once, no range or set where one value will do.

    A plain predicate comes back as the same object.
    """
    attribute = predicate.attribute
    if isinstance(predicate, Equals):
        is_plain = predicate.weight == 1.0 and predicate.value is not True
        return predicate if is_plain else _plain_set(attribute, (predicate.value,))
    if isinstance(predicate, In):
        distinct = tuple(value for _, value in sorted({identity(member) for member in predicate.members}))
        is_plain = distinct == predicate.members and len(distinct) != 1 and not predicate.weights
        return predicate if is_plain else _plain_set(attribute, distinct)
    if isinstance(predicate, Between):
        if predicate.low == predicate.high:
            return _plain_set(attribute, (predicate.low,))
        return predicate if predicate.weight == 1.0 else Between(attribute, predicate.low, predicate.high)
    if isinstance(predicate, Comparison):
        return predicate if predicate.weight == 1.0 else type(predicate)(attribute, predicate.value)
    if isinstance(predicate, Under):
        nodes = tuple(sorted(set(predicate.nodes)))
        is_plain = nodes == predicate.nodes and not predicate.weights
        return predicate if is_plain else Under(attribute, nodes)
    if isinstance(predicate, TextPredicate):
        return predicate if predicate.weight == 1.0 else type(predicate)(attribute, predicate.operand)
    return predicate


def _plain_set(attribute: str, members: tuple[Scalar, ...]) -> Predicate:
    if len(members) != 1:
        return In(attribute, members)
    return IsTrue(attribute) if members[0] is True else Equals(attribute, members[0])


def leaf_node(leaf: Leaf, missing: Missing) -> Expression | None:
    """The leaf written as one node (or as `not` one); None when nothing says just that."""
    hits_none, hits_all = extent(leaf.predicate)
    if hits_none or hits_all:
        return _presence_node(leaf, hits_all is leaf.positive)
    if leaf.is_literal:
        return Literal(leaf.predicate, leaf.positive, leaf.when_missing == YES)
    if leaf.when_missing == _usual(leaf.positive, missing):
        return leaf.predicate if leaf.positive else _denial(leaf.predicate)
    members = members_of(leaf.predicate)
    if members is None:
        return None
    attribute = leaf.attribute
    if leaf.positive:
        return Not((StrongNotIn if leaf.when_missing == YES else WeakNotIn)(attribute, members))
    return (WeakNotIn if leaf.when_missing == YES else StrongNotIn)(attribute, members)


def extent(predicate: Predicate) -> tuple[bool, bool]:
    """Whether it hits no value at all, and whether it hits every value."""
    if isinstance(predicate, Exists):
        return False, True
    if isinstance(predicate, In | Under):
        return not predicate.members, False
    if isinstance(predicate, Between | Comparison):
        return values_hit(predicate).is_empty, False
    return False, False


def _presence_node(leaf: Leaf, holds_when_present: bool) -> Expression:
    """A leaf that only asks whether the attribute is there."""
    if leaf.when_missing == UNKNOWN:
        return (NotIn if holds_when_present else In)(leaf.attribute, ())
    if holds_when_present is (leaf.when_missing == YES):
        return TRUE if holds_when_present else FALSE
    if leaf.is_literal:
        return Literal(Exists(leaf.attribute), holds_when_present, not holds_when_present)
    return (Exists if holds_when_present else IsMissing)(leaf.attribute)


def _denial(predicate: Predicate) -> Expression:
    if isinstance(predicate, Equals):
        return NotEquals(predicate.attribute, predicate.value)
    if isinstance(predicate, In):
        return NotIn(predicate.attribute, predicate.members)
    if isinstance(predicate, Between):
        return NotBetween(predicate.attribute, predicate.low, predicate.high)
    return Not(predicate)


def members_of(predicate: Predicate) -> tuple[Scalar, ...] | None:
    """The values that a predicate lists, if it is one that lists values."""
    if isinstance(predicate, Equals):
        return (predicate.value,)
    if isinstance(predicate, In):
        return predicate.members
    is_listed = isinstance(predicate, IsTrue) and not isinstance(predicate, Quantified)
    return (True,) if is_listed else None


def together(connective: type[And | Or], leaves: Sequence[Leaf], is_single: bool, missing: Missing) -> Leaf | None:
    """One leaf that says what leaves of one attribute say together, if there is one that can be written."""
    first = leaves[0]
    is_and = connective is And
    when_missing = (min if is_and else max)(leaf.when_missing for leaf in leaves)
    is_literal = all(leaf.is_literal for leaf in leaves)

    def written(predicate: Predicate | None, positive: bool) -> Leaf | None:
        if predicate is None:
            return None
        leaf = Leaf(predicate, positive, when_missing, is_literal)
        node = leaf_node(leaf, missing)
        is_clumsy = isinstance(node, Not) and isinstance(node.operand, WeakNotIn | StrongNotIn) and leaf not in leaves
        return None if node is None or is_clumsy else leaf

    def hitting(values: ValueSet, positive: bool) -> Leaf | None:
        known = next((leaf.predicate for leaf in leaves if leaf.values == values), None)
        return written(known if known is not None else predicate_hitting(first.attribute, values), positive)

    if is_single and not any(leaf.is_opaque for leaf in leaves):
        allowed = (intersection if is_and else union)(leaf.allowed for leaf in leaves)
        return hitting(allowed, True) or hitting(allowed.complement(), False)
    if all(leaf.positive is not is_and for leaf in leaves):  # no value in S nor in T: none in their union
        return hitting(union(leaf.values for leaf in leaves), not is_and)
    if len(leaves) != 2:
        return None
    stronger = _meeting(*leaves) if is_and else _meeting(*(leaf.negated() for leaf in leaves))
    if stronger is None:
        return None
    return written(stronger.predicate, stronger.positive is is_and)


def _meeting(left: Leaf, right: Leaf) -> Leaf | None:
    """One leaf that holds for a present attribute exactly when both hold, whatever the number of its values."""
    if not left.positive:
        left, right = right, left
    if not left.positive:
        return None
    if right.positive:
        if left.values.is_within(right.values):
            return left
        return right if right.values.is_within(left.values) else None
    if left.values.is_within(right.values):
        return Leaf(In(left.attribute, ()), True, NO)
    if left.values.is_all:
        return right
    return left if right.values.is_empty else None
