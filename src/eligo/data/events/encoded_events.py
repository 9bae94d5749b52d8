"""What comes of reading events, before it is a batch? Keys and cells, and those events that could not be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import read_only
from eligo.data.events.event_values import NO_WEIGHTS, EventValues, unless_all_one
from eligo.data.events.kernels.keys_and_cells import (
    Hits,
    encode_events,
    find_cell_hits,
    find_key_hits,
    find_node_hits,
    find_presences,
    lay_out,
)
from eligo.data.vocabulary import Vocabulary
from eligo.errors import Reject


class EventArrays(NamedTuple):
    """Encoded events as kernels take them; all arrays are read-only."""

    key_offsets: npt.NDArray[np.uint64]
    """Event e has the keys key_offsets[e] : key_offsets[e + 1]."""
    keys: npt.NDArray[np.uint32]
    """For each event: its keys, ascending and distinct."""
    key_weights: npt.NDArray[np.float64]
    """For each of these keys: its weight in the event; empty when all are 1."""
    cell_offsets: npt.NDArray[np.uint64]
    """Event e has the cells cell_offsets[e] : cell_offsets[e + 1]."""
    cell_axes: npt.NDArray[np.uint32]
    """For each event's cells: their axes, ascending."""
    cells: npt.NDArray[np.uint32]
    """For each event: its cells, ascending on each axis, each (axis, cell) once."""
    cell_weights: npt.NDArray[np.float64]
    """For each of these cells: the largest weight of a value in it; empty when all are 1."""

    @classmethod
    def of_unweighted(
        cls,
        key_offsets: npt.NDArray[np.uint64],
        keys: npt.NDArray[np.uint32],
        cell_offsets: npt.NDArray[np.uint64],
        cell_axes: npt.NDArray[np.uint32],
        cells: npt.NDArray[np.uint32],
    ) -> Self:
        """Events whose weights are all 1, over read-only arrays."""
        return cls(key_offsets, keys, NO_WEIGHTS, cell_offsets, cell_axes, cells, NO_WEIGHTS)

    def unweighted(self) -> tuple[npt.NDArray[Any], ...]:
        """The arrays that `of_unweighted` takes."""
        return self.key_offsets, self.keys, self.cell_offsets, self.cell_axes, self.cells


class EncodedEvents(NamedTuple):
    """Events that were read by one of the ways."""

    arrays: EventArrays
    """Of those that could be."""
    rejects: Sequence[Reject] = ()
    """Those that could not; their ids are their places among all that came."""
    values: tuple[EventValues, ...] = ()
    """The values that they were made of, with a vocabulary that `keeps_values`."""


def arrays_of_kernel(arrays: tuple[npt.NDArray[Any], ...]) -> EventArrays:
    """The arrays of events as a kernel laid them out."""
    key_offsets, keys, key_weights, cell_offsets, cell_axes, cells, cell_weights = arrays
    return EventArrays(
        read_only(key_offsets),
        read_only(keys),
        unless_all_one(key_weights),
        read_only(cell_offsets),
        read_only(cell_axes),
        read_only(cells),
        unless_all_one(cell_weights),
    )


def encoded_values(num_events: int, parts: Sequence[EventValues], vocabulary: Vocabulary) -> EncodedEvents:
    """Events from their values, in parts, which are laid out fastest in the order of attributes."""
    arrays = arrays_of_kernel(_laid_out(num_events, parts, vocabulary))
    return EncodedEvents(arrays, values=tuple(parts) if vocabulary.keeps_values else ())


def _laid_out(num_events: int, parts: Sequence[EventValues], vocabulary: Vocabulary) -> tuple[npt.NDArray[Any], ...]:
    arrays: tuple[npt.NDArray[Any], ...]
    if len(parts) == 1:
        arrays = encode_events(vocabulary.data, num_events, *parts[0])
        return arrays
    presences = [find_presences(part.values.attributes, part.rows, part.present_weights) for part in parts]
    keys, nodes, cells = (
        [find(vocabulary.data, part.values, part.rows, part.weights) for part in parts]
        for find in (find_key_hits, find_node_hits, find_cell_hits)
    )
    arrays = lay_out(num_events, _joined([*presences, *keys, *nodes]), _joined(cells))
    return arrays


def _joined(parts: Sequence[Hits]) -> Hits:
    """Hits one after another; where only some parts have weights, the others' are 1."""
    rows = np.concatenate([np.zeros(0, np.uint32), *(part.rows for part in parts)])
    items = np.concatenate([np.zeros(0, np.uint64), *(part.items for part in parts)])
    if not any(len(part.weights) for part in parts):
        return Hits(rows, items, np.zeros(0, np.float64))
    weights = [part.weights if len(part.weights) else np.ones(len(part.rows)) for part in parts]
    return Hits(rows, items, np.concatenate(weights))
