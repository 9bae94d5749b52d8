"""How is the WHERE of SQL read? sqlglot's tokens, our own loop for AND, OR, XOR and NOT, sqlglot for each condition.

    state IN ('CA', 'NY') AND (age >= 18 OR NOT vip)

    conditions:   state IN ('CA', 'NY')   age >= 18   vip
    postfix:      0  1  2 NOT  OR  AND

sqlglot's parser recurses some twenty calls for a parenthesis, so on its own it fails at about forty of them, and
machine-made SQL has more. Here it sees one condition at a time, which has few.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import Dialect, ParseError, Token, TokenError, TokenType, exp

from eligo.errors import ExpressionSyntaxError, InputError, LimitError, Position, UnsupportedSqlError, shown
from eligo.language.forms.sql_predicate import Condition
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.language.tree import And, Expression, NaryConnective, Not, Or, WeakNotIn, Xor

CONDITION_DEPTH = 15
"""Parentheses within one condition, such as those around a value; sqlglot's recursion stays small."""
CONDITION_WORDS = 100
"""Tokens of one condition that are neither names, literals nor punctuation."""

_CONNECTIVES: dict[TokenType, type[NaryConnective]] = {
    TokenType.AND: And,
    TokenType.OR: Or,
    TokenType.XOR: Xor,
}
_DIALECT_CONNECTIVES: dict[TokenType, type[NaryConnective]] = {TokenType.DAMP: And, TokenType.DPIPE: Or}
"""`&&` and `||`, in the dialects that read them so."""
_PRECEDENCE: dict[type[Expression], int] = {Or: 1, Xor: 2, And: 3, Not: 4}
_REFUSED = {
    TokenType.SELECT: (
        "a query has no meaning here",
        "an expression sees one event only: give what stands after WHERE",
    ),
    TokenType.EXISTS: (
        "EXISTS has no meaning in SQL here",
        "only the text form compares with documents that came before: exists d (price < d.price)",
    ),
    TokenType.CASE: ("CASE has no meaning here", "write its branches with AND, OR and NOT"),
}
_CLOSING_OF = {
    TokenType.L_PAREN: TokenType.R_PAREN,
    TokenType.L_BRACKET: TokenType.R_BRACKET,
    TokenType.L_BRACE: TokenType.R_BRACE,
}
_OPENING, _CLOSING = set(_CLOSING_OF), set(_CLOSING_OF.values())
_PLAIN = {
    *(TokenType.NUMBER, TokenType.STRING, TokenType.NATIONAL_STRING, TokenType.VAR, TokenType.IDENTIFIER),
    *(TokenType.COMMA, TokenType.DOT, TokenType.NULL, TokenType.TRUE, TokenType.FALSE),
    *(TokenType.DATE, TokenType.DATETIME, TokenType.TIMESTAMP, TokenType.TIMESTAMPTZ, TokenType.TIMESTAMPNTZ),
    *(TokenType.ALIAS, TokenType.DCOLON),
    *_OPENING,
    *_CLOSING,
}


@dataclass(frozen=True)
class _Step:
    """An item of the postfix form: a condition (the places of its tokens), or a connective over `count` items."""

    connective: type[Expression] | None
    count: int = 0
    first: int = 0
    last: int = 0


def from_sql(where: str, *, dialect: str | None = None, limits: Limits = DEFAULT_LIMITS) -> Expression:
    """The tree of a WHERE clause (with or without the word WHERE), in any dialect that sqlglot knows."""
    if not isinstance(where, str):
        raise InputError(f"SQL is a string, not {shown(where)}")
    if not isinstance(limits, Limits):
        raise InputError(f"limits are a Limits, not {shown(limits)}", help="write Limits(depth=1_000)")
    size = len(where.encode("utf-8", "surrogatepass"))
    if size > limits.length:
        raise LimitError(f"the SQL has {size:,} bytes, more than {limits.length:,}", help="raise Limits.length")
    return _Reader(where, dialect, limits).read()


def _dialect(name: Any) -> Dialect:
    """The dialect of a name; sqlglot also takes classes and settings, which are not for callers here."""
    if name is not None and not isinstance(name, str):
        raise InputError(f"a dialect is named by a string, not {shown(name)}", help='such as "spark" or "postgres"')
    try:
        return Dialect.get_or_raise(name)
    except (ValueError, AttributeError, TypeError) as error:
        raise InputError(f"{shown(name)} is not a dialect that sqlglot knows", help=str(error)) from None


class _Reader:
    """Reads one WHERE clause."""

    def __init__(self, text: str, dialect: str | None, limits: Limits) -> None:
        self.text = text
        self.limits = limits
        self.dialect = _dialect(dialect)
        self.parser = self.dialect.parser()
        of_dialect = {**self.parser.CONJUNCTION, **self.parser.DISJUNCTION}
        self.connectives = _CONNECTIVES | {
            token: kind for token, kind in _DIALECT_CONNECTIVES.items() if token in of_dialect
        }
        self.tokens = self._tokens()
        self.closing_of = self._matching_parentheses()

    def read(self) -> Expression:
        steps = self._postfix()
        made: list[Expression] = []
        for step, two_valued in zip(steps, _two_valued(steps), strict=True):
            if step.connective is None:
                made.append(self._condition(step.first, step.last, two_valued))
            else:
                operands = tuple(made[-step.count :])
                del made[-step.count :]
                made.append(_negated(operands[0]) if step.connective is Not else _joined(step.connective, operands))
        if made[0].depth > self.limits.depth:
            raise self._limit_error(f"nested more than {self.limits.depth:,} deep", 0)
        return made[0]

    def _tokens(self) -> list[Token]:
        try:
            tokens = self.dialect.tokenize(self.text)
        except TokenError as error:
            found = re.search(r"Missing (.*) from \d+:(\d+)", str(error.__cause__))
            offset = int(found.group(2)) if found else len(self.text)
            what = f"this {found.group(1)}" if found else "a string, a name or a comment"
            raise self._syntax_error(f"{what} is never closed", offset) from None
        if tokens and tokens[0].token_type == TokenType.WHERE:
            del tokens[0]
        if tokens and tokens[-1].token_type == TokenType.SEMICOLON:
            del tokens[-1]
        for token in tokens:
            if token.token_type in _REFUSED:
                message, instead = _REFUSED[token.token_type]
                raise UnsupportedSqlError(
                    message, text=self.text, position=Position.at(self.text, token.start), help=instead
                )
            if token.token_type == TokenType.SEMICOLON:
                raise self._syntax_error("there is more than one statement", token.start)
            if token.token_type == TokenType.NOT and token.text == "!":
                raise self._syntax_error("'!' is not used here", token.start, "write NOT")
        return tokens

    def _matching_parentheses(self) -> dict[int, int]:
        """For the place of each opening parenthesis or bracket, that of its closing one."""
        closing_of: dict[int, int] = {}
        still_open: list[int] = []
        for place, token in enumerate(self.tokens):
            if token.token_type in _OPENING:
                still_open.append(place)
                if len(still_open) > self.limits.depth + CONDITION_DEPTH:
                    raise self._limit_error(f"nested more than {self.limits.depth:,} deep", place)
            elif token.token_type in _CLOSING:
                if not still_open or _CLOSING_OF[self.tokens[still_open[-1]].token_type] != token.token_type:
                    raise self._syntax_error(f"nothing opens this '{token.text}'", token.start)
                closing_of[still_open.pop()] = place
        if still_open:
            token = self.tokens[still_open[-1]]
            raise self._syntax_error(f"this '{token.text}' is never closed", token.start)
        return closing_of

    def _postfix(self) -> list[_Step]:
        """The conditions and connectives, operands first, by precedence; a chain of one connective is one step."""
        steps: list[_Step] = []
        operators: list[type[Expression] | None] = []  # None for an open parenthesis
        place, depth = 0, 0
        while True:
            while place < len(self.tokens) and self._is_prefix(place):
                is_group = self.tokens[place].token_type == TokenType.L_PAREN
                operators.append(None if is_group else Not)
                place, depth = place + 1, depth + 1
                if depth > self.limits.depth:
                    raise self._limit_error(f"nested more than {self.limits.depth:,} deep", place - 1)
            end = self._end_of_condition(place)
            if end == place:
                found = f"'{self.tokens[place].text}'" if place < len(self.tokens) else "the end of the text"
                raise self._syntax_error(f"expected a condition, found {found}", self._offset(place))
            steps.append(_Step(None, first=place, last=end))
            place = end
            while place < len(self.tokens) and self.tokens[place].token_type == TokenType.R_PAREN:
                depth -= 1 + _reduce(steps, operators, 0)
                operators.pop()
                place += 1
            if place == len(self.tokens):
                _reduce(steps, operators, 0)
                return steps
            connective = self.connectives.get(self.tokens[place].token_type)
            if connective is None:
                found = self.tokens[place].text
                raise self._syntax_error(f"expected AND or OR, found '{found}'", self._offset(place))
            depth -= _reduce(steps, operators, _PRECEDENCE[connective])
            operators.append(connective)
            place += 1

    def _is_prefix(self, place: int) -> bool:
        """Whether a NOT, or a parenthesis around conditions (not one that belongs to a condition), stands here."""
        if self.tokens[place].token_type == TokenType.L_PAREN:
            after = self.closing_of[place] + 1
            return after == len(self.tokens) or self._ends_condition(after)
        return self.tokens[place].token_type == TokenType.NOT

    def _ends_condition(self, place: int) -> bool:
        kind = self.tokens[place].token_type
        return kind in self.connectives or kind == TokenType.R_PAREN

    def _end_of_condition(self, place: int) -> int:
        """The place after the last token of the condition that begins here; an AND may belong to a BETWEEN."""
        num_open_betweens = 0
        while place < len(self.tokens):
            kind = self.tokens[place].token_type
            if kind == TokenType.AND and num_open_betweens:
                num_open_betweens -= 1
            elif self._ends_condition(place):
                break
            num_open_betweens += kind == TokenType.BETWEEN
            place = self.closing_of.get(place, place) + 1
        return place

    def _condition(self, first: int, last: int, two_valued: bool) -> Expression:
        tokens = self.tokens[first:last]
        self._check_size(tokens, first)
        try:
            (parsed,) = self.parser.parse_into(exp.Condition, tokens, self.text)
        except ParseError as error:
            raise self._parse_error(error, tokens) from None
        except RecursionError:
            raise self._limit_error("this condition is nested too deep", first) from None
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            parsed = None  # sqlglot does not always say what it cannot read
        if parsed is None:
            text = tokens[-1].text
            raise self._syntax_error(f"the condition is not complete at '{text}'", tokens[-1].start)
        return Condition(self.text, tokens, self.limits).read(parsed, two_valued=two_valued)

    def _check_size(self, tokens: Sequence[Token], first: int) -> None:
        """Keep sqlglot from recursing deeply: on parentheses, and on what may follow itself without them."""
        depth, num_words, run = 0, 0, 0
        for index, token in enumerate(tokens):
            depth += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
            run = 0 if token.token_type in _PLAIN else run + 1
            num_words += token.token_type not in _PLAIN and token.token_type not in (TokenType.DASH, TokenType.PLUS)
            if depth > CONDITION_DEPTH or run > CONDITION_DEPTH or num_words > CONDITION_WORDS:
                raise self._limit_error("this condition is too complex", first + index)

    def _parse_error(self, error: ParseError, tokens: Sequence[Token]) -> ExpressionSyntaxError:
        details = error.errors[0] if error.errors else {}
        line, column = details.get("line"), details.get("col")
        token = next((t for t in tokens if (t.line, t.col) == (line, column)), tokens[-1])
        if "Unexpected token" in str(details.get("description")):
            instead = {"&&": "write AND", "||": "write OR"}.get(token.text, "")
            if "`" in self.text:
                instead = 'names in `backquotes` need a dialect that has them, such as "mysql" or "spark"'
            return self._syntax_error(f"'{token.text}' is not expected here", token.start, instead)
        return self._syntax_error(f"the condition is not complete at '{token.text}'", token.start)

    def _offset(self, place: int) -> int:
        return self.tokens[place].start if place < len(self.tokens) else len(self.text)

    def _syntax_error(self, message: str, offset: int, help: str = "") -> ExpressionSyntaxError:
        return ExpressionSyntaxError(message, text=self.text, position=Position.at(self.text, offset), help=help)

    def _limit_error(self, message: str, place: int) -> LimitError:
        position = Position.at(self.text, self._offset(place))
        return LimitError(
            message, text=self.text, position=position, help="split the expression, or raise Limits.depth"
        )


def _reduce(steps: list[_Step], operators: list[type[Expression] | None], precedence: int) -> int:
    """Close the operators that bind tighter, down to the last open parenthesis; gives the number of NOTs among them."""
    num_nots = 0
    while operators and (top := operators[-1]) is not None and _PRECEDENCE[top] > precedence:
        count = 0
        while operators and operators[-1] is top and not (top is Not and count):
            operators.pop()
            count += 1
        num_nots += top is Not
        steps.append(_Step(top, count=1 if top is Not else count + 1))
    return num_nots


def _negated(operand: Expression) -> Expression:
    """NOT, where `NOT a IS TRUE` is `a IS NOT TRUE`: what is never unknown needs no two negations."""
    if isinstance(operand, Not) and isinstance(operand.operand, WeakNotIn):
        return operand.operand
    return Not(operand)


def _joined(connective: type[Expression], operands: tuple[Expression, ...]) -> Expression:
    assert issubclass(connective, NaryConnective)
    return connective(operands)


def _two_valued(steps: Sequence[_Step]) -> list[bool]:
    """For each step, whether a NOT or XOR stands above it; read from the root, which is the last step."""
    result: list[bool] = []
    pending = [False]
    for step in reversed(steps):
        below = pending.pop()
        result.append(below)
        pending.extend([below or step.connective in (Not, Xor)] * step.count)
    return result[::-1]
