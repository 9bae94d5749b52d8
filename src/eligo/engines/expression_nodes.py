"""How does an expression become nodes? Bottom-up, each part looked up before it is made: A-Tree 2021, Algorithm 4.

Parts are brought to one form on the way, so that equal ones meet: constants are folded, `and` within `and` is
dissolved, members are sorted, and for `and` and `or` a repeated member counts once.

    (b and a) and (true and a)        and {a, b}
    a xor true                        not {a}
"""

from __future__ import annotations

from eligo.engines.growing_nodes import GrowingNodes
from eligo.engines.growing_predicates import GrowingPredicates
from eligo.engines.leaf_form import leaf_form, likelihood
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

ALWAYS = -1
"""Stands for a node that is true of every event."""
NEVER = -2
"""Stands for a node that is true of no event."""

_KINDS: dict[type[Expression], int] = {And: AND, Or: OR, Xor: XOR, Xnor: XNOR, Not: NOT}


class ExpressionNodes:
    """Finds or makes the nodes of expressions."""

    def __init__(self, nodes: GrowingNodes, predicates: GrowingPredicates, missing: Missing) -> None:
        self._nodes = nodes
        self._predicates = predicates
        self._missing = missing

    def node_of(self, tree: Expression, made: list[int]) -> int:
        """The node of a tree (A-Tree 2021, Algorithm 4); nodes that had to be made are noted, children first."""
        node_of: dict[int, int] = {}
        for part in distinct_nodes(tree):
            kind = _KINDS.get(type(part))
            if kind is not None:
                node = self._connective_node(kind, [node_of[id(child)] for child in part.children], made)
            elif isinstance(part, Constant):
                node = ALWAYS if part.value else NEVER
            else:
                assert isinstance(part, (Predicate, Literal))
                node = self._leaf_node(part, made)
            node_of[id(part)] = node
        return node_of[id(tree)]

    def _leaf_node(self, leaf: Predicate | Literal, made: list[int]) -> int:
        predicate = leaf if isinstance(leaf, Predicate) else leaf.predicate
        if isinstance(predicate, ContainsAll) and predicate.members:
            return self._contains_all_node(leaf, predicate, made)
        form = leaf_form(leaf, self._missing)
        test = self._predicates.test_of(form)
        if self._nodes.share:
            for known in self._predicates.leaves.values(test):
                if self._nodes.outcomes[known] == form.outcomes:
                    return known
        node = self._nodes.add_leaf(test, form.outcomes, likelihood(form))
        self._predicates.add_leaf(test, node)
        made.append(node)
        return node

    def _contains_all_node(self, leaf: Predicate | Literal, predicate: ContainsAll, made: list[int]) -> int:
        values = {identity(value): value for value in predicate.members}.values()
        equals = [Equals(predicate.attribute, value) for value in values]
        if isinstance(leaf, Predicate):
            return self._connective_node(AND, [self._leaf_node(part, made) for part in equals], made)
        literals = [Literal(part, leaf.positive, leaf.holds_when_missing) for part in equals]
        kind = AND if leaf.positive else OR
        return self._connective_node(kind, [self._leaf_node(part, made) for part in literals], made)

    def _connective_node(self, kind: int, operands: list[int], made: list[int]) -> int:
        """The node of a connective; constants are folded, and `and` within `and` is dissolved."""
        if kind == NOT:
            return self._negation(operands[0], made)
        if kind in (XOR, XNOR):
            return self._parity_node(kind, operands, made)
        neutral, decisive = (ALWAYS, NEVER) if kind == AND else (NEVER, ALWAYS)
        if decisive in operands:
            return decisive
        members: set[int] = set()
        for operand in operands:
            if operand == neutral:
                continue
            if self._nodes.kinds[operand] == kind:
                members.update(self._nodes.members_of(operand))
            else:
                members.add(operand)
        if len(members) < 2:
            return members.pop() if members else neutral
        return self._unique_node(kind, sorted(members), made)

    def _negation(self, operand: int, made: list[int]) -> int:
        if operand in (ALWAYS, NEVER):
            return NEVER if operand == ALWAYS else ALWAYS
        if self._nodes.kinds[operand] == NOT:
            return self._nodes.children.values(operand)[0]
        return self._unique_node(NOT, [operand], made)

    def _parity_node(self, kind: int, operands: list[int], made: list[int]) -> int:
        """`xor` asks for an odd number of true operands; `xnor` of an even number of operands for an even one."""
        members = sorted(operand for operand in operands if operand not in (ALWAYS, NEVER))
        is_negated = operands.count(ALWAYS) % 2 == 1
        if kind == XNOR and len(operands) % 2 == 0:
            is_negated = not is_negated
        if not members:
            return ALWAYS if is_negated else NEVER
        if len(members) == 1:
            node = members[0]
        else:
            node = self._unique_node(kind, members, made)
            if kind == XNOR and len(members) % 2 == 0:
                is_negated = not is_negated
        return self._negation(node, made) if is_negated else node

    def _unique_node(self, kind: int, members: list[int], made: list[int]) -> int:
        known = self._nodes.find(kind, members)
        if known is not None:
            return known
        node = self._nodes.add_connective(kind, members)
        made.append(node)
        return node
