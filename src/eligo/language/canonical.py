"""How is a tree written? Each tree has one canonical text, and parsing that text gives the tree back."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any

from eligo.language.duration import duration_text
from eligo.language.forms.any_form import as_tree
from eligo.language.quantified import VARIABLE, Joined, OfDocument, Quantified
from eligo.language.tree import (
    And,
    Between,
    Comparison,
    Constant,
    Equals,
    Exists,
    Expression,
    IsMissing,
    IsTrue,
    Literal,
    Not,
    NotBetween,
    NotEquals,
    Or,
    Predicate,
    SetPredicate,
    SupportsExpression,
    TextPredicate,
    Under,
    WeightedSetPredicate,
    Xnor,
    Xor,
)
from eligo.language.value import Scalar

RESERVED = frozenset(
    ["and", "or", "not", "xor", "xnor", "true", "false", "in", "between", "is", "exists", "starts", "under", "contains"]
)
"""Words that cannot be a bare attribute name; in double quotes they can."""

BARE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")

_PRECEDENCE: dict[type[Expression], int] = {Or: 1, Xor: 2, Xnor: 2, And: 3, Not: 4}
_ATOM = 5
_WORD: dict[type[Expression], str] = {Or: " or ", Xor: " xor ", Xnor: " xnor ", And: " and "}


def canonical_text(expression: Expression | str | Mapping[str, Any] | SupportsExpression) -> str:
    """The one text of an expression: of a tree, or of another text or the JSON form that says the same."""
    return _text(as_tree(expression), _leaf_text)


def quantified_text(part: Quantified) -> str:
    """The text of a quantified part; in it, the document is called `VARIABLE`."""
    last = part.last
    scope = "" if last is None else f" in last {last}" if isinstance(last, int) else f" in last '{duration_text(last)}'"
    return f"{part.quantifier} {VARIABLE}{scope} ({_text(part.body, _body_leaf_text)})"


def _text(tree: Expression, leaf_text: Callable[[Expression], str]) -> str:
    pieces: list[str] = []
    pending: list[Expression | str] = [tree]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif isinstance(item, Not):
            pieces.append("not ")
            pending.extend(reversed(_enclosed(item.operand, _PRECEDENCE[Not] - 1)))
        elif item.children:
            parts: list[Expression | str] = []
            for index, child in enumerate(item.children):
                parts += [_WORD[type(item)]] if index else []
                parts += _enclosed(child, _PRECEDENCE[type(item)])
            pending.extend(reversed(parts))
        else:
            pieces.append(leaf_text(item))
    return "".join(pieces)


def _enclosed(child: Expression, outer: int) -> list[Expression | str]:
    """The child, in parentheses unless it binds tighter than `outer`."""
    return [child] if _PRECEDENCE.get(type(child), _ATOM) > outer else ["(", child, ")"]


def _leaf_text(leaf: Expression) -> str:
    if isinstance(leaf, Constant):
        return "true" if leaf.value else "false"
    if isinstance(leaf, Joined | OfDocument):  # alone, as an error may show it
        return _body_leaf_text(leaf)
    if isinstance(leaf, Literal):
        negation = "" if leaf.positive else "not "
        return f"{negation}{predicate_text(leaf.predicate)}{' [or missing]' if leaf.holds_when_missing else ''}"
    assert isinstance(leaf, Predicate)
    return predicate_text(leaf)


def predicate_text(predicate: Predicate) -> str:
    """The text of one predicate."""
    if isinstance(predicate, Quantified):
        return quantified_text(predicate)
    return attribute_text(predicate.attribute) + _operator_text(predicate)


def _operator_text(predicate: Predicate) -> str:
    """What stands behind the attribute's name."""
    for kind, write in _WRITERS.items():
        if isinstance(predicate, kind):
            return write(predicate)
    raise AssertionError(f"no text for {type(predicate).__name__}")


def _body_leaf_text(leaf: Expression) -> str:
    """A leaf of a quantified part's body; names of the event are told from those of the document."""
    if isinstance(leaf, Joined):
        return f"{_event_name(leaf.attribute)} {leaf.operator} {_document_name(leaf.document_attribute)}"
    if isinstance(leaf, OfDocument):
        return _document_name(leaf.predicate.attribute) + _operator_text(leaf.predicate)
    if isinstance(leaf, Predicate):
        return _event_name(leaf.attribute) + _operator_text(leaf)
    return _leaf_text(leaf)


def _event_name(name: str) -> str:
    """An event's attribute in the body of a quantified part: quoted where it could be taken for a document's."""
    text = attribute_text(name)
    return f'"{name}"' if text == VARIABLE or text.startswith(f"{VARIABLE}.") else text


def _document_name(name: str) -> str:
    return f"{VARIABLE}.{attribute_text(name)}"


def _set_text(predicate: SetPredicate) -> str:
    if isinstance(predicate, WeightedSetPredicate):
        members = ", ".join(f"{value_text(value)}{_weight_text(weight)}" for value, weight in predicate.weighted())
    else:
        members = ", ".join(value_text(value) for value in predicate.members)
    is_bare = isinstance(predicate, Under) and len(predicate.members) == 1
    return f" {predicate.operator} {members}" if is_bare else f" {predicate.operator} ({members})"


def _range_text(predicate: Between | NotBetween) -> str:
    weight = _weight_text(predicate.weight) if isinstance(predicate, Between) else ""
    return f" {predicate.operator} {value_text(predicate.low)} and {value_text(predicate.high)}{weight}"


_WRITERS: dict[type | tuple[type, ...], Callable[..., str]] = {
    (Equals, Comparison): lambda p: f" {p.operator} {value_text(p.value)}{_weight_text(p.weight)}",
    NotEquals: lambda p: f" != {value_text(p.value)}",
    (Between, NotBetween): _range_text,
    SetPredicate: _set_text,
    TextPredicate: lambda p: f" {p.operator} {value_text(p.operand)}{_weight_text(p.weight)}",
    (Exists, IsMissing): lambda p: f" {p.operator}",
    IsTrue: lambda p: "",
}


def _weight_text(weight: float) -> str:
    return "" if weight == 1.0 else f"^{number_text(weight)}"


def number_text(number: int | float) -> str:
    """The shortest text that reads back as the same number."""
    return (
        str(int(number)) if isinstance(number, float) and number.is_integer() and abs(number) < 1e15 else repr(number)
    )


def value_text(value: Scalar) -> str:
    """A value as it is written in an expression."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number_text(value)
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, datetime):
        return f"timestamp '{value.replace(tzinfo=None).isoformat()}Z'"
    assert isinstance(value, date)
    return f"date '{value.isoformat()}'"


def attribute_text(name: str) -> str:
    """An attribute's name, in double quotes where it needs them."""
    if BARE_NAME.fullmatch(name) and name.lower() not in RESERVED:
        return name
    return '"' + name.replace('"', '""') + '"'
