"""How are many JSON texts encoded at once? In one call over their bytes; some are left for the long way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.data.events.direct.event_room import EventRoom
from eligo.data.events.direct.json_scratch import JsonScratch
from eligo.data.events.direct.kernels.json_rows import encode_texts
from eligo.data.events.direct.whole_numbers import book_for
from eligo.data.vocabulary import Vocabulary
from eligo.kernels.kernel import call_compiled
from eligo.language.limits import Limits

BYTES_OF_KEY, BYTES_OF_CELL = 6, 20
"""Bytes of text for each key and cell, to begin with."""
FIRST_HITS = 1_024
"""Hits of one event for which there is room to begin with."""
MOST_INTERPRETED = 30_000
"""Bytes that are read before the loop is compiled: each takes 12 µs then, and a loop does not see how many come."""


class JsonTexts(NamedTuple):
    """Texts one after another."""

    data: npt.NDArray[np.uint8]
    offsets: npt.NDArray[np.int64]
    """Text i is data[offsets[i] : offsets[i + 1]]."""

    @classmethod
    def of(cls, texts: Sequence[bytes]) -> JsonTexts:
        """Texts that are Python's."""
        offsets = np.zeros(len(texts) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)), out=offsets[1:])
        return cls(np.frombuffer(b"".join(texts), np.uint8), offsets)

    @classmethod
    def of_column(cls, column: pa.Array | pa.ChunkedArray) -> JsonTexts:
        """Texts of a column of strings or bytes, whose offsets were looked at; a null is empty."""
        whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        texts = whole.cast(pa.large_binary())
        if texts.null_count:
            texts = texts.fill_null(b"")
        if not len(texts):
            return cls.of(())
        _, offsets, data = texts.buffers()
        borders = np.frombuffer(offsets, np.int64, len(texts) + 1, 8 * texts.offset)
        return cls(np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8), borders)


def waiting(loop: Callable[..., Any], num_bytes: int) -> Callable[..., Any]:
    """A loop over so many bytes of text, which waits for the compiler where they are many."""
    return partial(call_compiled, loop) if num_bytes > MOST_INTERPRETED else loop


def encode_json(
    texts: JsonTexts, vocabulary: Vocabulary, scratch: JsonScratch, limits: Limits
) -> tuple[EventRoom, npt.NDArray[np.bool_]]:
    """The events of the texts that are read here, and for each text whether it is left."""
    data, offsets = texts
    count, size = len(offsets) - 1, int(offsets[-1] - offsets[0])
    scratch.allow(limits, min(int(np.diff(offsets).max(initial=0)), limits.event_bytes))
    room = EventRoom(count, size // BYTES_OF_KEY + FIRST_HITS, size // BYTES_OF_CELL + FIRST_HITS, FIRST_HITS)
    is_left = np.zeros(count, np.uint8)
    encode = waiting(encode_texts, size)
    number, book = 0, book_for(vocabulary, count)
    while True:
        number = encode(
            book,
            room.address,
            scratch.address,
            data.ctypes.data,
            offsets.ctypes.data,
            number,
            count,
            is_left.ctypes.data,
        )
        if number == count:
            return room, is_left.view(np.bool_)
        room.grow()
