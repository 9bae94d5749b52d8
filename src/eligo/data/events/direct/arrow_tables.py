"""How is a whole table encoded in one pass? By the address of each of its record batches, and a plan of their columns.

Arrow gives out a record batch by its C data interface, in one call for all of its columns.
"""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.data.events.direct.column_plan import ColumnPlan
from eligo.data.events.direct.event_room import EventRoom
from eligo.data.events.direct.kernels.arrow_rows import (
    IS_BAD,
    KEPT_WORDS,
    LISTED,
    PLACE_WORDS,
    encode_rows,
    find_places,
)
from eligo.data.events.direct.whole_numbers import book_for
from eligo.data.sound_arrays import require_whole
from eligo.data.vocabulary import Vocabulary
from eligo.kernels.kernel import call_compiled

KEYS_OF_COLUMN = 2
"""Keys of an event for each column, to begin with: that it is present, and its value."""
KEYS_OF_LIST = 4
FIRST_HITS = 256
"""Hits of one event for which there is room to begin with."""
MOST_INTERPRETED = 5_000
"""Values that are read before the loop is compiled: each takes 50 µs then, and a loop does not see how many come."""
BYTES_OF_VALUE = 4
"""Bytes of a table with lists for each value, at least."""

_address_in = ctypes.pythonapi.PyCapsule_GetPointer
_address_in.restype = ctypes.c_void_p
_address_in.argtypes = [ctypes.py_object, ctypes.c_char_p]


def encode_table(
    batches: Sequence[pa.RecordBatch],
    plan: ColumnPlan,
    vocabulary: Vocabulary,
    more: Sequence[npt.NDArray[Any]] | None = None,
    skipped: Collection[int] = (),
) -> tuple[EventRoom, list[str]]:
    """The events of record batches of one schema, and the columns in which something is no value.

    `more` has what the events hit by other columns: key_offsets, keys, cell_offsets, cell_axes and cells, of the rows
    that are not skipped.
    """
    num_rows = sum(batch.num_rows for batch in batches)
    table = plan.table.copy()
    num_columns, num_lists = len(table), int((table[:, LISTED >> 3] != 0).sum())
    num_keys = (KEYS_OF_COLUMN * num_columns + KEYS_OF_LIST * num_lists) * num_rows + FIRST_HITS
    room = EventRoom(num_rows, num_keys, num_columns * num_rows + FIRST_HITS, FIRST_HITS)
    is_skipped = np.zeros(num_rows if skipped else 0, np.uint8)
    is_skipped[list(skipped)] = 1
    more_addresses = np.array([array.ctypes.data for array in more or ()], np.int64)
    places = np.zeros(num_columns * PLACE_WORDS, np.int64)
    plan_address, places_address = table.ctypes.data, places.ctypes.data
    book = book_for(vocabulary, num_rows)
    encode = partial(call_compiled, encode_rows) if _is_much(batches, num_columns, num_lists) else encode_rows
    start = 0
    for batch in batches:
        require_whole(batch)
        exported = batch.__arrow_c_array__()[1]
        array = _address_in(exported, b"arrow_array")
        if num_words := find_places(array, plan_address, num_columns, places_address, 0, 0):
            kept = np.zeros(KEPT_WORDS * num_words, np.uint64)
            find_places(array, plan_address, num_columns, places_address, kept.ctypes.data, num_words)
        row = 0
        while True:
            row = encode(
                book,
                room.address,
                array,
                plan_address,
                num_columns,
                places_address,
                row,
                more_addresses.ctypes.data if more is not None else 0,
                is_skipped.ctypes.data + start if skipped else 0,
            )
            if row == batch.num_rows:
                break
            room.grow()
        start += batch.num_rows
    bad = [plan.names[column] for column in np.flatnonzero(table[:, IS_BAD >> 3]).tolist()]
    return room, bad


def _is_much(batches: Sequence[pa.RecordBatch], num_columns: int, num_lists: int) -> bool:
    """Whether there is more to read than should be interpreted; nothing is counted once the loop is compiled."""
    if getattr(encode_rows, "overloads", None):
        return False
    in_lists = sum(batch.nbytes for batch in batches) // BYTES_OF_VALUE if num_lists else 0
    return bool(sum(batch.num_rows for batch in batches) * num_columns + in_lists > MOST_INTERPRETED)
