"""How does an expression speak of documents that came before? By a quantified part, which is a leaf of the tree.

    price < 100 and exists d in last '7 days' (price < d.price and d.shop = 'A')

    And ── Less("price", 100)
        └─ Quantified("exists", …, last=7 days)
             And ── Joined("price", "<", "price")
                 └─ OfDocument(Equals("shop", "A"))

The body is a tree of its own: predicates on the new event, predicates on the document (`OfDocument`), and comparisons
of the two (`Joined`). To everything that does not look inside, a quantified part is a bare attribute: its name is `@`
and its canonical text, and what was found out about the documents is that attribute's value, `true` or `false`; it is
missing where the truth is unknown. So a part is decided once however many expressions hold it, and engines need not
know.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from eligo.errors import ExpressionValueError, shown
from eligo.language.duration import duration_text
from eligo.language.tree import Expression, IsTrue, Predicate, check_name, distinct_nodes

QUANTIFIERS: Final = ("exists", "forall")
COMPARISONS: Final = ("=", "!=", "<", "<=", ">", ">=")
FLIPPED: Final = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""The comparison that says the same with its sides exchanged."""
VARIABLE: Final = "d"
"""What the document is called in a canonical text."""
MARK: Final = "@"
"""What the attribute of a quantified part begins with, before its text."""
_PART_NAMES: Final = tuple(f"{MARK}{quantifier} " for quantifier in QUANTIFIERS)


def stands_for_part(name: str) -> bool:
    """Whether an attribute's name is that of a quantified part; what an event itself gives it never counts."""
    return name.startswith(_PART_NAMES)


@dataclass(frozen=True, eq=False, repr=False)
class OfDocument(Expression):
    """`d.a > 10`: a predicate on the document's attribute."""

    predicate: Predicate

    def __post_init__(self) -> None:
        if not isinstance(self.predicate, Predicate) or isinstance(self.predicate, Quantified):
            raise ExpressionValueError(f"{shown(self.predicate)} is not a predicate on a document")
        self._seal()

    def content(self) -> tuple[Any, ...]:
        return (self.predicate,)


@dataclass(frozen=True, eq=False, repr=False)
class Joined(Expression):
    """`a < d.b`: some value of the event's attribute is below some value of the document's; `!=`: no two are equal."""

    attribute: str
    """Of the new event."""
    operator: str
    document_attribute: str

    def __post_init__(self) -> None:
        for name in (self.attribute, self.document_attribute):
            check_name(name)
        if self.operator not in COMPARISONS:
            raise ExpressionValueError(
                f"{shown(self.operator)} does not compare an event with a document", help=f"use {' '.join(COMPARISONS)}"
            )
        self._seal()

    def content(self) -> tuple[Any, ...]:
        return (self.attribute, self.operator, self.document_attribute)


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Quantified(IsTrue):
    """`exists d (…)`, `forall d (…)`: the body is true of some document, or of all; its `attribute` stands for it.

    Over no documents `exists` is false and `forall` true. `last` narrows the documents to the last so many, or to those
    that came in the last so much time.
    """

    quantifier: str
    body: Expression
    last: int | timedelta | None = None

    def __init__(self, quantifier: str, body: Expression, last: int | timedelta | None = None) -> None:
        if quantifier not in QUANTIFIERS:
            raise ExpressionValueError(f"{shown(quantifier)} is not a quantifier", help="exists or forall")
        if not isinstance(body, Expression):
            raise ExpressionValueError(f"{shown(body)} is not an expression")
        is_about_document = False
        for node in distinct_nodes(body):
            is_about_document = is_about_document or isinstance(node, OfDocument | Joined)
            if isinstance(node, Quantified):
                raise ExpressionValueError("a quantified part cannot stand in another", help="join them with and or or")
        if not is_about_document:
            raise ExpressionValueError(
                f"nothing between the parentheses of {quantifier} is about the document",
                help="name its attributes with the variable in front: price < d.price",
            )
        object.__setattr__(self, "quantifier", quantifier)
        object.__setattr__(self, "body", body)
        object.__setattr__(self, "last", _checked_last(last))
        from eligo.language.canonical import quantified_text

        object.__setattr__(self, "attribute", MARK + quantified_text(self))
        self.__post_init__()
        object.__setattr__(self, "depth", 1 + body.depth)

    def _check_name(self) -> None:
        """The name is its own."""

    def arguments(self) -> tuple[Any, ...]:
        return (self.quantifier, self.body, self.last)

    def content(self) -> tuple[Any, ...]:
        return (self.attribute,)

    @property
    def is_universal(self) -> bool:
        """Whether it is about all documents."""
        return self.quantifier == "forall"

    def event_attributes(self) -> set[str]:
        """The attributes of the new event that decide it."""
        return {leaf.attribute for leaf in self.leaves() if isinstance(leaf, Predicate | Joined)}

    def document_attributes(self) -> set[str]:
        """The attributes of documents that decide it."""
        return {
            leaf.document_attribute if isinstance(leaf, Joined) else leaf.predicate.attribute
            for leaf in self.leaves()
            if isinstance(leaf, Joined | OfDocument)
        }

    def leaves(self) -> Iterator[Expression]:
        """The predicates of the body, on the event, the document, or both."""
        return (node for node in distinct_nodes(self.body) if not node.children)


def _checked_last(last: object) -> int | timedelta | None:
    if last is None:
        return None
    if isinstance(last, timedelta):
        duration_text(last)
        return last
    if isinstance(last, bool) or not isinstance(last, int) or not 0 < last < 2**63:
        raise ExpressionValueError(
            f"'in last' takes a number of documents or a time, not {shown(last)}", help="in last 1000, in last '7 days'"
        )
    return last


def quantified_parts(tree: Expression) -> list[Quantified]:
    """The distinct quantified parts of a tree, in negation normal form or not, in their order."""
    found: dict[str, Quantified] = {}
    for node in distinct_nodes(tree):
        leaf = getattr(node, "predicate", node)
        if isinstance(leaf, Quantified):
            found.setdefault(leaf.attribute, leaf)
    return list(found.values())


def outside_part(leaf: Expression) -> ExpressionValueError:
    """The error for what is said of a document outside a quantified part."""
    return ExpressionValueError(
        f"{shown(leaf)} is about a document, and stands outside a quantified part",
        help="put exists d (…) or forall d (…) around it",
    )
