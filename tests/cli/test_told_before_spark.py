"""Is what is wrong with a command told before Spark starts, and is nothing lost by it?"""

from __future__ import annotations

from pathlib import Path

import pytest

import eligo
from eligo.cli import build, generate, profile, update
from eligo.cli.shared import event_command

from .conftest import EligoCommand


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def started(*_: object) -> None:
        raise AssertionError("Spark was started")

    monkeypatch.setattr(event_command, "started_session", started)
    monkeypatch.setattr(generate, "started_session", started)
    monkeypatch.setattr(build, "started_session", started)
    monkeypatch.setattr(update, "started_session", started)
    monkeypatch.setattr(profile, "started_session", started)
    path = tmp_path / "ads.index"
    eligo.build({1: "age < 25"}).save(path)
    (tmp_path / "events.jsonl").write_text('{"event_id": 1, "age": 20}\n')
    return path


def test_paths_that_lead_nowhere(eligo_command: EligoCommand, index: Path, tmp_path: Path) -> None:
    missing = eligo_command("match", index, tmp_path / "nope.jsonl", "--out", "-")
    assert missing.code == 2
    assert f"there is no file {tmp_path}/nope.jsonl" in missing.err
    for command in ("match", "top", "count"):
        told = eligo_command(command, index, tmp_path / "events.jsonl", "--out", "-", "--version", "9")
        assert (told.code, "version 9" in told.err) == (2, True), command
    told = eligo_command("diff", index, index, tmp_path / "events.jsonl", "--out", "-", "--old-version", "9")
    assert (told.code, "version 9" in told.err) == (2, True)


@pytest.mark.parametrize("option", ["--out", "--rejects", "--report"])
@pytest.mark.parametrize("place", ["ads.index", "ads.index/matches.jsonl", "events.jsonl", "."])
def test_nothing_is_written_over_what_is_read(
    eligo_command: EligoCommand, index: Path, tmp_path: Path, option: str, place: str
) -> None:
    others = () if option == "--out" else ("--out", tmp_path / "matches.jsonl")
    target = ("--overwrite", "--out-format", "jsonl", option, tmp_path / place)
    told = eligo_command("match", index, tmp_path / "events.jsonl", *others, *target)
    assert told.code == 2
    assert "which is read" in told.err
    assert eligo.open(index).match({"age": 20}) == [1]


def test_an_unknown_workload(eligo_command: EligoCommand, index: Path, tmp_path: Path) -> None:
    told = eligo_command("generate", "nope", "--out", tmp_path / "made")
    assert told.code == 2
    assert "nope" in told.err and "conjunctions" in told.err


@pytest.mark.parametrize(("name", "told"), [("cluster", "RangeIndex"), ("trees", "segment_tree")])
def test_range_lists_that_no_engine_has(
    eligo_command: EligoCommand, index: Path, tmp_path: Path, name: str, told: str
) -> None:
    (tmp_path / "rules.jsonl").write_text('{"id": 1, "expression": "age < 3"}\n')
    refused = eligo_command("build", tmp_path / "rules.jsonl", tmp_path / "new.index", "--ranges", name)
    assert (refused.code, told in refused.err) == (2, True)
    assert not (tmp_path / "new.index").exists()


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("rules.jsonl", "which is read"),
        ("ads.index", "would overwrite"),
        ("ads.index/rejects.jsonl", "would overwrite"),
        ("rejects.txt", "says text, which cannot be used here"),
        ("ftp://host/rejects.jsonl", "the scheme 'ftp', which is not known"),
    ],
)
def test_rejects_of_a_build_have_a_place_of_their_own(
    eligo_command: EligoCommand, index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    rules = '{"id": 1, "expression": "age < 3"}\n'
    Path("rules.jsonl").write_text(rules)
    for command in (("build", "rules.jsonl", index), ("update", index, "--changed", "rules.jsonl")):
        refused = eligo_command(*command, "--rejects", place)
        assert refused.code == 2 and told in refused.err, (command, refused.err)
    assert Path("rules.jsonl").read_text() == rules and eligo.open(index).match({"age": 20}) == [1]


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("ftp://bucket/x.index", "the scheme 'ftp', which is not known"),
        ("s3://key:secret@bucket/x", "user or password"),
    ],
)
def test_an_index_that_can_be_nowhere(
    eligo_command: EligoCommand, index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules.jsonl").write_text('{"id": 1, "expression": "age < 3"}\n')
    for command in (("build", "rules.jsonl", address), ("update", address, "--changed", "rules.jsonl")):
        refused = eligo_command(*command)
        assert refused.code == 2 and told in refused.err and "secret" not in refused.err


def test_a_profile_whose_events_are_nowhere(eligo_command: EligoCommand, index: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.jsonl"
    rules.write_text('{"id": 1, "expression": "age < 3"}\n')
    missing = eligo_command("profile", rules, "--events", tmp_path / "nope.csv")
    assert missing.code == 2 and f"there is no file {tmp_path}/nope.csv" in missing.err
    over = eligo_command("profile", rules, "--report", rules)
    assert over.code == 2 and "which is read" in over.err
