"""How does a version of an index become the live one, and how is it opened?

    INDEX/
      manifest.json             names the live version's files; replaced by rename, so it is old or new, never half
      versions/<number>.json    the manifests of versions before it; see `kept_versions`
      vocabulary/<sha256>.eligo
      shards/<sha256>.eligo     named by their content, so never changed: a new version adds files beside the old
      tombstones/<sha256>.eligo
      publish.lock              empty; see `publish_lock`

`stage_*` writes files that no version refers to yet, from any number of processes at once; `commit` makes them a
version; `publish` does both. Whatever happens before the rename, the old version stays live. `retention` says what is
removed, and readers keep what they have open even then.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa

from eligo import __version__
from eligo.errors import InputError, StorageError
from eligo.storage.array_file import ArrayFile, ArrayFileContent, Arrays, read_arrays
from eligo.storage.canonical_json import Json
from eligo.storage.file_entries import DeltaEntry, FileEntry, ShardEntry, TombstonesEntry, VocabularyEntry
from eligo.storage.kept_versions import VERSIONS, keep_manifest, read_version
from eligo.storage.manifest import MANIFEST_NAME, Manifest, Missing, read_manifest
from eligo.storage.publish_lock import LOCK_NAME, publish_lock
from eligo.storage.refusal import damaged, unusable
from eligo.storage.replace_file import TEMPORARY_NAME, make_directory, replace_file
from eligo.storage.retention import FOLDERS, GRACE_SECONDS, KEPT_VERSIONS, remove_under_lock
from eligo.storage.tombstones import tombstone_arrays

ShardContent = tuple[Arrays, Mapping[str, Json]]
"""What one shard will hold: arrays, and meta data whose `num_expressions` is a number."""


@dataclass(frozen=True)
class OpenedDelta:
    """One delta part, held open."""

    vocabulary: ArrayFile
    shards: tuple[ArrayFile, ...]
    tombstones: ArrayFile
    """See `tombstones.tombstone_ids`."""


@dataclass(frozen=True)
class OpenedIndex:
    """One version, held open: its arrays stay valid whatever is published or removed later."""

    path: Path
    manifest: Manifest
    vocabulary: ArrayFile
    shards: tuple[ArrayFile, ...]
    deltas: tuple[OpenedDelta, ...] = ()
    """Oldest first."""


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
    deltas: Sequence[DeltaEntry] = (),
    keep_versions: int | None = KEPT_VERSIONS,
) -> Manifest:
    """Writes the files and makes them the live version; arguments as in `commit`."""
    prepare(path)
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
        deltas=deltas,
        keep_versions=keep_versions,
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


def stage_tombstones(path: str | os.PathLike[str], ids: pa.Array | pa.ChunkedArray) -> TombstonesEntry:
    """Writes the ids, strings or 64-bit ints, that a delta part takes from those before it."""
    arrays, num_ids = tombstone_arrays(ids)
    content = ArrayFileContent.of(arrays, {"num_ids": num_ids})
    entry = TombstonesEntry(
        num_bytes=content.num_bytes, sha256=content.sha256, checksum=content.checksum, num_ids=num_ids
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
    deltas: Sequence[DeltaEntry] = (),
    keep_versions: int | None = KEPT_VERSIONS,
) -> Manifest:
    """Makes staged files the next version, durably.

    `vocabulary` and `shards` are the base part, `deltas` those on top of it, oldest first. `created` is now unless
    given; with it, equal input gives equal bytes. `expected_version` is the version that the caller started from (0:
    none yet): when another has been published since, nothing happens but a `StorageError`. `keep_versions` is how many
    versions stay openable, the new one included; None removes nothing.
    """
    index = Path(path)
    prepare(index)
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
            deltas=tuple(deltas),
        )
        for entry in manifest.files:
            open_file(index, entry, verify=False)
        if manifest.version > 1:
            keep_manifest(index)
        replace_file(index / MANIFEST_NAME, [manifest.to_bytes()])
        if keep_versions is not None:
            try:
                remove_under_lock(index, keep_versions=keep_versions, grace_seconds=GRACE_SECONDS)
            except StorageError as error:  # the version is live, and says so; its publisher succeeded
                warnings.warn(f"old versions of {index} were not removed: {error.message}", stacklevel=2)
    return manifest


def open_version(
    path: str | os.PathLike[str],
    *,
    version: int | None = None,
    manifest: Manifest | None = None,
    verify: bool = True,
) -> OpenedIndex:
    """Opens the live version, the one of a number that is still kept, or the one of a manifest that was read before.

    A file is read whole to compare its checksums, unless this process or another of the user has done so since its
    last change (see `verified_files`). `verify=False` never does.
    """
    index = Path(path)
    if version is not None and manifest is not None:
        raise InputError("a version is opened by its number or by its manifest, not by both")
    while True:
        wanted = manifest or (read_manifest(index) if version is None else read_version(index, version))
        try:
            return _open_files(index, wanted, verify=verify)
        except StorageError:
            # Between reading the manifest and opening its files, a new version may have come and the old one's
            # files gone; then the new one is what to open.
            if manifest is not None:
                raise
            if version is not None:
                read_version(index, version)  # which says so if it is no longer kept
                raise
            if read_manifest(index).version == wanted.version:
                raise


def _open_files(index: Path, manifest: Manifest, *, verify: bool) -> OpenedIndex:
    return OpenedIndex(
        index,
        manifest,
        open_file(index, manifest.vocabulary, verify=verify),
        tuple(open_file(index, shard, verify=verify) for shard in manifest.shards),
        tuple(
            OpenedDelta(
                open_file(index, delta.vocabulary, verify=verify),
                tuple(open_file(index, shard, verify=verify) for shard in delta.shards),
                open_file(index, delta.tombstones, verify=verify),
            )
            for delta in manifest.deltas
        ),
    )


def _stage(index: Path, entry: FileEntry, content: ArrayFileContent) -> None:
    prepare(index)
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


def open_file(index: Path, entry: FileEntry, *, verify: bool = True, only: tuple[str, ...] | None = None) -> ArrayFile:
    """Maps a file that a manifest names; arguments as in `read_arrays`."""
    path = index / entry.path
    try:
        file = read_arrays(path, verify=verify, only=only)
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


def prepare(path: str | os.PathLike[str]) -> None:
    """Makes the directory when there is none, and refuses one that holds something else than an index."""
    index = Path(path)
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
    return name in (*FOLDERS, VERSIONS, LOCK_NAME) or TEMPORARY_NAME.fullmatch(name) is not None
