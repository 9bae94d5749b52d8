"""How is an Arrow column read without an object for each value? As numpy views of its buffers, by its type.

bool, ints, floats                  exact numbers; NaN is missing
decimals                            whole ones exactly, any other as the nearest float
strings, also dictionaries          views of their bytes, which are UTF-8
dates, timestamps                   days, microseconds; finer times are refused unless they are whole microseconds

What is no value is refused with its places, and so are moments outside the years 1 to 9999; see `language.value`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from eligo.data.encoded_value import MICROSECONDS_IN_DAY, EncodedValue, encode, encode_floats
from eligo.data.events.column_wrappings import decoded_runs, decoded_words, without_views
from eligo.data.events.kernels.decimals import decimals_to_numbers
from eligo.errors import EventError
from eligo.kernels import codes
from eligo.language.value import INT64_MAX, TOO_FINE, WHOLE_TOO_LARGE, event_values

Ints = npt.NDArray[np.int64]
Refuse = Callable[[Ints, str, str], None]
"""Called with places of the column, what is wrong with the values there, and help."""

NO_INTS: Ints = np.zeros(0, np.int64)
NO_FLOATS: npt.NDArray[np.float64] = np.zeros(0, np.float64)
NO_PLACES: npt.NDArray[np.uint64] = np.zeros(0, np.uint64)
NO_TEXT: npt.NDArray[np.uint8] = np.zeros(0, np.uint8)

NOT_UNICODE = "a string is not UTF-8"
NO_WORD = "a dictionary does not have the string that a row names"
TYPE_HELP = "use bool, ints, floats, decimals, strings, dates, timestamps, or lists of one of these"
_DECIMAL_HELP = "cast the column to double to round it"

_MICROSECONDS = {"s": 1_000_000, "ms": 1_000, "us": 1}
_MILLISECONDS_IN_DAY = 86_400_000
_FIRST_DAY, _LAST_DAY = encode(date.min).high, encode(date.max).high
_FIRST_MOMENT = _FIRST_DAY * MICROSECONDS_IN_DAY
_LAST_MOMENT = (_LAST_DAY + 1) * MICROSECONDS_IN_DAY - 1


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


NOTHING = ColumnValues(codes.BOOL, NO_INTS, NO_INTS, NO_FLOATS)
"""A column in which everything is missing."""


def read_scalars(array: pa.Array, refuse: Refuse) -> ColumnValues:
    """The values of an array of scalars; of a type that is no kind of value there is none but null."""
    array = plain(array)
    kind = array.type
    if pt.is_null(kind):
        return NOTHING
    if pt.is_string(kind) or pt.is_large_string(kind) or pt.is_dictionary(kind):
        return _read_strings(array, refuse)
    if not _holds_values(kind):
        places = np.flatnonzero(array.is_valid().to_numpy(zero_copy_only=False))
        if len(places):
            refuse(places, f"a column of type {kind} has no kind of value", TYPE_HELP)
        return NOTHING
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
        return _read_dates(fixed_width(array, np.int32), places, refuse)
    if pt.is_date64(kind):
        return _read_dates(fixed_width(array, np.int64) // _MILLISECONDS_IN_DAY, places, refuse)
    return _read_timestamps(array, places, refuse)


def can_have_values(kind: pa.DataType) -> bool:
    """Whether a column of this type can have values: scalars, or lists of them; of structs and maps it is not asked."""
    if is_list(kind):
        kind = kind.value_type
    while pt.is_dictionary(kind) or pt.is_run_end_encoded(kind):
        kind = kind.value_type
    is_text = pt.is_string(kind) or pt.is_large_string(kind) or pt.is_string_view(kind)
    return is_text or pt.is_null(kind) or _holds_values(kind)


def _holds_values(kind: pa.DataType) -> bool:
    return bool(
        pt.is_boolean(kind)
        or pt.is_integer(kind)
        or pt.is_floating(kind)
        or pt.is_decimal(kind)
        or pt.is_date(kind)
        or pt.is_timestamp(kind)
    )


def plain(array: pa.Array) -> pa.Array:
    """The array without wrappings that say nothing about its values."""
    while True:
        kind = array.type
        if isinstance(array, pa.ExtensionArray):
            if kind.extension_name.startswith("pandas."):  # a period is no number, and an interval no struct
                return array
            # Arrow's own bools of eight bits are no numbers.
            is_bool = kind.extension_name == "arrow.bool8"
            array = array.storage.cast(pa.bool_()) if is_bool else array.storage
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
        return _read_wide_decimals(array, places, refuse)
    highs, lows, is_exact = decimals_to_numbers(np.ascontiguousarray(fixed_width(wide, np.uint64, 2)), scale)
    highs, lows, is_rounded = highs[places], lows[places], is_exact[places] == 0
    is_beyond = np.abs(lows) >= 2.0**63  # exactly a float, and whole
    if is_rounded.any():
        # Through text, which gives the nearest float; Arrow's own way may miss it by one place.
        chosen = wide.take(pa.array(places[is_rounded]))
        nearest = fixed_width(chosen.cast(pa.string()).cast(pa.float64()), np.float64)
        highs[is_rounded], lows[is_rounded] = encode_floats(nearest)
        is_far = np.abs(nearest) >= 2.0**63
        if is_far.any():
            whole = [far == far.to_integral_value() for far in chosen.filter(pa.array(is_far)).to_pylist()]
            is_beyond[np.flatnonzero(is_rounded)[is_far]] = whole
    if is_beyond.any():
        refuse(places[is_beyond], WHOLE_TOO_LARGE, _DECIMAL_HELP)
    good = ~is_beyond
    return ColumnValues(codes.NUMBER, places[good], highs[good], lows[good])


def _read_wide_decimals(array: pa.Array, places: Ints, refuse: Refuse) -> ColumnValues:
    """Decimals of more than 38 digits, which are too rare for a kernel."""
    kept: list[int] = []
    encoded: list[EncodedValue] = []
    for place, decimal in zip(places.tolist(), array.take(pa.array(places)).to_pylist(), strict=True):
        try:
            encoded += [encode(value) for value in event_values(decimal)]
            kept.append(place)
        except EventError as error:
            refuse(np.array([place], np.int64), error.message, _DECIMAL_HELP)
    highs = np.array([value.high for value in encoded], np.int64)
    lows = np.array([value.low for value in encoded], np.float64)
    return ColumnValues(codes.NUMBER, np.array(kept, np.int64), highs, lows)


def _read_dates(days: npt.NDArray[Any], places: Ints, refuse: Refuse) -> ColumnValues:
    is_beyond = (days[places] < _FIRST_DAY) | (days[places] > _LAST_DAY)
    return _whole(codes.DATE, _kept(places, is_beyond, refuse, "a date is outside the years 1 to 9999"), days)


def _read_timestamps(array: pa.Array, places: Ints, refuse: Refuse) -> ColumnValues:
    ticks = fixed_width(array, np.int64)
    if array.type.unit == "ns":
        places = _kept(places, ticks[places] % 1000 != 0, refuse, TOO_FINE, "cast the column to timestamp[us]")
        return _whole(codes.TIMESTAMP, places, ticks // 1000)
    factor = _MICROSECONDS[array.type.unit]
    is_beyond = (ticks[places] < -(-_FIRST_MOMENT // factor)) | (ticks[places] > _LAST_MOMENT // factor)
    places = _kept(places, is_beyond, refuse, "a timestamp is outside the years 1 to 9999 in UTC")
    moments = ticks[places] * factor
    return ColumnValues(codes.TIMESTAMP, places, moments, np.zeros(len(moments), np.float64))


def _kept(places: Ints, is_bad: npt.NDArray[np.bool_], refuse: Refuse, problem: str, help: str = "") -> Ints:
    """The good places, after refusing the bad ones."""
    if not is_bad.any():
        return places
    refuse(places[is_bad], problem, help)
    return places[~is_bad]


def _read_strings(array: pa.Array, refuse: Refuse) -> ColumnValues:
    """Strings as places in the bytes of their column; those of a dictionary as places in its bytes."""
    if not pt.is_dictionary(array.type):
        places = valid_places(array)
        bad = not_unicode(array)
        if len(bad):
            places = _kept(places, np.isin(places, bad), refuse, NOT_UNICODE)
        starts, ends, text = _text(array)
        return ColumnValues(codes.STRING, places, starts=starts[places], ends=ends[places], text=text)
    places = valid_places(array)
    indices = fixed_width(array.indices.cast(pa.int64()), np.int64)[places]
    words = array.dictionary
    is_beyond = (indices < 0) | (indices >= len(words))
    if is_beyond.any():
        indices = indices[~is_beyond]
        places = _kept(places, is_beyond, refuse, NO_WORD)
    if words.null_count:
        is_word = np.zeros(len(words), np.bool_)
        is_word[valid_places(words)] = True
        places, indices = places[is_word[indices]], indices[is_word[indices]]
    bad = not_unicode(words)
    if len(bad):
        is_bad = np.isin(indices, bad)
        indices = indices[~is_bad]
        places = _kept(places, is_bad, refuse, NOT_UNICODE)
    starts, ends, text = _text(words)
    return ColumnValues(codes.STRING, places, starts=starts[indices], ends=ends[indices], text=text)


def not_unicode(array: pa.Array) -> Ints:
    """The places of an array of strings whose bytes are not UTF-8: Arrow and Spark do not look."""
    starts, ends, text = _text(array)
    if not len(starts):
        return NO_INTS
    # Of ASCII, which is most common, nothing can be wrong.
    if not (text[int(starts[0]) : int(ends[-1])] >= 0x80).any():
        return NO_INTS
    try:
        array.validate(full=True)
        return NO_INTS
    except pa.ArrowInvalid:
        data = text.tobytes()
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        return np.array([place for place, span in enumerate(spans) if not _is_unicode(data[slice(*span)])], np.int64)


def _is_unicode(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


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
    array = plain(array)
    if is_list(array.type):
        elements, places = read_lists(array)
        return plain(elements), places
    return array, np.arange(len(array), dtype=np.int64)


def taken(array: pa.Array, places: Ints) -> pa.Array:
    """The values at these places; Arrow cannot take from every type that it has."""
    try:
        return array.take(pa.array(places))
    except pa.ArrowNotImplementedError:
        return pa.concat_arrays([array.slice(0, 0), *(array.slice(place, 1) for place in places.tolist())])


def refuse_nothing(places: Ints, problem: str, help: str) -> None:
    """For arrays in which nothing can be wrong, such as strings."""
    raise AssertionError(problem)
