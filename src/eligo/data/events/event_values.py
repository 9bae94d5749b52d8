"""What of an event reaches the kernels? Encoded values of attributes that the vocabulary has, each with its event."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import EncodedValue, EncodedValuesWriter, read_only, read_only_arrays
from eligo.data.kernels.vocabulary_lookup import EncodedValues

NO_WEIGHTS: npt.NDArray[np.float64] = read_only(np.zeros(0, np.float64))
"""All weights are 1."""


class EventValues(NamedTuple):
    """Values of events; the values of one attribute of one event stand together."""

    values: EncodedValues
    rows: npt.NDArray[np.uint32]
    """For each value: its event."""
    weights: npt.NDArray[np.float64] = NO_WEIGHTS
    """For each value: its weight; empty when all are 1."""
    present_weights: npt.NDArray[np.float64] = NO_WEIGHTS
    """For each value: the weight of its attribute being present; empty when all are 1."""


class EventValuesWriter:
    """Collects the values of events one by one."""

    def __init__(self) -> None:
        self.values = EncodedValuesWriter()
        self.rows: list[int] = []
        self.weights: list[float] = []
        self.present_weights: list[float] = []
        self.is_weighted = False

    def add(self, row: int, attribute: int, value: EncodedValue, weight: float, present_weight: float) -> None:
        self.values.add(attribute, value)
        self.rows.append(row)
        self.is_weighted |= weight != 1.0 or present_weight != 1.0
        self.weights.append(weight)
        self.present_weights.append(present_weight)

    def finish(self) -> EventValues:
        return EventValues(
            self.values.finish(),
            read_only(np.array(self.rows, np.uint32)),
            read_only(np.array(self.weights, np.float64)) if self.is_weighted else NO_WEIGHTS,
            read_only(np.array(self.present_weights, np.float64)) if self.is_weighted else NO_WEIGHTS,
        )


def unless_all_one(weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The weights, or none when they say nothing."""
    return read_only(weights) if len(weights) and bool((weights != 1.0).any()) else NO_WEIGHTS


def of_rows(given: EventValues, is_kept: npt.NDArray[np.bool_]) -> EventValues:
    """The values of the events that are kept, numbered anew."""
    kept = is_kept[given.rows]
    new_row = (np.cumsum(is_kept) - 1).astype(np.uint32)

    def take(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return column[kept] if len(column) else column

    columns: list[npt.NDArray[Any]] = [take(column) for column in given.values[:-1]]
    values = EncodedValues(*read_only_arrays([*columns, given.values.text]))
    return EventValues(
        values,
        read_only(new_row[given.rows[kept]]),
        read_only(take(given.weights)),
        read_only(take(given.present_weights)),
    )
