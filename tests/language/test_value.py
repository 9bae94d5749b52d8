"""When are two values equal or in order, and what is no value?"""

from __future__ import annotations

import enum
import math
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.errors import EventError, ExpressionValueError
from eligo.language.value import (
    INT64_MAX,
    INT64_MIN,
    Kind,
    canonical_value,
    event_attributes,
    event_values,
    identity,
    kind_of,
)


class Level(enum.IntEnum):
    LOW = 1


class Colour(enum.StrEnum):
    RED = "red"


NOON = datetime(2024, 1, 31, 12, tzinfo=UTC)
IN_PARIS = datetime(2024, 1, 31, 13, tzinfo=timezone(timedelta(hours=1)))


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (True, True),
        (5, 5),
        (5.0, 5),
        (-0.0, 0),
        (5.5, 5.5),
        (2.0**62, 2**62),
        (-(2.0**63), INT64_MIN),
        (2.0**63, 2.0**63),
        (1e300, 1e300),
        ("é", "é"),
        (date(2024, 1, 31), date(2024, 1, 31)),
        (NOON, NOON),
        (IN_PARIS, NOON),
        (NOON.replace(tzinfo=None), NOON),
        (Level.LOW, 1),
        (Colour.RED, "red"),
        (np.int64(5), 5),
        (np.float64(5.0), 5),
        (np.bool_(True), True),
        (np.str_("x"), "x"),
        (np.datetime64("2024-01-31"), date(2024, 1, 31)),
        (np.datetime64("2024-01-31T12:00:00"), NOON),
        (np.datetime64("2024-01-31T12:00:00.000000000"), NOON),
        (pd.Timestamp("2024-01-31T12:00:00"), NOON),
        (pd.Timestamp("2024-01-31T13:00:00+01:00"), NOON),
    ],
)
def test_each_value_has_one_form(raw: Any, value: Any) -> None:
    found = canonical_value(raw)
    assert found == value
    assert type(found) is type(value)
    assert identity(found) == identity(value)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (math.nan, "NaN is not a value"),
        (np.float64("nan"), "NaN is not a value"),
        (pd.NaT, "NaT is not a value"),
        (np.datetime64("NaT"), "NaT is not a value"),
        (pd.NA, "NA is not a value"),
        (math.inf, "infinite"),
        (-math.inf, "infinite"),
        (2**63, "does not fit in 64 bits"),
        (-(2**63) - 1, "does not fit in 64 bits"),
        pytest.param(10**5000, "does not fit in 64 bits", id="5001 digits"),
        ("\ud800", "surrogate"),
        (None, "NoneType is not a kind of value"),
        (b"x", "bytes is not a kind of value"),
        ([1], "list is not a kind of value"),
        (timedelta(1), "timedelta is not a kind of value"),
        (np.timedelta64(1, "ns"), "not a date or timestamp"),
        (np.datetime64("20000-01-01"), "years 1 to 9999"),
        (datetime.min.replace(tzinfo=timezone(timedelta(hours=1))), "years 1 to 9999"),
    ],
)
def test_what_is_no_operand(raw: Any, message: str) -> None:
    with pytest.raises(ExpressionValueError, match=message):
        canonical_value(raw)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_keep_their_number(number: float) -> None:
    value = canonical_value(number)
    assert value == number
    assert isinstance(value, int) == (number.is_integer() and INT64_MIN <= int(number) <= INT64_MAX)


def test_kinds_never_mix() -> None:
    values = [True, 1, "1", date(2024, 1, 1), datetime(2024, 1, 1, tzinfo=UTC)]
    assert [kind_of(value) for value in values] == [Kind.BOOL, Kind.NUMBER, Kind.STRING, Kind.DATE, Kind.TIMESTAMP]
    assert len({identity(value) for value in values}) == 5
    assert identity(canonical_value(1.0)) == identity(1)
    assert identity(2**53 + 1) != identity(canonical_value(2.0**53))


@pytest.mark.parametrize(
    ("raw", "values"),
    [
        (None, ()),
        (math.nan, ()),
        (np.float32("nan"), ()),
        (pd.NaT, ()),
        (pd.NA, ()),
        (np.datetime64("NaT"), ()),
        ([], ()),
        ([None, math.nan], ()),
        (5, (5,)),
        (math.inf, (math.inf,)),
        ([3, 1, 3.0, None, 2], (3, 1, 2)),
        ([True, 1, "1"], (True, 1, "1")),
        (("a", "b"), ("a", "b")),
        ({"a"}, ("a",)),
        (np.array([1.0, np.nan, 2.5]), (1, 2.5)),
        (np.array(["a", "b"]), ("a", "b")),
        ("abc", ("abc",)),
    ],
)
def test_values_of_an_event(raw: Any, values: tuple[Any, ...]) -> None:
    found = event_values(raw)
    assert [identity(value) for value in found] == [identity(value) for value in values]


@pytest.mark.parametrize("raw", [b"x", 2**64, [[1]], [{"a": 1}], object()])
def test_what_an_event_cannot_hold(raw: Any) -> None:
    with pytest.raises(EventError, match="attribute 'a'") as caught:
        event_values(raw, "a")
    assert caught.value.attribute == "a"


def test_nested_objects_give_dotted_names() -> None:
    event = {"user": {"age": 5, "name": None, "tags": ["x"]}, "ok": True, "empty": {}}
    assert event_attributes(event) == {"ok": (True,), "user.age": (5,), "user.tags": ("x",)}


def test_deeply_nested_objects_do_not_recurse() -> None:
    event: dict[str, Any] = {"leaf": 1}
    for _ in range(5_000):
        event = {"a": event}
    (name,) = event_attributes(event)
    assert name == "a." * 5_000 + "leaf"


def test_names_are_strings() -> None:
    with pytest.raises(EventError, match="is a string"):
        event_attributes({5: 1})  # type: ignore[dict-item]
