"""Do files go as soon as nobody can need them, and never from under one who has just staged them?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eligo.storage import staging
from eligo.storage.directory import commit, open_version
from eligo.storage.manifest import Manifest
from eligo.storage.retention import remove_unreferenced
from eligo.storage.staging import WrittenFile, discard, stage_shard, stage_vocabulary
from eligo.storage.stored_settings import StoredSettings

SETTINGS = StoredSettings(missing="unknown", engine="scan")


def stage(path: Path, number: int, written: list[WrittenFile] | None = None) -> dict[str, Any]:
    arrays = {"number": np.full(100, number, np.uint32)}
    shard = stage_shard(path, arrays, {"num_expressions": number}, written=written)
    return {"vocabulary": stage_vocabulary(path, {}, {}, written=written), "shards": (shard,)}


def commit_number(path: Path, number: int, **options: Any) -> Manifest:
    staged = stage(path, number)
    return commit(path, **staged, settings=SETTINGS, expected_version="any", **options)


def shards_in(path: Path) -> set[str]:
    return {f"shards/{name}" for name in os.listdir(path / "shards")}


def test_what_a_version_named_goes_with_it_and_what_none_has_named_stays(tmp_path: Path) -> None:
    first = commit_number(tmp_path, 1)
    staged = stage(tmp_path, 9)["shards"][0].path
    second = commit_number(tmp_path, 2, keep_versions=1)
    assert shards_in(tmp_path) == {staged, second.shards[0].path}
    assert not (tmp_path / first.shards[0].path).exists()
    assert open_version(tmp_path).manifest == second


def test_a_file_that_was_staged_again_stays_for_the_one_who_did(tmp_path: Path) -> None:
    commit_number(tmp_path, 1)
    commit_number(tmp_path, 2)
    again = stage(tmp_path, 1)  # finds it there
    remove_unreferenced(tmp_path, keep_versions=1)
    assert commit(tmp_path, **again, settings=SETTINGS, expected_version=2).version == 3
    commit_number(tmp_path, 4, keep_versions=1)
    assert not (tmp_path / again["shards"][0].path).exists(), "named once more, and over once more"


def test_a_file_that_goes_while_it_is_being_staged_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit_number(tmp_path, 1)
    commit_number(tmp_path, 2)
    has_content = staging._has_content

    def removed_in_between(path: Path, entry: Any) -> bool:
        found = has_content(path, entry)
        monkeypatch.undo()
        remove_unreferenced(tmp_path, keep_versions=1)
        return found

    monkeypatch.setattr(staging, "_has_content", removed_in_between)
    shard = stage(tmp_path, 1)["shards"][0]
    assert (tmp_path / shard.path).exists()


def test_only_what_is_still_as_it_was_written_is_discarded(tmp_path: Path) -> None:
    commit_number(tmp_path, 1)
    written: list[WrittenFile] = []
    stage(tmp_path, 1, written)
    assert written == [], "all of it was there"
    found: list[WrittenFile] = []
    for number in (7, 8, 9):
        stage(tmp_path, number, found)
    assert [file.path for file in found] == [stage(tmp_path, number)["shards"][0].path for number in (7, 8, 9)]
    discard(tmp_path, found)
    assert {file.path for file in found} <= shards_in(tmp_path), "they were staged by another since"
    mine: list[WrittenFile] = []
    stage(tmp_path, 10, mine)
    stage(tmp_path, 11, mine)
    version = commit_number(tmp_path, 11)
    discard(tmp_path, mine)
    left = shards_in(tmp_path)
    assert mine[0].path not in left and version.shards[0].path in left
    discard(tmp_path / "nowhere", mine)


def test_a_damaged_manifest_that_goes_keeps_no_one_from_removing(tmp_path: Path) -> None:
    first = commit_number(tmp_path, 1)
    commit_number(tmp_path, 2)
    kept = tmp_path / "versions" / "1.json"
    kept.write_bytes(kept.read_bytes().replace(b"scan", b"scam"))
    commit_number(tmp_path, 3, keep_versions=2)
    assert not kept.exists()
    assert (tmp_path / first.shards[0].path).exists(), "what it named is not known, and waits"
    remove_unreferenced(tmp_path, keep_versions=2, grace_seconds=0)
    assert not (tmp_path / first.shards[0].path).exists()
