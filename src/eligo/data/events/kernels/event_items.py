"""How do the items of events become lists of keys and of cells? Each event's are sorted, and each is taken once.

An item says one thing that an event hits: a key, or (axis + 1) * 2^32 + cell. Sorted items are therefore the keys and
then the cells by axis, as an `EventBatch` has them:

    items  2^32 + 2   0   3   1   0          keys 0 1 3     axis 0 cell 2
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.events.kernels.keys_and_cells import sort_pairs
from eligo.kernels.addresses import addresses_of, flat
from eligo.kernels.compiled import IS_INTERPRETED, hot_loop, kernel
from eligo.kernels.hashing import u64
from eligo.kernels.parameter_types import Float64s, Int64s, Integer, UInt64s

CELLS_FROM = 1 << 32
"""Lower items are keys."""


@kernel
def lay_out_items(items: UInt64s, ends: Int64s, weights: Float64s) -> tuple[npt.NDArray[Any], ...]:
    """The arrays of an `EventBatch`: event e has the items up to ends[e]; its largest weight counts for each.

    The items are sorted in their place; `weights` is empty when all are 1.
    """
    num_rows = len(ends)
    has_weights = len(weights) > 0
    key_offsets, cell_offsets = np.zeros(num_rows + 1, np.uint64), np.zeros(num_rows + 1, np.uint64)
    num_cells = 0
    for place in range(len(items)):
        num_cells += np.int64(items[place] >= u64(CELLS_FROM))
    keys = np.empty(len(items) - num_cells, np.uint32)
    axes, cells = np.empty(num_cells, np.uint32), np.empty(num_cells, np.uint32)
    key_weights = np.empty(len(keys) if has_weights else 0, np.float64)
    cell_weights = np.empty(num_cells if has_weights else 0, np.float64)
    num_keys = num_cells = 0
    start = u64(0)
    for row in range(num_rows):
        end = u64(ends[row])
        sort_pairs(items, weights, start, end, has_weights)
        for place in range(start, end):
            item = items[place]
            weight = weights[place] if has_weights else 1.0
            is_repeated = place > start and items[u64(place) - u64(1)] == item
            if item < u64(CELLS_FROM):
                if is_repeated and has_weights:
                    key_weights[num_keys - 1] = max(key_weights[num_keys - 1], weight)
                if not is_repeated:
                    keys[num_keys] = item
                    if has_weights:
                        key_weights[num_keys] = weight
                    num_keys += 1
            else:
                if is_repeated and has_weights:
                    cell_weights[num_cells - 1] = max(cell_weights[num_cells - 1], weight)
                if not is_repeated:
                    axes[num_cells] = (item >> u64(32)) - u64(1)
                    cells[num_cells] = item & u64(0xFFFFFFFF)
                    if has_weights:
                        cell_weights[num_cells] = weight
                    num_cells += 1
        key_offsets[row + 1] = num_keys
        cell_offsets[row + 1] = num_cells
        start = end
    if has_weights:
        key_weights, cell_weights = key_weights[:num_keys], cell_weights[:num_cells]
    return (
        key_offsets, keys[:num_keys], key_weights, cell_offsets, axes[:num_cells], cells[:num_cells], cell_weights,
    )  # fmt: skip


class EventViews(NamedTuple):
    """The arrays of an `EventBatch`, as `data.kernels.tables.Events` names them."""

    key_offsets: npt.NDArray[np.uint64]
    keys: npt.NDArray[np.uint32]
    key_weights: npt.NDArray[np.float64]
    cell_offsets: npt.NDArray[np.uint64]
    cell_axes: npt.NDArray[np.uint32]
    cells: npt.NDArray[np.uint32]
    cell_weights: npt.NDArray[np.float64]


class EventRoom(NamedTuple):
    """Room for one event, which a thread fills again and again; the first fields are those of `EventViews`."""

    key_offsets: npt.NDArray[np.uint64]
    """0, and the number of keys."""
    keys: npt.NDArray[np.uint32]
    key_weights: npt.NDArray[np.float64]
    """Empty: all are 1."""
    cell_offsets: npt.NDArray[np.uint64]
    """0, and the number of cells."""
    cell_axes: npt.NDArray[np.uint32]
    cells: npt.NDArray[np.uint32]
    cell_weights: npt.NDArray[np.float64]
    """Empty: all are 1."""
    items: npt.NDArray[np.uint64]
    """What the event hits, as it comes."""
    match_offsets: npt.NDArray[np.uint64]
    """0, and the number of matches."""


def new_event_room(most: int) -> EventRoom:
    """Room for events of so many items."""
    return EventRoom(
        np.zeros(2, np.uint64),
        np.empty(most, np.uint32),
        np.empty(0, np.float64),
        np.zeros(2, np.uint64),
        np.empty(most, np.uint32),
        np.empty(most, np.uint32),
        np.empty(0, np.float64),
        np.empty(most, np.uint64),
        np.zeros(2, np.uint64),
    )


NotedEvents = Any
"""The arrays of events or of a room as one argument: their addresses, or when interpreted the tuple itself."""


def noted_events(events: Any) -> NotedEvents:
    """The argument for `event_views` and `event_room`; the arrays must outlive it."""
    return events if IS_INTERPRETED else addresses_of(events)


@kernel
def _views(noted: Int64s) -> Any:
    return EventViews(
        flat(noted, 0, np.uint64), flat(noted, 1, np.uint32), flat(noted, 2, np.float64), flat(noted, 3, np.uint64),
        flat(noted, 4, np.uint32), flat(noted, 5, np.uint32), flat(noted, 6, np.float64),
    )  # fmt: skip


@kernel
def _room(noted: Int64s) -> Any:
    return EventRoom(
        flat(noted, 0, np.uint64), flat(noted, 1, np.uint32), flat(noted, 2, np.float64), flat(noted, 3, np.uint64),
        flat(noted, 4, np.uint32), flat(noted, 5, np.uint32), flat(noted, 6, np.float64), flat(noted, 7, np.uint64),
        flat(noted, 8, np.uint64),
    )  # fmt: skip


def _as_it_is(noted: Any) -> Any:
    return noted


event_views = _as_it_is if IS_INTERPRETED else _views
"""The events that were noted."""
event_room = _as_it_is if IS_INTERPRETED else _room
"""The room that was noted."""


@hot_loop
def lay_out_event(num_items: Integer, room: EventRoom) -> None:
    """Make keys and cells of the first items of a room."""
    items, keys, axes, cells = room.items, room.keys, room.cell_axes, room.cells
    sort_pairs(items, room.key_weights, u64(0), u64(num_items), False)
    num_keys = num_cells = u64(0)
    last = u64(0xFFFFFFFFFFFFFFFF)
    for place in range(num_items):
        item = items[place]
        if item == last:
            continue
        last = item
        if item < u64(CELLS_FROM):
            keys[num_keys] = item
            num_keys += u64(1)
        else:
            axes[num_cells] = (item >> u64(32)) - u64(1)
            cells[num_cells] = item & u64(0xFFFFFFFF)
            num_cells += u64(1)
    room.key_offsets[1] = num_keys
    room.cell_offsets[1] = num_cells
