"""How is an Arrow column read without an object for each value? As numpy views of its buffers, by its type.

bool, ints, floats, decimals        exact numbers; NaN is missing
strings, also dictionaries          views of their bytes
dates, timestamps                   days, microseconds; finer times are refused unless they are whole microseconds
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from eligo.data.column_wrappings import decoded_runs, decoded_words, without_views
from eligo.data.encoded_value import encode_floats
from eligo.errors import EventError
from eligo.kernels import codes
from eligo.kernels.decimals import decimals_to_numbers
from eligo.language.value import INT64_MAX

Ints = npt.NDArray[np.int64]
Refuse = Callable[[Ints, str, str], None]
"""Called with places of the column, what is wrong with the values there, and help."""

NO_INTS: Ints = np.zeros(0, np.int64)
NO_FLOATS: npt.NDArray[np.float64] = np.zeros(0, np.float64)
NO_PLACES: npt.NDArray[np.uint64] = np.zeros(0, np.uint64)
NO_TEXT: npt.NDArray[np.uint8] = np.zeros(0, np.uint8)

_MICROSECONDS = {"s": 1_000_000, "ms": 1_000, "us": 1}
_MILLISECONDS_IN_DAY = 86_400_000


class ColumnValues(NamedTuple):
    """The values of a column that are there, of one kind, unless `kinds` says otherwise."""

    kind: int
    places: Ints
    """For each value: its place in the column, ascending."""
    highs: Ints = NO_INTS
    """For each value that is no string: the high part (`data.encoded_value`); empty when all are strings."""
    lows: npt.NDArray[np.float64] = NO_FLOATS
    """For each value that is no string: the low part; empty when all are strings."""
    starts: npt.NDArray[np.uint64] = NO_PLACES
    """For each string: where its bytes begin in `text`; empty when there are none."""
    ends: npt.NDArray[np.uint64] = NO_PLACES
    text: npt.NDArray[np.uint8] = NO_TEXT
    kinds: npt.NDArray[np.uint8] | None = None
    """For each value: its kind, where they differ."""


def read_scalars(array: pa.Array, refuse: Refuse) -> ColumnValues:
    """The values of an array of scalars; a type that is no kind of value raises an `EventError`."""
    array = plain(array)
    kind = array.type
    if pt.is_null(kind):
        return ColumnValues(codes.BOOL, NO_INTS, NO_INTS, NO_FLOATS)
    if pt.is_string(kind) or pt.is_large_string(kind) or pt.is_dictionary(kind):
        return _read_strings(array)
    places = valid_places(array)
    if pt.is_boolean(kind):
        return _whole(codes.BOOL, places, fixed_width(array.cast(pa.uint8()), np.uint8))
    if pt.is_integer(kind):
        return _read_ints(array, places, refuse)
    if pt.is_floating(kind):
        numbers = fixed_width(array.cast(pa.float64()), np.float64)[places]
        is_number = ~np.isnan(numbers)
        return ColumnValues(codes.NUMBER, places[is_number], *encode_floats(numbers[is_number]))
    if pt.is_decimal(kind):
        return _read_decimals(array, places, refuse)
    if pt.is_date32(kind):
        return _whole(codes.DATE, places, fixed_width(array, np.int32))
    if pt.is_date64(kind):
        return _whole(codes.DATE, places, fixed_width(array, np.int64) // _MILLISECONDS_IN_DAY)
    if pt.is_timestamp(kind):
        return _read_timestamps(array, places, refuse)
    raise unsupported(kind)


def unsupported(kind: pa.DataType) -> EventError:
    """The error for a type that holds no values."""
    return EventError(
        f"a column of type {kind} has no kind of value",
        help="use bool, ints, floats, decimals, strings, dates, timestamps, or lists of one of these",
    )


def plain(array: pa.Array) -> pa.Array:
    """The array without wrappings that say nothing about its values."""
    while True:
        kind = array.type
        if isinstance(array, pa.ExtensionArray):
            array = array.storage
        elif pt.is_run_end_encoded(kind):
            array = decoded_runs(array)
        elif pt.is_string_view(kind) or pt.is_binary_view(kind):
            array = without_views(array)
        elif pt.is_dictionary(kind) and not (pt.is_string(kind.value_type) or pt.is_large_string(kind.value_type)):
            array = decoded_words(array)
        else:
            return array


def valid_places(array: pa.Array) -> Ints:
    """The places of an array that are not null."""
    if array.null_count == 0:
        return np.arange(len(array), dtype=np.int64)
    bits = np.frombuffer(array.buffers()[0], np.uint8)
    is_valid = np.unpackbits(bits, count=array.offset + len(array), bitorder="little")[array.offset :]
    return np.flatnonzero(is_valid)


def fixed_width(array: pa.Array, dtype: Any, words: int = 1) -> npt.NDArray[Any]:
    """The values of an array of fixed width, whatever stands at nulls; a value may take several words."""
    width = np.dtype(dtype).itemsize * words
    if len(array) == 0:
        return np.zeros(0, dtype)
    return np.frombuffer(array.buffers()[1], dtype, count=len(array) * words, offset=array.offset * width)


def _whole(kind: int, places: Ints, numbers: npt.NDArray[Any]) -> ColumnValues:
    highs = numbers[places].astype(np.int64)
    return ColumnValues(kind, places, highs, np.zeros(len(highs), np.float64))


def _read_ints(array: pa.Array, places: Ints, refuse: Refuse) -> ColumnValues:
    if not pt.is_uint64(array.type):
        return _whole(codes.NUMBER, places, fixed_width(array.cast(pa.int64()), np.int64))
    numbers = fixed_width(array, np.uint64)
    places = _kept(
        places, numbers[places] > np.uint64(INT64_MAX), refuse, "an integer does not fit in 64 bits with sign"
    )
    return _whole(codes.NUMBER, places, numbers)


def _read_decimals(array: pa.Array, places: Ints, refuse: Refuse) -> ColumnValues:
    scale = max(array.type.scale, 0)
    try:
        wide = array.cast(pa.decimal128(38, scale))
    except pa.ArrowInvalid:
        raise EventError(
            f"a decimal of type {array.type} does not fit in 38 digits", help="cast the column to double"
        ) from None
    highs, lows, is_exact = decimals_to_numbers(np.ascontiguousarray(fixed_width(wide, np.uint64, 2)), scale)
    problem = "a decimal is neither whole in 64 bits nor exactly a float"
    places = _kept(places, is_exact[places] == 0, refuse, problem, "cast the column to double to round it")
    return ColumnValues(codes.NUMBER, places, highs[places], lows[places])


def _read_timestamps(array: pa.Array, places: Ints, refuse: Refuse) -> ColumnValues:
    ticks = fixed_width(array, np.int64)
    if array.type.unit == "ns":
        problem = "a timestamp is finer than a microsecond"
        places = _kept(places, ticks[places] % 1000 != 0, refuse, problem, "cast the column to timestamp[us]")
        return _whole(codes.TIMESTAMP, places, ticks // 1000)
    factor = _MICROSECONDS[array.type.unit]
    limit = INT64_MAX // factor
    is_beyond = (ticks[places] > limit) | (ticks[places] < -limit)
    places = _kept(places, is_beyond, refuse, "a timestamp is beyond what 64 bits of microseconds hold")
    moments = ticks[places] * factor
    return ColumnValues(codes.TIMESTAMP, places, moments, np.zeros(len(moments), np.float64))


def _kept(places: Ints, is_bad: npt.NDArray[np.bool_], refuse: Refuse, problem: str, help: str = "") -> Ints:
    """The good places, after refusing the bad ones."""
    if not is_bad.any():
        return places
    refuse(places[is_bad], problem, help)
    return places[~is_bad]


def _read_strings(array: pa.Array) -> ColumnValues:
    """Strings as places in the bytes of their column; those of a dictionary as places in its bytes."""
    if not pt.is_dictionary(array.type):
        places = valid_places(array)
        starts, ends, text = _text(array)
        return ColumnValues(codes.STRING, places, starts=starts[places], ends=ends[places], text=text)
    places = valid_places(array)
    indices = fixed_width(array.indices.cast(pa.int64()), np.int64)[places]
    words = array.dictionary
    if words.null_count:
        is_word = np.zeros(len(words), np.bool_)
        is_word[valid_places(words)] = True
        places, indices = places[is_word[indices]], indices[is_word[indices]]
    starts, ends, text = _text(words)
    return ColumnValues(codes.STRING, places, starts=starts[indices], ends=ends[indices], text=text)


def _text(array: pa.Array) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64], npt.NDArray[np.uint8]]:
    """Where each string begins and ends, and the bytes that hold them."""
    if len(array) == 0:
        return NO_PLACES, NO_PLACES, NO_TEXT
    _, offsets_buffer, data = array.buffers()
    dtype = np.dtype(np.int64 if pt.is_large_string(array.type) else np.int32)
    offsets = np.frombuffer(offsets_buffer, dtype, count=len(array) + 1, offset=array.offset * dtype.itemsize)
    borders = offsets.astype(np.uint64)
    text = NO_TEXT if data is None else np.frombuffer(data, np.uint8)
    return borders[:-1], borders[1:], text


def read_lists(array: pa.Array) -> tuple[pa.Array, Ints]:
    """The elements of an array of lists, and for each the place of its list; null lists have none."""
    lengths = pc.list_value_length(array).fill_null(0).cast(pa.int64())
    return array.flatten(), np.repeat(np.arange(len(array), dtype=np.int64), fixed_width(lengths, np.int64))


def is_list(kind: pa.DataType) -> bool:
    """Whether a type is a list of any layout; a map is not."""
    return bool(
        pt.is_list(kind)
        or pt.is_large_list(kind)
        or pt.is_fixed_size_list(kind)
        or pt.is_list_view(kind)
        or pt.is_large_list_view(kind)
    )


def as_scalars(array: pa.Array) -> tuple[pa.Array, Ints]:
    """The scalars of an array of scalars or of lists of them, and for each the place that it belongs to."""
    if is_list(array.type):
        elements, places = read_lists(array)
        return plain(elements), places
    return plain(array), np.arange(len(array), dtype=np.int64)


def refuse_nothing(places: Ints, problem: str, help: str) -> None:
    """For arrays in which nothing can be wrong, such as strings."""
    raise AssertionError(problem)
