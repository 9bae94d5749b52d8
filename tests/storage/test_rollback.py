"""Does an earlier version come back as it was, as a new one, and only when nobody has published meanwhile?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import eligo
from eligo.errors import DamagedFileError, EligoError, InputError, StorageError, VersionConflictError
from eligo.storage import rollback as module
from eligo.storage.kept_versions import list_versions
from eligo.storage.manifest import read_manifest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Versions 1 to 3, of which each has one more expression; the later ones with deltas."""
    index = eligo.build({1: "a = 1"}, engine="scan")
    for id in (2, 3):
        index.save(tmp_path / "i")
        index.insert(id, "a = 1")
    index.save(tmp_path / "i")
    return tmp_path / "i"


def test_the_version_before_the_live_one_comes_back(path: Path) -> None:
    files = {file for file in path.rglob("*.eligo")}
    assert eligo.rollback(path) == 4
    assert eligo.open(path).ids == [1, 2]
    assert eligo.rollback(path) == 5
    assert eligo.open(path).ids == [1, 2, 3], "a second rollback takes the first one back"
    assert eligo.rollback(path, 1) == 6
    assert eligo.open(path).ids == [1] == eligo.open(path).match({"a": 1})
    assert {file for file in path.rglob("*.eligo")} == files, "no file is written again"
    manifests = {manifest.version: manifest for manifest in list_versions(path)}
    assert list(manifests) == [1, 2, 3, 4, 5, 6]
    assert (manifests[6].vocabulary, manifests[6].shards) == (manifests[1].vocabulary, manifests[1].shards)
    assert manifests[4].deltas == manifests[2].deltas != ()


def test_an_index_that_was_opened_before_must_be_opened_again(path: Path) -> None:
    index = eligo.open(path)
    index.insert(9, "a = 1")
    eligo.rollback(path)
    with pytest.raises(VersionConflictError):
        index.publish(path)


def test_nothing_happens_when_another_version_is_live(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(VersionConflictError, match="at version 3, not at version 2"):
        eligo.rollback(path, 1, expected_version=2)
    assert eligo.rollback(path, 1, expected_version=3) == 4
    open_version = module.open_version

    def publish_in_between(*arguments: Any, **options: Any) -> Any:
        monkeypatch.undo()
        index = eligo.open(path)
        index.replace(7, "a = 1")
        index.publish(path)
        return open_version(*arguments, **options)

    monkeypatch.setattr(module, "open_version", publish_in_between)
    with pytest.raises(VersionConflictError, match="at version 5, not at version 4"):
        eligo.rollback(path, 2)
    assert eligo.open(path).ids == [1, 7]
    monkeypatch.setattr(module, "open_version", publish_in_between)
    assert eligo.rollback(path, 2, expected_version="any") == 7


@pytest.mark.parametrize("version", [0, -1, 3, 4, True, "1", 1.0])
def test_versions_that_cannot_come_back(path: Path, version: Any) -> None:
    with pytest.raises(EligoError):
        eligo.rollback(path, version)
    assert read_manifest(path).version == 3


def test_where_there_is_none_before(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot open the index"):
        eligo.rollback(tmp_path / "none")
    eligo.build({1: "a = 1"}, engine="scan").save(tmp_path / "i")
    with pytest.raises(StorageError, match="no version before 1"):
        eligo.rollback(tmp_path / "i")
    with pytest.raises(InputError, match="0 versions cannot be kept"):
        eligo.rollback(tmp_path / "i", keep_versions=0)


def test_a_damaged_version_does_not_come_back(path: Path) -> None:
    only_of_2 = (
        set(list_versions(path)[1].files) - set(list_versions(path)[2].files) - set(list_versions(path)[0].files)
    )
    file = path / next(entry for entry in only_of_2 if entry.FOLDER == "shards").path
    data = bytearray(file.read_bytes())
    data[-64] ^= 1
    file.write_bytes(data)
    with pytest.raises(DamagedFileError, match=file.name):
        eligo.rollback(path, 2)
    assert read_manifest(path).version == 3
