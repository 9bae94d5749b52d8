"""Files written by the first release: they must be read for ever, and equal input must still give equal bytes.

When the format changes, these stay, and files of the new format come beside them.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from eligo.errors import DamagedFileError, ForeignFileError, StorageError
from eligo.storage.array_file import read_arrays, write_arrays
from eligo.storage.directory import open_version, publish
from eligo.storage.manifest import Manifest
from eligo.storage.stored_settings import StoredSettings
from eligo.storage.string_array import pack_strings, unpack_strings

GOLDEN = Path(__file__).parent.parent / "fixtures" / "golden"
GOLDEN_SHA256 = "43148e74d6f5bb1527d1dad0be45108a2c22c9f16e5154ac545b143b58a0723f"

ARRAYS = {
    "b1": np.array([True, False, True]),
    "empty": np.array([], dtype="<f8"),
    "f4": np.array([-0.0, 1.5, np.inf], dtype="<f4"),
    "f8": np.array([0.1, np.nan], dtype="<f8"),
    "i1": np.array([-128, 127], dtype="i1"),
    "i2": np.array([-(2**15), 2**15 - 1], dtype="<i2"),
    "i4": np.array([-(2**31), 2**31 - 1], dtype="<i4"),
    "i8": np.array([-(2**63), 2**63 - 1], dtype="<i8"),
    "sixty-four.bytes": np.arange(64, dtype="u1"),
    "u2": np.array([0, 2**16 - 1], dtype="<u2"),
    "u4": np.array([0, 2**32 - 1], dtype="<u4"),
    "u8": np.array([0, 2**64 - 1], dtype="<u8"),
}
META = {"text": "déjà vu", "numbers": [1, -2.5, 2**64 - 1], "nothing": None, "yes": True}

VOCABULARY = {"offsets": np.array([0, 3], dtype="<u8"), "data": np.frombuffer(b"age", dtype="u1")}
SHARDS = [
    ({"keys": np.array([1, 2, 3], dtype="<u4"), **pack_strings(["ad-1", "ad-é"])}, {"num_expressions": 2}),
    ({"keys": np.array([], dtype="<u4"), **pack_strings([])}, {"num_expressions": 0}),
]
SCHEMA = {"age": {"kind": "number"}}
HIERARCHIES = {"page": {"edges": [["Sports", "NFL"]]}}
CREATED = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


def test_the_array_file_is_read():
    file = read_arrays(GOLDEN / "arrays.eligo")
    assert file.meta == META
    assert list(file.arrays) == sorted(ARRAYS)
    for name, array in ARRAYS.items():
        assert file.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(file.arrays[name], array)


def test_the_array_file_is_written_byte_for_byte(tmp_path):
    assert write_arrays(tmp_path / "a.eligo", ARRAYS, META) == GOLDEN_SHA256
    assert (tmp_path / "a.eligo").read_bytes() == (GOLDEN / "arrays.eligo").read_bytes()


def test_what_was_read_is_written_again_byte_for_byte(tmp_path):
    file = read_arrays(GOLDEN / "arrays.eligo")
    write_arrays(tmp_path / "a.eligo", file.arrays, file.meta)
    assert (tmp_path / "a.eligo").read_bytes() == (GOLDEN / "arrays.eligo").read_bytes()


def test_the_index_is_read():
    opened = open_version(GOLDEN / "index")
    assert opened.manifest.version == 1
    assert opened.manifest.created == CREATED
    assert opened.manifest.settings.missing == "false"
    assert opened.manifest.settings.engine == "scan"
    assert opened.manifest.num_expressions == 2
    assert opened.manifest.settings.schema == SCHEMA
    assert opened.manifest.settings.hierarchies == HIERARCHIES
    assert unpack_strings(opened.vocabulary.arrays).to_pylist() == ["age"]
    assert opened.shards[0].arrays["keys"].tolist() == [1, 2, 3]
    assert unpack_strings(opened.shards[0].arrays).to_pylist() == ["ad-1", "ad-é"]
    assert [shard.meta["num_expressions"] for shard in opened.shards] == [2, 0]


def test_the_example_in_the_documentation_is_the_golden_vocabulary():
    text = (Path(__file__).parents[2] / "docs" / "shard-format.md").read_text()
    rows = re.findall(r"^    [0-9a-f]{8}: ([0-9a-f ]{39})  ", text, re.MULTILINE)
    assert bytes.fromhex("".join(rows)) == next((GOLDEN / "index" / "vocabulary").iterdir()).read_bytes()


def publish_golden(path: Path) -> Manifest:
    return publish(
        path,
        shards=SHARDS,
        vocabulary=VOCABULARY,
        settings=StoredSettings(missing="false", engine="scan", schema=SCHEMA, hierarchies=HIERARCHIES),
        eligo_version="0.1.0",
        created=CREATED,
    )


def test_the_index_is_written_byte_for_byte(tmp_path):
    publish_golden(tmp_path / "index")
    written = {path.relative_to(tmp_path): path for path in tmp_path.rglob("*") if path.suffix in (".eligo", ".json")}
    golden = {path.relative_to(GOLDEN): path for path in (GOLDEN / "index").rglob("*") if path.is_file()}
    assert sorted(written) == sorted(golden)
    for name, path in golden.items():
        assert written[name].read_bytes() == path.read_bytes(), name


def refusal(read: Callable[[], object]) -> StorageError | None:
    try:
        read()
    except StorageError as error:
        return error
    return None


def test_a_flipped_bit_anywhere_in_an_array_file_is_found(tmp_path):
    path = tmp_path / "flipped.eligo"
    golden = (GOLDEN / "arrays.eligo").read_bytes()
    path.write_bytes(golden)
    with open(path, "r+b", buffering=0) as file:
        for position, byte in enumerate(golden):
            for bit in range(8):
                os.pwrite(file.fileno(), bytes([byte ^ 1 << bit]), position)
                error = refusal(lambda: read_arrays(path))
                assert type(error) is (ForeignFileError if position < 8 else DamagedFileError), (position, bit)
                assert "flipped.eligo" in error.message
            os.pwrite(file.fileno(), bytes([byte]), position)
    read_arrays(path)


def test_every_truncation_of_an_array_file_is_found(tmp_path):
    path = tmp_path / "short.eligo"
    path.write_bytes((GOLDEN / "arrays.eligo").read_bytes())
    for length in reversed(range(path.stat().st_size)):
        os.truncate(path, length)
        error = refusal(lambda: read_arrays(path, verify=False))
        assert type(error) is DamagedFileError, length
        assert "short.eligo" in error.message


@pytest.mark.parametrize("extra", [b"\x00", b"\n", bytes(64)])
def test_bytes_after_the_end_are_found(tmp_path, extra):
    path = tmp_path / "long.eligo"
    path.write_bytes((GOLDEN / "arrays.eligo").read_bytes() + extra)
    with pytest.raises(StorageError, match=r"long\.eligo .* followed by other data"):
        read_arrays(path, verify=False)


def test_a_flipped_bit_anywhere_in_a_manifest_is_found():
    golden = (GOLDEN / "index" / "manifest.json").read_bytes()
    for position in range(len(golden)):
        for bit in range(8):
            data = bytearray(golden)
            data[position] ^= 1 << bit
            error = refusal(lambda data=bytes(data): Manifest.from_bytes(data))
            assert type(error) is (ForeignFileError if position < 27 else DamagedFileError), (position, bit)
            assert "manifest.json" in error.message


def test_every_truncation_of_a_manifest_is_found():
    golden = (GOLDEN / "index" / "manifest.json").read_bytes()
    for length in range(len(golden)):
        error = refusal(lambda length=length: Manifest.from_bytes(golden[:length]))
        assert type(error) is DamagedFileError, length


def test_damage_to_any_file_of_an_index_is_found_and_named(tmp_path):
    shutil.copytree(GOLDEN / "index", tmp_path / "index")
    for path in (tmp_path / "index").rglob("*.eligo"):
        good = path.read_bytes()
        path.write_bytes(good[:-1] + b"\x01")
        with pytest.raises(StorageError, match=path.name):
            open_version(tmp_path / "index")
        path.write_bytes(good)
    open_version(tmp_path / "index")
