"""Can older versions be opened for as long as they are kept, and do deltas and tombstones come back as written?"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from eligo.errors import DamagedFileError, InputError, StorageError
from eligo.storage.array_file import read_arrays
from eligo.storage.directory import commit, open_version, stage_shard, stage_tombstones, stage_vocabulary
from eligo.storage.file_entries import DeltaEntry
from eligo.storage.kept_versions import list_versions, read_version
from eligo.storage.manifest import Manifest, read_manifest
from eligo.storage.packed_ids import tombstone_ids
from eligo.storage.retention import remove_unreferenced
from eligo.storage.stored_settings import StoredSettings

SETTINGS = StoredSettings(missing="unknown", engine="scan")


def stage_part(path: Path, number: int) -> dict:
    shard = stage_shard(path, {"number": np.full(100, number, np.uint32)}, {"num_expressions": number})
    return {"vocabulary": stage_vocabulary(path, {"keys": np.full(5, number)}, {}), "shards": (shard,)}


def commit_number(path: Path, number: int, **options) -> Manifest:
    options = {"expected_version": "any", **options}
    return commit(path, **stage_part(path, number), settings=SETTINGS, **options)


def delta_of(path: Path, number: int, ids: list) -> DeltaEntry:
    return DeltaEntry(**stage_part(path, number), tombstones=stage_tombstones(path, pa.array(ids)))


def numbers_of(path: Path, version: int | None = None) -> list[int]:
    opened = open_version(path, version=version)
    parts = [opened.shards, *(delta.shards for delta in opened.deltas)]
    return [int(shard.arrays["number"][0]) for shards in parts for shard in shards]


class TestDeltas:
    def test_come_back_as_they_were_committed(self, tmp_path):
        deltas = [delta_of(tmp_path, 2, ["b", "a", "b"]), delta_of(tmp_path, 3, ["c"])]
        manifest = commit_number(tmp_path, 1, deltas=deltas)
        assert read_manifest(tmp_path) == manifest
        assert manifest.deltas == tuple(deltas)
        assert manifest.num_expressions == 1 + 2 + 3
        assert manifest.num_bytes == sum(file.stat().st_size for file in tmp_path.rglob("*.eligo"))
        opened = open_version(tmp_path)
        assert [tombstone_ids(delta.tombstones).to_pylist() for delta in opened.deltas] == [["a", "b"], ["c"]]
        assert numbers_of(tmp_path) == [1, 2, 3]

    def test_raise_the_format_number_only_where_there_are_some(self, tmp_path):
        assert b'"format": 1,' in commit_number(tmp_path, 1).to_bytes()
        with_delta = commit_number(tmp_path, 1, deltas=[delta_of(tmp_path, 2, [])])
        assert b'"format": 2,' in with_delta.to_bytes()
        assert Manifest.from_bytes(with_delta.to_bytes()) == with_delta

    def test_a_delta_whose_file_is_missing_is_not_committed(self, tmp_path):
        commit_number(tmp_path, 1)
        delta = delta_of(tmp_path, 2, [7])
        os.unlink(tmp_path / delta.tombstones.path)
        with pytest.raises(DamagedFileError, match=re.escape(delta.tombstones.path)):
            commit_number(tmp_path, 1, deltas=[delta])
        assert numbers_of(tmp_path) == [1]

    @pytest.mark.parametrize("folder", ["tombstones", "shards", "vocabulary"])
    def test_damage_to_a_file_of_a_delta_is_named(self, tmp_path, folder):
        delta = delta_of(tmp_path, 2, [7, 8])
        commit_number(tmp_path, 1, deltas=[delta])
        path = next(tmp_path / file.path for file in delta.files if folder == file.FOLDER)
        data = bytearray(path.read_bytes())
        data[-64] ^= 1
        path.write_bytes(data)
        with pytest.raises(DamagedFileError, match=path.name):
            open_version(tmp_path)


class TestTombstones:
    @pytest.mark.parametrize("ids", [[], [3, -(2**63), 2**63 - 1], ["b", "", "é"]])
    def test_come_back_sorted(self, tmp_path, ids):
        entry = stage_tombstones(tmp_path, pa.array(ids, pa.string() if not ids else None))
        found = tombstone_ids(read_arrays(tmp_path / entry.path))
        assert found.to_pylist() == sorted(ids)
        assert entry.num_ids == len(ids)

    def test_are_the_same_file_in_whatever_order_they_come(self, tmp_path):
        assert stage_tombstones(tmp_path, pa.array([1, 2, 3])) == stage_tombstones(tmp_path, pa.array([3, 1, 2, 1]))

    def test_a_null_is_refused(self, tmp_path):
        with pytest.raises(InputError, match="null"):
            stage_tombstones(tmp_path, pa.array(["a", None]))


class TestKeptVersions:
    def test_older_versions_open_by_their_numbers(self, tmp_path):
        for number in (5, 6, 7):
            commit_number(tmp_path, number)
        assert [numbers_of(tmp_path, version) for version in (1, 2, 3, None)] == [[5], [6], [7], [7]]
        assert [manifest.version for manifest in list_versions(tmp_path)] == [1, 2, 3]

    @pytest.mark.parametrize(
        ("version", "what"), [(4, "not been published"), (0, "not been"), (-1, "not been"), (1, "no longer kept")]
    )
    def test_a_version_that_is_not_there_lists_those_that_are(self, tmp_path, version, what):
        for number in (5, 6, 7):
            commit_number(tmp_path, number, keep_versions=2)
        with pytest.raises(StorageError, match=f"version {version} of .* {what}") as caught:
            open_version(tmp_path, version=version)
        assert caught.value.help == "there is 2, 3; 3 is live"

    def test_no_more_are_kept_than_asked_for(self, tmp_path):
        for number in range(1, 6):
            commit_number(tmp_path, number, keep_versions=3)
        assert [manifest.version for manifest in list_versions(tmp_path)] == [3, 4, 5]
        assert len(list(tmp_path.rglob("shards/*"))) == 3, "files go with the versions that named them"
        remove_unreferenced(tmp_path, keep_versions=2, grace_seconds=0)
        assert [numbers_of(tmp_path, version) for version in (4, 5)] == [[4], [5]]
        assert len(list(tmp_path.rglob("shards/*"))) == 2

    def test_the_default_keeps_ten(self, tmp_path):
        for number in range(1, 13):
            commit_number(tmp_path, number)
        assert [manifest.version for manifest in list_versions(tmp_path)] == list(range(3, 13))

    def test_all_are_kept_when_told_so(self, tmp_path):
        for number in range(1, 13):
            commit_number(tmp_path, number, keep_versions=None)
        assert len(list_versions(tmp_path)) == 12

    def test_the_live_version_cannot_be_removed(self, tmp_path):
        commit_number(tmp_path, 1)
        with pytest.raises(InputError, match="0 versions"):
            remove_unreferenced(tmp_path, keep_versions=0)

    def test_files_of_kept_deltas_stay(self, tmp_path):
        delta = delta_of(tmp_path, 2, [1])
        commit_number(tmp_path, 1, deltas=[delta])
        commit_number(tmp_path, 3)
        assert remove_unreferenced(tmp_path, keep_versions=2, grace_seconds=0) == ()
        assert numbers_of(tmp_path, 1) == [1, 2]
        assert set(remove_unreferenced(tmp_path, keep_versions=1, grace_seconds=0)) > {
            file.path for file in delta.files
        }
        assert numbers_of(tmp_path) == [3]

    def test_a_damaged_kept_manifest_is_refused_and_nothing_is_removed(self, tmp_path):
        commit_number(tmp_path, 1)
        commit_number(tmp_path, 2)
        kept = tmp_path / "versions" / "1.json"
        kept.write_bytes(kept.read_bytes().replace(b"scan", b"scam"))
        with pytest.raises(DamagedFileError, match=r"versions/1\.json"):
            open_version(tmp_path, version=1)
        with pytest.raises(DamagedFileError, match=r"versions/1\.json"):
            remove_unreferenced(tmp_path, grace_seconds=0)
        with pytest.warns(UserWarning, match=r"versions/1\.json"):
            assert commit_number(tmp_path, 3).version == 3
        assert numbers_of(tmp_path) == [3]

    def test_a_manifest_under_the_name_of_another_version(self, tmp_path):
        for number in (1, 2, 3):
            commit_number(tmp_path, number)
        (tmp_path / "versions" / "1.json").write_bytes((tmp_path / "versions" / "2.json").read_bytes())
        with pytest.raises(DamagedFileError, match="the manifest of version 2"):
            read_version(tmp_path, 1)

    def test_strangers_among_the_versions_are_left_alone(self, tmp_path):
        commit_number(tmp_path, 1)
        commit_number(tmp_path, 2)
        for name in ("notes.json", "007.json", "9.json"):
            (tmp_path / "versions" / name).write_text("")
        assert [manifest.version for manifest in list_versions(tmp_path)] == [1, 2]
        remove_unreferenced(tmp_path, keep_versions=1, grace_seconds=0)
        assert sorted(os.listdir(tmp_path / "versions")) == ["007.json", "9.json", "notes.json"]

    def test_a_version_is_named_once(self, tmp_path):
        manifest = commit_number(tmp_path, 1)
        with pytest.raises(InputError, match="not by both"):
            open_version(tmp_path, version=1, manifest=manifest)


COMMIT_IN_A_RACE = """
import sys, pathlib, numpy as np
from eligo.errors import StorageError
from eligo.storage.directory import commit, stage_shard, stage_vocabulary
from eligo.storage.stored_settings import StoredSettings
settings = StoredSettings(missing="unknown", engine="scan")
path, number = pathlib.Path(sys.argv[1]), int(sys.argv[2])
shard = stage_shard(path, {"number": np.full(100, number, np.uint32)}, {"num_expressions": number})
vocabulary = stage_vocabulary(path, {"keys": np.full(5, number)}, {})
print("ready", flush=True)
sys.stdin.readline()
try:
    commit(path, vocabulary=vocabulary, shards=[shard], settings=settings, expected_version=1)
    print("won")
except StorageError as error:
    print(error.message)
"""


def test_of_publishers_in_many_processes_one_wins(tmp_path):
    commit_number(tmp_path, 1)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    publishers = [
        subprocess.Popen(
            [sys.executable, "-c", COMMIT_IN_A_RACE, str(tmp_path), str(number)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in (2, 3, 4)
    ]
    for publisher in publishers:
        assert publisher.stdout is not None
        assert publisher.stdout.readline() == "ready\n"
    outcomes = [publisher.communicate("go\n", timeout=60)[0].strip() for publisher in publishers]
    assert outcomes.count("won") == 1
    assert all(
        outcome == "won" or "is at version 2, not at version 1 as expected: another has been published" in outcome
        for outcome in outcomes
    )
    winner = (2, 3, 4)[outcomes.index("won")]
    opened = open_version(tmp_path)
    assert numbers_of(tmp_path) == [winner]
    assert opened.vocabulary.arrays["keys"].tolist() == [winner] * 5
    assert [manifest.version for manifest in list_versions(tmp_path)] == [1, 2]
