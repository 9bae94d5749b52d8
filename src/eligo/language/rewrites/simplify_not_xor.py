"""Which rules make a predicate, a NOT, an XOR or an XNOR plainer?"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from eligo.language.rewrites.leaf import extent, leaf_node, plain, positive_form
from eligo.language.tree import (
    Constant,
    ContainsAll,
    Equals,
    Exists,
    Expression,
    In,
    IsMissing,
    Literal,
    Not,
    NotIn,
    Predicate,
    Xnor,
    Xor,
)
from eligo.language.value import identity

if TYPE_CHECKING:
    from eligo.language.rewrites.simplify import Context

NESTED_OPERANDS = 16
"""An xor within an xor is dissolved by this rule when it has at most so many operands; `flatten` takes any number."""


def write_plainly(node: Expression, context: Context) -> Expression:
    """Such as a in (1)  →  a = 1;    a between 5 and 3  →  a in ();    a weak not in ()  →  true."""
    if isinstance(node, ContainsAll):
        return _contains_all(node, context)
    if isinstance(node, Literal) and plain(node.predicate) is node.predicate and not any(extent(node.predicate)):
        return node
    leaf = context.leaf(node)
    written = None if leaf is None else leaf_node(leaf, context.missing)
    return node if written is None else written


def _contains_all(node: ContainsAll, context: Context) -> Expression:
    members = tuple(value for _, value in sorted({identity(member) for member in node.members}))
    if not members:
        return Exists(node.attribute) if context.missing == "false" else NotIn(node.attribute, ())
    if len(members) == 1:
        return Equals(node.attribute, members[0])
    return In(node.attribute, ()) if node.attribute in context.single_valued else ContainsAll(node.attribute, members)


def drop_not(node: Expression, context: Context) -> Expression:
    """Such as not not x  →  x;    not a = 1  →  a != 1;    not (x xor y)  →  x xnor y."""
    assert isinstance(node, Not)
    operand = node.operand
    if isinstance(operand, Not):
        return operand.operand
    if isinstance(operand, Constant):
        return Constant(not operand.value)
    if isinstance(operand, Xnor):
        return Xor(operand.operands)
    if isinstance(operand, Xor) and len(operand.operands) % 2 == 0:
        return Xnor(operand.operands)
    leaf = context.leaf(node)
    written = None if leaf is None else leaf_node(leaf, context.missing)
    return node if written is None else written


def cancel_operands(node: Expression, context: Context) -> Expression:
    """Such as not x xor y  →  x xnor y;    x xor true  →  not x;    x xor x xor y  →  y, where x is never unknown.

    An xnor of n operands is their xor when n is odd, else the negation of that; it is kept only where n is even.
    """
    assert isinstance(node, Xor | Xnor)
    is_negated = isinstance(node, Xnor) and len(node.operands) % 2 == 0
    count: Counter[Expression] = Counter()
    pending = list(reversed(node.operands))
    while pending:
        operand = pending.pop()
        if isinstance(operand, Xor | Xnor) and len(operand.operands) <= NESTED_OPERANDS:
            is_negated ^= isinstance(operand, Xnor)
            pending.extend(reversed(operand.operands))
            continue
        if isinstance(operand, Constant):
            is_negated ^= operand.value
            continue
        bare = _without_negation(operand, context)
        is_negated ^= bare is not operand
        count[bare] += 1
    operands: list[Expression] = []
    for operand, times in count.items():
        kept = times % 2 if times % 2 or not context.may_be_unknown(operand) else 2
        operands.extend([operand] * kept)
    if not operands:
        return Constant(is_negated)
    if len(operands) == 1:
        return context.settled(Not(operands[0])) if is_negated else operands[0]
    if not is_negated:
        return Xor(tuple(operands))
    return Xnor(tuple(operands)) if len(operands) % 2 == 0 else Not(context.settled(Xor(tuple(operands))))


def _without_negation(operand: Expression, context: Context) -> Expression:
    """The node that the operand is the negation of, or the operand itself."""
    if isinstance(operand, Not):
        return operand.operand
    if isinstance(operand, Literal) and not operand.positive:
        return context.settled(Literal(operand.predicate, True, not operand.holds_when_missing))
    if isinstance(operand, IsMissing):
        return context.settled(Exists(operand.attribute))
    if isinstance(operand, Predicate):
        return context.settled(positive_form(operand)) if positive_form(operand) is not operand else operand
    return operand
