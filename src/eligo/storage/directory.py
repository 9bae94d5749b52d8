"""How does a version of an index become the live one, and how is it opened?

    INDEX/
      manifest.json             names the live version's files; replaced by rename, so it is old or new, never half
      vocabulary/<sha256>.eligo
      shards/<sha256>.eligo     named by their content, so never changed: a new version adds files beside the old
      publish.lock              empty; see `publish_lock`

`stage_*` writes files that no version refers to yet, from any number of processes at once; `commit` makes them a
version; `publish` does both. Whatever happens before the rename, the old version stays live. Nothing is removed but
by `remove_unreferenced`, and readers keep what they have open even then.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from eligo import __version__
from eligo.errors import InputError, StorageError
from eligo.storage.array_file import ArrayFile, ArrayFileContent, Arrays, read_arrays
from eligo.storage.canonical_json import Json
from eligo.storage.manifest import (
    FILE_NAME,
    MANIFEST_NAME,
    FileEntry,
    Manifest,
    Missing,
    ShardEntry,
    VocabularyEntry,
    read_manifest,
)
from eligo.storage.publish_lock import LOCK_NAME, publish_lock
from eligo.storage.refusal import damaged, unusable
from eligo.storage.replace_file import TEMPORARY_NAME, make_directory, replace_file

FOLDERS = (VocabularyEntry.FOLDER, ShardEntry.FOLDER)
ShardContent = tuple[Arrays, Mapping[str, Json]]
"""What one shard will hold: arrays, and meta data whose `num_expressions` is a number."""


@dataclass(frozen=True)
class OpenedIndex:
    """One version, held open: its arrays stay valid whatever is published or removed later."""

    path: Path
    manifest: Manifest
    vocabulary: ArrayFile
    shards: tuple[ArrayFile, ...]


def publish(
    path: str | os.PathLike[str],
    *,
    shards: Sequence[ShardContent],
    vocabulary: Arrays,
    vocabulary_meta: Mapping[str, Json] | None = None,
    missing: Missing,
    engine: str,
    schema: Mapping[str, Json] | None = None,
    hierarchies: Mapping[str, Json] | None = None,
    eligo_version: str = __version__,
    created: datetime | None = None,
    expected_version: int | None = None,
) -> Manifest:
    """Writes the files and makes them the live version; arguments as in `commit`."""
    _prepare(Path(path))
    _current_version(Path(path), expected_version)
    return commit(
        path,
        vocabulary=stage_vocabulary(path, vocabulary, vocabulary_meta or {}),
        shards=[stage_shard(path, *shard) for shard in shards],
        missing=missing,
        engine=engine,
        schema=schema,
        hierarchies=hierarchies,
        eligo_version=eligo_version,
        created=created,
        expected_version=expected_version,
    )


def stage_vocabulary(path: str | os.PathLike[str], arrays: Arrays, meta: Mapping[str, Json]) -> VocabularyEntry:
    """Writes a vocabulary file, unless it is there already."""
    content = ArrayFileContent.of(arrays, meta)
    entry = VocabularyEntry(num_bytes=content.num_bytes, sha256=content.sha256, checksum=content.checksum)
    _stage(Path(path), entry, content)
    return entry


def stage_shard(path: str | os.PathLike[str], arrays: Arrays, meta: Mapping[str, Json]) -> ShardEntry:
    """Writes a shard file, unless it is there already; doing it again, as a retried task does, changes nothing."""
    num_expressions = meta.get("num_expressions")
    if not isinstance(num_expressions, int) or isinstance(num_expressions, bool) or num_expressions < 0:
        raise InputError(f"a shard cannot have {num_expressions!r} as its number of expressions")
    content = ArrayFileContent.of(arrays, meta)
    entry = ShardEntry(
        num_bytes=content.num_bytes,
        sha256=content.sha256,
        checksum=content.checksum,
        num_expressions=num_expressions,
    )
    _stage(Path(path), entry, content)
    return entry


def commit(
    path: str | os.PathLike[str],
    *,
    vocabulary: VocabularyEntry,
    shards: Sequence[ShardEntry],
    missing: Missing,
    engine: str,
    schema: Mapping[str, Json] | None = None,
    hierarchies: Mapping[str, Json] | None = None,
    eligo_version: str = __version__,
    created: datetime | None = None,
    expected_version: int | None = None,
) -> Manifest:
    """Makes staged files the next version, durably.

    `created` is now unless given; with it, equal input gives equal bytes. `expected_version` is the version that the
    caller started from (0: none yet): when another has been published since, nothing happens but a `StorageError`.
    """
    index = Path(path)
    _prepare(index)
    with publish_lock(index):
        manifest = Manifest(
            version=_current_version(index, expected_version) + 1,
            created=created or datetime.now(UTC).replace(microsecond=0),
            eligo_version=eligo_version,
            missing=missing,
            engine=engine,
            vocabulary=vocabulary,
            shards=tuple(shards),
            schema=schema,
            hierarchies=hierarchies or {},
        )
        for entry in manifest.files:
            _open_file(index, entry, verify=False)
        replace_file(index / MANIFEST_NAME, [manifest.to_bytes()])
    return manifest


def open_version(path: str | os.PathLike[str], *, manifest: Manifest | None = None, verify: bool = True) -> OpenedIndex:
    """Opens the live version, or the one of a manifest that was read before.

    `verify=False` does not read the arrays, for processes that open what another on the machine has verified.
    """
    index = Path(path)
    while True:
        wanted = manifest or read_manifest(index)
        try:
            vocabulary = _open_file(index, wanted.vocabulary, verify=verify)
            shards = tuple(_open_file(index, shard, verify=verify) for shard in wanted.shards)
            return OpenedIndex(index, wanted, vocabulary, shards)
        except StorageError:
            # Between reading the manifest and opening its files, a new version may have come and the old one's
            # files gone; then the new one is what to open.
            if manifest is not None or read_manifest(index).version == wanted.version:
                raise


def remove_unreferenced(path: str | os.PathLike[str], *, grace_seconds: float = 3600.0) -> tuple[str, ...]:
    """Removes array files that the live version does not name, and what killed writers left; returns their paths.

    Files younger than the grace time stay, because a version that is being staged may be about to name them.
    """
    index = Path(path)
    read_manifest(index)  # so that no lock file is made in a directory that is not an index
    removed = []
    with publish_lock(index):
        named = {entry.path for entry in read_manifest(index).files}
        newest = time.time() - grace_seconds
        try:
            for relative in _own_files(index):
                # A file that is being staged may be renamed at any moment.
                with suppress(FileNotFoundError):
                    if relative not in named and (index / relative).lstat().st_mtime <= newest:
                        (index / relative).unlink()
                        removed.append(relative)
        except OSError as error:
            raise unusable(index, "remove unreferenced files of", error) from error
    return tuple(removed)


def _own_files(index: Path) -> list[str]:
    """The array files and temporary files of an index; what else lies there is not ours to touch."""
    found = [name for name in os.listdir(index) if TEMPORARY_NAME.fullmatch(name)]
    for folder in FOLDERS:
        if (index / folder).is_dir():
            names = os.listdir(index / folder)
            found += [
                f"{folder}/{name}" for name in names if FILE_NAME.fullmatch(name) or TEMPORARY_NAME.fullmatch(name)
            ]
    return sorted(found)


def _stage(index: Path, entry: FileEntry, content: ArrayFileContent) -> None:
    _prepare(index)
    path = index / entry.path
    make_directory(path.parent)
    if not _has_content(path, entry):
        replace_file(path, content.chunks())
        return
    with suppress(PermissionError):
        os.utime(path)  # young again, so that `remove_unreferenced` leaves it to the version that will name it


def _has_content(path: Path, entry: FileEntry) -> bool:
    """Whether the file is there and whole; one that was damaged since is written again."""
    try:
        if not path.is_file() or path.stat().st_size != entry.num_bytes:
            return False
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == entry.sha256
    except OSError as error:
        raise unusable(path, "read", error) from error


def _open_file(index: Path, entry: FileEntry, *, verify: bool) -> ArrayFile:
    path = index / entry.path
    try:
        file = read_arrays(path, verify=verify)
    except StorageError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            raise damaged(index, f"it has no {entry.path}, which its manifest names") from None
        raise
    if (file.num_bytes, file.checksum) != (entry.num_bytes, entry.checksum):
        raise damaged(path, "it is not the file that the manifest names")
    return file


def _current_version(index: Path, expected: int | None) -> int:
    """The version that is live, 0 when there is none yet."""
    current = read_manifest(index).version if os.path.exists(index / MANIFEST_NAME) else 0
    if expected is not None and current != expected:
        raise StorageError(
            f"{index} is at version {current}, not at version {expected} as expected: another has been published",
            help="open the index again, apply the change to that version, and publish",
        )
    return current


def _prepare(index: Path) -> None:
    """Makes the directory when there is none, and refuses one that holds something else than an index."""
    make_directory(index)
    try:
        names = os.listdir(index)
    except OSError as error:
        raise unusable(index, "write an index to", error) from error
    if MANIFEST_NAME in names:
        read_manifest(index)
        return
    strangers = [name for name in names if not _may_precede_manifest(name)]
    if strangers:
        raise StorageError(
            f"{index} holds other files, such as {min(strangers)!r}, and no index",
            help="give the path of an empty directory, of one that does not exist yet, or of an index",
        )


def _may_precede_manifest(name: str) -> bool:
    """What a first version that was cut off, or is being staged, leaves in the directory."""
    return name in (*FOLDERS, LOCK_NAME) or TEMPORARY_NAME.fullmatch(name) is not None
