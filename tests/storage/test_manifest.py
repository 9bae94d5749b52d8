from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from eligo.errors import DamagedFileError, ForeignFileError, InputError, NewerFormatError, StorageError
from eligo.storage import manifest as module
from eligo.storage.canonical_json import from_bytes
from eligo.storage.manifest import Manifest, ShardEntry, VocabularyEntry, read_manifest
from eligo.storage.stored_settings import StoredSettings


def stored(**changes: Any) -> StoredSettings:
    return StoredSettings(**{"missing": "unknown", "engine": "scan", **changes})


def manifest(**changes: Any) -> Manifest:
    fields: dict[str, Any] = {
        "version": 3,
        "created": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        "eligo_version": "0.1.0",
        "settings": stored(),
        "vocabulary": VocabularyEntry(num_bytes=64, sha256="a" * 64, checksum=1),
        "shards": (
            ShardEntry(num_bytes=128, sha256="b" * 64, checksum=2, num_expressions=10),
            ShardEntry(num_bytes=192, sha256="c" * 64, checksum=3, num_expressions=20),
        ),
    }
    return Manifest(**{**fields, **changes})


def rewrite(change: Callable[[dict[str, Any]], object]) -> bytes:
    """The text of a manifest after a change to its JSON, with a checksum that fits."""
    document = json.loads(manifest().to_bytes())
    change(document)
    del document["checksum"]
    document["checksum"] = "0" * 64  # the last field, whatever else there is
    text = json.dumps(document, indent=2).encode()
    return text.replace(b"0" * 64, hashlib.sha256(text).hexdigest().encode())


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"settings": stored(missing="false")},
        {"shards": ()},
        {"settings": stored(schema={"age": {"kind": "number"}}, hierarchies={"é": [1, None]})},
        {"created": datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC)},
        {"settings": stored(hierarchies={"zeros": "0" * 64})},
    ],
)
def test_what_is_written_is_read(changes):
    written = manifest(**changes)
    assert Manifest.from_bytes(written.to_bytes()) == written
    assert pickle.loads(pickle.dumps(written)) == written


def test_the_checksum_is_that_of_the_file_with_zeros_in_its_place():
    text = manifest().to_bytes()
    checksum = json.loads(text)["checksum"]
    assert hashlib.sha256(text.replace(checksum.encode(), b"0" * 64)).hexdigest() == checksum


def test_times_are_utc():
    noon = datetime(2026, 1, 2, 12, tzinfo=timezone(timedelta(hours=2)))
    assert json.loads(manifest(created=noon).to_bytes())["created"] == "2026-01-02T10:00:00Z"
    with pytest.raises(InputError, match="no zone"):
        manifest(created=noon.replace(tzinfo=None))


def test_what_is_not_json_cannot_be_stored():
    with pytest.raises(InputError, match="a set is not JSON"):
        manifest(settings=stored(schema={"x": {1}})).to_bytes()


def test_paths_follow_from_content():
    assert [entry.path for entry in manifest().files] == [
        f"vocabulary/{'a' * 64}.eligo",
        f"shards/{'b' * 64}.eligo",
        f"shards/{'c' * 64}.eligo",
    ]


def test_unknown_fields_are_ignored():
    def add(document: dict[str, Any]) -> None:
        document["colour"] = "blue"
        document["shards"][0]["colour"] = {"red": 1}

    assert Manifest.from_bytes(rewrite(add)) == manifest()


@pytest.mark.parametrize(
    "path",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "shards/../../x.eligo",
        "",
        ".",
        "shards/" + "c" * 64 + ".eligo",
        "vocabulary/" + "b" * 64 + ".eligo",
        "./shards/" + "b" * 64 + ".eligo",
        "shards\\" + "b" * 64 + ".eligo",
        "C:\\x",
        "shards/" + "b" * 64 + ".eligo\x00",
    ],
)
def test_paths_that_point_elsewhere_are_refused(path):
    with pytest.raises(DamagedFileError, match="it names the file"):
        Manifest.from_bytes(rewrite(lambda document: document["shards"][0].update(path=path)))


@pytest.mark.parametrize("sha256", ["../" + "b" * 61, "B" * 64, "b" * 63, "b" * 65, "b" * 64 + "\n", 5, None])
def test_a_hash_is_64_hexadecimal_digits(sha256):
    def change(document: dict[str, Any]) -> None:
        document["shards"][0].update(sha256=sha256, path=f"shards/{sha256}.eligo")

    with pytest.raises(DamagedFileError, match="'sha256'"):
        Manifest.from_bytes(rewrite(change))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 0}, "'version' is not a number from 1 on"),
        ({"version": True}, "'version'"),
        ({"version": 1.0}, "'version'"),
        ({"format": 0}, "there is no format 0"),
        ({"format": "1"}, "'format'"),
        ({"created": "yesterday"}, "'created' is not a time"),
        ({"created": "2026-01-02T03:04:05"}, "'created' has no zone"),
        ({"created": "0001-01-01T00:00:00+23:00"}, "'created' is not a time"),
        ({"created": 5}, "'created' is not a string"),
        ({"missing": "maybe"}, "'missing' cannot be 'maybe'"),
        ({"engine": None}, "'engine' is not a string"),
        ({"num_expressions": 31}, "not the sum"),
        ({"vocabulary": None}, "not an object"),
        ({"shards": {}}, "'shards' is not a list"),
        ({"shards": [1]}, "not an object"),
        ({"schema": []}, "not an object"),
        ({"hierarchies": None}, "not an object"),
    ],
)
def test_wrong_fields_are_refused(changes, message):
    with pytest.raises(DamagedFileError, match=message):
        Manifest.from_bytes(rewrite(lambda document: document.update(changes)))


@pytest.mark.parametrize("name", sorted(set(json.loads(manifest().to_bytes())) - {"kind", "checksum"}))
def test_a_field_that_is_not_there_is_named(name):
    with pytest.raises(DamagedFileError, match=f"it has no '{name}'"):
        Manifest.from_bytes(rewrite(lambda document: document.pop(name)))


def test_a_newer_format_is_told_apart_from_damage():
    def change(document: dict[str, Any]) -> None:
        checksum = document["checksum"]
        document.clear()
        document.update(kind="eligo index", format=3, something="else", checksum=checksum)

    with pytest.raises(NewerFormatError, match=r"manifest\.json has format 3"):
        Manifest.from_bytes(rewrite(change))


@pytest.mark.parametrize("text", [b'{"manifest_version": 3, "name": "a web extension"}', b"<html>", b"[]"])
def test_a_manifest_of_something_else(tmp_path, text):
    (tmp_path / "manifest.json").write_bytes(text)
    with pytest.raises(ForeignFileError, match=r"manifest\.json is not the manifest of an eligo index"):
        read_manifest(tmp_path)


def test_where_there_is_no_index(tmp_path):
    with pytest.raises(StorageError, match=r"cannot open the index .*gone: No such file"):
        read_manifest(tmp_path / "gone")
    with pytest.raises(ForeignFileError, match=r"is not an index: it has no manifest\.json"):
        read_manifest(tmp_path)
    (tmp_path / "file").write_text("text")
    with pytest.raises(ForeignFileError, match="is a file, not the directory of an index"):
        read_manifest(tmp_path / "file")


def test_nothing_is_parsed_before_the_checksum_fits(monkeypatch):
    parsed = []
    monkeypatch.setattr(module, "from_bytes", lambda data: parsed.append(data) or from_bytes(data))
    text = manifest().to_bytes()
    for damage in (text.replace(b"scan", b"scam"), text[:-5], text + b"x", text.replace(b'"checksum"', b'"chocksum"')):
        with pytest.raises(DamagedFileError, match="checksum"):
            Manifest.from_bytes(damage)
    assert not parsed
    assert Manifest.from_bytes(text) == manifest()
    assert len(parsed) == 1


def test_a_file_beyond_the_bound_is_refused_unread(tmp_path, monkeypatch):
    path = tmp_path / "manifest.json"
    path.write_bytes(manifest().to_bytes())
    with open(path, "r+b") as file:
        file.truncate(module.MAX_MANIFEST_BYTES + 1)
    monkeypatch.setattr(Manifest, "from_bytes", None)
    with pytest.raises(DamagedFileError, match="more than 268435456 bytes"):
        read_manifest(tmp_path)


def test_what_could_not_be_read_again_is_not_written(monkeypatch):
    monkeypatch.setattr(module, "MAX_MANIFEST_BYTES", 2000)
    assert len(manifest().to_bytes()) < 2000
    with pytest.raises(InputError, match="more than 2,000"):
        manifest(settings=stored(hierarchies={"x": "y" * 2000})).to_bytes()
