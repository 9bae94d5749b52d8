"""How does `(a and b) and c` become one AND of three? In one walk, without copying what stands in many places.

Operands that are shared are copied into each place where they are dissolved, and copies of copies would grow fast, so
a node that stands in several places is dissolved only when it has few operands.
"""

from __future__ import annotations

from collections import Counter
from operator import is_

from eligo.language.tree import And, Expression, NaryConnective, Not, Or, Xor, distinct_nodes

ASSOCIATIVE = (And, Or, Xor)
"""Connectives for which nesting makes no difference to truth; for AND and OR none to the score either."""


def flatten(root: Expression, *, copied_operands: int = 0) -> Expression:
    """The tree with each connective within one of its own kind dissolved into it.

    A node that stands in several places is dissolved only when it has at most `copied_operands` operands.
    """
    nodes = list(distinct_nodes(root))
    places = Counter(id(child) for node in nodes for child in node.children)
    num_operands: dict[int, int] = {}
    dissolved: set[int] = set()
    for node in nodes:
        if not isinstance(node, ASSOCIATIVE):
            continue
        inner = [child for child in node.operands if type(child) is type(node)]
        gone = [child for child in inner if places[id(child)] == 1 or num_operands[id(child)] <= copied_operands]
        dissolved.update(id(child) for child in gone)
        num_operands[id(node)] = len(node.operands) + sum(num_operands[id(child)] - 1 for child in gone)
    if not dissolved:
        return root
    flat: dict[int, Expression] = {}
    for node in nodes:
        if id(node) not in dissolved or places[id(node)] > 1:
            flat[id(node)] = _rebuilt(node, dissolved, flat)
    return flat[id(root)]


def _rebuilt(node: Expression, dissolved: set[int], flat: dict[int, Expression]) -> Expression:
    """The node over its flat operands; those to be dissolved are replaced by their own operands."""
    operands: list[Expression] = []
    pending: list[Expression] = list(reversed(node.children))
    while pending:
        child = pending.pop()
        if id(child) in dissolved and type(child) is type(node):
            pending.extend(reversed(child.children))
        else:
            operands.append(flat[id(child)])
    if len(operands) == len(node.children) and all(map(is_, operands, node.children)):
        return node
    if isinstance(node, Not):
        return Not(operands[0])
    assert isinstance(node, NaryConnective)
    return type(node)(tuple(operands))
