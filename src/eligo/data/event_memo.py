"""How is one event encoded in a few microseconds? Value by value, from what was found for the same values before.

A value's keys and cells depend on its attribute and itself alone, so those of an event are the union of those of its
values. What is not a plain value, or is an error, goes the long way, through `EventBatch.from_dicts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

import numpy as np

from eligo.data.encoded_value import read_only
from eligo.data.event_batch import EventBatch
from eligo.data.vocabulary import Vocabulary
from eligo.errors import EligoError

PLAIN = frozenset({bool, int, float, str, date, datetime})
"""The types of values that are remembered; subclasses are not, for they may hash and compare in their own way."""
MOST_REMEMBERED = 200_000
"""Values that are remembered; when there are more, all are forgotten."""
LONGEST_REMEMBERED = 1_000
"""Longer strings than this are not remembered."""

Hits = tuple[tuple[int, ...], tuple[int, ...]]
"""Keys, and cells as axis * 2^32 + cell."""


class EventMemo:
    """Encodes single events for one vocabulary; any number of threads may use it."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._attributes = vocabulary.attribute_numbers
        self._hits: dict[tuple[str, type, Any], Hits] = {}
        self._no_weights = read_only(np.zeros(0, np.float64))

    def encode(self, event: Mapping[str, Any]) -> EventBatch:
        """One event as a batch."""
        keys: list[int] = []
        cells: list[int] = []
        if not isinstance(event, Mapping):
            return EventBatch.from_dicts([event], self._vocabulary)
        for attribute, value in event.items():
            if value is None or (attribute not in self._attributes and (type(value) in PLAIN or type(value) is list)):
                if type(attribute) is str:
                    continue
                return EventBatch.from_dicts([event], self._vocabulary)
            for each in value if type(value) is list else (value,):
                kind = type(each)
                # A moment that clocks show twice equals the other one of its zone, and is not the same.
                if kind not in PLAIN or (kind is datetime and each.fold):
                    return EventBatch.from_dicts([event], self._vocabulary)
                hits = self._hits.get((attribute, kind, each))
                if hits is None:
                    hits = self._look_up(attribute, kind, each)
                    if hits is None:
                        return EventBatch.from_dicts([event], self._vocabulary)
                keys += hits[0]
                cells += hits[1]
        return self._batch(sorted(set(keys)), sorted(set(cells)))

    def _look_up(self, attribute: str, kind: type, value: Any) -> Hits | None:
        """What a value hits; None when it takes the whole event to say."""
        if value != value or (kind is str and len(value) > LONGEST_REMEMBERED):
            return None
        try:
            batch = EventBatch.from_dicts([{attribute: value}], self._vocabulary)
        except EligoError:
            return None
        cells = batch.cell_axes.astype(np.uint64) << np.uint64(32) | batch.cells
        hits = tuple(batch.keys.tolist()), tuple(cells.tolist())
        if len(self._hits) >= MOST_REMEMBERED:
            self._hits = {}
        self._hits[attribute, kind, value] = hits
        return hits

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
