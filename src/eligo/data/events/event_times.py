"""When does an event happen? What its column of times says, read by one rule; a time that is none makes it a bad event.

Texts are read as `moment_texts` says. A timestamp outside the years 1 to 9999 is no time either: no expression can ask
for it, and Python could not show it.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from eligo.data.moment_texts import MOMENT_HELP, is_text, read_moments
from eligo.data.schema.guards import TIME
from eligo.errors import EventError
from eligo.language.text.kernels.times import FIRST_DAY, LAST_DAY

_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000}
_FINER_THAN_YEARS = "ns"
"""64 bits of nanoseconds do not leave these years."""


def with_times(rows: pa.Table) -> tuple[pa.Table, dict[int, EventError]]:
    """The events with moments for the texts in their column of times, and by row what is wrong with a time."""
    place = rows.schema.get_field_index(TIME)
    if place < 0:
        return rows, {}
    times = rows.column(place).combine_chunks()
    if is_text(times.type):
        moments, bad = read_moments(times)
        errors = {row: _error(f"{text!r:.80} is not a date or timestamp") for row, text in bad.items()}
        return rows.set_column(place, TIME, moments), errors
    if not pa.types.is_timestamp(times.type) or times.type.unit == _FINER_THAN_YEARS:
        return rows, {}
    per_day = _PER_DAY[times.type.unit]
    ticks = times.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
    is_beyond = (ticks < FIRST_DAY * per_day) | (ticks >= (LAST_DAY + 1) * per_day)
    if not is_beyond.any():
        return rows, {}
    kept = pa.array(np.where(is_beyond, 0, ticks), pa.int64(), mask=is_beyond | ~_is_there(times)).cast(times.type)
    errors = {row: _error("not a time of the years 1 to 9999") for row in np.flatnonzero(is_beyond).tolist()}
    return rows.set_column(place, TIME, kept), errors


def _is_there(times: pa.Array) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return times.is_valid().to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]


def _error(problem: str) -> EventError:
    return EventError(problem, attribute=TIME, help=MOMENT_HELP)
