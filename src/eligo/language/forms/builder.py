"""How are expressions built in Python? `col` names an attribute, operators and methods make predicates on it.

col("age").between(18, 24) & ~(col("device") == "tv") & col("state").in_(weighted("CA", 3), "NY")
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from eligo.errors import ExpressionValueError, shown
from eligo.language.forms.any_form import as_tree
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


class Column:
    """An attribute to make predicates on; used bare with `& | ^ ~` it is the predicate that it is true."""

    __slots__ = ("name",)
    __hash__ = None  # type: ignore[assignment]  # == makes a predicate, so a column cannot be looked up

    def __init__(self, name: str) -> None:
        self.name = Exists(name).attribute

    def __repr__(self) -> str:
        return f"col({self.name!r})"

    def __bool__(self) -> bool:
        return bool(self.as_expression())

    def as_expression(self) -> Expression:
        """The bare attribute, as `is_true`."""
        return IsTrue(self.name)

    def __eq__(self, value: object) -> Predicate:  # type: ignore[override]
        return Equals(self.name, *_value_and_weight(value))

    def __ne__(self, value: object) -> Predicate:  # type: ignore[override]
        return NotEquals(self.name, _without_weight(value, NotEquals))

    def __lt__(self, value: Any) -> Predicate:
        return Less(self.name, *_value_and_weight(value))

    def __le__(self, value: Any) -> Predicate:
        return LessOrEqual(self.name, *_value_and_weight(value))

    def __gt__(self, value: Any) -> Predicate:
        return Greater(self.name, *_value_and_weight(value))

    def __ge__(self, value: Any) -> Predicate:
        return GreaterOrEqual(self.name, *_value_and_weight(value))

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

    def between(self, low: Scalar, high: Scalar, *, weight: float = 1.0) -> Predicate:
        """Some value is in the range, both ends in."""
        return Between(self.name, _operand(low), _operand(high), weight)

    def not_between(self, low: Scalar, high: Scalar) -> Predicate:
        """No value is in the range."""
        return NotBetween(self.name, _operand(low), _operand(high))

    def in_(self, *values: Any) -> Predicate:
        """Some value is listed; takes the values one by one or as one list."""
        return _weighted_set(In, self.name, values)

    isin = in_

    def contains_all(self, *values: Any) -> Predicate:
        """Every listed value is among the attribute's values."""
        return _weighted_set(ContainsAll, self.name, values)

    def not_in(self, *values: Any) -> Predicate:
        """No value is listed."""
        return _plain_set(NotIn, self.name, values)

    def weak_not_in(self, *values: Any) -> Predicate:
        """No value is listed, or the attribute is missing."""
        return _plain_set(WeakNotIn, self.name, values)

    def strong_not_in(self, *values: Any) -> Predicate:
        """The attribute is present and no value is listed."""
        return _plain_set(StrongNotIn, self.name, values)

    def starts_with(self, prefix: str, *, weight: float = 1.0) -> Predicate:
        """Some string value begins with the prefix."""
        return StartsWith(self.name, prefix, weight)

    def under(self, *nodes: Any, weight: float = 1.0) -> Predicate:
        """Some value is a node or below it in the attribute's hierarchy; takes the nodes one by one or as one list.

        `weight` is that of every node that is not `Weighted` itself.
        """
        pairs = [_value_and_weight(node, weight) for node in _spread(nodes)]
        return Under(self.name, tuple(node for node, _ in pairs), tuple(own for _, own in pairs))

    def exists(self) -> Predicate:
        """The event has the attribute."""
        return Exists(self.name)

    def is_missing(self) -> Predicate:
        """The event does not have the attribute."""
        return IsMissing(self.name)

    def is_true(self) -> Predicate:
        """Some value is true."""
        return IsTrue(self.name)


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
    if isinstance(value, Column | Expression):
        raise ExpressionValueError(
            f"{shown(value)} is not a value", help="an attribute is compared with a value, not another"
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
