"""How does an expression become nodes? Bottom-up, each part looked up before it is made: A-Tree 2021, Algorithm 4.

Parts are brought to one form on the way, so that equal ones meet: constants are folded, `and` within `and` is
dissolved, members are sorted, and for `and` and `or` a repeated member counts once.

    (b and a) and (true and a)        and {a, b}
    a xor true                        not {a}
"""

from __future__ import annotations

from eligo.engines.growing_tree.growing_nodes import GrowingNodes
from eligo.engines.growing_tree.growing_predicates import GrowingPredicates
from eligo.engines.growing_tree.node_recipe import ConnectiveStep, LeafStep, Recipe
from eligo.kernels.codes import AND, NOT, XNOR, XOR

ALWAYS = -1
"""Stands for a node that is true of every event."""
NEVER = -2
"""Stands for a node that is true of no event."""


class ExpressionNodes:
    """Finds or makes the nodes of expressions."""

    def __init__(self, nodes: GrowingNodes, predicates: GrowingPredicates) -> None:
        self._nodes = nodes
        self._predicates = predicates

    def node_of(self, recipe: Recipe, made: list[int]) -> int:
        """The node of an expression (A-Tree 2021, Algorithm 4); nodes that had to be made are noted, children first."""
        nodes: list[int] = []
        for step in recipe:
            if isinstance(step, ConnectiveStep):
                nodes.append(self._connective_node(step.kind, [nodes[operand] for operand in step.operands], made))
            elif isinstance(step, LeafStep):
                nodes.append(self._leaf_node(step, made))
            else:
                nodes.append(ALWAYS if step.value else NEVER)
        return nodes[-1]

    def _leaf_node(self, leaf: LeafStep, made: list[int]) -> int:
        form = leaf.form
        test = self._predicates.test_of(form)
        if self._nodes.share:
            for known in self._predicates.leaves.values(test):
                if self._nodes.outcomes[known] == form.outcomes:
                    return known
        node = self._nodes.add_leaf(test, form.outcomes, leaf.likelihood)
        self._predicates.add_leaf(test, node)
        made.append(node)
        return node

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
