from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from .conftest import EligoCommand

pytestmark = pytest.mark.usefixtures("spark")

ADS = [
    {"id": "young", "expression": "age between 18 and 24"},
    {"id": "west", "expression": "state in ('CA', 'WA') and not age = 20"},
    {"id": "broken", "expression": "age in (1,"},
]
EVENTS = [{"event_id": 1, "age": 20, "state": "CA"}, {"event_id": 2, "state": "WA"}, {"event_id": 3, "age": 40}]


def json_lines(rows: list[dict[str, object]]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def test_stdin_to_stdout(eligo_command: EligoCommand, tmp_path: Path) -> None:
    index = tmp_path / "ads.index"
    built = eligo_command("build", "-", index, "--rejects", tmp_path / "rejects.jsonl", stdin=json_lines(ADS))
    assert built.code == 1
    assert "3 rows: 2 accepted, 1 rejected" in built.err
    assert "|           ^" in built.err
    rejects = [json.loads(line) for line in (tmp_path / "rejects.jsonl").read_text().splitlines()]
    assert [(row["id"], row["line"], row["column"]) for row in rejects] == [("broken", 1, 11)]
    matched = eligo_command("match", index, "-", "--out", "-", stdin=json_lines(EVENTS))
    assert matched.code == 0
    assert [json.loads(line) for line in matched.out.splitlines()] == [{"event_id": 1, "expression_id": "young"}]
    assert "3 events, 1 match" in matched.err


def test_the_policy_files_and_names(eligo_command: EligoCommand, tmp_path: Path) -> None:
    index, ads, events, out = (tmp_path / name for name in ("i", "ads.csv", "events.parquet", "matches.parquet"))
    ads.write_text('key,rule\nw,"not age = 20"\n')
    pq.write_table(pa.table({"n": [1, 2, 3], "age": [20, None, 40]}), events)
    arguments = ("--id-column", "key", "--expression-column", "rule", "--missing", "false")
    assert eligo_command("build", ads, index, *arguments).code == 0
    renamed = ("--event-id-column", "n", "--expression-id-column", "rule")
    assert eligo_command("match", index, events, "--out", out, *renamed).code == 0
    assert sorted(row["n"] for row in pq.read_table(out).to_pylist()) == [2, 3]
    assert pq.read_table(out).column_names == ["n", "rule"]
    again = eligo_command("match", index, events, "--out", out, *renamed)
    assert again.code == 2
    assert "--overwrite" in again.err
    assert eligo_command("match", index, events, "--out", out, "--overwrite", *renamed).code == 0


def test_what_cannot_run(eligo_command: EligoCommand, tmp_path: Path, spark: SparkSession) -> None:
    ads = tmp_path / "ads.jsonl"
    ads.write_text(json_lines(ADS))
    unknown = eligo_command("build", ads, tmp_path / "i", "--engine", "scam")
    assert unknown.code == 2
    assert "did you mean 'scan'" in unknown.err
    assert eligo_command("build", tmp_path / "no.jsonl", tmp_path / "i").code == 2
    assert eligo_command("match", tmp_path / "i", ads, "--out", "-").code == 2
    assert eligo_command("build", ads, tmp_path / "i").code == 1
    assert eligo_command("match", tmp_path / "i", ads, "--out", tmp_path / "m.csv").code == 2
    broken = '{"event_id": 1}\n{"event_id": \n'
    bad_event = eligo_command("match", tmp_path / "i", "-", "--out", "-", "--on-error", "raise", stdin=broken)
    assert bad_event.code == 2
    assert "JSON" in bad_event.err
    assert "Traceback" not in bad_event.err


def test_demo(eligo_command: EligoCommand, tmp_path: Path) -> None:
    arguments = ("demo", "--out", tmp_path / "demo", "--expressions", 600, "--events", 2_000)
    first = eligo_command(*arguments)
    assert first.code == 0
    assert "600 read, 599 accepted, 1 rejected" in first.out
    assert "Most matched expressions" in first.out
    assert "satisfies ad-" in first.out
    matches = pq.read_table(tmp_path / "demo" / "matches.parquet")
    assert f"{matches.num_rows:,}, that is" in first.out
    assert pq.read_table(tmp_path / "demo" / "rejects.parquet").num_rows == 1
    hint = next(line for line in first.out.splitlines() if line.startswith("Try: eligo "))
    assert " matches, because " in eligo_command(*hint.removeprefix("Try: eligo ").split()).out
    assert eligo_command(*arguments).code == 0
