"""When do two expressions say the same? When they have the same number here: equal up to the order of operands.

The trees are simplified ones in negation normal form. Literals are taken by the values that they hit, so that
`d <= date '2024-01-31'` and `d < date '2024-02-01'` are one.
"""

from __future__ import annotations

from collections.abc import Hashable

from eligo.language.rewrites.leaf import leaf_of
from eligo.language.tree import And, Constant, Expression, Literal, distinct_nodes


class FormNumbers:
    """A number for each distinct form met so far; a number stands for a form exactly, it is not a hash."""

    def __init__(self) -> None:
        self._number_of_form: dict[Hashable, int] = {}

    def of(self, simple: Expression) -> int:
        """The number of a simplified tree in negation normal form."""
        number_of: dict[int, int] = {}
        for node in distinct_nodes(simple):
            if isinstance(node, Literal):
                number_of[id(node)] = self._of_literal(node)
            elif isinstance(node, Constant):
                number_of[id(node)] = self._numbered(node.value)
            else:
                operands = frozenset(number_of[id(child)] for child in node.children)
                number_of[id(node)] = self._numbered((isinstance(node, And), operands))
        return number_of[id(simple)]

    def _of_literal(self, literal: Literal) -> int:
        leaf = leaf_of(literal, "unknown")
        assert leaf is not None
        hit = leaf.values if leaf.members is None else leaf.members
        return self._numbered((leaf.attribute, leaf.positive, leaf.when_missing, hit))

    def _numbered(self, form: Hashable) -> int:
        return self._number_of_form.setdefault(form, len(self._number_of_form))
