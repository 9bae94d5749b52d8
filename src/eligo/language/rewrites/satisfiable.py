"""Is an expression never true, or always? A sound answer within a bound: yes only when it is certain.

The tree is a simplified one in negation normal form. One conjunction of its disjunctive normal form that does not
contradict itself is enough to say no, and most often the first one will do; only when it does contradict itself is the
normal form built, if it is small.
"""

from __future__ import annotations

from collections.abc import Container

from eligo.errors import NormalFormTooLargeError
from eligo.language.limits import Limits
from eligo.language.rewrites.normalize import to_dnf
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.rewrites.simplify import simplify
from eligo.language.tree import FALSE, And, Constant, Expression, Literal, Not, Or

WORK = Limits(normal_form=2_000)
"""An expression with a normal form of more literals is not looked at further."""


def is_never_true(simple: Expression, single_valued: Container[str] = ()) -> bool:
    """Whether no event makes the tree true, as far as that can be told."""
    if isinstance(simple, Constant):
        return not simple.value
    if all(isinstance(operand, Literal) for operand in simple.children):
        return False  # a literal, or a conjunction or disjunction that simplification left standing
    if not _is_contradiction(_first_conjunction(simple), single_valued):
        return False
    try:
        conjunctions = to_dnf(simple, "unknown", limits=WORK)
    except NormalFormTooLargeError:
        return False
    return all(_is_contradiction(conjunction.literals, single_valued) for conjunction in conjunctions)


def is_always_true(simple: Expression, single_valued: Container[str] = ()) -> bool:
    """Whether every event makes the tree true, as far as that can be told."""
    required = simple.operands if isinstance(simple, And) else (simple,)
    if any(isinstance(operand, Literal) for operand in required):  # what is left of a literal fails for some event
        return False
    negation = push_negations(Not(simple), "unknown")
    return is_never_true(simplify(negation, single_valued=single_valued), single_valued)


def _is_contradiction(literals: tuple[Literal, ...], single_valued: Container[str]) -> bool:
    if len(literals) < 2:
        return False
    return simplify(And(literals), single_valued=single_valued) == FALSE


def _first_conjunction(simple: Expression) -> tuple[Literal, ...]:
    """The literals of one conjunction: all operands of each AND, one of each OR, a literal if there is one."""
    literals: dict[Literal, None] = {}
    pending = [simple]
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Literal):
            literals[node] = None
        elif isinstance(node, Or):
            pending.append(next((each for each in node.operands if isinstance(each, Literal)), node.operands[0]))
        else:
            pending.extend(reversed(node.children))
    return tuple(literals)
