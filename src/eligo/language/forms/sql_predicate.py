"""Which predicate is one condition of SQL? A comparison of a column with literals, as sqlglot parsed it.

    5 < age                        age > 5
    t.name LIKE 'x%'               t.name starts with 'x'
    day >= DATE '2024-01-31'       day >= date '2024-01-31'
    vip IS NOT TRUE                vip weak not in (true)

Every argument of a sqlglot node that is not read here must be empty, so that nothing is dropped in silence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

from sqlglot import Token, TokenType, exp

from eligo.errors import ExpressionError, ExpressionValueError, LimitError, Position, UnsupportedSqlError
from eligo.language.evaluate import predicate_truth
from eligo.language.forms.sql_refusals import no_meaning
from eligo.language.forms.sql_truth import is_false, is_positive, is_true, is_unknown
from eligo.language.limits import Limits
from eligo.language.moment import parse_date, parse_timestamp
from eligo.language.tree import (
    And,
    Between,
    Constant,
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
    StartsWith,
    ValuePredicate,
    WeakNotIn,
)
from eligo.language.value import Scalar, canonical_value

_COMPARISONS: dict[type[Any], tuple[type[ValuePredicate], type[ValuePredicate]]] = {
    exp.EQ: (Equals, Equals),
    exp.NEQ: (NotEquals, NotEquals),
    exp.LT: (Less, Greater),
    exp.LTE: (LessOrEqual, GreaterOrEqual),
    exp.GT: (Greater, Less),
    exp.GTE: (GreaterOrEqual, LessOrEqual),
}
"""The predicate for `column operator literal`, and for `literal operator column`."""

_TIMESTAMP_TYPES = {
    exp.DType.TIMESTAMP,
    exp.DType.TIMESTAMPTZ,
    exp.DType.TIMESTAMPLTZ,
    exp.DType.TIMESTAMPNTZ,
    exp.DType.DATETIME,
    exp.DType.DATETIME2,
}
_NUMBER_TYPES = {exp.DType.TINYINT, exp.DType.SMALLINT, exp.DType.INT, exp.DType.BIGINT, exp.DType.DOUBLE}

_CONDITIONS: tuple[type[Any], ...] = (exp.Connector, exp.Not, exp.Between, exp.In, exp.Is, exp.Like, *_COMPARISONS)
"""What may stand before IS TRUE in parentheses."""
_TOKENS_OF: dict[type[Any], set[TokenType]] = {
    exp.Null: {TokenType.NULL},
    exp.Boolean: {TokenType.TRUE, TokenType.FALSE},
    exp.Placeholder: {TokenType.PLACEHOLDER, TokenType.COLON},
    exp.Parameter: {TokenType.PARAMETER},
}
"""How to find nodes in the text of which sqlglot does not keep the place."""


@dataclass(frozen=True)
class Condition:
    """One condition of the SQL text."""

    text: str
    """The whole SQL."""
    tokens: Sequence[Token]
    """Those of this condition."""
    limits: Limits

    def position(self, node: exp.Expr) -> Position:
        """Where a node of the condition begins; sqlglot knows it for names and literals."""
        kinds = _TOKENS_OF.get(type(node), set())
        starts = [token.start for token in self.tokens if token.token_type in kinds]
        starts += [found.meta["start"] for found in node.walk() if "start" in found.meta]
        return Position.at(self.text, min(starts, default=self.tokens[0].start))

    def refusal(self, node: exp.Expr, message: str, help: str = "") -> UnsupportedSqlError:
        """The error for a node that has no meaning here."""
        return UnsupportedSqlError(message, text=self.text, position=self.position(node), help=help)

    def checked(self, kind: type[Predicate], node: exp.Expr, *operands: Any) -> Predicate:
        """A predicate, or its refusal with the position."""
        try:
            return kind(*operands)
        except ExpressionError as error:
            raise self._placed(error, node) from None

    def _placed(self, error: ExpressionError, node: exp.Expr) -> ExpressionError:
        return type(error)(error.message, text=self.text, position=self.position(node), help=error.help)

    def read(self, node: exp.Expr, *, two_valued: bool) -> Expression:
        """The predicate of a parsed condition.

        `two_valued` is set where the condition stands below a NOT or XOR: there `a IS TRUE`, which SQL never leaves
        unknown, must not become the bare attribute, which may be.
        """
        node, negated = self._without_negation(node)
        if type(node) in _COMPARISONS:
            comparison = self._comparison(node)
            return Not(comparison) if negated else comparison
        if isinstance(node, exp.Between):
            self._only(node, "this", "low", "high")
            low, high = node.args["low"], node.args["high"]
            operands = (self._column(node.this), self._value(low), self._value(high))
            return self.checked(NotBetween if negated else Between, low, *operands)
        if isinstance(node, exp.In):
            return self.checked(NotIn if negated else In, node, self._column(node.this), self._members(node))
        if isinstance(node, exp.Is):
            return self._is(node, negated, two_valued)
        if isinstance(node, exp.Like):
            negated = negated is not bool(node.args.get("negate"))
            prefix = self.checked(StartsWith, node, self._column(node.this), self._prefix(node))
            return Not(prefix) if negated else prefix
        leaf: Expression
        if isinstance(node, exp.Boolean):
            leaf = Constant(node.this)
        elif isinstance(node, exp.Column | exp.Dot):
            leaf = self.checked(IsTrue, node, self._column(node))
        else:
            raise self._no_meaning(node)
        return Not(leaf) if negated else leaf

    def _without_negation(self, node: exp.Expr) -> tuple[exp.Expr, bool]:
        """What `a NOT IN (…)` and the like negate; sqlglot puts a NOT around them."""
        negated = False
        while isinstance(node, exp.Not | exp.Paren):
            self._only(node, "this")
            negated = negated is not isinstance(node, exp.Not)
            node = node.this
        return node, negated

    def _comparison(self, node: exp.Expr) -> Expression:
        self._only(node, "this", "expression")
        left, right = _unwrapped(node.this), _unwrapped(node.expression)
        kind, mirrored = _COMPARISONS[type(node)]
        if _is_column(right) and right.name.startswith("$"):
            raise self.refusal(right, "a parameter has no value here", help="put the value into the text")
        if _is_column(left) and _is_column(right):
            raise self.refusal(
                right,
                "two attributes cannot be compared with each other",
                help="compute the comparison into an attribute of the event; a string is written in 'single quotes'",
            )
        if _is_column(left):
            return self.checked(kind, right, self._column(left), self._value(right))
        if _is_column(right):
            return self.checked(mirrored, left, self._column(right), self._value(left))
        # A comparison of two literals, such as the 1 = 1 of generated SQL.
        predicate = self.checked(kind, right, "literal", self._value(right))
        return Constant(predicate_truth(predicate, (self._value(left),), "unknown") is True)

    def _is(self, node: exp.Is, negated: bool, two_valued: bool) -> Expression:
        self._only(node, "this", "expression")
        what = node.expression
        if isinstance(_unwrapped(node.this), _CONDITIONS):
            return self._truth(_unwrapped(node.this), what, negated, two_valued)
        attribute = self._column(node.this)
        if isinstance(what, exp.Null):
            return self.checked(Exists if negated else IsMissing, node, attribute)
        if not isinstance(what, exp.Boolean):
            raise self.refusal(node, "IS takes NULL, TRUE or FALSE here")
        if negated or two_valued:
            other = self.checked(WeakNotIn, node, attribute, (what.this,))
            return other if negated else Not(other)
        return self.checked(IsTrue, node, attribute) if what.this else self.checked(Equals, node, attribute, False)

    def _truth(self, inner: exp.Expr, what: exp.Expr, negated: bool, two_valued: bool) -> Expression:
        """`(…) IS TRUE` and the like, which are never unknown."""
        tree = self._inside(inner)
        if isinstance(what, exp.Boolean) and what.this and not negated and not two_valued and is_positive(tree):
            return tree  # where nothing negates it, unknown does no harm, and the score stays that of the condition
        if isinstance(what, exp.Null):
            found = is_unknown(tree)
        elif isinstance(what, exp.Boolean):
            found = is_true(tree) if what.this else is_false(tree)
        else:
            raise self.refusal(inner, "IS takes NULL, UNKNOWN, TRUE or FALSE here")
        return Not(found) if negated else found

    def _inside(self, node: exp.Expr) -> Expression:
        """The tree of conditions within one, as in `(a = 1 AND b = 2) IS TRUE`; their number is bounded."""
        if isinstance(node, exp.Paren):
            return self._inside(node.this)
        if isinstance(node, exp.Not) and isinstance(_unwrapped(node.this), exp.Connector):
            return Not(self._inside(_unwrapped(node.this)))
        if isinstance(node, exp.Xor):
            raise self.refusal(node, "XOR cannot stand inside (…) IS", help="write it with AND, OR and NOT")
        if isinstance(node, exp.And | exp.Or):
            self._only(node, "this", "expression")
            connective = And if isinstance(node, exp.And) else Or
            return connective((self._inside(node.this), self._inside(node.expression)))
        return self.read(node, two_valued=True)

    def _members(self, node: exp.In) -> tuple[Scalar, ...]:
        for operand in (node.args.get("query"), node.args.get("unnest")):
            if operand is not None:
                raise self._no_meaning(operand)
        if node.args.get("field") is not None:
            raise self.refusal(node.args["field"], "IN takes a list of literals in parentheses", "write a IN (1, 2)")
        if not any(token.token_type == TokenType.L_PAREN for token in self.tokens):
            raise self.refusal(node, "IN takes a list of literals in parentheses", "write a IN (1, 2)")
        self._only(node, "this", "expressions")
        members = node.expressions
        if len(members) > self.limits.set_size:
            raise LimitError(
                f"{len(members):,} values, more than {self.limits.set_size:,}",
                text=self.text,
                position=self.position(node),
                help="split the list, use ranges or a hierarchy, or raise Limits.set_size",
            )
        for member in members:
            if isinstance(member, exp.Null):
                raise self.refusal(
                    member,
                    "NULL in a list is never equal to anything",
                    help="leave it out and add OR a IS NULL, or, after NOT IN, AND a IS NOT NULL",
                )
        return tuple(self._value(member) for member in members)

    def _prefix(self, node: exp.Like) -> str:
        self._only(node, "this", "expression", "negate")
        pattern = self._value(node.expression)
        if not isinstance(pattern, str):
            raise self.refusal(node.expression, "LIKE takes a string")
        prefix = pattern[:-1]
        if not pattern.endswith("%") or any(character in prefix for character in "%_\\"):
            instead = "write it with =" if not any(character in pattern for character in "%_\\") else ""
            raise self.refusal(
                node.expression,
                "LIKE can only say how a string begins: 'text%', with no other % or _ and no escapes",
                help=instead or "compute what you look for into an attribute of the event",
            )
        return prefix

    def _column(self, node: exp.Expr) -> str:
        """The name of an attribute: a column with its qualifiers, joined by dots."""
        node = _unwrapped(node)
        names: list[str] = []
        current = node
        while isinstance(current, exp.Dot) and isinstance(current.expression, exp.Identifier):
            names.append(current.expression.name)
            current = _unwrapped(current.this)
        if not isinstance(current, exp.Column) or not isinstance(current.this, exp.Identifier):
            if isinstance(current, exp.Literal | exp.Boolean | exp.Null | exp.Cast):
                raise self.refusal(
                    node, "an attribute must stand here, not a literal", help='names take "double quotes"'
                )
            raise self._no_meaning(current.this if isinstance(current, exp.Column) else current)
        self._only(current, "this", "table", "db", "catalog")
        names += [part.name for part in reversed(current.parts)]
        return self.checked(Exists, node, ".".join(reversed(names))).attribute

    def _value(self, node: exp.Expr) -> Scalar:
        """The value of a literal."""
        try:
            return canonical_value(self._raw_value(_unwrapped(node)))
        except ExpressionValueError as error:
            raise self._placed(error, node) from None

    def _raw_value(self, node: exp.Expr) -> Scalar:
        if isinstance(node, exp.Neg):
            return self._negative(node)
        number = self._number(node)
        if number is not None:
            return number
        if isinstance(node, exp.Boolean):
            return bool(node.this)
        if isinstance(node, exp.Literal | exp.National):
            return str(node.this)
        if isinstance(node, exp.Cast | exp.DateStrToDate):
            return self._moment(node)
        if isinstance(node, exp.Null):
            raise self.refusal(node, "nothing is equal to NULL", help="write a IS NULL or a IS NOT NULL")
        if _is_column(node):
            raise self.refusal(node, "a literal must stand here, not an attribute", help="strings take 'single quotes'")
        raise self._no_meaning(node)

    def _negative(self, node: exp.Expr) -> int | float:
        sign, operand = 1, node
        while isinstance(operand, exp.Neg):
            sign, operand = -sign, _unwrapped(operand.this)
        number = self._number(operand)
        if number is None:
            raise self._no_meaning(node)
        return sign * number

    def _number(self, node: exp.Expr) -> int | float | None:
        if isinstance(node, exp.Cast) and node.to.this in _NUMBER_TYPES:
            node = node.this
        if not isinstance(node, exp.Literal) or node.is_string:
            return None
        try:
            return int(node.this) if node.this.isdecimal() else float(node.this)
        except ValueError:
            raise self.refusal(node, f"{node.this[:40]!r} is not a number that can be read") from None

    def _moment(self, node: exp.Expr) -> date | datetime:
        kind = exp.DType.DATE if isinstance(node, exp.DateStrToDate) else node.args["to"].this
        text = node.this
        if not isinstance(text, exp.Literal) or not text.is_string or kind not in {exp.DType.DATE, *_TIMESTAMP_TYPES}:
            raise self._no_meaning(node)
        if kind == exp.DType.DATE:
            return parse_date(text.this)
        if len(text.this) == len("2024-01-31"):
            return datetime.combine(parse_date(text.this), time(), tzinfo=UTC)
        return parse_timestamp(text.this)

    def _only(self, node: exp.Expr, *known: str) -> None:
        """Refuse a node that says more than what is read of it."""
        for name, value in node.args.items():
            if name not in known and value:
                raise self.refusal(node, f"{name.upper()} has no meaning here")

    def _no_meaning(self, node: exp.Expr) -> UnsupportedSqlError:
        return self.refusal(node, *no_meaning(node))


def _unwrapped(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def _is_column(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column | exp.Dot)
