"""Values as fixed-size columns: exact, and in the order of the values."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eligo.data.encoded_value import decode, encode, encode_float, encode_floats, read_only
from eligo.language.value import INT64_MAX, INT64_MIN, canonical_value, event_values, identity, kind_of
from strategies import NUMBERS, any_scalars

BORDERS = (2.0**52 - 0.5, 2.0**52 + 1, 2.0**53, 2.0**53 + 2, 2.0**63 - 1024, 2.0**63, 2.0**63 + 2048, 1.8e308, math.inf)
TRICKY = (*BORDERS, *(-border for border in BORDERS), 0.0, -0.0, -0.3, -1e-300, -5e-324, 5e-324, 1e-300, -1.3, -0.5)


def numbers() -> st.SearchStrategy[int | float]:
    near = st.sampled_from((2**52, 2**53, 2**62, INT64_MAX, INT64_MIN, 0)).flatmap(
        lambda middle: st.integers(max(INT64_MIN, middle - 3), min(INT64_MAX, middle + 3))
    )
    return st.one_of(
        near, st.sampled_from((*NUMBERS, *TRICKY)), st.floats(allow_nan=False), st.integers(INT64_MIN, INT64_MAX)
    )


def canonical_number(raw: int | float) -> int | float:
    (value,) = event_values(raw)
    assert isinstance(value, int | float)
    return value


@given(numbers(), numbers())
@example(-1e-300, -5e-324)
@example(2**53, 2.0**53)
@example(2**53 + 1, 2.0**53)
@example(INT64_MAX, 2.0**63)
@example(-0.0, 0)
def test_numbers_are_equal_and_ordered_exactly(left: int | float, right: int | float) -> None:
    a, b = canonical_number(left), canonical_number(right)
    first, second = encode(a)[1:3], encode(b)[1:3]
    assert (first == second) == (a == b)
    assert (first < second) == (a < b)


@given(st.lists(st.one_of(st.floats(allow_nan=False), st.sampled_from(TRICKY)), max_size=20))
def test_columns_of_floats_are_encoded_as_single_values_are(floats: list[float]) -> None:
    highs, lows = encode_floats(np.array(floats, np.float64))
    assert list(zip(highs.tolist(), lows.tolist(), strict=True)) == [encode(canonical_number(x))[1:3] for x in floats]
    assert not np.signbit(lows[lows == 0]).any()


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_two_parts_of_a_float_add_up_to_it(number: float) -> None:
    high, low = encode_float(number)
    assert Fraction(low) + (Fraction(high) if abs(low) < 1 else 0) == Fraction(number)


@given(any_scalars())
def test_decode_gives_the_value_back(value: object) -> None:
    canonical = canonical_value(value)
    assert identity(decode(encode(canonical))) == identity(canonical)
    assert type(decode(encode(canonical))) is type(canonical)


@given(any_scalars(), any_scalars())
def test_two_values_of_one_kind_compare_as_their_encoded_forms(left: object, right: object) -> None:
    a, b = canonical_value(left), canonical_value(right)
    if kind_of(a) is kind_of(b):
        assert (encode(a) < encode(b)) == (a < b)
        assert (encode(a) == encode(b)) == (a == b)


@pytest.mark.parametrize(
    ("value", "high"),
    [
        (date(1970, 1, 1), 0),
        (date(1969, 12, 31), -1),
        (date.min, -719162),
        (datetime(1970, 1, 1, 0, 0, 1, 5, tzinfo=UTC), 1_000_005),
        (datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC), -1),
        (datetime.max.replace(tzinfo=UTC), (datetime.max - datetime(1970, 1, 1)) // timedelta(microseconds=1)),
    ],
)
def test_dates_count_days_and_timestamps_microseconds(value: date, high: int) -> None:
    assert encode(value).high == high


def test_read_only_neither_copies_nor_changes_the_callers_array() -> None:
    array = np.arange(4)
    seen = read_only(array)
    assert not seen.flags.writeable and array.flags.writeable
    assert np.shares_memory(seen, array)
    assert read_only(np.arange(8)[::2]).flags.c_contiguous
