"""How is one JSON text encoded in a few microseconds? By one call over its bytes, with scratch that is kept.

Such a call keeps the interpreter lock, so a long text is encoded as a block of one, which other threads need not wait
for. What is unusual or an error goes the long way, through Python's objects, and has the same outcome as everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from eligo.data.events.direct.event_room import EventRoom
from eligo.data.events.direct.json_scratch import JsonScratch, roles_of
from eligo.data.events.direct.json_texts import JsonTexts, waiting
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
MOST_BRIEF = 1 << 16
"""Bytes of a text up to which it is read with the interpreter lock: a fraction of a millisecond."""
NO_ROOM = -2


class TextScratch:
    """What one call has for itself."""

    def __init__(self, json: JsonScratch, items: npt.NDArray[np.uint64]) -> None:
        self.json = json
        self.room = EventRoom(1, 0, 0, FIRST_HITS)
        self.make_text(FIRST_BYTES)
        self.write_into(items)

    def make_text(self, num_bytes: int) -> None:
        """Make room for a text of so many bytes."""
        text = np.empty(num_bytes, np.uint8)
        self.text = memoryview(cast(Any, text))
        self.text_address: int = text.ctypes.data

    def write_into(self, items: npt.NDArray[np.uint64]) -> None:
        """Have the items of events written there from now on."""
        self.num_items = len(items)
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
        self._pool: ScratchPool[TextScratch] = ScratchPool()

    def scratch_for(self, items: npt.NDArray[np.uint64]) -> TextScratch:
        """Scratch for one call at a time, by which items are written there."""
        return TextScratch(JsonScratch(self.vocabulary, self._roles), items)

    def items(self, text: bytes, limits: Limits = DEFAULT_LIMITS) -> Items:
        """What one event hits, in any order and some of it more than once."""
        scratch = self._pool.take() or self.scratch_for(np.empty(3 * FIRST_HITS, np.uint64))
        number = self.write_items(text, scratch, limits)
        while number == NO_ROOM:
            scratch.write_into(np.empty(2 * scratch.num_items + scratch.room.grow_scratch(), np.uint64))
            number = self.write_items(text, scratch, limits)
        items = None if number < 0 else scratch.items[: ITEM * number].tobytes()
        self._pool.give(scratch)
        return self.items_of_left(text, limits) if items is None else items

    def write_items(self, text: bytes, scratch: TextScratch, limits: Limits) -> int:
        """Write what one event hits to where the scratch says; how many, -1 if it is left, NO_ROOM if they are more."""
        length = len(text)
        if self.vocabulary.keeps_values or length > min(limits.event_bytes, MOST_BRIEF):
            return -1
        scratch.json.allow(limits, length)
        if length > len(scratch.text):
            scratch.make_text(2 * length)
        scratch.text[:length] = text
        written: int = waiting(encode_text, length)(
            self._book,
            scratch.room.address,
            scratch.json.address,
            scratch.text_address,
            length,
            scratch.items_address,
            scratch.num_items,
        )
        return written

    def items_of_left(self, text: bytes, limits: Limits) -> Items:
        """What one event hits whose text `write_items` has left."""
        batch = EventBatch.from_json_texts(
            JsonTexts.of([text]) if len(text) > MOST_BRIEF else None,
            [text],
            self.vocabulary,
            self.moments,
            parse=lambda text: (parsed_event(text, limits), None),
            readers=moment_readers(self.moments),
            limits=limits,
        )
        cells = (batch.cell_axes.astype(np.uint64) + np.uint64(1)) * np.uint64(CELLS_FROM) + batch.cells
        return batch.keys.astype(np.uint64).tobytes() + cells.tobytes()
