"""How do strings become arrays, a million at a time?

    ["a", "", "bc"]   ⇄   offsets 0 1 1 3    data a b c

String i is data[offsets[i]:offsets[i + 1]] in UTF-8. Arrow does the work, so no Python object is made for a string
until someone asks for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from eligo.errors import DamagedFileError, InputError
from eligo.storage.refusal import BUILD_AGAIN


def pack_strings(strings: Iterable[str] | pa.Array | pa.ChunkedArray) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays `offsets` and `data` of strings, which may be Arrow's already.

    An `InputError` for a null or for half a surrogate pair, which have no UTF-8.
    """
    column = _large_strings(strings)
    if column.null_count:
        raise InputError("a null cannot be stored among strings", help="leave the row out, or give it a value")
    if not len(column):
        return {"offsets": np.zeros(1, np.uint64), "data": np.zeros(0, np.uint8)}
    offsets, data = string_views(column)
    first, end = int(offsets[0]), int(offsets[-1])
    return {"offsets": (offsets - first).view(np.uint64), "data": data[first:end]}


def string_views(strings: pa.Array) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The memory of large strings, none of them null: string i is data[offsets[i]:offsets[i + 1]]."""
    if not len(strings):
        return np.zeros(1, np.int64), np.zeros(0, np.uint8)
    _, offset_buffer, data_buffer = strings.buffers()
    offsets = np.frombuffer(offset_buffer, np.int64)[strings.offset : strings.offset + len(strings) + 1]
    data = np.frombuffer(data_buffer, np.uint8) if offsets[-1] > offsets[0] else np.zeros(0, np.uint8)
    return offsets, data


def unpack_strings(arrays: Mapping[str, np.ndarray[Any, Any]], *, what: str = "strings") -> pa.Array:
    """The strings of `offsets` and `data` as an Arrow array (large_string) over the same memory.

    Offsets and UTF-8 are checked, because Arrow does not look at them again; `what` names the strings in the error.
    """
    num_strings = count_strings(arrays, what=what)
    buffers = [None, *(pa.py_buffer(np.ascontiguousarray(arrays[name])) for name in ("offsets", "data"))]
    column = pa.Array.from_buffers(pa.large_string(), num_strings, buffers, null_count=0)
    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        raise DamagedFileError(f"the {what} are damaged: {error}", help=BUILD_AGAIN) from None
    return column


def string_at(arrays: Mapping[str, np.ndarray[Any, Any]], place: int, *, what: str = "strings") -> str:
    """One of the strings; nothing is read of the others."""
    first, end = (int(offset) for offset in arrays["offsets"][place : place + 2])
    data = arrays["data"][first:end]
    if len(data) != end - first:
        raise DamagedFileError(f"the {what} are damaged: the offsets of one do not span it", help=BUILD_AGAIN)
    try:
        return data.tobytes().decode()
    except UnicodeDecodeError as error:
        raise DamagedFileError(f"the {what} are damaged: {error}", help=BUILD_AGAIN) from None


def count_strings(arrays: Mapping[str, np.ndarray[Any, Any]], *, what: str = "strings") -> int:
    """How many strings there are; types and ends of the arrays are compared, and nothing else is read."""
    offsets, data = arrays.get("offsets"), arrays.get("data")
    if offsets is None or data is None or offsets.dtype != np.uint64 or data.dtype != np.uint8 or not len(offsets):
        raise DamagedFileError(f"the {what} are not stored as offsets and bytes", help=BUILD_AGAIN)
    if int(offsets[0]) != 0 or int(offsets[-1]) != len(data):
        raise DamagedFileError(f"the offsets of the {what} do not span their {len(data)} bytes", help=BUILD_AGAIN)
    return len(offsets) - 1


def _large_strings(strings: Iterable[str] | pa.Array | pa.ChunkedArray) -> pa.Array:
    try:
        if isinstance(strings, pa.ChunkedArray):
            strings = strings.cast(pa.large_string()).combine_chunks()
        if isinstance(strings, pa.Array):
            return strings.cast(pa.large_string())
        return pa.array(strings, type=pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError, UnicodeEncodeError) as error:
        raise InputError(f"these cannot be stored as strings: {error}") from None
