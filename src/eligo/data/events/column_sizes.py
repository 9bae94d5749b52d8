"""Which events of a table are beyond the limits? Counted from the values that were read, where it may be so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.events.event_values import EventValues
from eligo.errors import EventLimitError
from eligo.kernels import codes
from eligo.language.event_size import check_size, exact_size
from eligo.language.limits import Limits
from eligo.language.value import Scalar

Counts = npt.NDArray[np.int64]


def oversized(
    parts: Sequence[EventValues], repeated: Sequence[tuple[int, int, int]], num_rows: int, limits: Limits
) -> Iterator[tuple[int, EventLimitError]]:
    """The rows with more values or bytes of text than an event may have, and the error of each, by row.

    `repeated` has rows with values and bytes that are in no part.
    """
    lengths = [_text_lengths(part) for part in parts]
    most_values, most_bytes = most_sizes(parts, repeated)
    if most_values <= limits.event_values and most_bytes <= limits.event_bytes:
        return
    num_values: Counts = np.zeros(num_rows, np.int64)
    num_bytes: Counts = np.zeros(num_rows, np.int64)
    for part, own in zip(parts, lengths, strict=True):
        num_values += np.bincount(part.rows, minlength=num_rows)
        if len(own):
            num_bytes += np.bincount(part.rows, weights=own, minlength=num_rows).astype(np.int64)
    for row, own_values, own_bytes in repeated:
        num_values[row] += own_values
        num_bytes[row] += own_bytes
    is_beyond = (num_values > limits.event_values) | (num_bytes > limits.event_bytes)
    for row in np.flatnonzero(is_beyond).tolist():
        try:
            check_size(int(num_values[row]), int(num_bytes[row]), limits)
        except EventLimitError as error:
            yield row, error


def most_sizes(parts: Sequence[EventValues], repeated: Sequence[tuple[int, int, int]]) -> tuple[int, int]:
    """The most values, and bytes of text, that any row can have: those of the fullest row of each part."""
    most_values = sum(values for _, values, _ in repeated)
    most_bytes = sum(num for _, _, num in repeated)
    for part in parts:
        of_row = _most_of_a_row(part)
        most_values += of_row
        most_bytes += of_row * int(_text_lengths(part).max(initial=0))
    return most_values, most_bytes


def repetitions(raw: Any, values: Sequence[Scalar]) -> tuple[int, int]:
    """How many more values, and bytes of text, a list has than its distinct values."""
    given, distinct = exact_size(raw), exact_size(values)
    return given[0] - distinct[0], given[1] - distinct[1]


def _most_of_a_row(part: EventValues) -> int:
    """How many values of a part belong to one row, at most."""
    rows = part.rows
    if len(rows) < 2 or (rows[1:] != rows[:-1]).all():
        return 1
    return int(np.bincount(rows).max())


def _text_lengths(part: EventValues) -> Counts:
    """For each value the bytes of its text; empty where no value is a string."""
    values = part.values
    if not len(values.ends) or not len(values.kinds) or not (values.kinds == codes.STRING).any():
        return np.zeros(0, np.int64)
    return (values.ends - values.starts).astype(np.int64)
