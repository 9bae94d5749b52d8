"""Are columns with a role no attributes, and is what has no values refused before any task?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import eligo
from eligo.data.schema.schema_events import without_roles
from eligo.errors import InputError
from eligo.index.events.event_source import EventColumns
from eligo.spark import explain, match
from eligo.spark.matching.match_files import match_files

SCHEMA = {"age": "int", "@time": "timestamp", "@tenant": "string"}
EVENTS = [
    {"event_id": "1", "who": "acme", "at": "2026-01-01", "note": "kept", "age": 30},
    {"event_id": "2", "who": "acme", "at": "2026-01-01", "note": "kept", "age": 3},
]
RULE = "\"@tenant\" = 'acme'^0 and \"@time\" > timestamp '2025-01-01T00:00:00Z'^0 and age > 18"


def test_without_roles() -> None:
    event = {"event_id": 1, "age": 30}
    closed = eligo.Schema.from_dict({"age": "int"}, closed=True)
    assert without_roles(event, ["event_id", "age"], closed) == {"age": 30}
    assert without_roles(event, ["event_id"], None) == event
    assert without_roles(event, ["event_id"], eligo.Schema.from_dict({"age": "int"})) == event


def test_a_closed_schema_does_not_ask_for_them(spark: SparkSession, tmp_path: Path) -> None:
    index = tmp_path / "x.index"
    eligo.build({"adults": RULE}, schema=eligo.Schema.from_dict(SCHEMA, closed=True)).save(index)
    lines, table = tmp_path / "events.jsonl", tmp_path / "events.csv"
    lines.write_text("".join(json.dumps(event) + "\n" for event in EVENTS))
    rows = [",".join(map(str, event.values())) for event in EVENTS]
    table.write_text("\n".join([",".join(EVENTS[0]), *rows]))
    columns = EventColumns(tenant="who", time="at", keep=("note",))
    for number, events in enumerate((lines, table)):
        out = tmp_path / f"{number}.jsonl"
        summary = match_files(spark, str(index), str(events), str(out), columns=columns)
        assert (summary.num_rejected, summary.num_matches) == (0, 1)
        assert json.loads(out.read_text()) == {"event_id": "1", "note": "kept", "expression_id": "adults"}
    texts = spark.createDataFrame(
        [(*list(event.values())[:4], json.dumps(event)) for event in EVENTS],
        "event_id string, who string, at string, note string, j string",
    )
    told = explain(texts, str(index), "adults", keep=["note"], json="j", tenant="who", time="at").collect()
    assert {row["event_id"]: row["matches"] for row in told} == {"1": True, "2": False}


@pytest.mark.parametrize(
    ("columns", "refused"),
    [
        ("user struct<tags: array<array<int>>, age: int>", "'user.tags' .* array<array<int>>"),
        ("user struct<tags: array<struct<a: int>>, age: int>", "'user.tags'"),
        ("user struct<tags: binary, age: int>", "'user.tags' .* binary"),
        ("user struct<tags: struct<inner: interval day to second>, age: int>", "'user.tags.inner'"),
        ("user struct<tags: map<string, array<array<int>>>, age: int>", "'user.tags'"),
    ],
)
def test_fields_without_values(spark: SparkSession, tmp_path: Path, columns: str, refused: str) -> None:
    events = spark.createDataFrame([], f"event_id int, {columns}")
    asked, passed_over = str(tmp_path / "asked"), str(tmp_path / "passed over")
    eligo.build({"a": "user.tags = 1 or user.tags.inner = 1 or user.tags.x = 1"}).save(asked)
    eligo.build({"a": "user.age = 1"}).save(passed_over)
    with pytest.raises(InputError, match=refused):
        match(events, asked)
    assert match(events, passed_over).columns == ["event_id", "expression_id"]
