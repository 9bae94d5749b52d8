"""How does an expression become ANDs and ORs over literals? Negations go down to the predicates, xor and xnor go away.

Each node has two forms, "is true" (T) and "is false" (F), and both are two-valued: a node that is unknown is neither.
The laws of A-Tree 2021, section 5.2.1, read with these forms, hold under both policies for missing attributes:

    T(x and y) = T(x) and T(y)                           F(x and y) = F(x) or F(y)
    T(x xor y) = (T(x) and F(y)) or (F(x) and T(y))      F(x xor y) = (T(x) and T(y)) or (F(x) and F(y))

Written out, a chain of n xors has 2^n parts. Here every form is made once and shared, so it stays linear:

    a xor b xor c xor d      #1 := (a and not b) or (not a and b)      T(a xor b)
                             #2 := (a and b) or (not a and not b)      F(a xor b)
                             (((#1 and not c) or (#2 and c)) and not d) or (((#1 and c) or (#2 and not c)) and d)

The operator of a predicate is not inverted as in the paper: on a list of values `not (a < 5)` is not `a >= 5`.
"""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING

from eligo.errors import InputError
from eligo.language.rewrites.flatten import flatten
from eligo.language.tree import (
    FALSE,
    And,
    Between,
    Constant,
    ContainsAll,
    Equals,
    Exists,
    Expression,
    In,
    IsMissing,
    Literal,
    Not,
    NotBetween,
    NotEquals,
    NotIn,
    Or,
    Predicate,
    StrongNotIn,
    WeakNotIn,
    Xnor,
    Xor,
)
from eligo.language.value import Kind, Scalar, identity

if TYPE_CHECKING:
    from eligo.language.evaluate import Missing

Pair = tuple[Expression, Expression]
"""The T form and the F form of a node."""


def push_negations(tree: Expression, missing: Missing) -> Expression:
    """The negation normal form: `And`, `Or`, `Constant` and `Literal` nodes, true exactly when the tree is true.

    Nodes are shared, so walk the result with `distinct_nodes`. Weights and the multiplicity of literals stay as they
    are, so scores can be taken from the result. A tree in negation normal form comes back as it is, or flatter.
    """
    if missing not in ("unknown", "false"):
        raise InputError(f"{missing!r} is not a policy for missing attributes", help='"unknown" or "false"')
    return flatten(_Forms(missing).of(tree))


class _Forms:
    """The forms made so far, by node and polarity."""

    def __init__(self, missing: Missing) -> None:
        self.missing = missing
        self.done: dict[tuple[int, bool], Expression] = {}
        self.all_but_last: dict[int, Pair] = {}
        """For an xor or xnor node: both forms of the chain without its last operand."""

    def of(self, tree: Expression) -> Expression:
        """The T form of the tree; a stack stands in for recursion."""
        pending: list[tuple[Expression, bool, bool]] = [(tree, True, False)]
        while pending:
            node, wanted, operands_done = pending.pop()
            if (id(node), wanted) in self.done:
                continue
            needed = [] if operands_done else self._needed(node, wanted)
            if needed:
                pending.append((node, wanted, True))
                pending.extend((operand, polarity, False) for operand, polarity in reversed(needed))
            else:
                self.done[id(node), wanted] = self._make(node, wanted)
        return self.done[id(tree), True]

    def _needed(self, node: Expression, wanted: bool) -> list[tuple[Expression, bool]]:
        """The forms of its operands from which a node's form is made."""
        if isinstance(node, Not):
            return [(node.operand, not wanted)]
        if isinstance(node, And | Or):
            return [(operand, wanted) for operand in node.operands]
        return [(operand, polarity) for operand in node.children for polarity in (True, False)]

    def _make(self, node: Expression, wanted: bool) -> Expression:
        if isinstance(node, Not):
            return self.done[id(node.operand), not wanted]
        if isinstance(node, And | Or):
            operands = tuple(self.done[id(operand), wanted] for operand in node.operands)
            if wanted and all(map(is_, operands, node.operands)):
                return node
            return (And if isinstance(node, And) is wanted else Or)(operands)
        if isinstance(node, Xor | Xnor):
            return self._parity(node, wanted)
        if isinstance(node, Constant):
            return node if wanted else Constant(not node.value)
        if isinstance(node, Literal):
            if wanted:
                return node
            return Literal(node.predicate, not node.positive, not node.holds_when_missing)
        assert isinstance(node, Predicate)
        return literal_form(node, wanted, self.missing)

    def _parity(self, node: Xor | Xnor, wanted: bool) -> Expression:
        """One form of a chain `x1 xor x2 xor …`, taken from the left."""
        pairs = [(self.done[id(operand), True], self.done[id(operand), False]) for operand in node.operands]
        left = self.all_but_last.get(id(node))
        if left is None:
            left = pairs[0]
            for right in pairs[1:-1]:
                left = (_joined(node, left, right, True), _joined(node, left, right, False))
            self.all_but_last[id(node)] = left
        return _joined(node, left, pairs[-1], wanted)


def _joined(node: Xor | Xnor, left: Pair, right: Pair, wanted: bool) -> Expression:
    """T or F of one binary xor or xnor: the operands differ, or they agree."""
    differ = isinstance(node, Xor) is wanted
    return Or((And((left[0], right[differ])), And((left[1], right[not differ]))))


def literal_form(predicate: Predicate, wanted: bool, missing: Missing) -> Expression:
    """The T form (`wanted`) or F form of one predicate: a literal, or several for `contains all`."""
    if isinstance(predicate, ContainsAll):
        return _contains_all_form(predicate, wanted, missing)
    attribute = predicate.attribute
    if isinstance(predicate, WeakNotIn):
        return Literal(In(attribute, predicate.members), not wanted, wanted)
    if isinstance(predicate, StrongNotIn):
        return Literal(In(attribute, predicate.members), not wanted, not wanted)
    if isinstance(predicate, Exists | IsMissing):
        is_present = isinstance(predicate, Exists) is wanted
        return Literal(Exists(attribute), is_present, not is_present)
    positive: Predicate
    if isinstance(predicate, NotEquals):
        positive = Equals(attribute, predicate.value)
    elif isinstance(predicate, NotBetween):
        positive = Between(attribute, predicate.low, predicate.high)
    elif isinstance(predicate, NotIn):
        positive = In(attribute, predicate.members)
    else:
        return Literal(predicate, wanted, not wanted and missing == "false")
    return Literal(positive, not wanted, wanted and missing == "false")


def _contains_all_form(predicate: ContainsAll, wanted: bool, missing: Missing) -> Expression:
    """One literal for each distinct member; a member that is listed again counts once, with its largest weight."""
    attribute = predicate.attribute
    if not predicate.members:
        if wanted:
            return Literal(In(attribute, ()), False, False)
        return Literal(Exists(attribute), False, True) if missing == "false" else FALSE
    largest: dict[tuple[Kind, Scalar], tuple[Scalar, float]] = {}
    for value, weight in predicate.weighted():
        known = largest.get(identity(value), (value, 0.0))
        largest[identity(value)] = (value, max(known[1], weight))
    literals = tuple(
        Literal(Equals(attribute, value, weight), wanted, not wanted and missing == "false")
        for value, weight in largest.values()
    )
    if len(literals) == 1:
        return literals[0]
    return And(literals) if wanted else Or(literals)
