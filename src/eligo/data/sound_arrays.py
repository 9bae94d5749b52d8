"""Does an Arrow array stay within its own memory? That is looked at before its buffers are read by address.

    offsets  0  5  11  13        each string, list or map begins where the last one ended, within what there is
    offsets  0  5  2^30  13      foreign memory, or a crash

Arrow itself looks when an array is made by it, and not when one is handed over: files of its own format are mapped as
they are, and so is what comes through the PyCapsule interface. Words that a dictionary does not have, and strings that
are not UTF-8, make a row bad and not the table; `events.column_values` refuses those.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from eligo.errors import InputError, shown

DAMAGED_HELP = "write the table again where it comes from; table.validate(full=True) says what is wrong with it"

_NARROW = (pt.is_string, pt.is_binary, pt.is_list, pt.is_map)
_WIDE = (pt.is_large_string, pt.is_large_binary, pt.is_large_list)


def damaged(column: str, reason: object) -> InputError:
    """The error for a column whose arrays lead out of their memory."""
    return InputError(f"the column {shown(column)} is damaged: {reason}", help=DAMAGED_HELP)


def require_whole(table: pa.Table | pa.RecordBatch) -> None:
    """Refuse a table whose buffers are shorter than its columns say: no value is looked at, so this costs little."""
    try:
        table.validate()
    except pa.ArrowInvalid as error:
        raise InputError(f"the table is damaged: {error}", help=DAMAGED_HELP) from None


def require_sound(chunks: Sequence[pa.Array], column: str) -> None:
    """Refuse a column of which some array, at any depth, leads out of its memory: one pass over the offsets."""
    try:
        for chunk in chunks:
            chunk.validate()
        pending = list(chunks)
        while pending:
            pending += _arrays_inside(pending.pop())
    except (pa.ArrowInvalid, IndexError) as error:
        raise damaged(column, error) from None


def _arrays_inside(array: pa.Array) -> list[pa.Array]:
    """The arrays that an array is made of, after a look at how it leads to their places; an `ArrowInvalid` if badly."""
    kind = array.type
    if isinstance(array, pa.ExtensionArray):
        return [array.storage]
    if any(test(kind) for test in (*_NARROW, *_WIDE)):
        if not len(array):
            return []
        borders = _offsets(array, np.dtype(np.int64 if any(test(kind) for test in _WIDE) else np.int32))
        _require_ascending(borders)
        inside = [array.keys, array.items] if pt.is_map(kind) else [array.values] if pt.is_nested(kind) else []
        return [each.slice(int(borders[0]), int(borders[-1] - borders[0])) for each in inside]
    if pt.is_fixed_size_list(kind):
        return [array.values]
    if pt.is_struct(kind):
        return [array.field(place) for place in range(kind.num_fields)]
    if pt.is_dictionary(kind):
        if not (pt.is_string(kind.value_type) or pt.is_large_string(kind.value_type)):
            array.validate(full=True)
        return [array.dictionary]
    if pt.is_run_end_encoded(kind):
        _require_ascending(array.run_ends.to_numpy(zero_copy_only=False))
        return [array.values]
    if pt.is_list_view(kind) or pt.is_large_list_view(kind):
        _require_within(array.offsets, array.sizes, len(array.values))
        return [array.values]
    if pt.is_string_view(kind) or pt.is_binary_view(kind):
        array.view(pa.binary_view()).validate(full=True)  # as bytes, whose UTF-8 is not looked at
    return []


def _offsets(array: pa.Array, dtype: np.dtype[np.signedinteger]) -> npt.NDArray[np.signedinteger]:
    return np.frombuffer(array.buffers()[1], dtype, len(array) + 1, array.offset * dtype.itemsize)


def _require_ascending(borders: npt.NDArray[np.signedinteger]) -> None:
    """Ends are looked at by Arrow's own `validate`."""
    if len(borders) and (borders[0] < 0 or not (borders[1:] >= borders[:-1]).all()):
        raise pa.ArrowInvalid("its offsets do not ascend")


def _require_within(offsets: pa.Array, sizes: pa.Array, length: int) -> None:
    starts, counts = (array.to_numpy(zero_copy_only=False).astype(np.int64) for array in (offsets, sizes))
    if ((starts < 0) | (counts < 0) | (starts > length - counts)).any():
        raise pa.ArrowInvalid("its offsets lead beyond its values")
