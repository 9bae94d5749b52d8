"""Events from JSON lines and from other text: what strings stand for, and what a bad line loses."""

from __future__ import annotations

import csv
import io
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from eligo.data.events.event_batch import EventBatch
from eligo.data.schema.schema import Schema
from eligo.errors import EventError, InputError
from eligo.language.tree import Equals, Exists, GreaterOrEqual, In, IsTrue, Less, Under
from encoded_reading import same_batch
from tree_vocabulary import build_vocabulary

VOCABULARY = build_vocabulary(
    [
        In("age", (3, 20)),
        Equals("day", date(2024, 1, 31)),
        Under("day", "2024/02"),
        GreaterOrEqual("seen", datetime(2024, 1, 1, tzinfo=UTC)),
        Under("month", "2024/01"),
        Equals("both", date(2024, 1, 31)),
        Equals("both", "2024-01-31"),
        Equals("name", "2024-01-31"),
        Less("score", 0.5),
        IsTrue("vip"),
        Exists("note"),
    ]
)
SCHEMA = Schema.from_dict(
    {"age": "int", "day": "date", "seen": "timestamp", "both": "date", "score": "float", "vip": "bool"}
)


def from_dicts(*events: dict[str, Any]) -> EventBatch:
    return EventBatch.from_dicts(events, VOCABULARY)


def test_every_form_of_lines(tmp_path: Path) -> None:
    text = '\ufeff{"age": 3, "name": "a\u2028b"}\r\n\n  {"age": [20, null]}\n'
    path = tmp_path / "events.jsonl"
    path.write_bytes(text.encode())
    expected = from_dicts({"age": 3, "name": "a\u2028b"}, {"age": 20})
    with path.open("rb") as binary, path.open(encoding="utf-8") as readable:
        for source in (text, text.encode(), bytearray(text.encode()), path, text.split("\n"), binary, readable):
            assert same_batch(EventBatch.from_json_lines(source, VOCABULARY), expected)
    with pytest.raises(InputError, match="not int"):
        EventBatch.from_json_lines(7, VOCABULARY)  # type: ignore[arg-type]


def test_iso_strings_are_dates_where_expressions_compare_with_dates_only() -> None:
    line = '{"day": "2024-01-31", "seen": "2024-01-31T10:00:00+01:00", "month": "2024-01-05", "name": "2024-01-31"}'
    expected = from_dicts(
        {
            "day": date(2024, 1, 31),
            "seen": datetime(2024, 1, 31, 9, tzinfo=UTC),
            "month": date(2024, 1, 5),
            "name": "2024-01-31",
        }
    )
    assert same_batch(EventBatch.from_json_lines(line, VOCABULARY), expected)


def test_other_strings_stay_strings_without_a_schema() -> None:
    line = '{"day": "31.1.2024", "seen": "now", "month": "2024/01/05", "both": "2024-01-31", "age": "3"}\n{"day": ""}'
    expected = from_dicts(
        {"day": "31.1.2024", "seen": "now", "month": "2024/01/05", "both": "2024-01-31", "age": "3"}, {"day": ""}
    )
    assert same_batch(EventBatch.from_json_lines(line, VOCABULARY), expected)


def test_lists_of_iso_strings_are_lists_of_dates() -> None:
    line = '{"day": ["2024-01-31", "2024-02-01", null], "seen": "2024-01-31"}'
    expected = from_dicts({"day": [date(2024, 1, 31), date(2024, 2, 1)], "seen": datetime(2024, 1, 31, tzinfo=UTC)})
    assert same_batch(EventBatch.from_json_lines(line, VOCABULARY), expected)


def test_a_schema_decides_what_strings_are() -> None:
    batch = EventBatch.from_json_lines('{"both": "2024-01-31"}', VOCABULARY, schema=SCHEMA)
    assert same_batch(batch, from_dicts({"both": date(2024, 1, 31)}))
    with pytest.raises(EventError, match=r"event 1, attribute 'day': '2024-02-30' is not a day"):
        EventBatch.from_json_lines('{}\n{"day": "2024-02-30"}', VOCABULARY, schema=SCHEMA)
    with pytest.raises(EventError, match="'3' is not an int"):
        EventBatch.from_json_lines('{"age": "3"}', VOCABULARY, schema=SCHEMA)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"age": 3', "line 2, column 10: not JSON"),
        (b"[1]", "a mapping from attributes to values, not list"),
        (b"\xff{}", "line 2: not UTF-8 at byte 1"),
        (b'{"age": 1e', "line 2, column"),
        (b'{"age": ' + b"9" * 30 + b"}", "does not fit in 64 bits"),
        (b'{"age": ' + b"9" * 5000 + b"}", "line 2: "),
        (b'{"age": ' + b"[" * 100_000, "nested too deep|not JSON|line 2"),
        (b'{"age": [[1]]}', "a list in an event holds plain values"),
        (b'{"age": "\\ud800"}', "half a surrogate pair"),
    ],
)
def test_a_bad_line_loses_only_itself(line: bytes, problem: str) -> None:
    lines = b'{"age": 3}\n' + line + b'\n{"age": 20}'
    with pytest.raises(EventError, match=problem) as caught:
        EventBatch.from_json_lines(lines, VOCABULARY)
    assert caught.value.row == 1
    batch = EventBatch.from_json_lines(lines, VOCABULARY, on_error="reject")
    assert same_batch(batch, from_dicts({"age": 3}, {"age": 20}))
    assert [(reject.id, reject.error.row) for reject in batch.rejects] == [(1, 1)]  # type: ignore[attr-defined]
    assert batch.rejects[0].text == line.decode("utf-8", "replace")


def test_infinities_and_nan() -> None:
    batch = EventBatch.from_json_lines('{"score": -Infinity, "age": NaN}\n{"score": 1e400}', VOCABULARY)
    assert same_batch(batch, from_dicts({"score": float("-inf")}, {"score": float("inf")}))


TEXT = (
    "age,day,seen,score,vip,name,note\n20,2024-01-31,2024-01-31T10:00Z,.25,TRUE,2024-01-31,x\n,,,,,,\nx,x,x,nan,no,7,\n"
)
READ: list[dict[str, Any]] = [
    {
        "age": 20,
        "day": date(2024, 1, 31),
        "seen": datetime(2024, 1, 31, 10, tzinfo=UTC),
        "score": 0.25,
        "vip": True,
        "name": "2024-01-31",
        "note": "x",
    },
    {"name": "", "note": ""},
    {"age": "x", "day": "x", "seen": "x", "vip": "no", "name": "7", "note": ""},
]


def test_text_is_read_by_the_kinds_that_expressions_compare_with() -> None:
    rows = list(csv.DictReader(io.StringIO(TEXT)))
    expected = from_dicts(*READ)
    assert same_batch(EventBatch.from_dicts(rows, VOCABULARY, from_text=True), expected)
    table = pa.Table.from_pylist(rows)
    assert same_batch(EventBatch.from_arrow(table, VOCABULARY, from_text=True), expected)
    maps = pa.array([list(row.items()) for row in rows], pa.map_(pa.string(), pa.string()))
    assert same_batch(EventBatch.from_map_column(maps, VOCABULARY, from_text=True), expected)
    dictionary = table.set_column(0, "age", table["age"].dictionary_encode())
    assert same_batch(EventBatch.from_arrow(dictionary, VOCABULARY, from_text=True), expected)


def test_text_is_read_by_the_schema() -> None:
    rows = list(csv.DictReader(io.StringIO(TEXT)))
    table = pa.Table.from_pylist(rows)
    expected = from_dicts(READ[0])
    assert same_batch(EventBatch.from_dicts(rows[:1], VOCABULARY, schema=SCHEMA, from_text=True), expected)
    assert same_batch(EventBatch.from_arrow(table[:1], VOCABULARY, schema=SCHEMA, from_text=True), expected)
    for reject_from in (
        lambda: EventBatch.from_dicts(rows, VOCABULARY, schema=SCHEMA, from_text=True, on_error="reject"),
        lambda: EventBatch.from_arrow(table, VOCABULARY, schema=SCHEMA, from_text=True, on_error="reject"),
    ):
        batch = reject_from()
        assert [reject.id for reject in batch.rejects] == [2]
        assert batch.num_events == 2
