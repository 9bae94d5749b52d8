"""How are expressions built in Python? `col` names an attribute, operators and methods make predicates on it.

col("age").between(18, 24) & ~(col("device") == "tv") & col("state").in_(weighted("CA", 3), "NY")
exists(lambda d: (col("price") < d["price"]) & (d["shop"] == "A"), last="7 days")
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, TypeVar

from eligo.errors import ExpressionValueError, shown
from eligo.language.duration import parse_duration
from eligo.language.forms.any_form import as_tree
from eligo.language.quantified import FLIPPED, VARIABLE, Joined, OfDocument, Quantified
from eligo.language.tree import (
    FALSE,
    TRUE,
    And,
    Between,
    ContainsAll,
    Equals,
    Exists,
    Expression,
    Greater,
    GreaterOrEqual,
    In,
    IsMissing,
    IsTrue,
    Less,
    LessOrEqual,
    Not,
    NotBetween,
    NotEquals,
    NotIn,
    Or,
    Predicate,
    SetPredicate,
    StartsWith,
    StrongNotIn,
    SupportsExpression,
    Under,
    WeakNotIn,
    WeightedSetPredicate,
    Xnor,
)
from eligo.language.value import Scalar

Made = TypeVar("Made", bound=Expression)


@dataclass(frozen=True)
class Weighted:
    """A value with its weight in a score."""

    value: Scalar
    weight: float


def weighted(value: Scalar, weight: float) -> Weighted:
    """A value with a weight, for `==`, `<`, `<=`, `>`, `>=`, `in_` and `contains_all`."""
    probe = Equals("value", _operand(value), weight)
    return Weighted(probe.value, probe.weight)


def col(name: str) -> Column:
    """An attribute by its name; dots reach into nested objects of an event."""
    return Column(name)


class AnyColumn(Generic[Made]):
    """An attribute of an event or of a document, to make predicates on."""

    __slots__ = ("name",)
    __hash__ = None  # type: ignore[assignment]  # == makes a predicate, so a column cannot be looked up

    def __init__(self, name: str) -> None:
        self.name = Exists(name).attribute

    def _made(self, predicate: Predicate) -> Made:
        """The predicate, as one on the event or on the document."""
        raise NotImplementedError

    def _joined(self, operator: str, other: AnyColumn[Any]) -> Joined:
        """The comparison of this attribute with another one."""
        raise NotImplementedError

    def __bool__(self) -> bool:
        return bool(self.as_expression())

    def as_expression(self) -> Expression:
        """The bare attribute, as `is_true`."""
        return self._made(IsTrue(self.name))

    def __eq__(self, value: object) -> Made | Joined:  # type: ignore[override]
        if isinstance(value, AnyColumn):
            return self._joined("=", value)
        return self._made(Equals(self.name, *_value_and_weight(value)))

    def __ne__(self, value: object) -> Made | Joined:  # type: ignore[override]
        if isinstance(value, AnyColumn):
            return self._joined("!=", value)
        return self._made(NotEquals(self.name, _without_weight(value, NotEquals)))

    def __lt__(self, value: Any) -> Made | Joined:
        if isinstance(value, AnyColumn):
            return self._joined("<", value)
        return self._made(Less(self.name, *_value_and_weight(value)))

    def __le__(self, value: Any) -> Made | Joined:
        if isinstance(value, AnyColumn):
            return self._joined("<=", value)
        return self._made(LessOrEqual(self.name, *_value_and_weight(value)))

    def __gt__(self, value: Any) -> Made | Joined:
        if isinstance(value, AnyColumn):
            return self._joined(">", value)
        return self._made(Greater(self.name, *_value_and_weight(value)))

    def __ge__(self, value: Any) -> Made | Joined:
        if isinstance(value, AnyColumn):
            return self._joined(">=", value)
        return self._made(GreaterOrEqual(self.name, *_value_and_weight(value)))

    def __and__(self, other: Expression | SupportsExpression) -> Expression:
        return self.as_expression() & other

    def __or__(self, other: Expression | SupportsExpression) -> Expression:
        return self.as_expression() | other

    def __xor__(self, other: Expression | SupportsExpression) -> Expression:
        return self.as_expression() ^ other

    def __rand__(self, other: object) -> Expression:
        return other & self.as_expression()

    def __ror__(self, other: object) -> Expression:
        return other | self.as_expression()

    def __rxor__(self, other: object) -> Expression:
        return other ^ self.as_expression()

    def __invert__(self) -> Expression:
        return Not(self.as_expression())

    def between(self, low: Scalar, high: Scalar, *, weight: float = 1.0) -> Made:
        """Some value is in the range, both ends in."""
        return self._made(Between(self.name, _operand(low), _operand(high), weight))

    def not_between(self, low: Scalar, high: Scalar) -> Made:
        """No value is in the range."""
        return self._made(NotBetween(self.name, _operand(low), _operand(high)))

    def in_(self, *values: Any) -> Made:
        """Some value is listed; takes the values one by one or as one list."""
        return self._made(_weighted_set(In, self.name, values))

    isin = in_

    def contains_all(self, *values: Any) -> Made:
        """Every listed value is among the attribute's values."""
        return self._made(_weighted_set(ContainsAll, self.name, values))

    def not_in(self, *values: Any) -> Made:
        """No value is listed."""
        return self._made(_plain_set(NotIn, self.name, values))

    def weak_not_in(self, *values: Any) -> Made:
        """No value is listed, or the attribute is missing."""
        return self._made(_plain_set(WeakNotIn, self.name, values))

    def strong_not_in(self, *values: Any) -> Made:
        """The attribute is present and no value is listed."""
        return self._made(_plain_set(StrongNotIn, self.name, values))

    def starts_with(self, prefix: str, *, weight: float = 1.0) -> Made:
        """Some string value begins with the prefix."""
        return self._made(StartsWith(self.name, prefix, weight))

    def under(self, *nodes: Any, weight: float = 1.0) -> Made:
        """Some value is a node or below it in the attribute's hierarchy; takes the nodes one by one or as one list.

        `weight` is that of every node that is not `Weighted` itself.
        """
        pairs = [_value_and_weight(node, weight) for node in _spread(nodes)]
        return self._made(Under(self.name, tuple(node for node, _ in pairs), tuple(own for _, own in pairs)))

    def exists(self) -> Made:
        """The event has the attribute."""
        return self._made(Exists(self.name))

    def is_missing(self) -> Made:
        """The event does not have the attribute."""
        return self._made(IsMissing(self.name))

    def is_true(self) -> Made:
        """Some value is true."""
        return self._made(IsTrue(self.name))


class Column(AnyColumn[Predicate]):
    """An attribute of the event; used bare with `& | ^ ~` it is the predicate that it is true."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"col({self.name!r})"

    def _made(self, predicate: Predicate) -> Predicate:
        return predicate

    def _joined(self, operator: str, other: AnyColumn[Any]) -> Joined:
        if not isinstance(other, DocumentColumn):
            _operand(other)
        return Joined(self.name, operator, other.name)


class DocumentColumn(AnyColumn[OfDocument]):
    """An attribute of the document, within `exists` or `forall`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{VARIABLE}[{self.name!r}]"

    def _made(self, predicate: Predicate) -> OfDocument:
        return OfDocument(predicate)

    def _joined(self, operator: str, other: AnyColumn[Any]) -> Joined:
        if not isinstance(other, Column):
            raise ExpressionValueError(
                f"{self!r} and {other!r} are both the document's",
                help='compare it with the event: col("price") < d["price"]',
            )
        return Joined(other.name, FLIPPED[operator], self.name)


class Document:
    """What `exists` and `forall` hand to their function; `d["price"]` is an attribute of the document."""

    __slots__ = ()

    def __getitem__(self, name: str) -> DocumentColumn:
        return DocumentColumn(name)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"a document's attribute is written d[{name!r}]")


def exists(body: Callable[[Document], Any], *, last: int | str | timedelta | None = None) -> Quantified:
    """Something is true of a document: `exists(lambda d: (col("price") < d["price"]) & (d["shop"] == "A"))`.

    `last` narrows the documents: to the last so many, or to those of the last so much time, such as "7 days".
    """
    return _part("exists", body, last)


def forall(body: Callable[[Document], Any], *, last: int | str | timedelta | None = None) -> Quantified:
    """Something is true of all documents; see `exists`."""
    return _part("forall", body, last)


def _part(quantifier: str, body: Callable[[Document], Any], last: int | str | timedelta | None) -> Quantified:
    if not callable(body):
        raise ExpressionValueError(
            f"{quantifier} takes a function of the document, not {shown(body)}",
            help=f'write {quantifier}(lambda d: col("price") < d["price"])',
        )
    return Quantified(quantifier, as_tree(body(Document())), parse_duration(last) if isinstance(last, str) else last)


def all_of(*operands: Any) -> Expression:
    """The AND of nodes, given one by one or as one list; of none it is true, of one it is that one."""
    nodes = _expressions(operands)
    return And(nodes) if len(nodes) > 1 else nodes[0] if nodes else TRUE


def any_of(*operands: Any) -> Expression:
    """The OR of nodes, given one by one or as one list; of none it is false, of one it is that one."""
    nodes = _expressions(operands)
    return Or(nodes) if len(nodes) > 1 else nodes[0] if nodes else FALSE


def xnor(*operands: Any) -> Expression:
    """Whether nodes agree, taken from the left; Python has no operator for it."""
    return Xnor(_expressions(operands))


def _expressions(operands: tuple[Any, ...]) -> tuple[Expression, ...]:
    return tuple(as_tree(node) for node in _spread(operands))


def _spread(arguments: tuple[Any, ...]) -> Iterable[Any]:
    """The arguments, or the items of the one list among them."""
    if len(arguments) == 1 and isinstance(arguments[0], Iterable) and not isinstance(arguments[0], str | bytes):
        if isinstance(arguments[0], Mapping):
            return arguments  # the JSON form of an expression, or no value
        try:
            return list(arguments[0])
        except TypeError:  # an array without dimension
            return arguments
    return arguments


def _operand(value: Any) -> Any:
    if isinstance(value, AnyColumn | Expression):
        raise ExpressionValueError(
            f"{shown(value)} is not a value",
            help="an attribute is compared with a value, not another; only with a document's: exists(lambda d: …)",
        )
    if value is None:
        raise ExpressionValueError("None is not a value", help="use is_missing() or exists()")
    return value


def _value_and_weight(given: Any, weight: float = 1.0) -> tuple[Any, float]:
    return (_operand(given.value), given.weight) if isinstance(given, Weighted) else (_operand(given), weight)


def _without_weight(given: Any, kind: type[Predicate]) -> Any:
    if isinstance(given, Weighted):
        raise ExpressionValueError(f"'{kind.operator}' takes no weights", help="only what is hit adds to a score")
    return _operand(given)


def _weighted_set(kind: type[WeightedSetPredicate], name: str, given: tuple[Any, ...]) -> Predicate:
    pairs = [_value_and_weight(item) for item in _spread(given)]
    return kind(name, tuple(value for value, _ in pairs), tuple(weight for _, weight in pairs))


def _plain_set(kind: type[SetPredicate], name: str, given: tuple[Any, ...]) -> Predicate:
    return kind(name, tuple(_without_weight(item, kind) for item in _spread(given)))
