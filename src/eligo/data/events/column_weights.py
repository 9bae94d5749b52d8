"""How much do the values of columns count? As `event_weights` says, for whole columns at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from eligo.data.encoded_value import EncodedValue, encode
from eligo.data.events.column_maps import as_list_of_entries, keys_as_dictionary
from eligo.data.events.column_values import ColumnValues, Ints, fixed_width, read_lists, valid_places
from eligo.data.events.event_values import NO_WEIGHTS, unless_all_one
from eligo.data.events.event_weights import EventWeights, Weights
from eligo.data.vocabulary import Vocabulary
from eligo.errors import EventError, InputError, shown
from eligo.kernels import codes
from eligo.kernels.score_units import MOST_WEIGHT
from eligo.language.weight import RULE, weight_of

Floats = npt.NDArray[np.float64]


class ColumnWeights:
    """The weights of a table's events: the same for all rows, or by row from a column."""

    def __init__(self, vocabulary: Vocabulary, num_rows: int, weights: Weights | None) -> None:
        self.vocabulary = vocabulary
        self.num_rows = num_rows
        self.of_rows: dict[int, Floats] = {}
        """For an attribute's number: the weight of the attribute in each row."""
        self.of_values: dict[int, dict[EncodedValue, float]] = {}
        """For an attribute's number: the weights of single values."""
        self.errors: dict[int, EventError] = {}
        """For each row with a weight that is none: what is wrong."""
        if weights is None:
            return
        if not isinstance(weights, Mapping):
            raise InputError("weights of a table are one mapping for all its rows", help="or name a weights_column")
        checked = EventWeights(weights)
        for name, weight in checked.of_attribute.items():
            if (number := vocabulary.event_numbers.get(name)) is not None:
                self.of_rows[number] = np.full(num_rows, weight)
        for name, by_value in checked.of_values.items():
            if (number := vocabulary.event_numbers.get(name)) is not None:
                self.of_values[number] = {encode(value): weight for (_, value), weight in by_value.items()}

    def add_column(self, column: pa.ChunkedArray, name: str) -> None:
        """Take weights from a column of maps from attribute to number, or of structs with a number an attribute."""
        base = 0
        for chunk in column.chunks:
            if pt.is_struct(chunk.type):
                for field, weights in zip(chunk.type, chunk.flatten(), strict=True):
                    number = self.vocabulary.event_numbers.get(field.name)
                    if number is not None:
                        values, places = self._numbers(weights, name, base + np.arange(len(chunk)))
                        self._of_row(number)[base + places] = values
            elif pt.is_map(chunk.type):
                self._add_maps(chunk, name, base)
            else:
                raise EventError(
                    f"a column of weights is a map or struct from attributes to numbers, not {chunk.type}",
                    attribute=name,
                )
            base += len(chunk)

    def add_objects(self, cells: Iterable[Any], name: str) -> None:
        """Take weights from Python mappings, or pairs, of attribute and number; None and NaN give none."""
        for row, cell in enumerate(cells):
            if _is_nothing(cell):
                continue
            try:
                given = dict(cell)
            except (TypeError, ValueError):
                problem = f"weights are a mapping from attributes to numbers, not {shown(cell)}"
                self.errors.setdefault(row, EventError(problem, row=row, attribute=name))
                continue
            for attribute, raw in given.items():
                if _is_nothing(raw):
                    continue
                weight = weight_of(raw)
                if weight is None:
                    self.errors.setdefault(row, EventError(f"{RULE}, not {shown(raw)}", row=row, attribute=name))
                elif (number := self.vocabulary.event_numbers.get(attribute)) is not None:
                    self._of_row(number)[row] = weight

    def _add_maps(self, chunk: pa.Array, name: str, base: int) -> None:
        entries, rows = read_lists(as_list_of_entries(chunk))
        keys, items = entries.flatten()
        words = keys_as_dictionary(keys)
        word_at = fixed_width(words.indices.cast(pa.int64()), np.int64)
        values, places = self._numbers(items, name, base + rows)
        for word, key in enumerate(words.dictionary.to_pylist()):
            if (number := self.vocabulary.event_numbers.get(key)) is not None:
                is_own = word_at[places] == word
                self._of_row(number)[base + rows[places[is_own]]] = values[is_own]

    def _numbers(self, weights: pa.Array, name: str, rows: Ints) -> tuple[Floats, Ints]:
        kind = weights.type
        if not (pt.is_floating(kind) or pt.is_integer(kind) or pt.is_decimal(kind) or pt.is_null(kind)):
            raise EventError(f"weights are numbers, not {kind}", attribute=name)
        if pt.is_null(kind):
            return np.zeros(0), np.zeros(0, np.int64)
        places = valid_places(weights)
        values = fixed_width(weights.cast(pa.float64(), safe=False), np.float64)[places]
        is_bad = ~((values >= 0) & (values <= MOST_WEIGHT))
        for row, weight in zip(rows[places[is_bad]].tolist(), values[is_bad].tolist(), strict=True):
            self.errors.setdefault(row, EventError(f"{RULE}, not {weight}", row=row, attribute=name))
        return values, places

    def _of_row(self, number: int) -> Floats:
        return self.of_rows.setdefault(number, np.ones(self.num_rows))

    def of(self, number: int, rows: npt.NDArray[np.uint32], values: ColumnValues) -> tuple[Floats, Floats]:
        """For each value of an attribute: its weight, and that of being present; empty when all are 1."""
        of_rows, of_values = self.of_rows.get(number), self.of_values.get(number)
        if of_values is not None:
            weights = np.ones(len(rows))
            for value, weight in of_values.items():
                weights[_equal_to(values, value)] = weight
            return unless_all_one(weights), NO_WEIGHTS
        if of_rows is None:
            return NO_WEIGHTS, NO_WEIGHTS
        weights = unless_all_one(of_rows[rows])
        return weights, weights


def _is_nothing(cell: Any) -> bool:
    """Whether a cell of a pandas frame has nothing: None, NaN or NA."""
    return cell is None or (isinstance(cell, float) and cell != cell) or type(cell).__name__ == "NAType"


def _equal_to(values: ColumnValues, value: EncodedValue) -> npt.NDArray[np.bool_]:
    """Where a column has a value."""
    kinds = np.full(len(values.places), values.kind) if values.kinds is None else values.kinds
    is_equal: npt.NDArray[np.bool_] = kinds == value.kind
    if not is_equal.any():
        return is_equal
    if value.kind != codes.STRING:
        is_equal &= (values.highs == value.high) & (values.lows == value.low)
        return is_equal
    is_equal &= values.ends - values.starts == len(value.text)
    candidates = np.flatnonzero(is_equal)
    letters = values.starts[candidates][:, None].astype(np.int64) + np.arange(len(value.text))
    is_equal[candidates] = (values.text[letters] == np.frombuffer(value.text, np.uint8)).all(axis=1)
    return is_equal
