"""How do many events that come as mappings become a batch? One after another, by the encoder of one event."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.events.encoded_events import EncodedEvents, arrays_of_kernel, encoded_values
from eligo.data.events.encoder.event_encoder import encoder_of
from eligo.data.events.encoder.hits import ITEM, Items
from eligo.data.events.event import Reader, read_each, read_events
from eligo.data.events.event_weights import EventWeights
from eligo.data.events.kernels.event_items import lay_out_items
from eligo.data.vocabulary import Vocabulary
from eligo.language.limits import Limits


class RowWriter:
    """Collects what events hit, event by event."""

    def __init__(self, vocabulary: Vocabulary, readers: Mapping[str, Reader], limits: Limits) -> None:
        self._encoder = encoder_of(vocabulary)
        self._readers, self._limits = readers, limits
        self._items = array("q")
        self._ends = array("q")
        self._weights: array[float] | None = None
        """The weights of items; None while no event has come with any."""

    def read(self, event: Any, weights: EventWeights | None) -> None:
        """Add an event; one that is none is an error, and adds nothing."""
        if weights is not None:
            items, own = self._encoder.weighted_items(event, weights, self._limits, self._readers)
            if self._weights is None:
                self._weights = array("d", repeat(1.0, len(self._items)))
            self._weights.fromlist(own)
        elif self._readers:
            items = self._encoder.read_items(event, self._limits, self._readers)
        else:
            items = self._encoder.items(event, self._limits)
        self._items.frombytes(items)
        if weights is None and self._weights is not None:
            self._weights.extend(repeat(1.0, len(items) // ITEM))
        self._ends.append(len(self._items))

    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """The arrays of the batch; nothing can be added any more."""
        weights = self._weights if self._weights is not None else array("d")
        arrays: tuple[npt.NDArray[Any], ...] = lay_out_items(
            np.frombuffer(self._items, np.uint64), np.frombuffer(self._ends, np.int64), np.frombuffer(weights)
        )
        return arrays


def encoded_mappings(
    events: Iterable[Any], vocabulary: Vocabulary, readers: Mapping[str, Reader], *, limits: Limits, **options: Any
) -> EncodedEvents:
    """Events that `parse` makes mappings of, with their weights; the options are those of `event.read_each`."""
    if vocabulary.keeps_values:
        values, num_events, rejects = read_events(events, vocabulary, readers=readers, limits=limits, **options)
        return encoded_values(num_events, [values], vocabulary)._replace(rejects=rejects)
    rows = RowWriter(vocabulary, readers, limits)
    rejects = read_each(events, rows.read, limits=limits, **options)
    return EncodedEvents(arrays_of_kernel(rows.arrays()), rejects)


def laid_out(items: Items) -> tuple[npt.NDArray[Any], ...]:
    """The arrays of a batch of one event that hits these items."""
    arrays: tuple[npt.NDArray[Any], ...] = lay_out_items(
        np.frombuffer(items, np.uint64).copy(), np.array([len(items) // ITEM], np.int64), np.zeros(0)
    )
    return arrays
