"""Where do encoded events go while they are read? Into arrays that grow, known to kernels by one record."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import read_only
from eligo.data.events.direct.kernels.event_rows import (
    CELLS,
    COUNT,
    KEYS,
    MOST_BYTES,
    MOST_VALUES,
    OUT_AXES,
    OUT_CELL_OFFSETS,
    OUT_CELLS,
    OUT_KEY_OFFSETS,
    OUT_KEYS,
    OUT_NUM_CELLS,
    OUT_NUM_EVENTS,
    OUT_NUM_KEYS,
    OUT_ROOM_FOR_CELLS,
    OUT_ROOM_FOR_KEYS,
    PRESENT,
    RECORD_WORDS,
    ROOM,
)


class EventRoom:
    """Room for so many events, with so many keys and cells to begin with, and scratch for the hits of one."""

    def __init__(self, num_events: int, num_keys: int, num_cells: int, num_hits: int) -> None:
        self.record = np.zeros(RECORD_WORDS, np.int64)
        self.address: int = self.record.ctypes.data
        self._key_offsets = np.zeros(num_events + 1, np.int64)
        self._cell_offsets = np.zeros(num_events + 1, np.int64)
        self._set(OUT_KEY_OFFSETS, self._key_offsets)
        self._set(OUT_CELL_OFFSETS, self._cell_offsets)
        self._keys = np.empty(0, np.uint32)
        self._axes = np.empty(0, np.uint32)
        self._cells = np.empty(0, np.uint32)
        self._make_room(num_keys, num_cells)
        self._make_scratch(num_hits)

    def _set(self, field: int, array: npt.NDArray[Any]) -> None:
        self.record[field >> 3] = array.ctypes.data

    def _make_room(self, num_keys: int, num_cells: int) -> None:
        used = int(self.record[OUT_NUM_KEYS >> 3]), int(self.record[OUT_NUM_CELLS >> 3])
        keys, axes, cells = (np.empty(room, np.uint32) for room in (num_keys, num_cells, num_cells))
        keys[: used[0]] = self._keys[: used[0]]
        axes[: used[1]] = self._axes[: used[1]]
        cells[: used[1]] = self._cells[: used[1]]
        self._keys, self._axes, self._cells = keys, axes, cells
        for field, array in ((OUT_KEYS, keys), (OUT_AXES, axes), (OUT_CELLS, cells)):
            self._set(field, array)
        self.record[OUT_ROOM_FOR_KEYS >> 3], self.record[OUT_ROOM_FOR_CELLS >> 3] = num_keys, num_cells

    def _make_scratch(self, num_hits: int) -> None:
        self._scratch = np.empty(3 * num_hits, np.uint64)
        address: int = self._scratch.ctypes.data
        for place, of in enumerate((PRESENT, KEYS, CELLS)):
            self.record[of >> 3] = address + 8 * num_hits * place
            self.record[(of + ROOM) >> 3] = num_hits

    def grow(self) -> None:
        """Make room for the event that had none: as much again, and what it needs."""
        counts = self._counts()
        self.grow_scratch()
        self._make_room(2 * len(self._keys) + counts[0] + counts[1], 2 * len(self._cells) + counts[2])

    def grow_scratch(self) -> int:
        """Make room for the hits of the last event, if there was not enough; how many it has."""
        counts = self._counts()
        if max(counts) > self.record[ROOM >> 3]:
            self._make_scratch(2 * max(counts))
        return sum(counts)

    def _counts(self) -> list[int]:
        return [int(self.record[(of + COUNT) >> 3]) for of in (PRESENT, KEYS, CELLS)]

    @property
    def num_events(self) -> int:
        return int(self.record[OUT_NUM_EVENTS >> 3])

    @property
    def most_values(self) -> int:
        """How many values an event had at most."""
        return int(self.record[MOST_VALUES >> 3])

    @property
    def most_bytes(self) -> int:
        """How many bytes of text an event had at most."""
        return int(self.record[MOST_BYTES >> 3])

    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """key_offsets, keys, cell_offsets, cell_axes and cells of the events so far; they are not copied."""
        events, keys, cells = (self.record[[OUT_NUM_EVENTS >> 3, OUT_NUM_KEYS >> 3, OUT_NUM_CELLS >> 3]]).tolist()
        return (
            read_only(self._key_offsets[: events + 1].view(np.uint64)),
            read_only(self._keys[:keys]),
            read_only(self._cell_offsets[: events + 1].view(np.uint64)),
            read_only(self._axes[:cells]),
            read_only(self._cells[:cells]),
        )
