"""Does an expression match other events under the other policy for missing attributes, and because of what?

Both policies give the same negation normal form, but for the literals that hold when their attribute is missing: those
of `!=`, `not in`, `not between` and `not …` do so under "false" only. Where that shows in the simplified forms, it is
worth a remark, for `weak not in`, `strong not in`, `exists` and `is missing` say the same under both.
"""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING, NamedTuple

from eligo.errors import NormalFormTooLargeError
from eligo.language.canonical import attribute_text, canonical_text
from eligo.language.limits import Limits
from eligo.language.quantified import Quantified
from eligo.language.rewrites.form_numbers import FormNumbers
from eligo.language.rewrites.leaf import YES, Leaf, leaf_node, members_of, plain
from eligo.language.rewrites.normalize import dnf_tree, to_dnf
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.rewrites.simplify import simplify
from eligo.language.tree import (
    Constant,
    Exists,
    Expression,
    Literal,
    Or,
    Predicate,
    StrongNotIn,
    WeakNotIn,
    distinct_nodes,
)

if TYPE_CHECKING:
    from eligo.language.evaluate import Missing

WORK = Limits(normal_form=500)
"""Expressions with a larger normal form are compared in the form that they have."""
SHOWN = 80
"""Characters of an example in a message."""


class Form(NamedTuple):
    """A tree under one policy: its negation normal form, and that simplified."""

    nnf: Expression
    simple: Expression


def policy_difference(
    tree: Expression, missing: Missing, form: Form, single_valued: Container[str], numbers: FormNumbers
) -> str | None:
    """A sentence on how the policies differ, or None when they do not; `form` is the tree under `missing`."""
    if not _may_differ(form.nnf):
        return None
    other_nnf = push_negations(tree, "false" if missing == "unknown" else "unknown")
    if other_nnf == form.nnf:
        return None
    other = Form(other_nnf, simplify(other_nnf, single_valued=single_valued))
    if numbers.of(form.simple) == numbers.of(other.simple):
        return None
    if not (_is_conjunction(form.simple) and _is_conjunction(other.simple)):
        try:
            if _conjunctions(form, single_valued, numbers) == _conjunctions(other, single_valued, numbers):
                return None
        except NormalFormTooLargeError:
            pass
    return _message(_causes(*((form, other) if missing == "unknown" else (other, form))))


def _may_differ(nnf: Expression) -> bool:
    """Whether a normal form has anything in it that could be different under the other policy."""
    return any(
        isinstance(node, Constant) or (isinstance(node, Literal) and not node.positive) for node in distinct_nodes(nnf)
    )


def _is_conjunction(simple: Expression) -> bool:
    return not isinstance(simple, Or) and all(isinstance(child, Literal) for child in simple.children)


def _conjunctions(form: Form, single_valued: Container[str], numbers: FormNumbers) -> frozenset[int]:
    """The numbers of the simplified conjunctions of the disjunctive normal form."""
    trees = (dnf_tree((conjunction,)) for conjunction in to_dnf(form.simple, "unknown", limits=WORK))
    return frozenset(numbers.of(simplify(tree, single_valued=single_valued)) for tree in trees)


def _causes(strict: Form, lenient: Form) -> list[Literal]:
    """The literals that hold when missing under "false" only, on attributes where the simplified forms differ."""
    attributes = {each.predicate.attribute for each in {*_literals(strict.simple)} ^ {*_literals(lenient.simple)}}
    unchanged = set(_literals(strict.nnf))
    causes = [literal for literal in _literals(lenient.nnf) if literal not in unchanged]
    return [literal for literal in causes if literal.predicate.attribute in attributes] or causes


def _literals(tree: Expression) -> list[Literal]:
    return [node for node in distinct_nodes(tree) if isinstance(node, Literal)]


def _message(causes: list[Literal]) -> str:
    parts = [literal.predicate for literal in causes if isinstance(literal.predicate, Quantified)]
    causes = [literal for literal in causes if not isinstance(literal.predicate, Quantified)]
    if not causes:
        said = _shortened(canonical_text(parts[0]))
        return f'where {said} is unknown, events may match under missing="false" but not under missing="unknown"'
    names = list(dict.fromkeys(attribute_text(literal.predicate.attribute) for literal in causes))
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
    advice = ""
    example = next((literal.predicate for literal in causes if not isinstance(literal.predicate, Exists)), None)
    if example is not None:
        said, lenient, strict = map(_shortened, _ways_to_say(plain(example)))
        advice = f"; instead of {said} write {lenient} to match them always, or {strict} never to"
    return f'events without {listed} may match under missing="false" but not under missing="unknown"{advice}'


def _ways_to_say(predicate: Predicate) -> tuple[str, str, str]:
    """The denial of a predicate as it is usually written, so that it holds when missing, and so that it does not."""
    denial = leaf_node(Leaf(predicate, False, YES), "false")
    assert denial is not None
    said, name, members = canonical_text(denial), predicate.attribute, members_of(predicate)
    if members is not None:
        return said, canonical_text(WeakNotIn(name, members)), canonical_text(StrongNotIn(name, members))
    return said, f"({said} or {attribute_text(name)} is missing)", f"({said} and {attribute_text(name)} exists)"


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
