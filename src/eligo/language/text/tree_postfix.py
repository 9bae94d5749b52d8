"""What would the parser have written for a tree? The same rows, without a text to read.

    And(In('age', (3, 4)), Not(Equals('state', 'CA')))

    node                 IN    EQUALS   NOT   AND            the text is made up of what rows point at,
    node_count           2     1        1     2              names and strings as they are:  agestate'CA'
    name_start, _end     0, 3  3, 8

A tree that was made in Python, from JSON or from SQL so goes the way that texts go. Nodes have no places of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

import numpy as np
import pyarrow as pa

from eligo.errors import ExpressionError
from eligo.kernels import codes
from eligo.language import tree
from eligo.language.limits import UNBOUNDED
from eligo.language.quantified import Quantified
from eligo.language.text.kernels.postfix_columns import Outcome, Postfix
from eligo.language.text.kernels.postfix_rows import IS_FLOAT
from eligo.language.text.parse import ParsedBatch
from eligo.language.text.postfix import EPOCH, EPOCH_ORDINAL, MICROSECOND
from eligo.language.tree import Expression, Predicate, postorder
from eligo.language.value import Scalar

KINDS: dict[type[Expression], int] = {
    tree.And: codes.AND,
    tree.Or: codes.OR,
    tree.Xor: codes.XOR,
    tree.Xnor: codes.XNOR,
    tree.Not: codes.NOT,
    tree.Equals: codes.EQUALS,
    tree.NotEquals: codes.NOT_EQUALS,
    tree.Less: codes.LESS,
    tree.LessOrEqual: codes.LESS_OR_EQUAL,
    tree.Greater: codes.GREATER,
    tree.GreaterOrEqual: codes.GREATER_OR_EQUAL,
    tree.Between: codes.BETWEEN,
    tree.NotBetween: codes.NOT_BETWEEN,
    tree.In: codes.IN,
    tree.NotIn: codes.NOT_IN,
    tree.WeakNotIn: codes.WEAK_NOT_IN,
    tree.StrongNotIn: codes.STRONG_NOT_IN,
    tree.ContainsAll: codes.CONTAINS_ALL,
    tree.StartsWith: codes.STARTS_WITH,
    tree.Under: codes.UNDER,
    tree.Exists: codes.EXISTS,
    tree.IsMissing: codes.IS_MISSING,
    tree.IsTrue: codes.IS_TRUE,
    Quantified: codes.IS_TRUE,
}


class PostfixWriter:
    """Collects rows of nodes and operands, one tree after another."""

    def __init__(self) -> None:
        self.nodes: list[tuple[int, int, int, int, int]] = []
        """Kind, count, first operand, and the bounds of the name, as `Postfix` has them."""
        self.operands: list[tuple[int, int, int, int, float, int, float]] = []
        """Kind, bounds, payload, number, flags and weight."""
        self.node_offsets, self.operand_offsets, self.text_offsets = [0], [0], [0]
        self.pieces: list[bytes] = []
        self.size = 0
        """Bytes of the tree's text so far."""

    def add(self, root: Expression) -> None:
        """Add a tree, each of its nodes once for each place in which it stands; an error leaves nothing of it."""
        num_nodes, num_operands, num_pieces = len(self.nodes), len(self.operands), len(self.pieces)
        self.size = 0
        try:
            for node in postorder(root):
                if isinstance(node, Predicate):
                    self._add_predicate(node)
                elif isinstance(node, tree.Constant):
                    self.nodes.append((codes.TRUE if node.value else codes.FALSE, 0, 0, 0, 0))
                else:
                    self.nodes.append((KINDS[type(node)], len(node.children), 0, 0, 0))
        except KeyError:
            del self.nodes[num_nodes:], self.operands[num_operands:], self.pieces[num_pieces:]
            raise ExpressionError(
                "a tree in negation normal form is no expression", help="give the tree it came from"
            ) from None
        self.node_offsets.append(len(self.nodes))
        self.operand_offsets.append(len(self.operands))
        self.text_offsets.append(self.text_offsets[-1] + self.size)

    def _add_predicate(self, predicate: Predicate) -> None:
        start, end = self._add_text(predicate.attribute.encode())
        values = predicate.values()
        first = len(self.operands) - self.operand_offsets[-1]
        self.nodes.append((KINDS[type(predicate)], len(values), first, start, end))
        for value, weight in zip(values, _weights(predicate, len(values)), strict=True):
            self._add_operand(value, weight)

    def _add_operand(self, value: Scalar, weight: float) -> None:
        start = end = 0
        payload, number, flags = 0, 0.0, 0
        if isinstance(value, str):
            kind = codes.STRING
            start, end = self._add_text(b"'%b'" % value.encode())
        elif isinstance(value, bool):
            kind, payload = codes.BOOL, int(value)
        elif isinstance(value, int):
            kind, payload = codes.NUMBER, value
        elif isinstance(value, float):
            kind, number, flags = codes.NUMBER, value, IS_FLOAT
        elif isinstance(value, datetime):
            kind, payload = codes.TIMESTAMP, (value - EPOCH) // MICROSECOND
        else:
            assert isinstance(value, date)
            kind, payload = codes.DATE, value.toordinal() - EPOCH_ORDINAL
        self.operands.append((kind, start, end, payload, number, flags, weight))

    def _add_text(self, text: bytes) -> tuple[int, int]:
        start = self.size
        self.pieces.append(text)
        self.size += len(text)
        return start, self.size

    def finish(self) -> ParsedBatch:
        """The trees as a batch of texts would be."""
        kinds, counts, first_operands, name_starts, name_ends = _columns(self.nodes, 5)
        nowhere = np.zeros(len(self.nodes), np.int32)
        flags = np.zeros(len(self.nodes), np.uint8)
        node_columns = (kinds, nowhere, nowhere, counts, first_operands, name_starts, name_ends, flags)
        made = (*node_columns, *_columns(self.operands, 7))
        empty = Postfix.empty(0, 0)
        postfix = Postfix._make(
            np.array(column, of_type.dtype) for column, of_type in zip(made, empty.columns(), strict=True)
        )
        outcome = Outcome.empty(len(self.text_offsets) - 1)
        outcome.node_offsets[:] = self.node_offsets
        outcome.operand_offsets[:] = self.operand_offsets
        buffers = [None, pa.py_buffer(np.array(self.text_offsets, np.int64)), pa.py_buffer(b"".join(self.pieces))]
        texts = pa.Array.from_buffers(pa.large_binary(), len(self.text_offsets) - 1, buffers, null_count=0)
        return ParsedBatch(texts, postfix, outcome, UNBOUNDED)


def _weights(predicate: Predicate, count: int) -> Sequence[float]:
    """The weight of each operand; the parser gives a range's to its second."""
    if isinstance(predicate, tree.WeightedSetPredicate):
        return predicate.weights or (1.0,) * count
    if isinstance(predicate, tree.Between):
        return 1.0, predicate.weight
    return (getattr(predicate, "weight", 1.0),) * count


def _columns(rows: Sequence[tuple[Any, ...]], count: int) -> Sequence[Sequence[Any]]:
    return list(zip(*rows, strict=True)) if rows else [()] * count
