"""How is one JSON text encoded in a few microseconds? By one call over its bytes, with scratch that is kept.

What is unusual or an error goes the long way, through Python's objects, and has the same outcome as everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from eligo.data.events.direct.event_room import EventRoom
from eligo.data.events.direct.json_scratch import JsonScratch, roles_of
from eligo.data.events.direct.json_texts import encoding
from eligo.data.events.event_batch import EventBatch
from eligo.data.events.event_json import parsed_event
from eligo.data.events.text_values import moment_readers
from eligo.data.vocabulary import Vocabulary
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.language.value import Kind
from eligo.sharing import ScratchPool

FIRST_HITS = 1_024
"""Keys, and cells, of an event for which there is room to begin with."""


class _Scratch:
    """What one call has for itself."""

    def __init__(self, json: JsonScratch) -> None:
        self.json = json
        self.room = EventRoom(1, FIRST_HITS, FIRST_HITS, FIRST_HITS)
        self.offsets = np.zeros(2, np.int64)
        self.is_left = np.zeros(1, np.uint8)
        self.offsets_address: int = self.offsets.ctypes.data
        self.is_left_address: int = self.is_left.ctypes.data


class JsonEncoder:
    """Encodes events as JSON texts for one vocabulary; any number of threads may use it."""

    def __init__(self, vocabulary: Vocabulary, moments: Mapping[str, Kind] | None = None) -> None:
        """`moments` says of which attributes texts are dates or timestamps; unless given, the vocabulary does."""
        self.vocabulary = vocabulary
        self.moments = vocabulary.temporal_kinds if moments is None else moments
        self._roles = roles_of(vocabulary, self.moments)
        self._book: int = vocabulary.book.ctypes.data
        self._pool: ScratchPool[_Scratch] = ScratchPool()

    def encode(self, text: bytes, limits: Limits = DEFAULT_LIMITS) -> EventBatch:
        """One event as a batch."""
        if self.vocabulary.keeps_values or len(text) > limits.event_bytes:
            return self._the_long_way(text, limits)
        scratch = self._pool.take() or _Scratch(JsonScratch(self.vocabulary, self._roles))
        scratch.json.allow(limits, len(text))
        scratch.offsets[1] = len(text)
        data = np.frombuffer(text, np.uint8)
        encode, room = encoding(len(text)), scratch.room
        room.clear()
        while not encode(
            self._book,
            room.address,
            scratch.json.address,
            data.ctypes.data,
            scratch.offsets_address,
            0,
            1,
            scratch.is_left_address,
        ):
            room.grow()
        is_left = bool(scratch.is_left[0])
        batch = None if is_left else EventBatch.of_unweighted(*room.only_event())
        self._pool.give(scratch)
        return self._the_long_way(text, limits) if batch is None else batch

    def _the_long_way(self, text: bytes, limits: Limits) -> EventBatch:
        return EventBatch.from_json_texts(
            None,
            [text],
            self.vocabulary,
            self.moments,
            parse=lambda text: (parsed_event(text, limits), None),
            readers=moment_readers(self.moments),
            limits=limits,
        )
