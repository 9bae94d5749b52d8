"""Files of the format with deltas: they must be read for ever, and equal changes must still give equal bytes.

They hold a whole index, so they also say that what an engine wrote then is matched now.
"""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

import eligo
from eligo.errors import DamagedFileError, StorageError
from eligo.index.stored.live_count import num_live_expressions
from eligo.storage.directory import commit, open_version, stage_tombstones
from eligo.storage.file_entries import DeltaEntry
from eligo.storage.manifest import DELTA_FORMAT, Manifest, read_manifest
from eligo.storage.stored_settings import StoredSettings

GOLDEN = Path(__file__).parent.parent / "fixtures" / "golden" / "deltas"
CREATED = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
BASE = {"ad-1": "age in (3, 4)", "ad-2": "age > 30", "ad-é": "state = 'NY'"}
CHANGED = {"ad-2": "age > 40", "ad-4": "vip"}
DELETED = "ad-é"


def test_it_is_read() -> None:
    opened = open_version(GOLDEN)
    assert (opened.manifest.format, opened.manifest.version, opened.manifest.created) == (DELTA_FORMAT, 2, CREATED)
    assert opened.manifest.num_expressions == 5
    assert num_live_expressions(GOLDEN, opened.manifest) == 3
    assert opened.manifest.deltas[0].tombstones.num_ids == 3


def test_it_is_matched() -> None:
    index = eligo.open(GOLDEN)
    assert sorted(index.ids) == ["ad-1", "ad-2", "ad-4"]
    assert index.match({"age": 35, "state": "NY"}) == []
    assert sorted(index.match({"age": [3, 41], "vip": True})) == ["ad-1", "ad-2", "ad-4"]
    assert sorted(eligo.open(GOLDEN, version=1).match({"age": 35, "state": "NY"})) == ["ad-2", "ad-é"]


def publish_golden(path: Path) -> None:
    """The files of a base and of a delta, with the times and the program's version that the golden ones have."""
    for published, source in ((path, BASE), (path.with_name("changed"), CHANGED)):
        eligo.build(source, engine="scan").publish(published)
    base, changed = read_manifest(path), read_manifest(path.with_name("changed"))
    for folder in ("vocabulary", "shards"):
        shutil.copytree(path.with_name("changed") / folder, path / folder, dirs_exist_ok=True)
    (path / "manifest.json").unlink()
    delta = DeltaEntry(
        vocabulary=changed.vocabulary,
        shards=changed.shards,
        tombstones=stage_tombstones(path, eligo_ids([*CHANGED, DELETED])),
    )
    _commit(path, base, [])
    _commit(path, base, [delta])


def _commit(path: Path, base: Manifest, deltas: list[DeltaEntry]) -> None:
    commit(
        path,
        vocabulary=base.vocabulary,
        shards=base.shards,
        deltas=deltas,
        settings=StoredSettings(missing="unknown", engine="scan"),
        eligo_version="0.1.0",
        created=CREATED,
        expected_version=1 if deltas else 0,
    )


def eligo_ids(ids: list[str]) -> pa.Array:
    return pa.array(ids, pa.large_string())


def test_it_is_written_byte_for_byte(tmp_path: Path) -> None:
    publish_golden(tmp_path / "index")
    written = {
        path.relative_to(tmp_path / "index"): path.read_bytes()
        for path in (tmp_path / "index").rglob("*")
        if path.suffix in (".eligo", ".json")
    }
    golden = {path.relative_to(GOLDEN): path.read_bytes() for path in GOLDEN.rglob("*") if path.is_file()}
    assert sorted(written) == sorted(golden)
    for name, content in golden.items():
        assert written[name] == content, name


def test_a_flipped_bit_in_its_manifest_or_its_tombstones_is_found(tmp_path: Path) -> None:
    (tombstones,) = (GOLDEN / "tombstones").iterdir()
    content = (GOLDEN / "manifest.json").read_bytes()
    for position in range(0, len(content), 7):
        flipped = content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :]
        with pytest.raises(StorageError):
            Manifest.from_bytes(flipped)
    shutil.copytree(GOLDEN, tmp_path / "index")
    damaged = tmp_path / "index" / "tombstones" / tombstones.name
    data = bytearray(tombstones.read_bytes())
    data[-1] ^= 1
    damaged.write_bytes(data)
    with pytest.raises(DamagedFileError, match=tombstones.name):
        eligo.open(tmp_path / "index")
