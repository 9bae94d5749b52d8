"""Which expressions match when conjunctions do? All those that have one of them, each once and in order."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.engines.kernels.marks import mark_item, write_marks
from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Integer, UInt32s, UInt64s


class ConjunctionOwners(NamedTuple):
    """Which expressions each conjunction was translated from."""

    owner_offsets: npt.NDArray[np.uint32]
    """Conjunction c is of the expressions `owners[owner_offsets[c]:owner_offsets[c + 1]]`."""
    owners: npt.NDArray[np.uint32]


@hot_loop
def unite_owners(
    first_event: Integer,
    conjunction_offsets: UInt64s,
    conjunctions: UInt32s,
    rows: ConjunctionOwners,
    marks: UInt64s,
    offsets: UInt64s,
    positions: UInt32s,
) -> Any:
    """Write the expressions of each event's conjunctions from `first_event` on, until `positions` may be too short.

    Returns the first event that was not done; `offsets[first_event]` says how many positions are written already.
    """
    num_events = len(conjunction_offsets) - 1
    count = np.int64(offsets[first_event])
    for event in range(first_event, num_events):
        if len(positions) - count < 64 * len(marks):
            return event
        for place in range(conjunction_offsets[event], conjunction_offsets[event + 1]):
            mark_item(np.uint64(conjunctions[place]), rows.owner_offsets, rows.owners, marks)
        count = write_marks(count, marks, positions)
        offsets[event + 1] = count
    return num_events
