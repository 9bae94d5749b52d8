"""In what columns do others read what the parser wrote? The nodes and operands of many expressions, and their errors.

`language.text.postfix` draws an example.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray


class Postfix(NamedTuple):
    """Nodes and operands of one expression or, one after the other, of many.

    All positions are bytes of UTF-8, counted from the beginning of the node's own expression.
    """

    node_kind: NDArray[np.uint8]
    """A node kind of `kernels.codes`."""
    node_start: NDArray[np.int32]
    """The node's first byte; the parentheses around a connective are not its own."""
    node_end: NDArray[np.int32]
    """The byte after the node's last one."""
    node_count: NDArray[np.int32]
    """How many children a connective has (the nodes just before it), or how many operands a predicate.

    Of a quantified part, how many nodes its body has; they are just before it.
    """
    node_first_operand: NDArray[np.int32]
    """A predicate's first operand, counted from its expression's first; the others follow. Else 0.

    Of a quantified part, its scope if it is flagged `IS_SCOPED`; the operands of its body follow.
    """
    name_start: NDArray[np.int32]
    """First byte of a predicate's attribute, without quotes, or of a part's variable. Else 0."""
    name_end: NDArray[np.int32]
    """The byte after the attribute's last one. Else 0."""
    node_flags: NDArray[np.uint8]
    """`IS_ESCAPED`: the attribute's name holds `""` for `"`. `IS_OF_DOCUMENT`, `IS_SCOPED`: see `kernels.codes`."""

    operand_kind: NDArray[np.uint8]
    """A value kind of `kernels.codes`: BOOL, NUMBER, STRING, DATE, TIMESTAMP; in parts also DOCUMENT_NAME, DURATION."""
    operand_start: NDArray[np.int32]
    """First byte of the value as it is written, quotes and `date` included."""
    operand_end: NDArray[np.int32]
    """The byte after the value's last one; its weight is not part of it."""
    operand_payload: NDArray[np.int64]
    """A bool (0 or 1), a whole number, days or microseconds (UTC) since 1970-01-01. Else 0."""
    operand_number: NDArray[np.float64]
    """The number that `IS_FLOAT` flags: not whole, or beyond 64 bits. Else 0."""
    operand_flags: NDArray[np.uint8]
    """`IS_FLOAT`: the number is in `operand_number`. `IS_ESCAPED`: the string holds `''` for `'`."""
    operand_weight: NDArray[np.float64]
    """The operand's weight, 1 unless written; a range's is on its second operand."""

    @classmethod
    def empty(cls, num_nodes: int, num_operands: int) -> Postfix:
        """Arrays with room for so many rows."""
        return cls(*(np.empty(num_nodes if i < _NODE_FIELDS else num_operands, t) for i, t in enumerate(_TYPES)))

    def columns(self) -> tuple[NDArray[Any], ...]:
        """All fields, in their order."""
        return tuple(cast(Any, self))

    def rows(self, nodes: slice | NDArray[np.bool_], operands: slice | NDArray[np.bool_]) -> Postfix:
        """The rows of one expression, or those that two masks choose."""
        return Postfix(*(column[nodes if i < _NODE_FIELDS else operands] for i, column in enumerate(self.columns())))

    def resized(self, num_nodes: int, num_operands: int) -> Postfix:
        """A copy with room for more rows, or cut to fewer."""
        copy = Postfix.empty(num_nodes, num_operands)
        for old, new in zip(self.columns(), copy.columns(), strict=True):
            common = min(len(old), len(new))
            new[:common] = old[:common]
        return copy

    def as_lists(self) -> Postfix:
        """The same rows with Python numbers."""
        return Postfix(*cast(Any, (column.tolist() for column in self.columns())))


_TYPES: tuple[type[np.generic], ...] = (
    np.uint8,
    *(np.int32,) * 6,
    np.uint8,
    np.uint8,
    *(np.int32,) * 2,
    np.int64,
    np.float64,
    np.uint8,
    np.float64,
)
_NODE_FIELDS = 8


class Outcome(NamedTuple):
    """What became of each text."""

    node_offsets: NDArray[np.int64]
    """Nodes of expression i are rows `node_offsets[i]` to `node_offsets[i + 1]`; none where it was refused."""
    operand_offsets: NDArray[np.int64]
    """Likewise for operands."""
    error: NDArray[np.uint8]
    """A code of `language.text.kernels.parse_errors`, 0 where the text is an expression."""
    error_position: NDArray[np.int32]
    """The byte at which it was refused."""
    error_other: NDArray[np.int32]
    """A second byte that some errors need; -1 for none."""

    @classmethod
    def empty(cls, num_expressions: int) -> Outcome:
        """Arrays for so many texts; the first offsets are 0."""
        return cls(
            np.zeros(num_expressions + 1, np.int64),
            np.zeros(num_expressions + 1, np.int64),
            np.zeros(num_expressions, np.uint8),
            np.zeros(num_expressions, np.int32),
            np.full(num_expressions, -1, np.int32),
        )
