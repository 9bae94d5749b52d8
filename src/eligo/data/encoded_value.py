"""How is a value written in fixed-size columns, exactly? As (kind, high, low, text).

true, false      high 1, 0
a number         the pair (high, low), ordered like the numbers: the whole part and the fraction, cut towards zero,
                 because the fraction of -0.3 towards -1 would need rounding. Beyond 64 bits high stays at the
                 border and low is the number itself: 1e300 is (2^63 - 1, 1e300).
a date           high: days since 1970-01-01
a timestamp      high: microseconds since 1970-01-01T00:00Z
a string         text: its UTF-8 bytes, whose order is that of code points
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.vocabulary_lookup import EncodedValues
from eligo.kernels import codes
from eligo.language.value import INT64_MAX, INT64_MIN, Kind, Scalar, kind_of

EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
MICROSECONDS_IN_DAY = 86_400_000_000

_Item = TypeVar("_Item", bound=np.generic)


class EncodedValue(NamedTuple):
    """One value; two of one kind are equal, or in order, as the values are."""

    kind: int
    high: int
    low: float
    text: bytes


def encode(value: Scalar) -> EncodedValue:
    """The encoded form of a canonical value."""
    kind = kind_of(value)
    if isinstance(value, str):
        return EncodedValue(kind, 0, 0.0, value.encode())
    if isinstance(value, datetime):
        return EncodedValue(kind, (value - EPOCH) // MICROSECOND, 0.0, b"")
    if isinstance(value, date):
        return EncodedValue(kind, value.toordinal() - EPOCH_ORDINAL, 0.0, b"")
    if isinstance(value, float):
        return EncodedValue(kind, *encode_float(value), b"")
    return EncodedValue(kind, int(value), 0.0, b"")


def encode_float(number: float) -> tuple[int, float]:
    """The exact pair of a float that is not NaN."""
    if number >= 2.0**63:
        return INT64_MAX, number
    if number < -(2.0**63):
        return INT64_MIN, number
    fraction, whole = math.modf(number)
    return int(whole), fraction + 0.0  # no negative zero


def decode(value: EncodedValue) -> Scalar:
    """The canonical value of an encoded form."""
    kind, high, low, text = value
    if kind == Kind.BOOL:
        return bool(high)
    if kind == Kind.STRING:
        return text.decode()
    if kind == Kind.DATE:
        return date.fromordinal(high + EPOCH_ORDINAL)
    if kind == Kind.TIMESTAMP:
        return EPOCH + high * MICROSECOND
    if low == 0.0:
        return high
    return low if abs(low) >= 1.0 else high + low


def encode_floats(numbers: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """The exact pairs of floats, none of which is NaN."""
    above = numbers >= 2.0**63
    below = numbers < -(2.0**63)
    beyond = above | below
    lows, wholes = np.modf(np.where(beyond, 0.0, numbers))
    highs = wholes.astype(np.int64)
    highs[above] = INT64_MAX
    highs[below] = INT64_MIN
    lows[beyond] = numbers[beyond]
    return highs, lows + 0.0


class EncodedValuesWriter:
    """Collects values one by one."""

    def __init__(self) -> None:
        self.attributes: list[int] = []
        self.kinds: list[int] = []
        self.highs: list[int] = []
        self.lows: list[float] = []
        self.lengths: list[int] = []
        self.texts: list[bytes] = []

    def add(self, attribute: int, value: EncodedValue) -> None:
        kind, high, low, text = value
        self.attributes.append(attribute)
        self.kinds.append(kind)
        self.highs.append(high)
        self.lows.append(low)
        self.lengths.append(len(text))
        if text:
            self.texts.append(text)

    def add_node(self, attribute: int, node: bytes) -> None:
        """Add the operand of an `under` predicate."""
        self.add(attribute, EncodedValue(codes.UNDER_NODE, 0, 0.0, node))

    def finish(self) -> EncodedValues:
        lengths = np.array(self.lengths, np.uint64)
        ends = np.cumsum(lengths, dtype=np.uint64)
        columns = (
            np.array(self.attributes, np.uint32),
            np.array(self.kinds, np.uint8),
            np.array(self.highs, np.int64),
            np.array(self.lows, np.float64),
            ends - lengths,
            ends,
            np.frombuffer(b"".join(self.texts), np.uint8),
        )
        return EncodedValues(*read_only_arrays(columns))


def read_only(array: npt.NDArray[_Item]) -> npt.NDArray[_Item]:
    """The array as kernels take every array: contiguous and read-only, so that each kernel is compiled once."""
    flags = array.flags
    if type(array) is not np.ndarray or not flags.c_contiguous or not flags.aligned:
        array = np.require(array, requirements=["C", "A"]).view(np.ndarray)
    if flags.writeable:
        array = array.view()
        array.setflags(write=False)
    return array


def read_only_arrays(arrays: Iterable[npt.NDArray[Any]]) -> list[Any]:
    """Each array as `read_only` gives it."""
    return [read_only(array) for array in arrays]
