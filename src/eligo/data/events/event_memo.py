"""How is one event encoded in a few microseconds? Value by value, from what was found for the same values before.

A value's keys and cells depend on its attribute and itself alone, so those of an event are the union of those of its
values. Values that were never seen are looked up together. What is not a plain value, or is an error, or is too much to
be looked at value by value, goes the long way, through `EventBatch.from_dicts`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

import numpy as np

from eligo.data.encoded_value import read_only
from eligo.data.events.event_batch import EventBatch
from eligo.data.vocabulary import Vocabulary
from eligo.errors import EligoError
from eligo.language.limits import DEFAULT_LIMITS, Limits

PLAIN = frozenset({bool, int, float, str, date, datetime})
"""The types of values that are remembered; subclasses are not, for they may hash and compare in their own way."""
MOST_VALUES = 1_000
"""Events with more values than this go the long way, which is the quicker one for them."""
LONGEST_REMEMBERED = 1_000
"""Longer strings than this are not remembered."""
MOST_REMEMBERED = 32_000_000
"""About so many bytes are remembered; when there are more, all are forgotten."""
BYTES_OF_VALUE = 300
"""What remembering a value takes beside its letters and what it hits."""

Remembered = tuple[str, type, Any]
"""An attribute, the type of a value, and the value."""
Hits = tuple[tuple[int, ...], tuple[int, ...]]
"""Keys, and cells as axis * 2^32 + cell."""


class EventMemo:
    """Encodes single events for one vocabulary; any number of threads may use it."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._attributes = vocabulary.event_numbers
        self._hits: dict[Remembered, Hits] = {}
        self._num_bytes = 0
        self._no_weights = read_only(np.zeros(0, np.float64))

    def encode(self, event: Mapping[str, Any], limits: Limits = DEFAULT_LIMITS) -> EventBatch:
        """One event as a batch."""
        if not isinstance(event, Mapping):
            return self._the_long_way(event, limits)
        # Within these numbers no limit can be passed, so only the long way has to count.
        room = min(MOST_VALUES, limits.event_values, limits.event_bytes // (4 * LONGEST_REMEMBERED))
        keys: list[int] = []
        cells: list[int] = []
        unseen: list[Remembered] = []
        for attribute, value in event.items():
            if value is None or (attribute not in self._attributes and (type(value) in PLAIN or type(value) is list)):
                if type(attribute) is str:
                    continue
                return self._the_long_way(event, limits)
            values = value if type(value) is list else (value,)
            room -= len(values)
            if room < 0:
                return self._the_long_way(event, limits)
            for each in values:
                kind = type(each)
                # A moment that clocks show twice equals the other one of its zone, and is not the same.
                if kind not in PLAIN or (kind is datetime and each.fold):
                    return self._the_long_way(event, limits)
                remembered = (attribute, kind, each)
                hits = self._hits.get(remembered)
                if hits is not None:
                    keys += hits[0]
                    cells += hits[1]
                elif each != each or (kind is str and len(each) > LONGEST_REMEMBERED):
                    return self._the_long_way(event, limits)
                else:
                    unseen.append(remembered)
        if unseen:
            try:
                found = self._look_up(unseen)
            except EligoError:
                return self._the_long_way(event, limits)
            for hits in found:
                keys += hits[0]
                cells += hits[1]
        return self._batch(sorted(set(keys)), sorted(set(cells)))

    def _the_long_way(self, event: Any, limits: Limits) -> EventBatch:
        return EventBatch.from_dicts([event], self._vocabulary, limits=limits)

    def _look_up(self, unseen: Sequence[Remembered]) -> list[Hits]:
        """What values hit, each looked up as an event of its own."""
        batch = EventBatch.from_dicts([{attribute: value} for attribute, _, value in unseen], self._vocabulary)
        axis_cells = (batch.cell_axes.astype(np.uint64) << np.uint64(32) | batch.cells).tolist()
        all_keys = batch.keys.tolist()
        key_offsets, cell_offsets = batch.key_offsets.tolist(), batch.cell_offsets.tolist()
        found: list[Hits] = []
        for row, remembered in enumerate(unseen):
            hits = (
                tuple(all_keys[key_offsets[row] : key_offsets[row + 1]]),
                tuple(axis_cells[cell_offsets[row] : cell_offsets[row + 1]]),
            )
            found.append(hits)
            value = remembered[2]
            letters = 4 * len(value) if type(value) is str else 0
            self._num_bytes += BYTES_OF_VALUE + letters + 40 * (len(hits[0]) + len(hits[1]))
            if self._num_bytes > MOST_REMEMBERED:
                self._hits, self._num_bytes = {}, 0
            self._hits[remembered] = hits
        return found

    def _batch(self, keys: list[int], cells: list[int]) -> EventBatch:
        axis_cells = np.array(cells, np.uint64)
        return EventBatch(
            read_only(np.array((0, len(keys)), np.uint64)),
            read_only(np.array(keys, np.uint32)),
            self._no_weights,
            read_only(np.array((0, len(cells)), np.uint64)),
            read_only((axis_cells >> np.uint64(32)).astype(np.uint32)),
            read_only(axis_cells.astype(np.uint32)),
            self._no_weights,
        )
