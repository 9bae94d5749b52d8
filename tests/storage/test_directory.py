from __future__ import annotations

import os
import shutil
import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disk_cases import array_files
from eligo.errors import DamagedFileError, ForeignFileError, InputError, StorageError
from eligo.storage import directory
from eligo.storage.directory import commit, open_version, publish, stage_shard, stage_vocabulary
from eligo.storage.manifest import Manifest, read_manifest
from eligo.storage.publish_lock import publish_lock
from eligo.storage.retention import remove_unreferenced
from eligo.storage.stored_settings import StoredSettings

SETTINGS = StoredSettings(missing="unknown", engine="scan")


def publish_number(path: Path, number: int, settings: StoredSettings = SETTINGS, **options: Any) -> Manifest:
    """Publishes an index that can be told apart by one number; its vocabulary is always the same."""
    shard = ({"number": np.full(100, number, np.uint32)}, {"num_expressions": number})
    vocabulary = {"keys": np.arange(10, dtype=np.uint32)}
    options = {"expected_version": "any", **options}
    return publish(path, shards=[shard], vocabulary=vocabulary, settings=settings, **options)


def number_in(path: Path) -> int:
    return int(open_version(path).shards[0].arrays["number"][0])


def test_publish_and_open(tmp_path):
    index = tmp_path / "somewhere" / "new" / "index"
    manifest = publish_number(index, 7, replace(SETTINGS, schema={"a": 1}, hierarchies={"h": []}))
    opened = open_version(index)
    assert opened.manifest == manifest == read_manifest(index)
    assert manifest.version == 1
    assert manifest.num_expressions == 7
    assert opened.vocabulary.arrays["keys"].tolist() == list(range(10))
    assert opened.shards[0].arrays["number"].tolist() == [7] * 100
    assert sorted(os.listdir(index)) == ["manifest.json", "publish.lock", "shards", "vocabulary"]


def test_an_index_without_shards(tmp_path):
    publish(tmp_path, shards=[], vocabulary={}, settings=StoredSettings(missing="false", engine="scan"))
    assert open_version(tmp_path).shards == ()


def test_versions_follow_each_other_and_share_files(tmp_path):
    assert [publish_number(tmp_path, number).version for number in (1, 2, 1)] == [1, 2, 3]
    assert number_in(tmp_path) == 1
    assert len(array_files(tmp_path)) == 3


def test_a_file_that_is_there_already_is_not_written_again(tmp_path):
    entry = stage_shard(tmp_path, {"a": np.arange(3)}, {"num_expressions": 1})
    inode = (tmp_path / entry.path).stat().st_ino
    assert stage_shard(tmp_path, {"a": np.arange(3)}, {"num_expressions": 1}) == entry
    assert (tmp_path / entry.path).stat().st_ino == inode


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: data[:-1] + b"\x01", lambda data: b""])
def test_a_damaged_file_is_healed_by_publishing_it_again(tmp_path, damage):
    manifest = publish_number(tmp_path, 1)
    path = tmp_path / manifest.shards[0].path
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DamagedFileError, match=path.name):
        open_version(tmp_path)
    publish_number(tmp_path, 1)
    assert number_in(tmp_path) == 1


def test_equal_input_gives_equal_directories(tmp_path):
    for name in ("a", "b"):
        publish_number(tmp_path / name, 5, created=datetime(2026, 1, 1, tzinfo=UTC))
    files = {path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file()}
    assert files == {path.relative_to(tmp_path / "b") for path in (tmp_path / "b").rglob("*") if path.is_file()}
    assert all((tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes() for file in files)


def test_readers_keep_the_version_that_they_opened(tmp_path):
    publish_number(tmp_path, 1)
    opened = open_version(tmp_path, verify=False)
    publish_number(tmp_path, 2)
    remove_unreferenced(tmp_path, keep_versions=1, grace_seconds=0)
    assert opened.manifest.version == 1
    assert set(opened.shards[0].arrays["number"].tolist()) == {1}


def test_an_older_version_opens_by_its_manifest_until_its_files_are_removed(tmp_path):
    first = publish_number(tmp_path, 1)
    publish_number(tmp_path, 2)
    assert open_version(tmp_path, manifest=first).shards[0].arrays["number"][0] == 1
    remove_unreferenced(tmp_path, keep_versions=1, grace_seconds=0)
    with pytest.raises(DamagedFileError, match=f"it has no {first.shards[0].path}"):
        open_version(tmp_path, manifest=first)


def test_a_version_that_goes_while_it_is_opened_gives_the_next(tmp_path, monkeypatch):
    publish_number(tmp_path, 1)
    manifests = [read_manifest(tmp_path)]
    publish_number(tmp_path, 2)
    remove_unreferenced(tmp_path, keep_versions=1, grace_seconds=0)
    monkeypatch.setattr(
        directory, "read_manifest", lambda index: manifests.pop() if manifests else read_manifest(index)
    )
    assert number_in(tmp_path) == 2


@pytest.mark.parametrize("folder", ["shards", "vocabulary"])
def test_a_file_that_is_missing_is_named(tmp_path, folder):
    publish_number(tmp_path, 1)
    shutil.rmtree(tmp_path / folder)
    with pytest.raises(DamagedFileError, match=f"it has no {folder}/[0-9a-f]*.eligo"):
        open_version(tmp_path)


def test_a_whole_file_under_another_ones_name_is_refused_without_reading_it(tmp_path):
    first, second = publish_number(tmp_path, 1), publish_number(tmp_path, 2)
    shutil.copyfile(tmp_path / first.shards[0].path, tmp_path / second.shards[0].path)
    with pytest.raises(DamagedFileError, match="not the file that the manifest names"):
        open_version(tmp_path, verify=False)


@pytest.mark.parametrize("meta", [{}, {"num_expressions": -1}, {"num_expressions": "3"}, {"num_expressions": True}])
def test_a_shard_says_how_many_expressions_it_has(tmp_path, meta):
    with pytest.raises(InputError, match="number of expressions"):
        stage_shard(tmp_path, {}, meta)


class TestWhereNotToPublish:
    def test_a_directory_with_other_files(self, tmp_path):
        (tmp_path / "thesis.tex").write_text("years of work")
        with pytest.raises(StorageError, match=r"holds other files, such as 'thesis\.tex', and no index"):
            publish_number(tmp_path, 1)
        assert os.listdir(tmp_path) == ["thesis.tex"]

    def test_a_directory_with_another_programs_manifest(self, tmp_path):
        (tmp_path / "manifest.json").write_text('{"name": "a web extension"}')
        with pytest.raises(ForeignFileError, match=r"manifest\.json"):
            publish_number(tmp_path, 1)
        assert os.listdir(tmp_path) == ["manifest.json"]

    def test_a_file(self, tmp_path):
        (tmp_path / "file").write_text("text")
        with pytest.raises(StorageError, match=r"cannot write an index to .*file: Not a directory"):
            publish_number(tmp_path / "file", 1)
        assert (tmp_path / "file").read_text() == "text"

    def test_below_a_file(self, tmp_path):
        (tmp_path / "file").write_text("text")
        with pytest.raises(StorageError, match="cannot make the directory"):
            publish_number(tmp_path / "file" / "index", 1)

    def test_an_index_whose_manifest_is_damaged(self, tmp_path):
        publish_number(tmp_path, 1)
        manifest = tmp_path / "manifest.json"
        manifest.write_bytes(manifest.read_bytes().replace(b"unknown", b"unknowm"))
        with pytest.raises(DamagedFileError, match="checksum"):
            publish_number(tmp_path, 2)


class TestRemoveUnreferenced:
    def test_removes_what_no_version_names_and_nothing_else(self, tmp_path):
        old = publish_number(tmp_path, 1)
        new = publish_number(tmp_path, 2)
        left_behind = [".eligo-0123456789abcdef.tmp", "shards/.eligo-0123456789abcdef.tmp"]
        kept = ["notes.txt", "shards/notes.eligo", "shards/.other.tmp"]
        for name in (*left_behind, *kept):
            (tmp_path / name).write_text("")
        removed = remove_unreferenced(tmp_path, keep_versions=1, grace_seconds=0)
        assert sorted(removed) == sorted([*left_behind, "versions/1.json", old.shards[0].path])
        assert array_files(tmp_path) == sorted([*(entry.path for entry in new.files), "shards/notes.eligo"])
        assert all((tmp_path / name).exists() for name in kept)
        assert number_in(tmp_path) == 2

    def test_leaves_young_files_to_those_who_may_be_staging_them(self, tmp_path):
        publish_number(tmp_path, 1)
        staged = tmp_path / stage_shard(tmp_path, {}, {"num_expressions": 0}).path
        assert remove_unreferenced(tmp_path) == ()
        os.utime(staged, (0, 0))
        stage_shard(tmp_path, {}, {"num_expressions": 0})
        assert remove_unreferenced(tmp_path) == (), "staging again makes a file young"
        os.utime(staged, (0, 0))
        assert remove_unreferenced(tmp_path) == (f"shards/{staged.name}",)

    def test_does_nothing_where_there_is_no_index(self, tmp_path):
        with pytest.raises(ForeignFileError):
            remove_unreferenced(tmp_path)
        assert os.listdir(tmp_path) == []


class TestStaging:
    def test_files_that_were_staged_elsewhere_become_a_version(self, tmp_path):
        shards = [stage_shard(tmp_path, {"n": np.full(9, n)}, {"num_expressions": n}) for n in range(3)]
        vocabulary = stage_vocabulary(tmp_path, {"keys": np.arange(5)}, {"k": 1})
        with pytest.raises(ForeignFileError, match=r"no manifest\.json"):
            open_version(tmp_path)
        commit(tmp_path, vocabulary=vocabulary, shards=shards, settings=StoredSettings(missing="false", engine="scan"))
        opened = open_version(tmp_path)
        assert [shard.arrays["n"][0] for shard in opened.shards] == [0, 1, 2]
        assert opened.vocabulary.meta == {"k": 1}

    def test_a_file_that_is_not_there_cannot_be_committed(self, tmp_path):
        publish_number(tmp_path, 1)
        shard = stage_shard(tmp_path, {}, {"num_expressions": 0})
        vocabulary = stage_vocabulary(tmp_path, {}, {})
        (tmp_path / shard.path).unlink()
        with pytest.raises(DamagedFileError, match=f"it has no {shard.path}"):
            commit(
                tmp_path,
                vocabulary=vocabulary,
                shards=[shard],
                settings=StoredSettings(missing="false", engine="scan"),
                expected_version=1,
            )
        assert number_in(tmp_path) == 1


class TestConcurrentPublishers:
    def test_the_expected_version_decides(self, tmp_path):
        publish_number(tmp_path, 1, expected_version=0)
        publish_number(tmp_path, 2, expected_version=1)
        for expected in (0, 1, 3):
            with pytest.raises(StorageError, match=f"is at version 2, not at version {expected} as expected"):
                publish_number(tmp_path, 3, expected_version=expected)
        assert number_in(tmp_path) == 2
        assert len(array_files(tmp_path)) == 3, "the loser is told before it writes anything"

    def test_of_many_that_start_from_one_version_one_wins(self, tmp_path):
        publish_number(tmp_path, 1)
        outcomes: list[int | str] = []
        barrier = threading.Barrier(8)

        def run(number: int) -> None:
            entry = stage_shard(tmp_path, {"number": np.full(100, number)}, {"num_expressions": number})
            vocabulary = stage_vocabulary(tmp_path, {}, {})
            barrier.wait()
            try:
                commit(
                    tmp_path,
                    vocabulary=vocabulary,
                    shards=[entry],
                    settings=SETTINGS,
                    expected_version=1,
                )
                outcomes.append(number)
            except StorageError as error:
                outcomes.append(error.message)

        threads = [threading.Thread(target=run, args=(number,)) for number in range(10, 18)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        winners = [outcome for outcome in outcomes if isinstance(outcome, int)]
        assert len(outcomes) == 8
        assert winners == [number_in(tmp_path)]
        assert read_manifest(tmp_path).version == 2

    def test_without_expectation_all_come_one_after_the_other(self, tmp_path):
        versions: list[int] = []
        threads = [
            threading.Thread(target=lambda number=number: versions.append(publish_number(tmp_path, number).version))
            for number in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(versions) == list(range(1, 9))

    def test_a_lock_that_is_held_for_too_long(self, tmp_path):
        with (
            publish_lock(tmp_path),
            pytest.raises(StorageError, match=r"has held .*publish\.lock for more than 0\.05 seconds"),
            publish_lock(tmp_path, timeout_seconds=0.05),
        ):
            pass
        with publish_lock(tmp_path, timeout_seconds=0):
            pass
