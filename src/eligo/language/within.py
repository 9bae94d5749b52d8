"""Is a tree within the limits? A text is checked while it is parsed; a tree that was made in Python is checked here."""

from __future__ import annotations

from collections.abc import Iterator

from eligo.errors import LimitError
from eligo.language.canonical import canonical_text
from eligo.language.limits import Limits
from eligo.language.quantified import Joined, OfDocument, Quantified, outside_part
from eligo.language.tree import Expression, SetPredicate, distinct_nodes


def within(tree: Expression, limits: Limits) -> Expression:
    """The tree, or a `LimitError` for the first bound that it passes."""
    if tree.depth > limits.depth:
        raise LimitError(
            f"the expression is {tree.depth:,} levels deep, more than the bound of {limits.depth:,}",
            help="split the expression, or raise Limits.depth",
        )
    for node in distinct_nodes(tree):
        if isinstance(node, Joined | OfDocument):
            raise outside_part(node)
    for node in _leaves(tree):
        if isinstance(node, SetPredicate) and len(node.members) > limits.set_size:
            raise LimitError(
                f"a list has {len(node.members):,} operands, more than the bound of {limits.set_size:,}",
                help="split the list with or, or raise Limits.set_size",
            )
    return tree


def _leaves(tree: Expression) -> Iterator[Expression]:
    """The leaves of a tree, those in the bodies of quantified parts too."""
    for node in distinct_nodes(tree):
        if isinstance(node, Quantified):
            yield from (leaf.predicate if isinstance(leaf, OfDocument) else leaf for leaf in node.leaves())
        elif not node.children:
            yield node


def text_within(tree: Expression, limits: Limits) -> str:
    """The canonical text of a tree, or a `LimitError` when it is too long."""
    text = canonical_text(tree)
    length = len(text) if text.isascii() else len(text.encode())
    if length > limits.length:
        raise LimitError(
            f"the expression has {length:,} bytes of text, more than the bound of {limits.length:,}",
            help="split the expression, or raise Limits.length",
        )
    return text
