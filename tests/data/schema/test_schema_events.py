"""Events against a schema: brought to its kinds, or refused with everything that is wrong."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.data.events.event_batch import EventBatch
from eligo.data.schema.schema import Schema
from eligo.data.schema.schema_events import read_event
from eligo.errors import EventError
from eligo.language.tree import Exists
from tree_vocabulary import build_vocabulary

FORMS = {
    "age": {"kind": "int", "low": 0, "high": 120},
    "score": {"kind": "float", "high": 1.5},
    "state": {"kind": "string", "values": ["CA", "NY"]},
    "name": {"kind": "string", "low": "b"},
    "vip": "bool",
    "day": {"kind": "date", "low": "2020-01-01"},
    "seen": "timestamp",
    "levels": {"kind": "int", "several": True, "values": [1, 2, 3]},
    "user.age": "int",
}
SCHEMA = Schema.from_dict(FORMS)
CLOSED = Schema.from_dict(FORMS, closed=True)


@pytest.mark.parametrize(
    ("event", "coerced"),
    [
        ({"age": 3.0, "score": 1, "state": "CA"}, {"age": 3, "score": 1, "state": "CA"}),
        ({"day": "2024-01-31", "seen": "2024-01-31 10:00"}, {"day": date(2024, 1, 31), "seen": "10"}),
        ({"seen": "2024-01-31"}, {"seen": datetime(2024, 1, 31, tzinfo=UTC)}),
        ({"age": None, "score": float("nan"), "levels": []}, {}),
        ({"levels": 2, "age": [3, 3.0, None]}, {"levels": [2], "age": 3}),
        ({"user": {"age": np.int64(7)}, "other": {"x": b"y"}}, {"user.age": 7, "other.x": b"y"}),
        ({"age": np.float32(3)}, {"age": 3}),
    ],
)
def test_events_are_brought_to_the_kinds(event: dict[str, Any], coerced: dict[str, Any]) -> None:
    expected = {
        name: datetime(2024, 1, 31, 10, tzinfo=UTC) if value == "10" else value for name, value in coerced.items()
    }
    assert SCHEMA.coerce(event) == expected
    assert SCHEMA.check_event(event) == []


BAD: list[tuple[str, Any, str]] = [
    ("age", "3", "'3' is not an int"),
    ("age", 3.5, "3.5 is not a whole number"),
    ("age", True, "true is not an int"),
    ("age", 121, "121 is above the largest value, 120"),
    ("age", [1, 2], "2 values, but the schema allows one"),
    ("age", b"3", "bytes is not a kind of value"),
    ("score", 2.0, "2 is above the largest value, 1.5"),
    ("state", "TX", "'TX' is not one of 'CA', 'NY'"),
    ("name", "a", "'a' is below the least value, 'b'"),
    ("vip", "true", "'true' is not a bool"),
    ("vip", 1, "1 is not a bool"),
    ("day", "31.1.2024", "'31.1.2024' is not a date"),
    ("day", datetime(2024, 1, 31), "is not a date"),
    ("day", date(2019, 1, 1), "is below the least value"),
    ("seen", date(2024, 1, 31), "is not a timestamp"),
    ("levels", [1, 4], "4 is not one of 1, 2, 3"),
]


@pytest.mark.parametrize(("name", "value", "problem"), BAD)
def test_what_does_not_fit_is_refused(name: str, value: Any, problem: str) -> None:
    with pytest.raises(EventError, match=problem.replace("(", r"\(")) as caught:
        SCHEMA.coerce({name: value})
    assert caught.value.attribute == name


def test_everything_that_is_wrong_is_told() -> None:
    errors = SCHEMA.check_event({name: value for name, value, _ in BAD})
    assert {error.attribute for error in errors} == {name for name, _, _ in BAD}


def test_other_attributes_are_allowed_unless_the_schema_is_closed() -> None:
    assert SCHEMA.coerce({"stat": object}) == {"stat": object}
    with pytest.raises(EventError, match="it is closed") as caught:
        CLOSED.coerce({"stat": 1})
    assert caught.value.attribute == "stat" and caught.value.help == "did you mean 'state'?"


@pytest.mark.parametrize(
    ("event", "coerced"),
    [
        ({"age": " 3 ", "score": "1e-1", "vip": "False"}, {"age": 3, "score": 0.1, "vip": False}),
        ({"age": "", "name": "x", "score": "nan"}, {"name": "x"}),
        ({"levels": ["1", "2"]}, {"levels": [1, 2]}),
        ({"age": "3.0"}, {"age": 3}),
    ],
)
def test_formats_of_text_are_read_by_the_kinds(event: dict[str, Any], coerced: dict[str, Any]) -> None:
    assert SCHEMA.coerce(event, from_text=True) == coerced


def test_text_that_does_not_read_is_refused() -> None:
    for name, value in {"age": "3x", "vip": "1", "score": "--1", "day": "x"}.items():
        with pytest.raises(EventError, match="is not a"):
            SCHEMA.coerce({name: value}, from_text=True)


VOCABULARY = build_vocabulary([Exists("age")])


@pytest.mark.parametrize(
    ("name", "array", "problem"),
    [
        ("age", pa.array(["3", "x"]), "the column holds strings, and the attribute is an int"),
        ("age", pa.array([3.0, 3.5]), "3.5 is not a whole number"),
        ("age", pa.array([True, False]), "the column holds bools"),
        ("age", pa.array([3, 121]), "121 is above the largest value, 120"),
        ("age", pa.array([3, -1]), "-1 is below the least value, 0"),
        ("age", pa.array([[3, 3], [1, 2]]), "2 values, but the schema allows one"),
        ("score", pa.array([1.5, 1.75]), "1.75 is above the largest value, 1.5"),
        ("score", pa.array([1.5, float("inf")]), "inf is above"),
        ("state", pa.array(["CA", "TX"]), "'TX' is not one of 'CA', 'NY'"),
        ("name", pa.array(["b", "a"]), "'a' is below the least value, 'b'"),
        ("day", pa.array(["2024-01-31", "2024-02-30"]), "'2024-02-30' is not a day of the calendar"),
        ("day", pa.array([date(2024, 1, 31), date(2019, 1, 31)]), "is below the least value, date '2020-01-01'"),
        ("day", pa.array([20000, 10**7 * -1], pa.int32()).cast(pa.date32()), "a date is outside the years 1 to 9999"),
        ("seen", pa.array([date(2024, 1, 31)] * 2), "the column holds dates, and the attribute is a timestamp"),
        ("levels", pa.array([[1, 2], [3, 4]]), "4 is not one of the listed values"),
    ],
)
def test_columns_are_held_to_the_schema_even_where_no_expression_uses_them(
    name: str, array: pa.Array, problem: str
) -> None:
    table = pa.table({name: array})
    with pytest.raises(EventError, match=problem) as caught:
        EventBatch.from_arrow(table, VOCABULARY, schema=SCHEMA)
    assert caught.value.attribute == name
    all_bad = "the column holds" in problem
    assert caught.value.row == (0 if all_bad else 1)
    batch = EventBatch.from_arrow(table, VOCABULARY, schema=SCHEMA, on_error="reject")
    assert [reject.id for reject in batch.rejects] == ([0, 1] if all_bad else [1])
    assert batch.num_events == (0 if all_bad else 1)


def test_a_closed_schema_refuses_other_columns() -> None:
    assert EventBatch.from_arrow(pa.table({"age": [1], "x": [2]}), VOCABULARY, schema=SCHEMA).num_events == 1
    for table in (pa.table({"x": [1]}), pa.table({"user": [{"agee": 1}]})):
        with pytest.raises(EventError, match="it is closed"):
            EventBatch.from_arrow(table, VOCABULARY, schema=CLOSED)
    assert EventBatch.from_arrow(pa.table({"id": [1]}), VOCABULARY, schema=CLOSED, exclude=["id"]).num_events == 1
    maps = pa.array([[("age", 1), ("x", 2)]], pa.map_(pa.string(), pa.int64()))
    assert EventBatch.from_map_column(maps, VOCABULARY, schema=SCHEMA).num_events == 1
    with pytest.raises(EventError, match="it is closed"):
        EventBatch.from_map_column(maps, VOCABULARY, schema=CLOSED)


PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.sampled_from([2**63, 1.0, float("nan"), "x", "é", "\ud800", "y" * 1_001]),
)


@given(st.dictionaries(st.sampled_from(["n", "ns", "s", "b", "low", "other"]), PLAIN | st.lists(PLAIN, max_size=3)))
def test_what_need_not_be_read_is_as_if_it_were(event: dict[str, Any]) -> None:
    kinds = {"n": "int", "ns": "list[int]", "s": "list[string]", "b": "bool", "low": {"kind": "int", "low": 0}}
    for closed in (False, True):
        schema = Schema.from_dict(kinds, closed=closed)
        errors = schema.check_event(event)  # which reads every value
        try:
            found = schema.coerce(event)
        except EventError as error:
            assert str(error) == str(errors[0])
        else:
            read, _ = read_event({each.name: each for each in schema}, event, from_text=False, closed=closed)
            assert not errors and repr(found) == repr(read)
