"""What is to be done to put an expression into a growing tree? A recipe: its parts in order, each by those before it.

    (b = 1 or a) and b = 1        0  leaf b = 1
                                  1  leaf a
                                  2  or   0, 1
                                  3  and  2, 0

Whatever can be said of an expression without looking at the tree is said here, once, before anyone waits for the tree.
"""

from __future__ import annotations

from typing import NamedTuple

from eligo.engines.growing_tree.leaf_form import LeafForm, leaf_form, likelihood
from eligo.kernels.codes import AND, NOT, OR, XNOR, XOR
from eligo.language.evaluate import Missing
from eligo.language.tree import (
    And,
    Constant,
    ContainsAll,
    Equals,
    Expression,
    Literal,
    Not,
    Or,
    Predicate,
    Xnor,
    Xor,
    distinct_nodes,
)
from eligo.language.value import identity

_KINDS: dict[type[Expression], int] = {And: AND, Or: OR, Xor: XOR, Xnor: XNOR, Not: NOT}


class LeafStep(NamedTuple):
    """A leaf."""

    form: LeafForm
    likelihood: float


class ConnectiveStep(NamedTuple):
    """A connective over what earlier steps have made."""

    kind: int
    operands: tuple[int, ...]


class ConstantStep(NamedTuple):
    """What is true of every event, or of none."""

    value: bool


Recipe = list[LeafStep | ConnectiveStep | ConstantStep]
"""The steps in their order; the last one makes the expression."""


def recipe_of(tree: Expression, missing: Missing) -> Recipe:
    """The recipe of a tree (A-Tree 2021, Algorithm 4: bottom-up)."""
    steps: Recipe = []
    step_of: dict[int, int] = {}
    for part in distinct_nodes(tree):
        kind = _KINDS.get(type(part))
        if kind is not None:
            steps.append(ConnectiveStep(kind, tuple([step_of[id(child)] for child in part.children])))
        elif isinstance(part, Constant):
            steps.append(ConstantStep(part.value))
        else:
            assert isinstance(part, (Predicate, Literal))
            _add_leaf(part, missing, steps)
        step_of[id(part)] = len(steps) - 1
    return steps


def _add_leaf(leaf: Predicate | Literal, missing: Missing, steps: Recipe) -> None:
    """One leaf; `contains all` is a connective of leaves."""
    predicate = leaf if isinstance(leaf, Predicate) else leaf.predicate
    if not isinstance(predicate, ContainsAll) or not predicate.members:
        form = leaf_form(leaf, missing)
        steps.append(LeafStep(form, likelihood(form)))
        return
    first = len(steps)
    for value in {identity(value): value for value in predicate.members}.values():
        equals = Equals(predicate.attribute, value)
        if isinstance(leaf, Literal):
            _add_leaf(Literal(equals, leaf.positive, leaf.holds_when_missing), missing, steps)
        else:
            _add_leaf(equals, missing, steps)
    kind = AND if isinstance(leaf, Predicate) or leaf.positive else OR
    steps.append(ConnectiveStep(kind, tuple(range(first, len(steps)))))
