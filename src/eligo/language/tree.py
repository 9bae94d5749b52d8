"""What is an expression made of? Frozen nodes: connectives, constants, and one class for each kind of predicate.

A tree may share nodes (negation normal form does) and may be very deep, so nothing here recurses: a node's hash and
depth are taken from its children's when it is made, and equality walks with a stack.

    age between 18 and 24 and not device = 'tv'

    And ── Between("age", 18, 24)
        └─ Not ── Equals("device", "tv")
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol, cast

from eligo.errors import ExpressionValueError, NoTruthError, shown
from eligo.language.value import Kind, Scalar, canonical_value, kind_of
from eligo.language.weight import RULE, weight_of


class Expression:
    """A node of a tree; `&`, `|`, `^` and `~` combine nodes, and repr is the canonical text."""

    __slots__ = ("_hash", "depth")
    depth: int
    """Levels below and with this node: 1 for a predicate."""
    _hash: int

    @property
    def children(self) -> tuple[Expression, ...]:
        """The nodes directly below."""
        return ()

    def content(self) -> tuple[Any, ...]:
        """What two nodes of one class must share, besides their children, to be equal."""
        return ()

    def arguments(self) -> tuple[Any, ...]:
        """What its class makes it of."""
        return tuple(getattr(self, field.name) for field in fields(cast(Any, self)))

    def _seal(self) -> None:
        children = self.children
        depth = 1
        below: tuple[int, ...] = ()
        if children:
            depth += max([child.depth for child in children])
            below = tuple([child._hash for child in children])
        object.__setattr__(self, "depth", depth)
        object.__setattr__(self, "_hash", hash((type(self).__name__, self.content(), below)))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Expression):
            return NotImplemented
        pending: list[tuple[Expression, Expression]] = [(self, other)]
        seen: set[tuple[int, int]] = set()
        while pending:
            left, right = pending.pop()
            if left is right or (id(left), id(right)) in seen:
                continue
            if left._hash != right._hash or type(left) is not type(right) or left.content() != right.content():
                return False
            if len(left.children) != len(right.children):
                return False
            seen.add((id(left), id(right)))
            pending.extend(zip(left.children, right.children, strict=True))
        return True

    def __and__(self, other: Expression | SupportsExpression) -> Expression:
        return And((*_operands(And, self), *_operands(And, other)))

    def __or__(self, other: Expression | SupportsExpression) -> Expression:
        return Or((*_operands(Or, self), *_operands(Or, other)))

    def __xor__(self, other: Expression | SupportsExpression) -> Expression:
        return Xor((*_operands(Xor, self), *_operands(Xor, other)))

    def __rand__(self, other: object) -> Expression:
        return And((*_operands(And, other), *_operands(And, self)))

    def __ror__(self, other: object) -> Expression:
        return Or((*_operands(Or, other), *_operands(Or, self)))

    def __rxor__(self, other: object) -> Expression:
        return Xor((*_operands(Xor, other), *_operands(Xor, self)))

    def __invert__(self) -> Expression:
        return Not(self)

    def __bool__(self) -> bool:
        raise NoTruthError(
            "an expression has no truth without an event",
            help="combine with & | ^ ~, not with and, or, not; for a range use between, not low < a < high",
        )

    def __repr__(self) -> str:
        from eligo.language.canonical import canonical_text

        return canonical_text(self)

    def __reduce__(self) -> tuple[Callable[..., Expression], tuple[Any, ...]]:
        # As rows: a pickle of nested nodes would recurse, and the hash of a string differs between processes.
        rows: list[tuple[type[Expression], tuple[int, ...], tuple[Any, ...]]] = []
        row_of: dict[int, int] = {}
        for node in distinct_nodes(self):
            below = tuple(row_of[id(child)] for child in node.children)
            own = () if below else node.arguments()
            row_of[id(node)] = len(rows)
            rows.append((type(node), below, own))
        return _from_rows, (rows,)


def _from_rows(rows: list[tuple[type[Expression], tuple[int, ...], tuple[Any, ...]]]) -> Expression:
    nodes: list[Expression] = []
    for kind, below, own in rows:
        make = cast(Callable[..., Expression], kind)
        children = tuple(nodes[row] for row in below)
        nodes.append(make(children) if issubclass(kind, NaryConnective) else make(*(children or own)))
    return nodes[-1]


class SupportsExpression(Protocol):
    """What stands for an expression when it is combined with one, such as a bare column of the builder."""

    def as_expression(self) -> Expression: ...


def _operands(connective: type[NaryConnective], node: object) -> tuple[Expression, ...]:
    convert = getattr(node, "as_expression", None)
    node = convert() if callable(convert) else node
    if not isinstance(node, Expression):
        raise ExpressionValueError(
            f"{shown(node)} is not an expression", help="wrap comparisons in parentheses: (a == 1) & b"
        )
    return node.children if type(node) is connective else (node,)


@dataclass(frozen=True, eq=False, repr=False)
class NaryConnective(Expression):
    """A connective over two or more nodes."""

    operands: tuple[Expression, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "operands", tuple(self.operands))
        if len(self.operands) < 2:
            raise ExpressionValueError(f"{type(self).__name__} needs two nodes or more, got {len(self.operands)}")
        for operand in self.operands:
            if not isinstance(operand, Expression):
                raise ExpressionValueError(f"{shown(operand)} is not an expression")
        self._seal()

    @property
    def children(self) -> tuple[Expression, ...]:
        return self.operands


@dataclass(frozen=True, eq=False, repr=False)
class And(NaryConnective):
    """True when all are."""


@dataclass(frozen=True, eq=False, repr=False)
class Or(NaryConnective):
    """True when one is."""


@dataclass(frozen=True, eq=False, repr=False)
class Xor(NaryConnective):
    """True when an odd number are; unknown when one is."""


@dataclass(frozen=True, eq=False, repr=False)
class Xnor(NaryConnective):
    """`a xnor b` is true when both agree; a chain is taken from the left; unknown when one is."""


@dataclass(frozen=True, eq=False, repr=False)
class Not(Expression):
    """True when the node is false."""

    operand: Expression

    def __post_init__(self) -> None:
        if not isinstance(self.operand, Expression):
            raise ExpressionValueError(f"{shown(self.operand)} is not an expression")
        self._seal()

    @property
    def children(self) -> tuple[Expression, ...]:
        return (self.operand,)


@dataclass(frozen=True, eq=False, repr=False)
class Constant(Expression):
    """`true` or `false`, whatever the event."""

    value: bool

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", bool(self.value))
        self._seal()

    def content(self) -> tuple[Any, ...]:
        return (self.value,)


TRUE = Constant(True)
FALSE = Constant(False)


PART_MARKS = ("@exists ", "@forall ")
"""What the names of quantified parts begin with; no attribute's does."""


def check_name(name: object) -> None:
    """Refuse what is no attribute's name."""
    if not isinstance(name, str) or not name:
        raise ExpressionValueError(f"an attribute's name is a string that is not empty, not {shown(name)}")
    canonical_value(name)
    if name.startswith(PART_MARKS):
        raise ExpressionValueError(
            f"{shown(name)} is the name of a quantified part, not of an attribute",
            help="rename the attribute; for a part, write exists d (…) or forall d (…)",
        )


@dataclass(frozen=True, eq=False, repr=False)
class Predicate(Expression):
    """An attribute, an operator (the class) and operands (the other fields)."""

    attribute: str
    operator: ClassVar[str] = ""
    """How the operator is written, for messages."""

    def __post_init__(self) -> None:
        self._check_name()
        self._canonicalize()
        self._seal()

    def _check_name(self) -> None:
        check_name(self.attribute)

    def _canonicalize(self) -> None:
        """Bring the operands into their one form, or refuse them."""

    def values(self) -> tuple[Scalar, ...]:
        """All operands."""
        return ()

    def content(self) -> tuple[Any, ...]:
        found: tuple[Any, ...] | None = self.__dict__.get("_content")
        if found is None:
            kinds = tuple([kind_of(value) for value in self.values()])  # True == 1 in Python, never here
            found = (*[getattr(self, name) for name in self.__match_args__], kinds)
            object.__setattr__(self, "_content", found)
        return found


def _weight(raw: float) -> float:
    weight = weight_of(raw)
    if weight is None:
        raise ExpressionValueError(f"{RULE}, not {shown(raw)}")
    return weight


def _ordered(value: Scalar, operator: str) -> Scalar:
    if kind_of(value) is Kind.BOOL:
        raise ExpressionValueError(
            f"true and false have no order, so '{operator}' cannot take them", help="use = or !="
        )
    return value


@dataclass(frozen=True, eq=False, repr=False)
class ValuePredicate(Predicate):
    """A predicate on one value."""

    value: Scalar

    def _canonicalize(self) -> None:
        object.__setattr__(self, "value", canonical_value(self.value))

    def values(self) -> tuple[Scalar, ...]:
        return (self.value,)


@dataclass(frozen=True, eq=False, repr=False)
class Equals(ValuePredicate):
    """`a = x`: some value is x."""

    weight: float = 1.0
    operator = "="

    def _canonicalize(self) -> None:
        super()._canonicalize()
        object.__setattr__(self, "weight", _weight(self.weight))


@dataclass(frozen=True, eq=False, repr=False)
class NotEquals(ValuePredicate):
    """`a != x`: no value is x."""

    operator = "!="


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(ValuePredicate):
    """A predicate on the order of values; strings are ordered by code point."""

    weight: float = 1.0

    def _canonicalize(self) -> None:
        super()._canonicalize()
        _ordered(self.value, self.operator)
        object.__setattr__(self, "weight", _weight(self.weight))


@dataclass(frozen=True, eq=False, repr=False)
class Less(Comparison):
    """`a < x`: some value is below x."""

    operator = "<"


@dataclass(frozen=True, eq=False, repr=False)
class LessOrEqual(Comparison):
    """`a <= x`: some value is x or below."""

    operator = "<="


@dataclass(frozen=True, eq=False, repr=False)
class Greater(Comparison):
    """`a > x`: some value is above x."""

    operator = ">"


@dataclass(frozen=True, eq=False, repr=False)
class GreaterOrEqual(Comparison):
    """`a >= x`: some value is x or above."""

    operator = ">="


@dataclass(frozen=True, eq=False, repr=False)
class RangePredicate(Predicate):
    """A predicate on a range with both ends in."""

    low: Scalar
    high: Scalar

    def _canonicalize(self) -> None:
        object.__setattr__(self, "low", _ordered(canonical_value(self.low), self.operator))
        object.__setattr__(self, "high", _ordered(canonical_value(self.high), self.operator))
        if kind_of(self.low) is not kind_of(self.high):
            low, high = kind_of(self.low).name.lower(), kind_of(self.high).name.lower()
            raise ExpressionValueError(f"'{self.operator}' needs two operands of one kind, not a {low} and a {high}")

    def values(self) -> tuple[Scalar, ...]:
        return (self.low, self.high)


@dataclass(frozen=True, eq=False, repr=False)
class Between(RangePredicate):
    """`a between x and y`: some value is in the range; none when x is above y."""

    weight: float = 1.0
    operator = "between"

    def _canonicalize(self) -> None:
        super()._canonicalize()
        object.__setattr__(self, "weight", _weight(self.weight))


@dataclass(frozen=True, eq=False, repr=False)
class NotBetween(RangePredicate):
    """`a not between x and y`: no value is in the range."""

    operator = "not between"


@dataclass(frozen=True, eq=False, repr=False)
class SetPredicate(Predicate):
    """A predicate on a set of values, kept in the order in which they were written."""

    members: tuple[Scalar, ...]

    def _canonicalize(self) -> None:
        if isinstance(self.members, str | bytes) or not isinstance(self.members, Iterable):
            raise ExpressionValueError(f"'{self.operator}' takes a list of values, not {shown(self.members)}")
        object.__setattr__(self, "members", tuple(canonical_value(value) for value in self.members))

    def values(self) -> tuple[Scalar, ...]:
        return self.members


@dataclass(frozen=True, eq=False, repr=False)
class WeightedSetPredicate(SetPredicate):
    """A set whose values may have weights; no weights at all means 1 each."""

    weights: tuple[float, ...] = ()

    def _canonicalize(self) -> None:
        super()._canonicalize()
        weights = tuple(_weight(weight) for weight in self.weights)
        if weights and len(weights) != len(self.members):
            raise ExpressionValueError(f"{len(self.members)} values but {len(weights)} weights")
        object.__setattr__(self, "weights", weights if any(weight != 1.0 for weight in weights) else ())

    def weighted(self) -> Iterator[tuple[Scalar, float]]:
        """Each value with its weight."""
        return zip(self.members, self.weights or (1.0,) * len(self.members), strict=True)


@dataclass(frozen=True, eq=False, repr=False)
class In(WeightedSetPredicate):
    """`a in (x, …)`: some value is listed."""

    operator = "in"


@dataclass(frozen=True, eq=False, repr=False)
class ContainsAll(WeightedSetPredicate):
    """`a contains all (x, …)`: every x is among the values."""

    operator = "contains all"


@dataclass(frozen=True, eq=False, repr=False)
class NotIn(SetPredicate):
    """`a not in (x, …)`: no value is listed."""

    operator = "not in"


@dataclass(frozen=True, eq=False, repr=False)
class WeakNotIn(SetPredicate):
    """`a weak not in (x, …)`: no value is listed, or the attribute is missing."""

    operator = "weak not in"


@dataclass(frozen=True, eq=False, repr=False)
class StrongNotIn(SetPredicate):
    """`a strong not in (x, …)`: the attribute is present and no value is listed; never unknown."""

    operator = "strong not in"


@dataclass(frozen=True, eq=False, repr=False)
class TextPredicate(Predicate):
    """A predicate on one string operand."""

    operand: str
    weight: float = 1.0

    def _canonicalize(self) -> None:
        value = canonical_value(self.operand)
        if not isinstance(value, str):
            raise ExpressionValueError(f"'{self.operator}' takes a string, not {shown(self.operand)}")
        object.__setattr__(self, "operand", value)
        object.__setattr__(self, "weight", _weight(self.weight))

    def values(self) -> tuple[Scalar, ...]:
        return (self.operand,)


@dataclass(frozen=True, eq=False, repr=False)
class StartsWith(TextPredicate):
    """`a starts with 'x'`: some string value begins with x."""

    operator = "starts with"


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Under(WeightedSetPredicate):
    """`a under 'x'`, `a under ('x', …)`: some value is one of the nodes, or below one, in the attribute's hierarchy."""

    operator = "under"

    def __init__(self, attribute: str, members: str | Iterable[str], weights: float | Iterable[float] = ()) -> None:
        nodes = (members,) if isinstance(members, str) or not isinstance(members, Iterable) else members
        object.__setattr__(self, "attribute", attribute)
        object.__setattr__(self, "members", nodes)
        object.__setattr__(self, "weights", weights if isinstance(weights, Iterable) else (weights,))
        self.__post_init__()

    def _canonicalize(self) -> None:
        super()._canonicalize()
        for node in self.members:
            if not isinstance(node, str):
                raise ExpressionValueError(f"'{self.operator}' takes a string or several, not {shown(node)}")

    @property
    def nodes(self) -> tuple[str, ...]:
        """The members, which are all strings."""
        return cast(tuple[str, ...], self.members)


@dataclass(frozen=True, eq=False, repr=False)
class Exists(Predicate):
    """`a exists`: the event has the attribute; never unknown."""

    operator = "exists"


@dataclass(frozen=True, eq=False, repr=False)
class IsMissing(Predicate):
    """`a is missing`: the event does not have the attribute; never unknown."""

    operator = "is missing"


@dataclass(frozen=True, eq=False, repr=False)
class IsTrue(Predicate):
    """A bare attribute: some value is `true`."""

    operator = "is true"


@dataclass(frozen=True, eq=False, repr=False)
class Literal(Expression):
    """A leaf of negation normal form: a positive predicate, its polarity, and whether it holds when missing."""

    predicate: Predicate
    positive: bool = True
    holds_when_missing: bool = False

    def __post_init__(self) -> None:
        self._seal()

    def content(self) -> tuple[Any, ...]:
        return (self.predicate, self.positive, self.holds_when_missing)


def postorder(root: Expression) -> Iterator[Expression]:
    """Every node once for each place in which it stands, children before parents: the order of the postfix form."""
    pending: list[tuple[Expression, bool]] = [(root, False)]
    while pending:
        current, children_done = pending.pop()
        if children_done or not current.children:
            yield current
            continue
        pending.append((current, True))
        pending.extend((child, False) for child in reversed(current.children))


def distinct_nodes(root: Expression) -> Iterator[Expression]:
    """Every node object once, children before parents: linear in the size of a shared tree."""
    pending: list[tuple[Expression, bool]] = [(root, False)]
    done: set[int] = set()
    while pending:
        current, children_done = pending.pop()
        if id(current) in done:
            continue
        if children_done or not current.children:
            done.add(id(current))
            yield current
            continue
        pending.append((current, True))
        pending.extend((child, False) for child in reversed(current.children) if id(child) not in done)
