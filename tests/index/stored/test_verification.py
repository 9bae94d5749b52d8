"""Does `verify` find everything that is wrong with an index, and only that?"""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

import eligo
from benchmarks.siege import forge
from eligo.errors import DamagedFileError, ForeignFileError, InputError, StorageError
from eligo.index.stored.live_count import num_live_among, num_live_expressions
from eligo.storage.kept_versions import list_versions
from eligo.storage.manifest import MANIFEST_NAME, read_manifest


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """Two versions: a base part, and a delta on top of it."""
    forge.make(tmp_path / "x.index", "a_tree")
    return tmp_path / "x.index"


def flip(path: Path, place: int = -70) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("deep", [False, True])
def test_a_whole_index_has_no_problems(index: Path, deep: bool) -> None:
    found = eligo.verify(index, deep=deep)
    assert found.problems == ()
    assert found.is_whole
    assert found.versions == (1, 2)
    files = {entry.path for manifest in list_versions(index) for entry in manifest.files}
    assert found.num_files == len(files)
    assert found.num_bytes == sum((index / path).stat().st_size for path in files)


def test_everything_that_is_wrong_is_told(index: Path) -> None:
    delta = read_manifest(index).deltas[0]
    flip(index / delta.shards[0].path)
    os.truncate(index / delta.tombstones.path, 100)
    (index / delta.vocabulary.path).unlink()
    flip(index / "versions" / "1.json")
    told = eligo.verify(index).problems
    assert sorted(problem.path.relative_to(index).parts[0] for problem in told) == [
        "shards",
        "tombstones",
        "versions",
        "vocabulary",
    ]
    assert "the padding after array" in next(problem.what for problem in told if problem.path.parent.name == "shards")


def test_a_flip_is_found_although_the_file_was_verified_before(index: Path) -> None:
    eligo.open(index)
    shard = index / read_manifest(index).shards[0].path
    flip(shard)
    (problem,) = eligo.verify(index, version=1).problems
    assert problem.path == shard


def test_one_version_can_be_asked_for(index: Path) -> None:
    flip(index / read_manifest(index).deltas[0].shards[0].path)
    assert eligo.verify(index, version=1).is_whole
    assert not eligo.verify(index, version=2).is_whole
    with pytest.raises(StorageError, match="version 9"):
        eligo.verify(index, version=9)


def test_a_damaged_manifest_is_told_and_kept_versions_are_read(index: Path) -> None:
    flip(index / MANIFEST_NAME)
    found = eligo.verify(index)
    assert found.versions == (1,)
    assert [problem.path.name for problem in found.problems] == [MANIFEST_NAME]


def test_what_is_no_index_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ForeignFileError):
        eligo.verify(tmp_path)
    with pytest.raises(StorageError):
        eligo.verify(tmp_path / "nothing")
    with pytest.raises(InputError):
        eligo.verify(tmp_path, deep="yes")  # type: ignore[arg-type]


def test_who_counts_what_is_live_reads_no_damaged_ids(index: Path) -> None:
    manifest = read_manifest(index)
    assert num_live_expressions(index, manifest) == len(eligo.open(index))
    for entry in (manifest.shards[0], manifest.deltas[0].tombstones):
        path = index / entry.path
        good = path.read_bytes()
        place = good.index(b"r3")  # an id, in both
        path.write_bytes(good[:place] + b"r4" + good[place + 2 :])
        with pytest.raises(DamagedFileError, match=path.name):
            num_live_expressions(index, manifest)
        with pytest.raises(DamagedFileError, match=path.name):
            num_live_among(index, manifest, pa.array(["r3"]))
        path.write_bytes(good)


def test_a_deep_look_finds_what_a_forger_did(index: Path, tmp_path: Path) -> None:
    num_found = 0
    for number in range(20):
        copied = tmp_path / str(number)
        shutil.copytree(index, copied)
        forge.forge(copied, random.Random(number))
        is_whole = eligo.verify(copied, version=2, deep=True).is_whole
        assert is_whole == (forge.judge(copied) == forge.ANSWERED)
        num_found += not is_whole
    assert num_found > 5
