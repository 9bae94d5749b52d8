"""Is a publisher refused when the live version is not the one that it started from?"""

from __future__ import annotations

import pickle
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eligo.errors import InputError, StorageError, VersionConflictError
from eligo.storage.directory import commit, publish, stage_shard, stage_vocabulary
from eligo.storage.kept_versions import list_versions
from eligo.storage.manifest import Manifest, read_manifest
from eligo.storage.stored_settings import StoredSettings

SETTINGS = StoredSettings(missing="unknown", engine="scan")


def publish_number(path: Path, number: int, **options: Any) -> Manifest:
    shard = ({"number": np.full(100, number, np.uint32)}, {"num_expressions": number})
    return publish(path, shards=[shard], vocabulary={}, **{"settings": SETTINGS, **options})


def test_without_saying_so_nothing_that_is_live_is_replaced(tmp_path: Path) -> None:
    publish_number(tmp_path, 1)
    with pytest.raises(VersionConflictError, match="is at version 1, not at version 0 as expected") as caught:
        publish_number(tmp_path, 2)
    assert (caught.value.expected, caught.value.live) == (0, 1)
    assert "expected_version=1" in caught.value.help and 'expected_version="any"' in caught.value.help
    assert isinstance(caught.value, StorageError)
    restored = pickle.loads(pickle.dumps(caught.value))
    assert (restored.expected, restored.live, str(restored)) == (0, 1, str(caught.value))
    assert publish_number(tmp_path, 2, expected_version=1).version == 2
    assert publish_number(tmp_path, 3, expected_version="any").version == 3


def test_commit_asks_the_same(tmp_path: Path) -> None:
    publish_number(tmp_path, 1)
    staged: dict[str, Any] = {
        "vocabulary": stage_vocabulary(tmp_path, {}, {}),
        "shards": [stage_shard(tmp_path, {}, {"num_expressions": 0})],
        "settings": SETTINGS,
    }
    with pytest.raises(VersionConflictError):
        commit(tmp_path, **staged)
    assert commit(tmp_path, **staged, expected_version=1).version == 2


def test_a_manifest_is_expected_with_its_content(tmp_path: Path) -> None:
    first = publish_number(tmp_path / "i", 1)
    second = publish_number(tmp_path / "i", 2, expected_version=first)
    with pytest.raises(VersionConflictError, match="not at version 1"):
        publish_number(tmp_path / "i", 3, expected_version=first)
    # Removed and made anew, the directory is at a version of the same number.
    shutil.rmtree(tmp_path / "i")
    with pytest.raises(VersionConflictError, match="has no version, not version 2 as expected: it was removed"):
        publish_number(tmp_path / "i", 3, expected_version=second)
    publish_number(tmp_path / "i", 7)
    with pytest.raises(VersionConflictError, match="is at version 1, not at version 2 as expected: it was made anew"):
        publish_number(tmp_path / "i", 3, expected_version=second)
    with pytest.raises(VersionConflictError, match="was made anew: its version 1 is not the one that was opened"):
        publish_number(tmp_path / "i", 3, expected_version=first)
    assert read_manifest(tmp_path / "i").num_expressions == 7


@pytest.mark.parametrize("expected", [-1, True, 1.0, "1", "none", None, b"any"])
def test_what_cannot_be_expected_is_refused_before_anything_is_written(tmp_path: Path, expected: Any) -> None:
    with pytest.raises(InputError, match="is not a version that can be expected"):
        publish_number(tmp_path / "i", 1, expected_version=expected)
    assert not (tmp_path / "i").exists()


@pytest.mark.parametrize("keep_versions", [0, -1, True, 1.5, "3"])
def test_versions_that_cannot_be_kept_are_refused_before_anything_is_written(
    tmp_path: Path, keep_versions: Any
) -> None:
    with pytest.raises(InputError, match="versions cannot be kept"):
        publish_number(tmp_path / "i", 1, keep_versions=keep_versions)
    assert not (tmp_path / "i").exists()
    publish_number(tmp_path / "i", 1)
    files = sorted(tmp_path.rglob("*"))
    vocabulary = read_manifest(tmp_path / "i").vocabulary
    with pytest.raises(InputError, match="versions cannot be kept"):
        commit(
            tmp_path / "i",
            vocabulary=vocabulary,
            shards=[],
            settings=SETTINGS,
            expected_version=1,
            keep_versions=keep_versions,
        )
    assert sorted(tmp_path.rglob("*")) == files
    assert [manifest.version for manifest in list_versions(tmp_path / "i")] == [1]


def test_what_the_manifest_cannot_hold_is_refused_before_the_version_is_live(tmp_path: Path) -> None:
    publish_number(tmp_path, 1)
    odd: Any
    for odd in ({"schema": {"x": {1}}}, {"hierarchies": {"x": float("nan")}}):
        with pytest.raises(InputError):
            publish_number(tmp_path, 2, expected_version=1, settings=replace(SETTINGS, **odd))
    assert [manifest.num_expressions for manifest in list_versions(tmp_path)] == [1]
