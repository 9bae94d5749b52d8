"""Which ids does a delta take from the parts before it? An array file of them, sorted, each once.

numbers              64-bit ints, or
offsets and data     strings, as `string_array` has them
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from eligo.errors import InputError
from eligo.storage.array_file import ArrayFile
from eligo.storage.refusal import damaged
from eligo.storage.string_array import pack_strings, unpack_strings


def tombstone_arrays(ids: pa.Array | pa.ChunkedArray) -> tuple[dict[str, np.ndarray[Any, Any]], int]:
    """The arrays of the file, equal for equal sets of ids, and how many ids there are."""
    if ids.null_count:
        raise InputError("a null cannot be a deleted id", help="leave the row out")
    distinct = pc.unique(ids)
    distinct = distinct.take(pc.array_sort_indices(distinct))
    if pa.types.is_integer(distinct.type):
        return {"numbers": distinct.cast(pa.int64()).to_numpy()}, len(distinct)
    return pack_strings(distinct), len(distinct)


def tombstone_ids(file: ArrayFile) -> pa.Array:
    """The ids in a file of tombstones: 64-bit ints or large strings."""
    if "numbers" not in file.arrays:
        return unpack_strings(file.arrays, what=f"ids of {file.path}")
    numbers = file.arrays["numbers"]
    if numbers.dtype != np.int64:
        raise damaged(file.path, "its ids are no 64-bit integers")
    return pa.array(numbers)
