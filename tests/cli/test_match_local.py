"""`eligo match|top|count --local`: the same rows, rejects and summary as on Spark, for every format."""

from __future__ import annotations

import csv
import gzip
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import eligo

from .conftest import EligoCommand, Outcome

TEXTS = {
    "young": "age < 25",
    "ca": "state in ('CA', 'NY')",
    "zip": "zip = '02139'",
    "late": "seen >= timestamp '2026-01-02T00:00:00Z'",
    "odd": "score > 1.5 or is_new = true",
    "not": "not state = 'TX'",
}
ROWS = [
    {
        "event_id": number,
        "age": 15 + number % 20,
        "state": ("CA", "NY", "TX", None)[number % 4],
        "zip": ("02139", "2139")[number % 2],
        "seen": datetime(2026, 1, 1 + number % 3, 10, tzinfo=UTC),
        "score": number / 10,
        "is_new": number % 7 == 0,
        "note": f'a "{number}", b',
    }
    for number in range(60)
]


def as_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, datetime) else "" if value is None else str(value)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    eligo.build(TEXTS).save(tmp_path / "ads.index")
    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "events.parquet", row_group_size=20)
    lines = [json.dumps({name: value for name, value in row.items() if value is not None}, default=str) for row in ROWS]
    lines[7:7] = ["", "not json", '{"event_id": 99, "age": [[1]]}']
    (tmp_path / "events.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    (tmp_path / "events.csv").mkdir()
    for number, names in enumerate((list(ROWS[0]), list(reversed(ROWS[0])))):
        with (tmp_path / "events.csv" / f"{number}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(names)
            writer.writerows([as_text(row[name]) for name in names] for row in ROWS[number::2])
    return tmp_path


def rows_of(path: Path) -> list[tuple[Any, ...]]:
    if path.suffix == ".parquet":
        return sorted((tuple(row.values()) for row in pq.read_table(path).to_pylist()), key=str)
    if path.suffix == ".csv":
        return sorted(map(tuple, csv.reader(path.read_text(encoding="utf-8").splitlines())))
    return sorted((tuple(json.loads(line).values()) for line in path.read_text(encoding="utf-8").splitlines()), key=str)


def told(outcome: Outcome) -> list[str]:
    """What is said at the end, without times and paths."""
    found = re.findall(r"[\d,]+ events?, [\d,]+ match(?:es)?|version \d+|[\d,]+ events? could not be read", outcome.err)
    return list(found)


@pytest.mark.parametrize("out", ["parquet", "jsonl", "csv"])
@pytest.mark.parametrize("events", ["events.parquet", "events.jsonl.gz", "events.csv"])
def test_the_same_as_on_spark(
    spark: SparkSession, eligo_command: EligoCommand, files: Path, events: str, out: str
) -> None:
    said, found, rejected = [], [], []
    for name, options in (("spark", ()), ("here", ("--local",))):
        target, rejects = files / f"{name}.{out}", files / f"{name}-rejects.{out}"
        outcome = eligo_command(
            *("match", files / "ads.index", files / events, "--out", target, "--rejects", rejects),
            *("--keep", "note", *options),
        )
        said.append((outcome.code, told(outcome)))
        found.append(rows_of(target))
        rejected.append(rows_of(rejects))
    assert said[0] == said[1]
    assert len(found[0]) > 100
    assert found[0] == found[1]
    assert str(rejected[0]) == str(rejected[1])
    if out == "parquet":
        here, there = (pq.read_schema(next((files / f"{name}.{out}").glob("*.parquet"))) for name in ("here", "spark"))
        assert here.names == there.names and here.types == there.types


@pytest.mark.parametrize("events", ["events.parquet", "events.jsonl.gz", "events.csv"])
@pytest.mark.parametrize(
    "asked",
    [("top", "-n", "2", "--keep", "note"), ("count",), ("count", "--by", "state"), ("count", "--by", "note")],
    ids=lambda asked: " ".join(asked),
)
def test_best_matches_and_counts_as_on_spark(
    spark: SparkSession, eligo_command: EligoCommand, files: Path, events: str, asked: tuple[str, ...]
) -> None:
    verb, *arguments = asked
    found = {}
    for name, options in (("spark", ()), ("here", ("--local",))):
        target, rejects = files / f"{name}.parquet", files / f"{name}-rejects.jsonl"
        outcome = eligo_command(
            *(verb, files / "ads.index", files / events, "--out", target, "--rejects", rejects, *arguments, *options)
        )
        schema = pq.read_schema(next(target.glob("*.parquet")))
        shown = [line for line in outcome.err.splitlines() if "could not be read" in line]
        shown = [line.replace(f"{name}-rejects", "rejects") for line in shown]
        found[name] = outcome.code, shown, rows_of(target), schema.names, schema.types, rows_of(rejects)
    assert found["here"] == found["spark"]
    assert len(found["here"][2]) > 4


def test_counts_are_in_order(eligo_command: EligoCommand, files: Path) -> None:
    outcome = eligo_command("count", files / "ads.index", files / "events.csv", "--local", "--out", "-")
    rows = [tuple(json.loads(line).values()) for line in outcome.out.splitlines()]
    assert rows == sorted(rows, key=lambda row: (-row[1], row[0])) and len(rows) == len(TEXTS)
    in_groups = eligo_command(
        "count", files / "ads.index", files / "events.csv", "--local", "--out", "-", "--memory", "1"
    )
    assert in_groups.out == outcome.out
    for arguments in (("top", "--weights-column", "note"), ("count", "--report", "r.html")):
        refused = eligo_command(
            arguments[0], files / "ads.index", files / "events.csv", "--local", "--out", "-", *arguments[1:]
        )
        assert (refused.code, "needs Spark" in refused.err) == (2, True)


def test_to_stdout_from_stdin(eligo_command: EligoCommand, files: Path) -> None:
    given = '{"event_id": "x", "age": 20}\n'
    outcome = eligo_command("match", files / "ads.index", "-", "--local", "--out", "-", stdin=given)
    assert outcome.out == '{"event_id":"x","expression_id":"young"}\n'
    shown = eligo_command(
        "match",
        files / "ads.index",
        "-",
        "--local",
        "--out",
        "-",
        "--out-format",
        "csv",
        "--delimiter",
        ";",
        stdin=given,
    )
    assert shown.out == "event_id;expression_id\nx;young\n"
    raised = eligo_command(
        "match", files / "ads.index", "-", "--local", "--on-error", "raise", "--out", "-", stdin="{}\nnope\n"
    )
    assert raised.code == 2


def test_what_only_spark_can_do_is_refused(eligo_command: EligoCommand, files: Path) -> None:
    (files / "more" / "state=CA").mkdir(parents=True)
    pq.write_table(pa.table({"event_id": [1], "age": [1]}), files / "more" / "state=CA" / "a.parquet")
    for arguments, said in (
        ((files / "more", "--format", "parquet"), "has a directory, state=CA"),
        ((files / "events.parquet", "--partition-by", "note"), "need Spark"),
        ((files / "events.parquet", "--report", files / "report.html"), "need Spark"),
        ((files / "events.parquet", "--event-id-column", "nope"), "has no column 'nope'"),
        ((files / "events.csv", "--keep", "nope"), "has no column 'nope'"),
        ((files / "events.jsonl.gz", "--keep", "nope"), "has a field 'nope'"),
        ((files / "events.parquet", "--documents", "s3://bucket/seen.jsonl"), "path of this machine"),
    ):
        outcome = eligo_command("match", files / "ads.index", *arguments, "--local", "--out", files / "out.jsonl")
        assert (outcome.code, said in outcome.err) == (2, True), outcome.err
    assert not (files / "out.jsonl").exists()


@pytest.mark.parametrize("name", ["events.parquet", "events.csv"])
def test_attributes_that_no_column_gives_are_told(eligo_command: EligoCommand, tmp_path: Path, name: str) -> None:
    asked = f"agee_in_{name.partition('.')[2]}"
    eligo.build({"a": f"{asked} > 1", "b": "age > 1"}).save(tmp_path / "ads.index")
    (tmp_path / "events.csv").write_text("event_id,age\n1,5\n")
    pq.write_table(pa.table({"event_id": [1], "age": [5]}), tmp_path / "events.parquet")
    out = tmp_path / "out.jsonl"
    outcome = eligo_command("match", tmp_path / "ads.index", tmp_path / name, "--local", "--out", out)
    assert [row[1] for row in rows_of(out)] == ["b"]
    assert f"note: no column of the events gives what expressions ask for: {asked}" in " ".join(outcome.err.split())
