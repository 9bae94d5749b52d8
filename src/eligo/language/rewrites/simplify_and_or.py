"""Which rules make an AND or OR shorter? Each takes the node over simplified operands and gives one of the same truth.

OR is AND with true and false exchanged, so every rule is written once: `identity` is the constant that changes nothing
(true for AND), `zero` the one that decides the node (false for AND).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from eligo.language.quantified import Quantified
from eligo.language.rewrites.leaf import Leaf, leaf_node, together
from eligo.language.tree import And, Constant, Expression, Literal, Not, Or, Xnor, Xor

if TYPE_CHECKING:
    from eligo.language.rewrites.simplify import Context

COPIED_OPERANDS = 16
"""A node that stands in several places is dissolved into its parents only when it has at most so many operands."""
LEAVES_COMPARED = 16
"""A leaf is compared with so many leaves before it, of the same attribute and node."""
CLAUSES_COMPARED = 64
"""Absorption compares operands that are connectives with one another only when there are at most so many."""


def connected(connective: type[And | Or], operands: Iterable[Expression]) -> Expression:
    """The connective over any number of operands."""
    nodes = tuple(operands)
    if len(nodes) > 1:
        return connective(nodes)
    return nodes[0] if nodes else Constant(connective is And)


def flatten_operands(node: Expression, context: Context) -> Expression:
    """Such as (x and y) and z  →  x and y and z, for few operands; `flatten` does it for any number before a round."""
    kind = type(node)
    if not any(type(child) is kind and len(child.children) <= COPIED_OPERANDS for child in node.children):
        return node
    operands: list[Expression] = []
    for child in node.children:
        is_small = type(child) is kind and len(child.children) <= COPIED_OPERANDS
        operands.extend(child.children if is_small else (child,))
    return connected(_connective(node), operands)


def _connective(node: Expression) -> type[And | Or]:
    return And if isinstance(node, And) else Or


def drop_constants(node: Expression, context: Context) -> Expression:
    """Such as x and true  →  x;    x and false  →  false."""
    constants = {child.value for child in node.children if isinstance(child, Constant)}
    if not constants:
        return node
    identity = isinstance(node, And)
    if (not identity) in constants:
        return Constant(not identity)
    return connected(_connective(node), (child for child in node.children if not isinstance(child, Constant)))


def drop_duplicates(node: Expression, context: Context) -> Expression:
    """Such as x and y and x  →  x and y."""
    distinct = dict.fromkeys(node.children)
    return node if len(distinct) == len(node.children) else connected(_connective(node), distinct)


def merge_leaves(node: Expression, context: Context) -> Expression:
    """Such as a < 5 and a < 3  →  a < 3;    a in (1, 2) and a in (2, 3)  →  a = 2, where `a` is single-valued."""
    groups: dict[str, list[tuple[int, Leaf]]] = {}
    for place, child in enumerate(node.children):
        leaf = context.leaf(child)
        if leaf is not None and not isinstance(leaf.predicate, Quantified):
            groups.setdefault(leaf.attribute, []).append((place, leaf))
    replaced: dict[int, Expression | None] = {}
    for attribute, members in groups.items():
        if len(members) < 2:
            continue
        leaves = [leaf for _, leaf in members]
        merged = _merged(_connective(node), leaves, attribute in context.single_valued, context)
        if len(merged) == len(leaves):
            continue
        for place, _ in members:
            replaced[place] = None
        for (place, _), leaf in zip(members, merged, strict=False):
            replaced[place] = leaf_node(leaf, context.missing)
    if not replaced:
        return node
    operands = (replaced.get(place, child) for place, child in enumerate(node.children))
    return connected(_connective(node), (context.settled(operand) for operand in operands if operand is not None))


def _merged(connective: type[And | Or], leaves: list[Leaf], is_single: bool, context: Context) -> list[Leaf]:
    """The leaves of one attribute, fewer of them if some can be said together."""
    whole = together(connective, leaves, is_single, context.missing)
    if whole is not None:
        return [whole]
    others, joined = _with_like_ones_joined(connective, leaves, is_single, context)
    merged: list[Leaf] = []
    for each in (*others, *joined):
        leaf = each
        compared = len(merged) if joined and each is joined[0] else LEAVES_COMPARED
        place = len(merged) - 1
        while place >= max(0, len(merged) - compared):
            both = None
            if context.may_compare(leaf.values.num_cuts + merged[place].values.num_cuts):
                both = together(connective, (merged[place], leaf), is_single, context.missing)
            if both is None:
                place -= 1
            else:
                del merged[place]
                leaf, place = both, len(merged) - 1
        merged.append(leaf)
    return merged


def _with_like_ones_joined(
    connective: type[And | Or], leaves: list[Leaf], is_single: bool, context: Context
) -> tuple[list[Leaf], list[Leaf]]:
    """All `not in`s of an AND, or all `in`s of an OR, as one leaf, however many; before it the other leaves."""
    is_and = connective is And
    alike = [leaf for leaf in leaves if leaf.positive is not is_and and not leaf.is_opaque]
    joined = together(connective, alike, is_single, context.missing) if len(alike) > 1 else None
    if joined is None:
        return leaves, []
    return [leaf for leaf in leaves if leaf.positive is is_and or leaf.is_opaque], [joined]


def drop_opposite_parts(node: Expression, context: Context) -> Expression:
    """Such as exists d (x) and not exists d (x)  →  false, for literals; no leaf says whether a part is known."""
    decisive = isinstance(node, Or)
    literals = [child for child in node.children if isinstance(child, Literal)]
    parts = {literal for literal in literals if isinstance(literal.predicate, Quantified)}
    for part in parts:
        for when_missing in (False, True):
            opposite = Literal(part.predicate, not part.positive, when_missing)
            is_unknown_decided = part.holds_when_missing is decisive or when_missing is decisive
            if is_unknown_decided and opposite in parts:
                return Constant(decisive)
    return node


def settle_missing(node: Expression, context: Context) -> Expression:
    """Such as a = 1 and not a = 2 [or missing]  →  a = 1 and not a = 2, for literals: `a = 1` rules missing out."""
    decisive = isinstance(node, Or)
    literals = [child for child in node.children if isinstance(child, Literal)]
    decided = {literal.predicate.attribute for literal in literals if literal.holds_when_missing is decisive}
    changed = {
        literal: context.settled(Literal(literal.predicate, literal.positive, decisive))
        for literal in literals
        if literal.holds_when_missing is not decisive and literal.predicate.attribute in decided
    }
    if not changed:
        return node
    operands = (changed.get(child, child) if isinstance(child, Literal) else child for child in node.children)
    return connected(_connective(node), operands)


def drop_complements(node: Expression, context: Context) -> Expression:
    """Such as x and not x  →  false;    x and not (x or y)  →  false, where x is never unknown."""
    operands = set(node.children)
    for child in node.children:
        if isinstance(child, Xnor):
            denied: Expression = Xor(child.operands)
        elif isinstance(child, Not):
            denied = child.operand
        else:
            continue
        if _clashes(node, denied, operands, context):
            return Constant(isinstance(node, Or))
    return node


def _clashes(node: Expression, denied: Expression, operands: set[Expression], context: Context) -> bool:
    """Whether the negation of `denied` cannot hold together with the other operands."""

    def is_certain(part: Expression) -> bool:
        return part in operands and not context.may_be_unknown(part)

    if denied in operands or not isinstance(denied, And | Or):
        return is_certain(denied)
    return (all if type(denied) is type(node) else any)(map(is_certain, denied.operands))


def absorb(node: Expression, context: Context) -> Expression:
    """Such as x and (x or y)  →  x;    (x or y) and (x or y or z)  →  x or y."""
    dual = Or if isinstance(node, And) else And
    clauses = [child for child in node.children if isinstance(child, dual)]
    if not clauses:
        return node
    singles = {child for child in node.children if not isinstance(child, dual)}
    absorbed = {clause for clause in clauses if any(operand in singles for operand in clause.children)}
    if len(clauses) <= CLAUSES_COMPARED:
        sets = {clause: frozenset(clause.children) for clause in clauses}
        absorbed |= {larger for larger in clauses if any(sets[each] < sets[larger] for each in clauses)}
    if not absorbed:
        return node
    return connected(_connective(node), (child for child in node.children if child not in absorbed))
