"""What is `(…) IS TRUE`? A tree that is true when the inner one is, else false: never unknown.

    (a = 1) IS TRUE           a = 1 and a exists
    (a = 1) IS FALSE          not a = 1 and a exists
    (a = 1) IS NOT TRUE       not (a = 1 and a exists)
    (a = 1) IS UNKNOWN        not (a = 1 and a exists or not a = 1 and a exists)

SQL knows unknown, so these are the trees under either missing policy. They are read only from conditions whose size
`sql.CONDITION_WORDS` bounds, so this may recurse.
"""

from __future__ import annotations

from eligo.language.evaluate import NEGATIVE
from eligo.language.tree import (
    And,
    Constant,
    Exists,
    Expression,
    IsMissing,
    Not,
    Or,
    Predicate,
    StrongNotIn,
    WeakNotIn,
    distinct_nodes,
)


def is_true(tree: Expression) -> Expression:
    """A tree that is true where this one is, and false elsewhere."""
    if isinstance(tree, And):
        return And(tuple(is_true(child) for child in tree.operands))
    if isinstance(tree, Or):
        return Or(tuple(is_true(child) for child in tree.operands))
    if isinstance(tree, Not):
        return is_false(tree.operand)
    return And((tree, Exists(tree.attribute))) if _may_be_unknown(tree) and isinstance(tree, Predicate) else tree


def is_false(tree: Expression) -> Expression:
    """A tree that is true where this one is false, and false elsewhere."""
    if isinstance(tree, And):
        return Or(tuple(is_false(child) for child in tree.operands))
    if isinstance(tree, Or):
        return And(tuple(is_false(child) for child in tree.operands))
    if isinstance(tree, Not):
        return is_true(tree.operand)
    negated = Not(tree)
    return And((negated, Exists(tree.attribute))) if _may_be_unknown(tree) and isinstance(tree, Predicate) else negated


def is_unknown(tree: Expression) -> Expression:
    """A tree that is true where this one is unknown, and false elsewhere."""
    if isinstance(tree, Not):
        return is_unknown(tree.operand)
    if isinstance(tree, Predicate):
        return IsMissing(tree.attribute) if _may_be_unknown(tree) else Constant(False)
    return Not(Or((is_true(tree), is_false(tree))))


def is_positive(tree: Expression) -> bool:
    """Whether nothing in it is negated, so that a missing attribute never makes it true."""
    return not any(isinstance(node, (Not, *NEGATIVE)) for node in distinct_nodes(tree))


def _may_be_unknown(tree: Expression) -> bool:
    return not isinstance(tree, Exists | IsMissing | WeakNotIn | StrongNotIn | Constant)
