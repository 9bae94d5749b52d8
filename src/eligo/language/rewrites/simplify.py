"""How does an expression get shorter and keep its meaning? Small rules, from the leaves up, until none applies.

The result has the same truth as the expression for every event: true, false, and unknown too. So `a = 1 and a = 2` on a
single-valued attribute becomes `a in ()`, which is false when `a` is present and unknown when it is missing, and not
`false`. On a tree in negation normal form, where nothing is unknown, it does become `false`.

Weights are dropped and equal literals merged, so a score must be taken from the expression, never from the result.

The cost is linear in the size of the tree: what would compare all operands of a node with all others has a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from operator import is_not
from typing import TYPE_CHECKING, NamedTuple

from eligo.errors import InputError
from eligo.language.quantified import Joined, OfDocument, Quantified
from eligo.language.rewrites.flatten import flatten
from eligo.language.rewrites.leaf import UNKNOWN, Leaf, leaf_of
from eligo.language.rewrites.plain_body import body_of, document_prefix, plain_body
from eligo.language.rewrites.simplify_and_or import (
    COPIED_OPERANDS,
    absorb,
    drop_complements,
    drop_constants,
    drop_duplicates,
    drop_opposite_parts,
    flatten_operands,
    merge_leaves,
    settle_missing,
)
from eligo.language.rewrites.simplify_not_xor import cancel_operands, drop_not, write_plainly
from eligo.language.tree import (
    And,
    Constant,
    ContainsAll,
    Expression,
    Literal,
    NaryConnective,
    Not,
    Or,
    Predicate,
    Xnor,
    Xor,
    distinct_nodes,
)

if TYPE_CHECKING:
    from eligo.language.evaluate import Missing

STEPS = 64
"""Rules applied to one node."""
ROUNDS = 8
"""Walks over the whole tree."""
CUTS_COMPARED = 2_000_000
"""Ends of ranges and members of sets that are looked at, in all, when leaves of one attribute are compared."""


class Rule(NamedTuple):
    """A rewrite of one node over simplified children, and the classes of node that it is for."""

    nodes: tuple[type[Expression], ...]
    apply: Callable[[Expression, Context], Expression]


def simplify_body(node: Expression, context: Context) -> Expression:
    """Such as exists d (d.a > 1 and d.a > 2)  →  exists d (d.a > 2);    exists d (d.a and false)  →  false.

    A body that is left without a word about the document is not written.
    """
    assert isinstance(node, Quantified)
    prefix = document_prefix(node)
    single_valued = OfEvent(context.single_valued, prefix)
    body = body_of(simplify(plain_body(node), missing=context.missing, single_valued=single_valued), prefix)
    if isinstance(body, Constant) and body.value is node.is_universal:
        return body
    is_about_document = any(isinstance(leaf, OfDocument | Joined) for leaf in distinct_nodes(body))
    return Quantified(node.quantifier, body, node.last) if is_about_document else node


class OfEvent:
    """Single-valued attributes of the event; the document's may always have several values."""

    def __init__(self, single_valued: Container[str], prefix: str) -> None:
        self.single_valued = single_valued
        self.prefix = prefix

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and not name.startswith(self.prefix) and name in self.single_valued


RULES = (
    Rule((Quantified,), simplify_body),
    Rule((Predicate, Literal), write_plainly),
    Rule((Not,), drop_not),
    Rule((Xor, Xnor), cancel_operands),
    Rule((And, Or), flatten_operands),
    Rule((And, Or), drop_constants),
    Rule((And, Or), drop_duplicates),
    Rule((And, Or), drop_opposite_parts),
    Rule((And, Or), merge_leaves),
    Rule((And, Or), settle_missing),
    Rule((And, Or), drop_complements),
    Rule((And, Or), absorb),
)
"""In the order in which they are tried; after each change they are tried from the first again."""


def simplify(tree: Expression, *, missing: Missing = "unknown", single_valued: Container[str] = ()) -> Expression:
    """An expression of the same truth (true, false or unknown) for every event under the policy.

    `single_valued` names the attributes of which no event has more than one value. The result may share nodes.
    Simplifying it again changes nothing, unless `STEPS`, `ROUNDS` or `CUTS_COMPARED` were used up.
    """
    if missing not in ("unknown", "false"):
        raise InputError(f"{missing!r} is not a policy for missing attributes", help='"unknown" or "false"')
    context = Context(missing, single_valued)
    for _ in range(ROUNDS):
        context.is_nested = False
        simpler = context.simplified(flatten(tree, copied_operands=COPIED_OPERANDS))
        if simpler is tree or not context.is_nested:
            return simpler
        tree = simpler
    return tree


class Context:
    """What the rules know: the policy, the single-valued attributes, and one object for each distinct node."""

    def __init__(self, missing: Missing, single_valued: Container[str]) -> None:
        self.missing: Missing = missing
        self.single_valued = single_valued
        self.is_nested = False
        """Whether a connective within one of its own kind was left: another round may dissolve it."""
        self._cuts_left = CUTS_COMPARED
        self._rules: dict[type[Expression], list[Rule]] = {}
        self._interned: dict[Expression, Expression] = {}
        self._leaf: dict[Expression, Leaf | None] = {}
        self._may_be_unknown: dict[Expression, bool] = {}

    def simplified(self, tree: Expression) -> Expression:
        """One round: each distinct node is made anew over its simplified children and settled by the rules."""
        simpler: dict[int, Expression] = {}
        for node in distinct_nodes(tree):
            children = tuple(simpler[id(child)] for child in node.children)
            made = node
            if any(map(is_not, children, node.children)):
                made = type(node)(children) if isinstance(node, NaryConnective) else Not(children[0])
            simpler[id(node)] = self.settled(made)
        return simpler[id(tree)]

    def settled(self, node: Expression) -> Expression:
        """What the rules make of a node over simplified children."""
        node = self._intern(node)
        for _ in range(STEPS):
            changed = self._step(node)
            if changed is node:
                break
            node = changed
        self.is_nested |= any(type(child) is type(node) for child in node.children)
        return node

    def _step(self, node: Expression) -> Expression:
        kind = type(node)
        if kind not in self._rules:
            self._rules[kind] = [rule for rule in RULES if issubclass(kind, rule.nodes)]
        for rule in self._rules[kind]:
            changed = self._intern(rule.apply(node, self))
            if changed is not node:
                return changed
        return node

    def _intern(self, node: Expression) -> Expression:
        """The one object for all nodes equal to this; its children are such objects already, so this is quick."""
        return self._interned.setdefault(node, node)

    def may_compare(self, num_cuts: int) -> bool:
        """Whether there is work left for a comparison of sets with so many cuts; if so, it is used."""
        self._cuts_left -= num_cuts
        return self._cuts_left >= 0

    def leaf(self, node: Expression) -> Leaf | None:
        """What a simplified node says of its attribute, if it is a leaf."""
        if node not in self._leaf:
            self._leaf[node] = leaf_of(node, self.missing)
        return self._leaf[node]

    def may_be_unknown(self, node: Expression) -> bool:
        """Whether some event may make a simplified node unknown."""
        if self.missing == "false":
            return False
        pending = [node]
        while pending:
            each = pending[-1]
            children = [child for child in each.children if child not in self._may_be_unknown]
            if children:
                pending.extend(children)
                continue
            pending.pop()
            leaf = self.leaf(each)
            self._may_be_unknown[each] = (
                leaf.when_missing == UNKNOWN
                if leaf is not None
                else isinstance(each, ContainsAll | Joined)
                or any(self._may_be_unknown[child] for child in each.children)
            )
        return self._may_be_unknown[node]
