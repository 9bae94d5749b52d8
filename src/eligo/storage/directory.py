"""How does a version of an index become the live one, and how is it opened?

    INDEX/
      manifest.json             names the live version's files; replaced by rename, so it is old or new, never half
      versions/<number>.json    the manifests of versions before it; see `kept_versions`
      vocabulary/<sha256>.eligo
      shards/<sha256>.eligo     named by their content, so never changed: a new version adds files beside the old
      tombstones/<sha256>.eligo
      publish.lock              empty; see `publish_lock`

In a store the files are the same, and `versions/` has the live version too; see `remote.remote_commit`.

`stage_*` writes files that no version refers to yet, from any number of processes at once; `commit` makes them a
version, on top of the one that its caller expects to be live; `publish` does both. Whatever happens before the rename,
the old version stays live. `retention` says what is removed, and readers keep what they have open even then.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from eligo._version import __version__
from eligo.errors import InputError, StorageError
from eligo.storage.array_file import ArrayFile, Arrays, read_arrays
from eligo.storage.canonical_json import Json
from eligo.storage.expected_version import ExpectedVersion, check_expectation, require_expected
from eligo.storage.file_entries import DeltaEntry, FileEntry, ShardEntry, VocabularyEntry
from eligo.storage.kept_versions import keep_manifest, read_version
from eligo.storage.manifest import MANIFEST_NAME, Manifest, read_manifest
from eligo.storage.publish_lock import publish_lock
from eligo.storage.refusal import damaged, unusable
from eligo.storage.remote.remote_commit import commit_to_store
from eligo.storage.remote.remote_files import map_file
from eligo.storage.replace_file import replace_file, sync_above, sync_directory
from eligo.storage.retention import GRACE_SECONDS, KEPT_VERSIONS, check_keep_versions, remove_under_lock
from eligo.storage.staging import mark_named, prepare, stage_shard, stage_tombstones, stage_vocabulary
from eligo.storage.stored_settings import StoredSettings
from eligo.stores.address import Address, Place, place

__all__ = [
    "OpenedDelta",
    "OpenedIndex",
    "commit",
    "open_file",
    "open_version",
    "prepare",
    "publish",
    "stage_shard",
    "stage_tombstones",
    "stage_vocabulary",
]

ShardContent = tuple[Arrays, Mapping[str, Json]]
"""What one shard will hold: arrays, and meta data whose `num_expressions` is a number."""


@dataclass(frozen=True)
class OpenedDelta:
    """One delta part, held open."""

    vocabulary: ArrayFile
    shards: tuple[ArrayFile, ...]
    tombstones: ArrayFile
    """See `packed_ids.tombstone_ids`."""


@dataclass(frozen=True)
class OpenedIndex:
    """One version, held open: its arrays stay valid whatever is published or removed later."""

    path: Place
    manifest: Manifest
    vocabulary: ArrayFile
    shards: tuple[ArrayFile, ...]
    deltas: tuple[OpenedDelta, ...] = ()
    """Oldest first."""


def publish(
    path: str | os.PathLike[str] | Place,
    *,
    shards: Sequence[ShardContent],
    vocabulary: Arrays,
    vocabulary_meta: Mapping[str, Json] | None = None,
    settings: StoredSettings,
    eligo_version: str = __version__,
    created: datetime | None = None,
    expected_version: ExpectedVersion = 0,
    deltas: Sequence[DeltaEntry] = (),
    keep_versions: int | None = KEPT_VERSIONS,
) -> Manifest:
    """Writes the files and makes them the live version; arguments as in `commit`."""
    check_keep_versions(keep_versions)
    check_expectation(expected_version)
    prepare(path)
    require_expected(place(path), expected_version)
    return commit(
        path,
        vocabulary=stage_vocabulary(path, vocabulary, vocabulary_meta or {}),
        shards=[stage_shard(path, *shard) for shard in shards],
        settings=settings,
        eligo_version=eligo_version,
        created=created,
        expected_version=expected_version,
        deltas=deltas,
        keep_versions=keep_versions,
    )


def commit(
    path: str | os.PathLike[str] | Place,
    *,
    vocabulary: VocabularyEntry,
    shards: Sequence[ShardEntry],
    settings: StoredSettings,
    eligo_version: str = __version__,
    created: datetime | None = None,
    expected_version: ExpectedVersion = 0,
    deltas: Sequence[DeltaEntry] = (),
    keep_versions: int | None = KEPT_VERSIONS,
) -> Manifest:
    """Makes staged files the next version, durably.

    `vocabulary` and `shards` are the base part, `deltas` those on top of it, oldest first. `created` is now unless
    given; with it, equal input gives equal bytes. `expected_version` is the version that the caller started from (0:
    none yet), or "any"; see `expected_version`: when another is live, nothing happens but a `VersionConflictError`.
    `keep_versions` is how many versions stay openable, the new one included; None removes nothing.
    """
    check_keep_versions(keep_versions)
    check_expectation(expected_version)
    index = place(path)

    def manifest_after(live: Manifest | None) -> Manifest:
        return Manifest(
            version=(live.version if live is not None else 0) + 1,
            created=created or datetime.now(UTC).replace(microsecond=0),
            eligo_version=eligo_version,
            settings=settings,
            vocabulary=vocabulary,
            shards=tuple(shards),
            deltas=tuple(deltas),
        )

    prepare(index)
    if isinstance(index, Address):
        return commit_to_store(
            index,
            manifest_after,
            expected_version=expected_version,
            keep_versions=keep_versions,
            grace_seconds=GRACE_SECONDS,
        )
    return _commit_to_directory(index, manifest_after, expected_version, keep_versions)


def _commit_to_directory(
    index: Path,
    manifest_after: Callable[[Manifest | None], Manifest],
    expected_version: ExpectedVersion,
    keep_versions: int | None,
) -> Manifest:
    with publish_lock(index) as lock:
        live = require_expected(index, expected_version)
        manifest = manifest_after(live)
        for entry in manifest.files:
            open_file(index, entry, verify=False)
        text = manifest.to_bytes()
        new_files = _not_in(live, manifest.files)
        _sync_names(index, new_files)
        if live is not None:
            keep_manifest(index)
        else:
            sync_above(index)
        lock.require()
        replace_file(index / MANIFEST_NAME, [text])
        mark_named(index, new_files)
        if keep_versions is not None:
            try:
                remove_under_lock(index, keep_versions=keep_versions, grace_seconds=GRACE_SECONDS)
            except StorageError as error:  # the version is live, and says so; its publisher succeeded
                warnings.warn(f"old versions of {index} were not removed: {error.message}", stacklevel=2)
    return manifest


def _not_in(live: Manifest | None, files: Iterable[FileEntry]) -> list[FileEntry]:
    """Those of the files that the live version does not name."""
    named = {entry.path for entry in live.files} if live is not None else set()
    return [entry for entry in files if entry.path not in named]


def _sync_names(index: Path, files: Iterable[FileEntry]) -> None:
    """Makes the names of staged files durable, also of those that an attempt which was cut off has left there."""
    for folder in sorted({entry.FOLDER for entry in files}):
        try:
            sync_directory(index / folder)
        except OSError as error:
            raise unusable(index / folder, "write", error) from error


def open_version(
    path: str | os.PathLike[str] | Place,
    *,
    version: int | None = None,
    manifest: Manifest | None = None,
    verify: bool = True,
) -> OpenedIndex:
    """Opens the live version, the one of a number that is still kept, or the one of a manifest that was read before.

    A file is read whole to compare its checksums, unless this process or another of the user has done so since its
    last change (see `verified_files`). `verify=False` never does.
    """
    index = place(path)
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


def _open_files(index: Place, manifest: Manifest, *, verify: bool) -> OpenedIndex:
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


def open_file(index: Place, entry: FileEntry, *, verify: bool = True, only: tuple[str, ...] | None = None) -> ArrayFile:
    """Maps a file that a manifest names; arguments as in `read_arrays`."""
    if isinstance(index, Address):
        return map_file(index, entry, verify=verify, only=only)
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
