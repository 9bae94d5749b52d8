"""How does an event get what was found out about it? As further keys, and its values can be had back to find it out.

key_offsets  0 2 3    keys  0 4   1        more: event 0 has key 2, event 1 has keys 0 and 5
             0 3 6          0 2 4   0 1 5
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import EncodedValue, decode, read_only
from eligo.data.events.event_batch import EventBatch
from eligo.data.vocabulary import Vocabulary
from eligo.language.value import Scalar


def with_keys(batch: EventBatch, rows: npt.NDArray[np.int64], keys: npt.NDArray[np.uint32]) -> EventBatch:
    """The events with further keys, of weight 1, that they do not have yet; rows[i] is the event of keys[i]."""
    if not len(keys):
        return batch
    offsets = batch.key_offsets.astype(np.int64)
    lengths = offsets[1:] - offsets[:-1]
    all_rows = np.concatenate([np.repeat(np.arange(len(lengths)), lengths), rows])
    all_keys = np.concatenate([batch.keys, keys.astype(np.uint32)])
    places = all_rows.astype(np.uint64) << np.uint64(32) | all_keys
    if len(batch.key_weights):
        order = np.argsort(places)
        weights = np.concatenate([batch.key_weights, np.ones(len(keys))])[order]
        places = places[order]
    else:
        places.sort()
        weights = batch.key_weights
    counts = np.bincount(all_rows, minlength=len(lengths))
    return EventBatch(
        read_only(np.concatenate([[0], np.cumsum(counts)]).astype(np.uint64)),
        read_only(places.astype(np.uint32)),
        read_only(weights),
        *batch[3:],
    )


def rows_between(events: EventBatch, first: int, end: int) -> EventBatch:
    """Consecutive events of a batch as a batch of their own."""
    if first == 0 and end == events.num_events:
        return events
    keys = slice(int(events.key_offsets[first]), int(events.key_offsets[end]))
    cells = slice(int(events.cell_offsets[first]), int(events.cell_offsets[end]))
    return EventBatch(
        read_only(events.key_offsets[first : end + 1] - events.key_offsets[first]),
        events.keys[keys],
        events.key_weights[keys],
        read_only(events.cell_offsets[first : end + 1] - events.cell_offsets[first]),
        events.cell_axes[cells],
        events.cells[cells],
        events.cell_weights[cells],
    )


def values_of_events(batch: EventBatch, vocabulary: Vocabulary) -> list[dict[str, tuple[Scalar, ...]]]:
    """For each event: its attributes with their values, as they were encoded with a vocabulary that keeps them."""
    found: list[dict[str, list[Scalar]]] = [{} for _ in range(batch.num_events)]
    names = vocabulary.attribute_names
    for values, rows, _, _ in batch.values:
        text = values.text.tobytes()
        listed = zip(*(_filled(column, len(rows)) for column in values[:-1]), rows.tolist(), strict=True)
        for attribute, kind, high, low, start, end, row in listed:
            value = decode(EncodedValue(kind, high, low, text[start:end]))
            found[row].setdefault(names[attribute], []).append(value)
    return [{name: tuple(own) for name, own in event.items()} for event in found]


def _filled(column: npt.NDArray[Any], length: int) -> list[Any]:
    """A column, which is left out where all of it is 0."""
    found: list[Any] = column.tolist() if len(column) else [0] * length
    return found
