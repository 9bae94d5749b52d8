"""Are JSON lines in a directory one table, whose files may differ as they like?"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import eligo
from eligo.data.file_format import FileFormat
from eligo.errors import InputError
from eligo.index.events.event_source import EventColumns
from eligo.index.stored.opened_version import index_version
from eligo.spark import build, match, parquet_events
from eligo.spark.tables.event_files import open_event_file
from eligo.spark.tables.expression_tables import read_expressions, read_ids
from eligo.spark.tables.tables import read_json_events


def write(folder: Path, **files: list[dict[str, Any]]) -> str:
    folder.mkdir()
    for name, rows in files.items():
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(folder)


def test_expressions_in_files_that_differ(spark: SparkSession, tmp_path: Path) -> None:
    rules = write(
        tmp_path / "rules",
        a=[{"id": 1, "expression": "x = 1"}],
        b=[{"note": [1], "expression": "x = 'one'", "id": 2}],
        c=[{"id": 3, "expression": {"attribute": "x", "operator": "is true"}}],
        d=[{"id": 4}],
        empty=[],
    )
    summary = build(read_expressions(spark, rules), tmp_path / "x.index")
    assert (summary.num_accepted, summary.rejects["id"].to_pylist()) == (3, [4])
    index = eligo.open(tmp_path / "x.index")
    assert [index.match({"x": x}) for x in (1, "one", True)] == [[1], [2], [3]]
    (Path(rules) / "e.jsonl").write_text('{"id": "five", "expression": "x = 5"}\n')
    assert {row["id"] for row in read_expressions(spark, rules).collect()} == {"1", "2", "3", "4", "five"}


def test_events_in_files_that_differ(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    eligo.build({"number": "x = 1", "text": "x = 'one'", "fraction": "x = 1.5", "other": "y.z = 2"}).save(path)
    events = write(
        tmp_path / "events",
        a=[{"event_id": 1, "x": 1}],
        b=[{"x": "one", "event_id": 2, "y": {"z": 2}}],
        c=[{"event_id": 3, "x": [1, "one", 1.5]}, {"event_id": 4}],
        d=[{"y": {"z": 2}, "event_id": 5, "x": 1.5}, {"event_id": 6, "x": "1"}],
    )
    version = index_version(path)
    file = open_event_file(spark, events, version, EventColumns(), format=FileFormat.JSON_LINES)
    found = sorted(tuple(row) for row in match(file.events, path, **file.options).collect())
    assert found == [
        (1, "number"),
        (2, "other"),
        (2, "text"),
        (3, "fraction"),
        (3, "number"),
        (3, "text"),
        (5, "fraction"),
        (5, "other"),
    ]


def test_a_file_that_is_not_what_its_name_says(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "rules.jsonl.gz"
    path.write_bytes(b"not compressed, and no JSON\n")
    with pytest.raises(InputError, match="cannot be read as jsonl: not a gzip file"):
        read_expressions(spark, str(path))
    with pytest.raises(InputError, match="cannot be read as jsonl: not a gzip file"):
        read_json_events(spark, str(path))


def test_a_field_that_no_event_has_is_no_column(spark: SparkSession, tmp_path: Path) -> None:
    events = write(tmp_path / "events", a=[{"event_id": 1, "shop": "x"}], b=[{"event_id": 2, "at": None}])
    assert read_json_events(spark, events, others=["shop", "at"]).columns[:3] == ["event_id", "shop", "at"]
    with pytest.raises(InputError, match="no column 'shopp'") as caught:
        read_json_events(spark, events, others=["shopp"])
    assert "--tenant-column" in caught.value.help


def test_files_beside_named_directories_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path / "shop=1", a=[{"event_id": 1, "id": 1, "expression": "x = 1"}])
    (tmp_path / "beside.jsonl").write_text('{"event_id": 2, "id": 2, "expression": "x = 2"}\n')
    readers: list[Callable[[], object]] = [
        lambda: read_expressions(spark, str(tmp_path), format=FileFormat.JSON_LINES),
        lambda: read_ids(spark, str(tmp_path), format=FileFormat.JSON_LINES),
        lambda: read_json_events(spark, str(tmp_path)),
        lambda: read_json_events(spark, str(tmp_path), needs_id=False),
    ]
    for read in readers:
        with pytest.raises(InputError, match=r"different names: .*beside\.jsonl"):
            read()


def test_a_column_in_a_file_and_in_its_directory(spark: SparkSession, tmp_path: Path) -> None:
    path, events = tmp_path / "x.index", tmp_path / "events"
    eligo.build({"one": "x = 1", "five": "x = 5"}).save(path)
    (events / "x=5").mkdir(parents=True)
    pq.write_table(pa.table({"event_id": [7], "x": pa.array([1], pa.int32())}), events / "x=5" / "a.parquet")
    for table in (parquet_events(spark, str(events)), spark.read.parquet(str(events))):
        assert [tuple(row) for row in match(table, path).collect()] == [(7, "five")]
