"""Do the commands over tables of events give what their functions do?"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import eligo

from .conftest import EligoCommand

pytestmark = pytest.mark.usefixtures("spark")

EVENTS = [
    {"event_id": 1, "age": 20, "state": "CA", "site": "a"},
    {"event_id": 2, "age": 30, "state": "CA", "site": "b"},
    {"event_id": 3, "age": 40, "state": "NY", "site": "b"},
]


@pytest.fixture
def index(tmp_path: Path) -> Path:
    path = tmp_path / "ads.index"
    eligo.build({"young": "age < 25^2", "west": "state = 'CA'"}).save(path)
    return path


@pytest.fixture
def events(tmp_path: Path) -> Path:
    path = tmp_path / "events.parquet"
    pq.write_table(pa.Table.from_pylist(EVENTS), path)
    return path


def rows(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_match_with_rejects_and_report(eligo_command: EligoCommand, index: Path, tmp_path: Path) -> None:
    lines, report, aside = tmp_path / "events.jsonl", tmp_path / "report.html", tmp_path / "bad.jsonl"
    lines.write_text("".join(json.dumps(event) + "\n" for event in EVENTS) + "{broken\n")
    out = ("--out", "-", "--keep", "site", "--report", report, "--rejects", aside)
    matched = eligo_command("match", index, lines, *out)
    assert matched.code == 1
    assert "1 event could not be read" in matched.err
    assert {(row["event_id"], row["site"], row["expression_id"]) for row in rows(matched.out)} == {
        (1, "a", "young"),
        (1, "a", "west"),
        (2, "b", "west"),
    }
    assert rows(aside.read_text())[0]["event"] == "{broken"
    page = report.read_text()
    assert page.count("<svg") == 4
    assert "4, of which 1 rejected" in page
    assert "1 event could not be read and had no matches." in page
    assert '<td class="code short">{broken</td>' in page
    assert "by Eligo" in page
    assert "version 1 of " in page
    assert "http" not in page
    assert eligo_command("match", index, lines, "--out", "-", "--on-error", "raise").code == 2


def test_attributes_without_a_column_are_noted_once(eligo_command: EligoCommand, tmp_path: Path) -> None:
    eligo.build({"typo": "agee > 3 and stat = 'CA'", "good": "age > 3"}).save(tmp_path / "typo.index")
    events, report = tmp_path / "events.parquet", tmp_path / "report.html"
    pq.write_table(pa.Table.from_pylist(EVENTS), events)
    matched = eligo_command("match", tmp_path / "typo.index", events, "--out", "-", "--report", report)
    assert matched.err.count("note: no column of the events gives what expressions ask for: agee (did you mean") == 1
    assert "1 expression matches no event." in report.read_text()
    assert "agee &gt; 3 and stat = &#x27;CA&#x27;" in report.read_text()


def test_top_and_count(eligo_command: EligoCommand, index: Path, events: Path) -> None:
    best = eligo_command("top", index, events, "--out", "-", "-n", "1")
    assert best.code == 0
    assert {(row["event_id"], row["rank"], row["expression_id"], row["score"]) for row in rows(best.out)} == {
        (1, 1, "young", 2.0),
        (2, 1, "west", 1.0),
    }
    counted = eligo_command("count", index, events, "--out", "-")
    assert rows(counted.out) == [{"expression_id": "west", "matches": 2}, {"expression_id": "young", "matches": 1}]
    by_site = eligo_command("count", index, events, "--by", "site", "--out", "-")
    assert {(row["site"], row["expression_id"], row["matches"]) for row in rows(by_site.out)} == {
        ("a", "west", 1),
        ("b", "west", 1),
        ("a", "young", 1),
    }
    assert "3 events, 3 rows" in by_site.err


def test_bad_events_of_top_and_count(eligo_command: EligoCommand, index: Path, tmp_path: Path) -> None:
    lines, aside, report = tmp_path / "events.jsonl", tmp_path / "bad.jsonl", tmp_path / "report.html"
    without_ids = [{name: value for name, value in event.items() if name != "event_id"} for event in EVENTS]
    bad = '{"age": 123456789012345678901234567890, "event_id": 9, "site": "b"}\n{broken\n'
    lines.write_text("".join(json.dumps(event) + "\n" for event in EVENTS) + bad)
    best = eligo_command("top", index, lines, "--out", "-", "-n", "1", "--rejects", aside)
    assert best.code == 1
    assert "2 events could not be read" in best.err
    assert {(row["event_id"], row["expression_id"]) for row in rows(best.out)} == {(1, "young"), (2, "west")}
    assert sorted(str(row["event_id"]) for row in rows(aside.read_text())) == ["9", "None"]
    lines.write_text("".join(json.dumps(event) + "\n" for event in without_ids) + bad)
    counted = eligo_command("count", index, lines, "--out", "-", "--rejects", aside, "--report", report)
    assert counted.code == 1
    assert rows(counted.out) == [{"expression_id": "west", "matches": 2}, {"expression_id": "young", "matches": 1}]
    assert "2 events could not be read" in counted.err
    assert {str(row["event"])[:7] for row in rows(aside.read_text())} == {"{broken", '{"age":'}
    assert "5, of which 2 rejected" in report.read_text()
    by_site = eligo_command("count", index, lines, "--by", "site", "--out", "-", "--rejects", aside)
    assert {row["matches"] for row in rows(by_site.out)} == {1}
    assert {row["site"] for row in rows(aside.read_text())} == {"b", None}
    assert eligo_command("count", index, lines, "--out", "-", "--on-error", "raise").code == 2


def test_diff_of_two_versions(eligo_command: EligoCommand, index: Path, events: Path, tmp_path: Path) -> None:
    eligo.build({"young": "age < 35", "west": "state = 'CA'"}).save(index, expected_version="any")
    changed = eligo_command("diff", index, index, events, "--old-version", 1, "--out", "-")
    assert changed.code == 0
    (row,) = rows(changed.out)
    assert (row["expression_id"], row["gained"], row["lost"], row["gained_events"]) == ("young", 1, 0, [2])
    assert "1 expression would change: 1 matches gained, 0 lost" in changed.err
    lines, aside = tmp_path / "events.jsonl", tmp_path / "bad.jsonl"
    lines.write_text("".join(json.dumps(event) + "\n" for event in EVENTS) + "{broken\n")
    eligo.build({"young": "\"@tenant\" = 'x' or age < 45"}).save(tmp_path / "new.index")
    some_bad = eligo_command("diff", index, tmp_path / "new.index", lines, "--out", "-", "--rejects", aside)
    assert some_bad.code == 1
    assert "4 events, 2 expressions would change: 1 matches gained, 2 lost" in some_bad.err
    assert f"1 event could not be read and stayed out of the comparison: see {aside}" in some_bad.err
    assert some_bad.err.count("no --tenant-column is given") == 1
    assert {row["expression_id"] for row in rows(some_bad.out)} == {"young", "west"}
    assert "rejected" not in some_bad.out
    assert rows(aside.read_text())[0]["event"] == "{broken"


def test_generate_and_profile(eligo_command: EligoCommand, tmp_path: Path) -> None:
    made = tmp_path / "made"
    sizes = ("--expressions", 60, "--events", 10, "--parameter", "num_attributes=30")
    assert eligo_command("generate", "conjunctions", "--out", made, *sizes).code == 0
    assert pq.read_table(made / "events.parquet").num_rows == 10
    told = eligo_command("profile", made / "expressions.parquet", "--report", tmp_path / "p.html")
    assert told.code == 0
    assert "60 expressions, 60 distinct" in told.out
    assert "Sharing by level" in (tmp_path / "p.html").read_text()
    as_json = eligo_command("profile", made / "expressions.parquet", "--events", made / "events.parquet", "--json")
    assert json.loads(as_json.out)["num_expressions"] == 60
    wrong = eligo_command("generate", "conjunctions", "--out", tmp_path / "x", "--parameter", "alpha")
    assert wrong.code == 2
    assert "NAME=VALUE" in wrong.err


def test_stream_of_a_directory(eligo_command: EligoCommand, index: Path, tmp_path: Path) -> None:
    incoming, out = tmp_path / "incoming", tmp_path / "out"
    incoming.mkdir()
    (incoming / "1").write_text("".join(json.dumps(event) + "\n" for event in EVENTS))
    places = ("--out", out, "--checkpoint", tmp_path / "checkpoint", "--once")
    first = eligo_command("stream", index, incoming, *places)
    assert first.code == 0
    assert "batch 0 3 events, 3 matches, version 1" in first.err
    assert pq.read_table(out / "batch=0").num_rows == 3
    again = eligo_command("stream", index, incoming, *places)
    assert again.code == 0
    assert "batch" not in again.err
    (incoming / "2").write_text("{broken\n")
    bad = eligo_command("stream", index, incoming, *places)
    assert bad.code == 1
    assert "batch 1 1 event, 1 rejected, 0 matches" in bad.err
    assert f"1 event could not be read and had no matches: see {out / '_rejects'}" in bad.err
    assert pq.read_table(out / "_rejects" / "batch=1")["event"].to_pylist() == ["{broken"]


def test_what_spark_cannot_read_is_said_without_java(eligo_command: EligoCommand, tmp_path: Path) -> None:
    index, events = tmp_path / "x.index", tmp_path / "events.jsonl.gz"
    eligo.build({"a": "x = 1"}).save(index)
    lines = gzip.compress(b"".join(b'{"event_id": %d, "x": %d}\n' % (n, n * n % 997) for n in range(2_000)))
    events.write_bytes(lines[: len(lines) // 2])
    for command in ("match", "count"):
        ended = eligo_command(command, index, events, "--out", tmp_path / f"{command}.jsonl")
        assert ended.code == 2
        assert "events.jsonl.gz cannot be read" in ended.err
        assert "Unexpected end of input stream" in ended.err
        assert "java." not in ended.err
