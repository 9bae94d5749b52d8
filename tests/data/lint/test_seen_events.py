"""What was seen of events: the same whatever they come as, and enough to make a schema of."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pytest

from eligo.data.lint.seen_attribute import MOST_VALUES, moments_of, readings_of_text
from eligo.data.lint.seen_events import SeenEvents
from eligo.errors import EligoError, InputError
from eligo.language.value import Kind

DAY, MOMENT = date(2026, 1, 31), datetime(2026, 1, 31, 10, tzinfo=UTC)
ROWS = [
    {"age": 18, "state": "CA", "vip": True, "day": DAY, "ts": MOMENT, "tags": ["a", "b"], "user": {"score": 0.5}},
    {"age": 44, "state": "TX", "vip": False, "day": DAY, "ts": MOMENT, "tags": ["c"], "user": {"score": 2.5}},
]
KINDS = {"age": "int", "state": "string", "vip": "bool", "day": "date", "ts": "timestamp"}


def seen_as_table() -> SeenEvents:
    return SeenEvents.of(pa.Table.from_pylist(ROWS))


@pytest.mark.parametrize(
    "seen",
    [seen_as_table(), SeenEvents.of(ROWS), SeenEvents.of(pa.Table.from_pylist(ROWS).to_batches()[0])],
    ids=["table", "mappings", "batch"],
)
def test_kinds_and_extents(seen: SeenEvents) -> None:
    assert seen.num_events == 2
    assert {name: seen.schema()[name].kind for name in KINDS} == KINDS
    assert seen.schema()["user.score"].kind == "float"
    assert seen.attributes["age"].extents[Kind.NUMBER] == (18, 44)
    assert not seen.is_single("tags")
    assert seen.is_single("state")
    assert not seen.is_single("nowhere")


def test_a_pandas_frame_may_mix_kinds() -> None:
    seen = SeenEvents.of(pd.DataFrame({"age": [1, 2], "mixed": [1, "one"], "when": [DAY, DAY]}))
    assert seen.num_events == 2
    assert seen.attributes["mixed"].kinds == {Kind.NUMBER, Kind.STRING}
    assert seen.schema().names == ["age", "when"]


def test_bounds_and_values_are_put_in_when_asked_for() -> None:
    schema = seen_as_table().schema(bounds=True, values=1)
    assert (schema["age"].low, schema["age"].high, schema["age"].values) == (18, 44, ())
    assert schema["day"].values == (DAY,)
    assert seen_as_table().schema()["age"].low is None
    assert seen_as_table().schema(exclude=["age"]).get("age") is None


def test_types_say_the_kind_where_there_is_no_value() -> None:
    table = pa.table({"a": pa.array([None, None], pa.int64()), "b": pa.nulls(2), "c": pa.array([b"x", None])})
    seen = SeenEvents.of(table)
    assert seen.schema().names == ["a"]
    assert not seen.attributes["a"].has_values
    assert seen.attributes["b"].kinds == seen.attributes["c"].kinds == set()


def test_of_many_values_the_extent_is_kept() -> None:
    numbers = SeenEvents.of(pa.table({"a": list(range(MOST_VALUES + 1)), "b": [f"{n:05}" for n in range(1001)]}))
    assert numbers.attributes["a"].values is None
    assert numbers.attributes["a"].extents[Kind.NUMBER] == (0, MOST_VALUES)
    assert numbers.attributes["b"].extents[Kind.STRING] == ("00000", "01000")
    by_one = SeenEvents.of({"a": n} for n in range(MOST_VALUES + 1))
    assert by_one.attributes["a"].values is None
    assert by_one.attributes["a"].extents[Kind.NUMBER] == (0, MOST_VALUES)


def test_odd_columns() -> None:
    table = pa.table(
        {
            "view": pa.array(["x", None], pa.string_view()),
            "words": pa.array(["x", "y"]).dictionary_encode(),
            "money": pa.array([Decimal("1.50"), None]),
            "nan": [float("nan"), 1.0],
            "fine": pa.array([1, 2], pa.timestamp("ns")),
            "facts": pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())),
            "huge": pa.array([2**64 - 1, 3], pa.uint64()),
        }
    )
    seen = SeenEvents.of(table)
    assert seen.attributes["view"].kinds == seen.attributes["words"].kinds == {Kind.STRING}
    assert seen.attributes["money"].extents[Kind.NUMBER] == (1.5, 1.5)
    assert seen.attributes["nan"].extents[Kind.NUMBER] == (1, 1)
    assert seen.attributes["huge"].extents[Kind.NUMBER] == (3, 3)
    assert seen.is_open("facts.k")
    assert not seen.is_open("fact")


def test_only_the_sample_is_looked_at() -> None:
    assert SeenEvents.of(({"a": n} for n in range(100)), sample=3).attributes["a"].extents[Kind.NUMBER] == (0, 2)
    assert SeenEvents.of(pa.table({"a": [1, 2, 3]}), sample=2).num_events == 2


def test_a_bad_event_is_passed_over_and_what_is_none_is_refused() -> None:
    seen = SeenEvents.of([{"a": object()}, {"a": 1}])
    assert seen.num_events == 2
    assert seen.attributes["a"].extents[Kind.NUMBER] == (1, 1)
    for odd in (3, "events", {"a": 1}, [1]):
        with pytest.raises(EligoError):
            SeenEvents.of(odd)
    with pytest.raises(InputError):
        SeenEvents.of(None)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("3", {"3", 3}),
        (" 3.5 ", {" 3.5 ", "3.5", 3.5}),
        ("TRUE", {"TRUE", True}),
        ("2026-01-31", {"2026-01-31", DAY, datetime(2026, 1, 31, tzinfo=UTC)}),
        ("x", {"x"}),
        ("9" * 30, {"9" * 30}),
    ],
)
def test_what_a_text_may_stand_for(text: str, found: set[object]) -> None:
    assert {(type(value), value) for value in readings_of_text(text)} == {(type(value), value) for value in found}


def test_in_json_a_text_may_stand_for_a_moment_only() -> None:
    assert list(moments_of("3")) == ["3"]
    assert list(moments_of("2026-01-31T10:00:00Z")) == ["2026-01-31T10:00:00Z", MOMENT]
    assert list(moments_of(3)) == [3]
