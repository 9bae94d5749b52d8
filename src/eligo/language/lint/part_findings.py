"""What in a quantified part, or beside one, is probably not meant?

part-body          nothing makes the body true, or everything does: exists d (d.a < 1 and d.a is missing)
event-in-part      what is about the event alone could stand outside: exists d (shop = 'A' and price < d.price)
document-outside   a name that looks like the document's stands outside: exists d (price < d.price) and d.new
part-weight        a weight in a body counts nothing: exists d (d.shop = 'A'^2)
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

from eligo.language.canonical import attribute_text, canonical_text
from eligo.language.lint.policy_difference import Form, policy_difference
from eligo.language.quantified import VARIABLE, Joined, OfDocument, Quantified, quantified_parts
from eligo.language.rewrites.form_numbers import FormNumbers
from eligo.language.rewrites.plain_body import document_prefix, plain_body, with_leaves
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.rewrites.satisfiable import is_always_true, is_never_true
from eligo.language.rewrites.simplify import OfEvent, simplify
from eligo.language.tree import (
    And,
    Expression,
    IsTrue,
    Literal,
    Not,
    Or,
    Predicate,
    WeightedSetPredicate,
    distinct_nodes,
)

if TYPE_CHECKING:
    from eligo.language.evaluate import Missing

PART_RULES = ("part-body", "event-in-part", "document-outside", "part-weight")
SHOWN = 80
"""Characters of a part in a message."""


def part_findings(tree: Expression, missing: Missing, single_valued: Container[str]) -> Iterator[tuple[str, str]]:
    """The rule and the message of each remark on the quantified parts of a tree."""
    parts = quantified_parts(tree)
    for part in parts:
        text = _shortened(canonical_text(part))
        if body := _body_remark(part, missing, single_valued):
            yield "part-body", f"{body}: {text}"
        if (alone := _about_event(part)) is not None:
            yield (
                "event-in-part",
                f"{_shortened(canonical_text(alone))} is about the event alone and can stand outside {text}",
            )
        if any(map(_is_weighted, part.leaves())):
            yield "part-weight", f"weights count nothing in the body of {text}"
    if parts:
        for name in _names_outside(tree):
            if name.startswith(f"{VARIABLE}."):
                yield (
                    "document-outside",
                    (
                        f"{attribute_text(name)} is an attribute of the event here; the document's is "
                        f"{name} only within the parentheses of exists or forall"
                    ),
                )


def _body_remark(part: Quantified, missing: Missing, single_valued: Container[str]) -> str:
    nnf = push_negations(_without_joins(part), missing)
    names = OfEvent(single_valued, document_prefix(part))
    simple = simplify(nnf, missing=missing, single_valued=names)
    if is_never_true(simple, names):
        return "nothing makes the body true, whatever the document"
    return "everything makes the body true, whatever the document" if is_always_true(simple, names) else ""


def _without_joins(part: Quantified) -> Expression:
    """The body as a tree on the event, with an attribute for each comparison with the document."""
    prefix = document_prefix(part)

    def plain(leaf: Expression) -> Expression:
        if not isinstance(leaf, Joined):
            return leaf
        other = f"{prefix}{leaf.document_attribute}"
        if leaf.operator == "!=":
            return Not(IsTrue(f"{leaf.attribute} = {other}"))
        return IsTrue(f"{leaf.attribute} {leaf.operator} {other}")

    return with_leaves(plain_body(part), plain)


def _about_event(part: Quantified) -> Expression | None:
    """What an `exists` requires of the event alone, or what of it alone makes a `forall` true."""
    connective = Or if part.is_universal else And
    if isinstance(part.body, connective):
        for operand in part.body.operands:
            leaves = [node for node in distinct_nodes(operand) if isinstance(node, Predicate | Joined | OfDocument)]
            if leaves and all(isinstance(leaf, Predicate) for leaf in leaves):
                return operand
    return None


def _names_outside(tree: Expression) -> list[str]:
    """The attributes that stand outside quantified parts, each once."""
    names: dict[str, None] = {}
    for node in distinct_nodes(tree):
        leaf = node.predicate if isinstance(node, Literal) else node
        if isinstance(leaf, Predicate) and not isinstance(leaf, Quantified):
            names[leaf.attribute] = None
    return list(names)


def _is_weighted(leaf: Expression) -> bool:
    predicate = leaf.predicate if isinstance(leaf, OfDocument) else leaf
    if isinstance(predicate, WeightedSetPredicate):
        return bool(predicate.weights)
    return float(getattr(predicate, "weight", 1.0)) != 1.0


def part_policy_difference(tree: Expression, missing: Missing, numbers: FormNumbers) -> str | None:
    """A sentence on a part whose body is true of other documents under the other policy; None when there is none."""
    for part in quantified_parts(tree):
        body = _without_joins(part)
        nnf = push_negations(body, missing)
        form = Form(nnf, simplify(nnf, missing=missing))
        if policy_difference(body, missing, form, (), numbers) is not None:
            return (
                f"of events or documents without what it names, {_shortened(canonical_text(part))} may be true under "
                'missing="false" but not under missing="unknown"; say so with exists or is missing'
            )
    return None


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
