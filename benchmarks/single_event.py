"""How does one event look to an engine? As a batch of one, cut out of a larger batch that was encoded at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from eligo import EventBatch


def event_alone(batch: EventBatch, event: int) -> EventBatch:
    """One event as a batch of its own: the same arrays as if it had been encoded by itself."""
    keys = slice(int(batch.key_offsets[event]), int(batch.key_offsets[event + 1]))
    cells = slice(int(batch.cell_offsets[event]), int(batch.cell_offsets[event + 1]))
    return batch._replace(
        key_offsets=_offsets(keys),
        keys=batch.keys[keys],
        key_weights=batch.key_weights[keys],
        cell_offsets=_offsets(cells),
        cell_axes=batch.cell_axes[cells],
        cells=batch.cells[cells],
        cell_weights=batch.cell_weights[cells],
    )


def events_alone(batch: EventBatch) -> list[EventBatch]:
    """Every event of a batch as a batch of its own."""
    return [event_alone(batch, event) for event in range(batch.num_events)]


def _offsets(places: slice) -> npt.NDArray[np.uint64]:
    """Read-only, as all arrays of a batch are: kernels are compiled for that."""
    offsets = np.array([0, places.stop - places.start], np.uint64)
    offsets.flags.writeable = False
    return offsets
