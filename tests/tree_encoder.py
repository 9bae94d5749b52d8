"""What should texts be encoded as? The naive encoder, over trees, with a dict for everything that is to be distinct.

`eligo.data.expressions.encode_texts` must give the same, array for array.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import EncodedValuesWriter, read_only_arrays
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.expressions.predicate_table import PredicateTable, offsets_of
from eligo.data.expressions.taxonomy_nodes import Taxonomy
from eligo.data.kernels.vocabulary_lookup import find_cells, find_keys
from eligo.data.vocabulary import Vocabulary
from eligo.errors import InputError
from eligo.kernels import codes
from eligo.kernels.hashing import NONE
from eligo.language.tree import And, Constant, Expression, Literal, Or, Predicate, distinct_nodes
from eligo.language.value import Kind
from tree_registration import Range, Registration, registration
from tree_vocabulary import vocabulary_of

NO_KEY = int(NONE)


def encode_expressions(
    roots: Sequence[Expression], hierarchies: Mapping[str, Taxonomy] | None = None
) -> tuple[Vocabulary, ExpressionTable]:
    """The vocabulary of expressions in negation normal form, and the table of them."""
    writer = _Writer(roots)
    registrations = writer.registrations()
    vocabulary = vocabulary_of(registrations, hierarchies)
    return vocabulary, writer.finish(registrations, vocabulary)


def encode_with(roots: Sequence[Expression], vocabulary: Vocabulary) -> ExpressionTable:
    """The table of expressions whose predicates a vocabulary covers, such as one shard's of a shared vocabulary."""
    writer = _Writer(roots)
    return writer.finish(writer.registrations(), vocabulary)


class _Writer:
    """Lays out the nodes; predicates and literals get numbers by first use, which `finish` makes final."""

    def __init__(self, roots: Sequence[Expression]) -> None:
        self.predicates: dict[Predicate, int] = {}
        self.literals: dict[tuple[int, bool, bool], int] = {}
        self.node_kind = bytearray()
        self.node_literal = array("I")
        self.child_counts = array("I")
        self.children = array("I")
        self.expression_offsets = array("Q", [0])
        for root in roots:
            self._add(root)

    def _add(self, root: Expression) -> None:
        number_of: dict[int, int] = {}
        for node in distinct_nodes(root):
            number_of[id(node)] = len(self.node_kind)
            self.node_literal.append(self._literal(node) if isinstance(node, Literal) else int(NONE))
            self.node_kind.append(_kind(node))
            self.child_counts.append(len(node.children))
            self.children.extend(number_of[id(child)] for child in node.children)
        self.expression_offsets.append(len(self.node_kind))

    def _literal(self, literal: Literal) -> int:
        predicate = self.predicates.setdefault(literal.predicate, len(self.predicates))
        content = (predicate, bool(literal.positive), bool(literal.holds_when_missing))
        return self.literals.setdefault(content, len(self.literals))

    def registrations(self) -> list[Registration]:
        """What the predicates register under, by their numbers."""
        return [registration(predicate) for predicate in self.predicates]

    def finish(self, registrations: Sequence[Registration], vocabulary: Vocabulary) -> ExpressionTable:
        table, number_of_predicate = encode_registrations(registrations, vocabulary)
        final: dict[tuple[int, bool, bool], int] = {}
        number_of_literal = np.empty(len(self.literals) + 1, np.uint32)
        number_of_literal[-1] = NONE
        for (predicate, positive, holds), provisional in self.literals.items():
            content = (int(number_of_predicate[predicate]), positive, holds)
            number_of_literal[provisional] = final.setdefault(content, len(final))
        node_literal = np.array(self.node_literal, np.uint32)
        node_literal[node_literal == NONE] = len(self.literals)
        child_offsets = np.zeros(len(self.node_kind) + 1, np.uint64)
        np.cumsum(np.array(self.child_counts, np.uint64), out=child_offsets[1:])
        columns = (
            np.array([predicate for predicate, _, _ in final], np.uint32),
            np.array([positive for _, positive, _ in final], np.uint8),
            np.array([holds for _, _, holds in final], np.uint8),
            np.frombuffer(bytes(self.node_kind), np.uint8),
            number_of_literal[node_literal],
            child_offsets,
            np.array(self.children, np.uint32),
            np.array(self.expression_offsets, np.uint64),
        )
        return ExpressionTable(table, *read_only_arrays(columns))


def _kind(node: Expression) -> int:
    if isinstance(node, Literal):
        return codes.LITERAL
    if isinstance(node, And):
        return codes.AND
    if isinstance(node, Or):
        return codes.OR
    if isinstance(node, Constant):
        return codes.TRUE if node.value else codes.FALSE
    raise InputError(
        f"{type(node).__name__} does not occur in negation normal form", help="use push_negations on the tree first"
    )


class _Row(NamedTuple):
    """The flat content of one predicate; equal rows are one predicate."""

    attribute: int
    is_set: bool
    keys: tuple[tuple[int, float], ...]
    ranges: tuple[tuple[int, int, int, float], ...]


def encode_predicates(
    predicates: Iterable[Predicate], vocabulary: Vocabulary
) -> tuple[PredicateTable, npt.NDArray[np.uint32]]:
    """The table of predicates of negation normal form, and the number in it of each predicate given.

    Predicates that the same events hit, with the same scores, such as `a = 1` and `a in (1)`, become one.
    """
    return encode_registrations([registration(predicate) for predicate in predicates], vocabulary)


def encode_registrations(
    registrations: Sequence[Registration], vocabulary: Vocabulary
) -> tuple[PredicateTable, npt.NDArray[np.uint32]]:
    """The table of what predicates register under, and the number in it of each."""
    attributes = [_attribute_number(needed, vocabulary) for needed in registrations]
    operands = EncodedValuesWriter()
    for attribute, needed in zip(attributes, registrations, strict=True):
        _write_operands(operands, attribute, needed)
    values = operands.finish()
    keys, cells = find_keys(vocabulary.data, values).tolist(), find_cells(vocabulary.data, values)[1].tolist()
    rows: dict[_Row, int] = {}
    numbers = np.empty(len(registrations), np.uint32)
    axes, last_cells = vocabulary.data.attribute_axes.tolist(), _last_cells(vocabulary)
    place = 0
    for index, (attribute, needed) in enumerate(zip(attributes, registrations, strict=True)):
        try:
            row, place = _row(attribute, needed, keys, cells, place, axes, last_cells)
        except LookupError:
            raise InputError(
                f"the vocabulary does not cover a predicate on {needed.attribute!r}",
                help="encode expressions with a vocabulary that was built from them",
            ) from None
        numbers[index] = rows.setdefault(row, len(rows))
    return _table(list(rows)), numbers


def _last_cells(vocabulary: Vocabulary) -> list[int]:
    return [vocabulary.num_cells(axis) - 1 for axis in range(vocabulary.num_axes)]


def _attribute_number(needed: Registration, vocabulary: Vocabulary) -> int:
    number = vocabulary.attribute_numbers.get(needed.attribute)
    if number is None:
        raise InputError(
            f"the vocabulary has no attribute {needed.attribute!r}",
            help="encode expressions with a vocabulary that was built from them",
        )
    return number


def _weighted_ranges(needed: Registration) -> list[tuple[Range, float]]:
    return [*((span, needed.weight) for span in needed.ranges), *needed.node_ranges]


def _write_operands(operands: EncodedValuesWriter, attribute: int, needed: Registration) -> None:
    for value in needed.members:
        operands.add(attribute, value)
    for node in needed.nodes:
        operands.add_node(attribute, node)
    for span, _ in _weighted_ranges(needed):
        for end in (span.low, span.high):
            if end is not None:
                operands.add(attribute, end)


def _row(
    attribute: int,
    needed: Registration,
    keys: Sequence[int],
    cells: Sequence[int],
    place: int,
    axes: Sequence[int],
    last_cells: Sequence[int],
) -> tuple[_Row, int]:
    """The row of a predicate whose operands begin at `place`, and where the next one's begin."""
    weighted: list[tuple[int, float]] = [(attribute, 1.0)] if needed.is_present else []
    weights = [*needed.members.values(), *needed.nodes.values()]
    weighted += zip(keys[place : place + len(weights)], weights, strict=True)
    if any(key == NO_KEY for key, _ in weighted):
        raise LookupError
    place += len(weights)
    ranges: list[tuple[int, int, int, float]] = []
    for span, weight in _weighted_ranges(needed):
        axis = axes[attribute * len(Kind) + span.kind]
        if axis == NO_KEY:
            raise LookupError
        low, high = 0, last_cells[axis]
        # A bound has an odd cell; the open cells beside it are even.
        if span.low is not None:
            low = _bound_cell(cells[place]) + (not span.is_low_in)
            place += 1
        if span.high is not None:
            high = _bound_cell(cells[place]) - (not span.is_high_in)
            place += 1
        ranges.append((axis, low, high, weight))
    return _Row(attribute, needed.is_set, tuple(sorted(weighted)), _apart(ranges)), place


def _apart(ranges: Sequence[tuple[int, int, int, float]]) -> tuple[tuple[int, int, int, float], ...]:
    """The ranges cell by cell, with the largest weight of each, and put together again."""
    if len(ranges) <= 2:
        return tuple(sorted(ranges))
    weight_of: dict[tuple[int, int], float] = {}
    for axis, low, high, weight in ranges:
        for cell in range(low, high + 1):
            weight_of[axis, cell] = max(weight, weight_of.get((axis, cell), 0.0))
    found: list[tuple[int, int, int, float]] = []
    for (axis, cell), weight in sorted(weight_of.items()):
        if found and found[-1][0] == axis and found[-1][2] == cell - 1 and found[-1][3] == weight:
            found[-1] = (axis, found[-1][1], cell, weight)
        else:
            found.append((axis, cell, cell, weight))
    return tuple(found)


def _bound_cell(cell: int) -> int:
    if cell % 2 == 0 or cell == NO_KEY:
        raise LookupError
    return cell


def _table(rows: Sequence[_Row]) -> PredicateTable:
    keys = [pair for row in rows for pair in row.keys]
    ranges = [span for row in rows for span in row.ranges]
    columns = (
        np.array([row.attribute for row in rows], np.uint32),
        np.array([row.is_set for row in rows], np.uint8),
        offsets_of([len(row.keys) for row in rows]),
        np.array([key for key, _ in keys], np.uint32),
        np.array([weight for _, weight in keys], np.float64),
        offsets_of([len(row.ranges) for row in rows]),
        np.array([axis for axis, _, _, _ in ranges], np.uint32),
        np.array([low for _, low, _, _ in ranges], np.uint32),
        np.array([high for _, _, high, _ in ranges], np.uint32),
        np.array([weight for _, _, _, weight in ranges], np.float64),
    )
    return PredicateTable(*read_only_arrays(columns))
