"""`eligo query`: the same answers as the index gives, from arguments, files and stdin."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import eligo

from .conftest import EligoCommand

EVENTS = [
    {"event_id": 1, "age": 20, "state": "CA", "interests": ["golf", "food"]},
    {"event_id": 2, "age": 40, "day": "2026-01-31"},
    {"event_id": 3},
]


@pytest.fixture
def index(tmp_path: Path) -> Path:
    path = tmp_path / "ads.index"
    texts = {
        "young": "age < 25",
        "golf": "interests in ('golf'^2, 'tennis')",
        "late": "day >= date '2026-01-01'",
        "all": "not age = 7 or state = 'CA'",
    }
    eligo.build(texts).save(path)
    (tmp_path / "events.jsonl").write_text("".join(f"{json.dumps(event)}\n" for event in EVENTS), encoding="utf-8")
    return path


def answers(out: str) -> list[object]:
    return [json.loads(line) for line in out.splitlines()]


def test_the_same_from_arguments_files_and_stdin(eligo_command: EligoCommand, index: Path, tmp_path: Path) -> None:
    expected = [["young", "golf", "all"], ["late", "all"], []]
    texts = [json.dumps(event) for event in EVENTS]
    lines = (tmp_path / "events.jsonl").read_text(encoding="utf-8")
    for told in (
        eligo_command("query", index, *texts),
        eligo_command("query", index, tmp_path / "events.jsonl"),
        eligo_command("query", index, stdin=lines),
        eligo_command("query", index, "-", stdin=f"\n{lines}\n"),
        eligo_command("query", index, texts[0], "-", stdin="\n".join(texts[1:])),
    ):
        assert (told.code, answers(told.out), told.err) == (0, expected, "")


def test_ids_stand_with_answers(eligo_command: EligoCommand, index: Path, tmp_path: Path) -> None:
    told = eligo_command("query", index, tmp_path / "events.jsonl", "--event-id-column", "event_id")
    assert answers(told.out) == [
        {"event": 1, "matches": ["young", "golf", "all"]},
        {"event": 2, "matches": ["late", "all"]},
        {"event": 3, "matches": []},
    ]


def test_the_best(eligo_command: EligoCommand, index: Path) -> None:
    told = eligo_command("query", index, "--top", "1", json.dumps(EVENTS[0]))
    assert answers(told.out) == [[{"id": "golf", "score": 2.0}]]
    wrong = eligo_command("query", index, "--top", "1", "--explain", "{}")
    assert (wrong.code, "leave out --top" in wrong.err) == (2, True)


def test_reasons(eligo_command: EligoCommand, index: Path) -> None:
    told = eligo_command("query", index, "--explain", '{"age": 20}', '{"state": "NY"}')
    assert "young matches, because age < 25 is true" in told.out
    assert told.out.endswith("nothing matches\n")
    (found,) = answers(eligo_command("query", index, "--explain", "--json", '{"age": 20}').out)
    assert isinstance(found, list)
    assert [match["id"] for match in found] == ["young", "all"]
    assert found[0]["explanation"]["matches"] is True


def test_an_event_that_cannot_be_read_is_null(eligo_command: EligoCommand, index: Path) -> None:
    told = eligo_command("query", index, stdin='{"age": 20}\n{"age": \n[1]\n{"age": 30}\n')
    assert (told.code, answers(told.out)) == (1, [["young", "all"], None, None, ["all"]])
    assert "<stdin>, line 2: " in told.err and "<stdin>, line 3: " in told.err


def test_what_is_not_there(eligo_command: EligoCommand, index: Path, tmp_path: Path) -> None:
    missing = eligo_command("query", index, "nope.jsonl")
    assert (missing.code, missing.out) == (2, "")
    assert "nope.jsonl" in missing.err
    assert eligo_command("query", tmp_path / "no.index", "{}").code == 2
    assert "version 9" in eligo_command("query", index, "--version", "9", "{}").err


def test_tenants_and_times(eligo_command: EligoCommand, tmp_path: Path) -> None:
    path = tmp_path / "guarded.index"
    texts = {"a": "\"@tenant\" = 'A'", "soon": "\"@time\" < timestamp '2026-01-01T00:00:00Z'"}
    eligo.build(texts).save(path)
    told = eligo_command(
        *("query", path, "--tenant-column", "shop", "--time-column", "at"),
        '{"age": 2, "shop": "A", "at": "2027-01-01"}',
        '{"age": 2, "shop": "B", "at": "2025-06-01T10:00:00Z"}',
    )
    assert answers(told.out) == [["a"], ["soon"]]
    assert eligo_command("query", path, "--time-column", "at", '{"age": 2, "at": "soon"}').code == 1
