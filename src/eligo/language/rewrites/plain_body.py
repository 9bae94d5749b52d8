"""How do rewrites read the body of a quantified part? As predicates whose names tell the document's apart.

exists d (price < d.price and d.price > 5 and d.price > 9)

And ── Joined("price", "<", "price")
    ├─ Greater("d.price", 5)                 what rewrites know of attributes holds for the document's too
    └─ Greater("d.price", 9)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from eligo.language.quantified import VARIABLE, OfDocument, Quantified
from eligo.language.tree import Expression, NaryConnective, Not, Predicate, distinct_nodes


def document_prefix(part: Quantified) -> str:
    """What to put before the document's names; no name of the event begins with it."""
    prefix = f"{VARIABLE}."
    while any(name.startswith(prefix) for name in part.event_attributes()):
        prefix = f"{VARIABLE}{prefix}"
    return prefix


def plain_body(part: Quantified) -> Expression:
    """The body with predicates on `document_prefix` names in the place of those on the document."""
    prefix = document_prefix(part)

    def plain(leaf: Expression) -> Expression:
        if not isinstance(leaf, OfDocument):
            return leaf
        return replace(leaf.predicate, attribute=prefix + leaf.predicate.attribute)

    return with_leaves(part.body, plain)


def body_of(tree: Expression, prefix: str) -> Expression:
    """The body that such a tree is."""

    def of_document(leaf: Expression) -> Expression:
        if not isinstance(leaf, Predicate) or not leaf.attribute.startswith(prefix):
            return leaf
        return OfDocument(replace(leaf, attribute=leaf.attribute.removeprefix(prefix)))

    return with_leaves(tree, of_document)


def with_leaves(tree: Expression, changed: Callable[[Expression], Expression]) -> Expression:
    """The tree with other leaves; nodes that were shared are."""
    made: dict[int, Expression] = {}
    for node in distinct_nodes(tree):
        if isinstance(node, NaryConnective):
            made[id(node)] = type(node)(tuple(made[id(child)] for child in node.children))
        elif isinstance(node, Not):
            made[id(node)] = Not(made[id(node.operand)])
        else:
            made[id(node)] = changed(node)
    return made[id(tree)]


def with_parts(tree: Expression, changed: Callable[[Quantified], Expression]) -> Expression:
    """The tree with other expressions in the place of its quantified parts."""
    return with_leaves(tree, lambda leaf: changed(leaf) if isinstance(leaf, Quantified) else leaf)
