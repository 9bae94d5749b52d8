"""How is one JSON text encoded in a few microseconds? By one call over its bytes, with scratch that is kept.

What is unusual or an error goes the long way, through Python's objects, and has the same outcome as everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from eligo.data.events.direct.event_room import EventRoom
from eligo.data.events.direct.json_scratch import JsonScratch, roles_of
from eligo.data.events.direct.json_texts import waiting
from eligo.data.events.direct.kernels.json_rows import encode_text
from eligo.data.events.encoder.hits import ITEM, Items
from eligo.data.events.event_batch import EventBatch
from eligo.data.events.event_json import parsed_event
from eligo.data.events.kernels.event_items import CELLS_FROM
from eligo.data.events.text_values import moment_readers
from eligo.data.vocabulary import Vocabulary
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.language.value import Kind
from eligo.sharing import ScratchPool

FIRST_HITS = 1_024
"""Keys, and cells, of an event for which there is room to begin with."""
FIRST_BYTES = 4_096
"""Of a text for which there is room to begin with."""
NO_ROOM = -2


class _Scratch:
    """What one call has for itself."""

    def __init__(self, json: JsonScratch) -> None:
        self.json = json
        self.room = EventRoom(1, 0, 0, FIRST_HITS)
        self.make_text(FIRST_BYTES)
        self.make_items(3 * FIRST_HITS)

    def make_text(self, num_bytes: int) -> None:
        """Make room for a text of so many bytes."""
        text = np.empty(num_bytes, np.uint8)
        self.text = memoryview(cast(Any, text))
        self.text_address: int = text.ctypes.data

    def make_items(self, number: int) -> None:
        """Make room for so many items."""
        items = np.empty(number, np.uint64)
        self.num_items = number
        self.items = memoryview(cast(Any, items)).cast("B")
        self.items_address: int = items.ctypes.data


class JsonEncoder:
    """Encodes events as JSON texts for one vocabulary; any number of threads may use it."""

    def __init__(self, vocabulary: Vocabulary, moments: Mapping[str, Kind] | None = None) -> None:
        """`moments` says of which attributes texts are dates or timestamps; unless given, the vocabulary does."""
        self.vocabulary = vocabulary
        self.moments = vocabulary.temporal_kinds if moments is None else moments
        self._roles = roles_of(vocabulary, self.moments)
        self._book: int = vocabulary.book.ctypes.data
        self._pool: ScratchPool[_Scratch] = ScratchPool()

    def items(self, text: bytes, limits: Limits = DEFAULT_LIMITS) -> Items:
        """What one event hits, in any order and some of it more than once."""
        length = len(text)
        if self.vocabulary.keeps_values or length > limits.event_bytes:
            return self._the_long_way(text, limits)
        scratch = self._pool.take() or _Scratch(JsonScratch(self.vocabulary, self._roles))
        scratch.json.allow(limits, length)
        if length > len(scratch.text):
            scratch.make_text(2 * length)
        scratch.text[:length] = text
        encode = waiting(encode_text, length)
        while True:
            number = encode(
                self._book,
                scratch.room.address,
                scratch.json.address,
                scratch.text_address,
                length,
                scratch.items_address,
                scratch.num_items,
            )
            if number != NO_ROOM:
                break
            scratch.make_items(2 * scratch.num_items + scratch.room.grow_scratch())
        items = None if number < 0 else scratch.items[: ITEM * number].tobytes()
        self._pool.give(scratch)
        return self._the_long_way(text, limits) if items is None else items

    def _the_long_way(self, text: bytes, limits: Limits) -> Items:
        batch = EventBatch.from_json_texts(
            None,
            [text],
            self.vocabulary,
            self.moments,
            parse=lambda text: (parsed_event(text, limits), None),
            readers=moment_readers(self.moments),
            limits=limits,
        )
        cells = (batch.cell_axes.astype(np.uint64) + np.uint64(1)) * np.uint64(CELLS_FROM) + batch.cells
        return batch.keys.astype(np.uint64).tobytes() + cells.tobytes()
