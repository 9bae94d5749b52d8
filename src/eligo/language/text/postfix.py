"""What lies between a text and a tree? The postfix form: nodes, children first, as rows of flat arrays.

    age in (3, 4) and not state = 'CA'

    node                 IN       EQUALS   NOT      AND
    node_start, _end     0, 13    22, 34   18, 34   0, 34
    node_count           2        1        1        2           operands of a predicate, children of a connective
    node_first_operand   0        2        0        0
    name_start, _end     0, 3     22, 27   0, 0     0, 0

    operand              3        4        'CA'
    operand_kind         NUMBER   NUMBER   STRING
    operand_start, _end  8, 9     11, 12   30, 34               a string's own bytes are between its quotes
    operand_payload      3        4        0

The nodes of a quantified part's body stand before the part, as children do:

    exists d in last 10 (d.price > price and d.new)

    node                 LESS           IS_TRUE          AND    EXISTS_DOCUMENT
    node_count           1              0                2      3                the nodes of the body
    node_first_operand   1              2                0      0                the scope
    name                 price          new                     d
    node_flags                          IS_OF_DOCUMENT          IS_SCOPED
    operand              10    price (DOCUMENT_NAME)

A tree is made from these rows on demand; what goes on to be indexed never needs one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple, cast

import numpy as np

from eligo.kernels import codes
from eligo.kernels.codes import IS_ESCAPED, IS_OF_DOCUMENT, IS_SCOPED
from eligo.language import tree
from eligo.language.quantified import Joined, OfDocument, Quantified
from eligo.language.text.kernels import postfix_rows
from eligo.language.text.kernels.postfix_columns import Postfix
from eligo.language.text.kernels.postfix_rows import IS_FLOAT, IS_SLOW, IS_WEIGHT_SLOW
from eligo.language.text.kernels.tokens import read_token
from eligo.language.tree import Expression, Predicate
from eligo.language.value import Scalar, canonical_value


class Scratch(NamedTuple):
    """What the parser writes while it reads one expression: the flat rows of `language.text.kernels.postfix_rows`."""

    stack: Any
    nodes: Any
    operands: Any
    numbers: Any

    @classmethod
    def arrays(cls, size: int, max_depth: int) -> Scratch:
        """Room for any text of at most so many bytes, for the compiled parser."""
        stack, nodes, operands, numbers = _scratch_sizes(size, max_depth)
        rows = [np.empty(length, np.int64) for length in (stack, nodes, operands)]
        return cls._make((*rows, np.empty(numbers, np.float64)))

    @classmethod
    def lists(cls, size: int, max_depth: int) -> Scratch:
        """The same for the interpreted parser, which is faster with lists."""
        return cls(*([0] * length for length in _scratch_sizes(size, max_depth)))

    def postfix(self, num_nodes: int, num_operands: int) -> Postfix:
        """The rows as columns; lists when these are lists."""
        nodes = num_nodes * postfix_rows.NODE_FIELDS
        operands = num_operands * postfix_rows.OPERAND_FIELDS
        numbers = num_operands * postfix_rows.NUMBER_FIELDS
        kind, start, end, payload, flags = (  # numbers stand before flags in Postfix
            self.operands[field : operands : postfix_rows.OPERAND_FIELDS]
            for field in range(postfix_rows.OPERAND_FIELDS)
        )
        number, weight = (
            self.numbers[field : numbers : postfix_rows.NUMBER_FIELDS] for field in range(postfix_rows.NUMBER_FIELDS)
        )
        node_columns = [
            self.nodes[field : nodes : postfix_rows.NODE_FIELDS] for field in range(postfix_rows.NODE_FIELDS)
        ]
        return Postfix._make((*node_columns, kind, start, end, payload, number, flags, weight))


def _scratch_sizes(size: int, max_depth: int) -> tuple[int, int, int, int]:
    num_operands = postfix_rows.most_operands(size)
    return (
        postfix_rows.most_waiting(size, max_depth) * postfix_rows.STACK_FIELDS,
        postfix_rows.most_nodes(size) * postfix_rows.NODE_FIELDS,
        num_operands * postfix_rows.OPERAND_FIELDS,
        num_operands * postfix_rows.NUMBER_FIELDS,
    )


def resolve_number(text: bytes, rows: Postfix, row: int) -> None:
    """Read with `float()` the number or weight of an operand that the kernel left; `text` is its expression."""
    flags = int(rows.operand_flags[row])
    start, end = int(rows.operand_start[row]), int(rows.operand_end[row])
    if flags & IS_SLOW:
        value = canonical_value(float(text[start:end]))
        flags &= ~(IS_SLOW | IS_FLOAT)
        if isinstance(value, float):
            flags |= IS_FLOAT
            rows.operand_number[row] = value
        else:
            rows.operand_payload[row] = cast(int, value)
    if flags & IS_WEIGHT_SLOW:
        _, _, after_caret, _ = read_token(text, end, len(text))
        _, weight_start, weight_end, _ = read_token(text, after_caret, len(text))
        rows.operand_weight[row] = float(text[weight_start:weight_end])
        flags &= ~IS_WEIGHT_SLOW
    rows.operand_flags[row] = flags


def resolve_numbers(rows: Postfix, text_of_operand: Callable[[int], bytes]) -> None:
    """Do so for all operands that need it."""
    unread = np.flatnonzero(np.asarray(rows.operand_flags, np.uint8) & (IS_SLOW | IS_WEIGHT_SLOW))
    for row in unread.tolist():
        resolve_number(text_of_operand(row), rows, row)


MICROSECOND = timedelta(microseconds=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EPOCH_ORDINAL = date(1970, 1, 1).toordinal()


def _string(text: bytes, start: int, end: int, is_escaped: int, quote: str) -> str:
    raw = text[start:end].decode()
    return raw.replace(quote * 2, quote) if is_escaped else raw


def _value(text: bytes, rows: Postfix, row: int) -> Scalar:
    kind = rows.operand_kind[row]
    flags = rows.operand_flags[row]
    payload = cast(int, rows.operand_payload[row])
    if kind == codes.STRING:
        start, end = rows.operand_start[row] + 1, rows.operand_end[row] - 1
        return _string(text, start, end, flags & IS_ESCAPED, "'")
    if kind == codes.NUMBER:
        return cast(float, rows.operand_number[row]) if flags & IS_FLOAT else payload
    if kind == codes.BOOL:
        return payload == 1
    if kind == codes.DATE:
        return date.fromordinal(EPOCH_ORDINAL + payload)
    return EPOCH + payload * MICROSECOND


_CONNECTIVES: dict[int, Callable[[tuple[Expression, ...]], Expression]] = {
    codes.AND: tree.And,
    codes.OR: tree.Or,
    codes.XOR: tree.Xor,
    codes.XNOR: tree.Xnor,
}
_WEIGHTED_VALUE: dict[int, Callable[..., Predicate]] = {
    codes.EQUALS: tree.Equals,
    codes.LESS: tree.Less,
    codes.LESS_OR_EQUAL: tree.LessOrEqual,
    codes.GREATER: tree.Greater,
    codes.GREATER_OR_EQUAL: tree.GreaterOrEqual,
    codes.STARTS_WITH: tree.StartsWith,
}
_WEIGHTED_SET: dict[int, Callable[..., Predicate]] = {
    codes.IN: tree.In,
    codes.CONTAINS_ALL: tree.ContainsAll,
    codes.UNDER: tree.Under,
}
_SET: dict[int, Callable[..., Predicate]] = {
    codes.NOT_IN: tree.NotIn,
    codes.WEAK_NOT_IN: tree.WeakNotIn,
    codes.STRONG_NOT_IN: tree.StrongNotIn,
}
_PLAIN: dict[int, Callable[..., Predicate]] = {
    codes.NOT_EQUALS: tree.NotEquals,
    codes.NOT_BETWEEN: tree.NotBetween,
    codes.EXISTS: tree.Exists,
    codes.IS_MISSING: tree.IsMissing,
    codes.IS_TRUE: tree.IsTrue,
}


_SIGNS: dict[int, str] = {
    codes.EQUALS: "=",
    codes.NOT_EQUALS: "!=",
    codes.LESS: "<",
    codes.LESS_OR_EQUAL: "<=",
    codes.GREATER: ">",
    codes.GREATER_OR_EQUAL: ">=",
}


def _leaf(text: bytes, rows: Postfix, node: int) -> Expression:
    """A predicate on an event or on a document, or a comparison of the two."""
    first = rows.node_first_operand[node]
    if rows.node_count[node] == 1 and rows.operand_kind[first] == codes.DOCUMENT_NAME:
        start, end = rows.operand_start[first], rows.operand_end[first]
        other = _string(text, start, end, rows.operand_flags[first] & IS_ESCAPED, '"')
        return Joined(_name(text, rows, node), _SIGNS[rows.node_kind[node]], other)
    predicate = _predicate(text, rows, node)
    return OfDocument(predicate) if rows.node_flags[node] & IS_OF_DOCUMENT else predicate


def _quantified(rows: Postfix, node: int, body: Expression) -> Expression:
    last: int | timedelta | None = None
    if rows.node_flags[node] & IS_SCOPED:
        scope = rows.node_first_operand[node]
        last = cast(int, rows.operand_payload[scope])
        last = last * MICROSECOND if rows.operand_kind[scope] == codes.DURATION else last
    return Quantified("exists" if rows.node_kind[node] == codes.EXISTS_DOCUMENT else "forall", body, last)


def _name(text: bytes, rows: Postfix, node: int) -> str:
    return _string(text, rows.name_start[node], rows.name_end[node], rows.node_flags[node] & IS_ESCAPED, '"')


def _predicate(text: bytes, rows: Postfix, node: int) -> Predicate:
    kind = rows.node_kind[node]
    name = _name(text, rows, node)
    first = rows.node_first_operand[node]
    operands = range(first, first + rows.node_count[node])
    values = tuple(_value(text, rows, row) for row in operands)
    weights: Sequence[float] = cast(Sequence[float], rows.operand_weight[first : operands.stop])
    if kind in _WEIGHTED_VALUE:
        return _WEIGHTED_VALUE[kind](name, values[0], weights[0])
    if kind in _WEIGHTED_SET:
        return _WEIGHTED_SET[kind](name, values, tuple(weights))
    if kind in _SET:
        return _SET[kind](name, values)
    if kind == codes.BETWEEN:
        return tree.Between(name, values[0], values[1], weights[1])
    return _PLAIN[kind](name, *values)


def tree_of(text: bytes, rows: Postfix) -> Expression:
    """The tree of one expression, whose rows are lists and whose bytes are `text`."""
    done: list[Expression] = []
    for node in range(len(rows.node_kind)):
        kind = rows.node_kind[node]
        if kind >= codes.EXISTS_DOCUMENT:
            done.append(_quantified(rows, node, done.pop()))
        elif kind >= codes.EQUALS:
            done.append(_leaf(text, rows, node))
        elif kind == codes.NOT:
            done.append(tree.Not(done.pop()))
        elif kind == codes.TRUE or kind == codes.FALSE:
            done.append(tree.TRUE if kind == codes.TRUE else tree.FALSE)
        else:
            first = len(done) - rows.node_count[node]
            children = tuple(done[first:])
            del done[first:]
            done.append(_CONNECTIVES[kind](children))
    (root,) = done
    return root
