"""What hits each predicate, in flat arrays? Keys and ranges of cells, beside the weights they score.

p0: state in ('CA'^3, 'NY')       keys 2 3, weights 3 1              (keys and cells of the example in `vocabulary`)
p1: age between 18 and 24         axis 0, cells 1 to 3, weight 1

key_offsets  0 2 2    keys 2 3       key_weights 3 1
range_offsets 0 0 1   range_axis 0   range_low 1   range_high 3   range_weights 1
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import EncodedValuesWriter, read_only_arrays
from eligo.data.expressions.registration import Registration, registration
from eligo.data.kernels.vocabulary_lookup import find_cells, find_keys
from eligo.data.vocabulary import Vocabulary
from eligo.errors import InputError
from eligo.kernels.hashing import NONE
from eligo.language.tree import Predicate
from eligo.language.value import Kind

NO_KEY = int(NONE)


class PredicateTable(NamedTuple):
    """Distinct predicates; predicate p is hit when the event has one of its keys or a cell in one of its ranges.

    All arrays are read-only. A predicate without keys and ranges, such as `a in ()`, is never hit.
    """

    attribute_of_predicate: npt.NDArray[np.uint32]
    """For each predicate: its attribute, whose number is also the key of being present."""
    is_set_of_predicate: npt.NDArray[np.uint8]
    """For each predicate: 1 when every hit key adds its weight to the score, 0 when the largest hit counts."""
    key_offsets: npt.NDArray[np.uint64]
    """Predicate p has the keys key_offsets[p] : key_offsets[p + 1]."""
    keys: npt.NDArray[np.uint32]
    """For each predicate: its keys, ascending and distinct."""
    key_weights: npt.NDArray[np.float64]
    """For each of these keys: its weight in the expression."""
    range_offsets: npt.NDArray[np.uint64]
    """Predicate p has the ranges range_offsets[p] : range_offsets[p + 1]."""
    range_axis: npt.NDArray[np.uint32]
    """For each range: its axis; ascending for each predicate."""
    range_low: npt.NDArray[np.uint32]
    """For each range: its first cell."""
    range_high: npt.NDArray[np.uint32]
    """For each range: its last cell, at or above the first."""
    range_weights: npt.NDArray[np.float64]
    """For each range: its weight in the expression."""

    @property
    def num_predicates(self) -> int:
        return len(self.attribute_of_predicate)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The named arrays that `from_arrays` takes back."""
        return self._asdict()

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> PredicateTable:
        """A table over arrays as they are, also memory-mapped ones."""
        return cls(*read_only_arrays(arrays[name] for name in cls._fields))


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


def _write_operands(operands: EncodedValuesWriter, attribute: int, needed: Registration) -> None:
    for value in needed.members:
        operands.add(attribute, value)
    if needed.node is not None:
        operands.add_node(attribute, needed.node)
    for span in needed.ranges:
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
    weights = [*needed.members.values(), *([needed.weight] if needed.node is not None else [])]
    weighted += zip(keys[place : place + len(weights)], weights, strict=True)
    if any(key == NO_KEY for key, _ in weighted):
        raise LookupError
    place += len(weights)
    ranges: list[tuple[int, int, int, float]] = []
    for span in needed.ranges:
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
        ranges.append((axis, low, high, needed.weight))
    return _Row(attribute, needed.is_set, tuple(sorted(weighted)), tuple(sorted(ranges))), place


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


def offsets_of(lengths: Sequence[int] | npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """Where each of several lists begins when they stand one after another, and where the last ends."""
    offsets = np.zeros(len(lengths) + 1, np.uint64)
    np.cumsum(np.asarray(lengths, np.uint64), out=offsets[1:])
    return offsets
