"""How is an event that is a dict encoded in one call? Its objects are looked at by a loop; see `kernels.object_rows`.

What is unusual, may be an error, or comes before the loop is compiled, is left to `encoder.event_encoder`.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from eligo.data.events.direct.event_room import EventRoom
from eligo.data.events.direct.json_scratch import JsonScratch, roles_of
from eligo.data.events.direct.kernels.json_rows import MOST_BYTES, MOST_VALUES
from eligo.data.events.direct.kernels.object_rows import (
    BOOK,
    DICT,
    ITEMS,
    NUM_ITEMS,
    OBJECT_WORDS,
    PLAIN,
    RECORD,
    TRUE,
    encode_mapping,
)
from eligo.data.events.direct.kernels.python_objects import KNOWS_TYPES, PLAIN_TYPES
from eligo.data.vocabulary import Vocabulary
from eligo.language.limits import Limits
from eligo.sharing import ScratchPool

FIRST_HITS = 1_024
"""Keys, and cells, of an event for which there is room to begin with."""
ITEM = 8
"""Bytes of an item."""


class ObjectScratch(JsonScratch):
    """Scratch for a vocabulary; used by one call at a time."""

    num_words = OBJECT_WORDS

    def __init__(self, vocabulary: Vocabulary, roles: Any, longest_text: int) -> None:
        super().__init__(vocabulary, roles)
        self._longest_text = longest_text
        self.room = EventRoom(1, 0, 0, FIRST_HITS)
        self.limits_of_call: Limits | None = None
        for field, address in (
            (BOOK, vocabulary.book.ctypes.data),
            (RECORD, self.room.address),
            (TRUE, id(True)),
            (DICT, id(dict)),
            *((PLAIN + 8 * place, id(kind)) for place, kind in enumerate(PLAIN_TYPES)),
        ):
            self.record[field >> 3] = address

    def write_into(self, items: npt.NDArray[np.uint64]) -> None:
        """Have the items of events written there from now on."""
        self.items = memoryview(cast(Any, items)).cast("B")
        self.record[ITEMS >> 3] = items.ctypes.data
        self.record[NUM_ITEMS >> 3] = len(items)

    def keep_within(self, limits: Limits, most_values: int) -> None:
        """Prepare for these limits, which so many values of moderate length do not pass."""
        self.allow(limits, 0)
        self.record[MOST_BYTES >> 3] = self._longest_text
        self.record[MOST_VALUES >> 3] = most_values
        self.limits_of_call = limits

    def grow(self) -> None:
        """Make room for what the last event hits."""
        number = 2 * int(self.record[NUM_ITEMS >> 3]) + self.room.grow_scratch()
        self.write_into(np.empty(number, np.uint64))


class ObjectEncoder:
    """Encodes events that are dicts for one vocabulary; any number of threads may use it."""

    def __init__(self, vocabulary: Vocabulary, longest_text: int) -> None:
        """Strings of more bytes than that are left."""
        self._vocabulary, self._longest_text = vocabulary, longest_text
        self._roles = roles_of(vocabulary, {})
        self._pool: ScratchPool[ObjectScratch] = ScratchPool()

    @property
    def may_look(self) -> bool:
        """Whether the loop may look at objects in this Python."""
        return KNOWS_TYPES

    def scratch_for(self, items: npt.NDArray[np.uint64]) -> ObjectScratch:
        """Scratch for one call at a time, by which items are written there."""
        made = ObjectScratch(self._vocabulary, self._roles, self._longest_text)
        made.write_into(items)
        return made

    def items(self, event: dict[Any, Any], limits: Limits, most_values: int) -> bytes | None:
        """What an event hits, in any order and some of it more than once; None if it is left, for having more values.

        Or for holding what is not plain, or because the loop is not compiled.
        """
        if not KNOWS_TYPES:
            return None
        scratch = self._pool.take() or self.scratch_for(np.empty(3 * FIRST_HITS, np.uint64))
        if scratch.limits_of_call is not limits:
            scratch.keep_within(limits, most_values)
        number = encode_mapping(id(event), scratch.address)
        while number == -2:
            scratch.grow()
            number = encode_mapping(id(event), scratch.address)
        items = scratch.items[: ITEM * number].tobytes() if number >= 0 else None
        self._pool.give(scratch)
        return items
