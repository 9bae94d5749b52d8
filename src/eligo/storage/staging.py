"""How do the files of a version come to be before there is the version? They are staged.

    staged    its time is that of its last staging, with a fraction of a second: someone may be about to name it
    named     its time is whole seconds: the version that names it was published, and no one has staged it since

A file is named by its content, so two publishers may stage the same one; whoever comes second finds it there, and
makes it young again. That is done with the publish lock held, as removing is, so a file never goes from under one who
has just found it. See `retention` for what goes when.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from eligo.errors import InputError, StorageError
from eligo.storage.array_file import ArrayFileContent, Arrays
from eligo.storage.canonical_json import Json
from eligo.storage.file_entries import FileEntry, ShardEntry, TombstonesEntry, VocabularyEntry
from eligo.storage.kept_versions import list_versions
from eligo.storage.manifest import MANIFEST_NAME, read_manifest
from eligo.storage.packed_ids import tombstone_arrays
from eligo.storage.publish_lock import LOCK_NAME, publish_lock
from eligo.storage.refusal import unusable
from eligo.storage.remote.remote_files import stage_file
from eligo.storage.remote.store_versions import VERSIONS, live_bytes
from eligo.storage.replace_file import TEMPORARY_NAME, make_directory, replace_file
from eligo.stores.address import Address, Place, place
from eligo.stores.store import store_of

FOLDERS = (VocabularyEntry.FOLDER, ShardEntry.FOLDER, TombstonesEntry.FOLDER)
"""Where array files are."""
SECOND = 1_000_000_000


class WrittenFile(NamedTuple):
    """A file that was not there before, as it was when it had been written."""

    path: str
    """Below the directory of the index."""
    inode: int
    modified: int
    """Nanoseconds."""


def stage_vocabulary(
    path: str | os.PathLike[str] | Place,
    arrays: Arrays,
    meta: Mapping[str, Json],
    *,
    written: list[WrittenFile] | None = None,
) -> VocabularyEntry:
    """Writes a vocabulary file, unless it is there already; `written` gets what was not."""
    content = ArrayFileContent.of(arrays, meta)
    entry = VocabularyEntry(num_bytes=content.num_bytes, sha256=content.sha256, checksum=content.checksum)
    _stage(place(path), entry, content, written)
    return entry


def stage_shard(
    path: str | os.PathLike[str] | Place,
    arrays: Arrays,
    meta: Mapping[str, Json],
    *,
    written: list[WrittenFile] | None = None,
) -> ShardEntry:
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
    _stage(place(path), entry, content, written)
    return entry


def stage_tombstones(
    path: str | os.PathLike[str] | Place, ids: pa.Array | pa.ChunkedArray, *, written: list[WrittenFile] | None = None
) -> TombstonesEntry:
    """Writes the ids, strings or 64-bit ints, that a delta part takes from those before it."""
    arrays, num_ids = tombstone_arrays(ids)
    content = ArrayFileContent.of(arrays, {"num_ids": num_ids})
    entry = TombstonesEntry(
        num_bytes=content.num_bytes, sha256=content.sha256, checksum=content.checksum, num_ids=num_ids
    )
    _stage(place(path), entry, content, written)
    return entry


def prepare(path: str | os.PathLike[str] | Place) -> None:
    """Makes the directory when there is none, and refuses one that holds something else than an index."""
    index = place(path)
    if isinstance(index, Address):
        _prepare_store(index)
        return
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


def _prepare_store(home: Address) -> None:
    """Refuses a place below which something else than an index lies."""
    if not home.key:
        raise InputError(
            f"{home} is the top of a store", help="give an address below it, such as s3://bucket/ads.index"
        )
    if live_bytes(home) is not None:
        return
    names = (found.key.removeprefix(home.prefix).partition("/")[0] for found in store_of(home).list(home.prefix))
    stranger = next((name for name in names if not _may_precede_manifest(name)), None)
    if stranger is not None:
        raise StorageError(
            f"{home} holds other files, such as {stranger!r}, and no index",
            help="give an address below which there is nothing yet, or that of an index",
        )


def _may_precede_manifest(name: str) -> bool:
    """What a first version that was cut off, or is being staged, leaves in the directory."""
    return name in (*FOLDERS, VERSIONS, LOCK_NAME) or TEMPORARY_NAME.fullmatch(name) is not None


def mark_named(index: Path, entries: Iterable[FileEntry]) -> None:
    """Give files the time of what a version names; the caller holds the lock.

    One that belongs to another user stays as it is, and goes a day after no version names it.
    """
    now = time.time_ns() // SECOND * SECOND
    for entry in entries:
        with suppress(OSError):
            os.utime(index / entry.path, ns=(now, now))


def is_marked_named(status: os.stat_result) -> bool:
    """Whether no one has staged a file since a version named it."""
    return status.st_mtime_ns % SECOND == 0


def discard(path: str | os.PathLike[str] | Place, written: Iterable[WrittenFile]) -> None:
    """Removes files that were staged for a version that will not be, unless someone has staged or named them since."""
    index = place(path)
    files = list(written)
    if not files or isinstance(index, Address):
        return  # in a store another may have found them there; they go when they are a day old
    try:
        with publish_lock(index):
            named = {entry.path for manifest in list_versions(index) for entry in manifest.files}
            for file in files:
                with suppress(FileNotFoundError):
                    status = (index / file.path).lstat()
                    if file.path not in named and (status.st_ino, status.st_mtime_ns) == (file.inode, file.modified):
                        (index / file.path).unlink()
    except (OSError, StorageError):
        pass  # they go when they are a day old; what the publisher has to say is why it was refused


def _stage(index: Place, entry: FileEntry, content: ArrayFileContent, written: list[WrittenFile] | None) -> None:
    if isinstance(index, Address):
        stage_file(index, entry, content.chunks)
        return
    prepare(index)
    path = index / entry.path
    make_directory(path.parent)
    if _has_content(path, entry) and _is_young_again(index, path):
        return
    replace_file(path, content.chunks())
    if written is not None:
        with suppress(OSError):
            status = path.lstat()
            written.append(WrittenFile(entry.path, status.st_ino, status.st_mtime_ns))


def _is_young_again(index: Path, path: Path) -> bool:
    """Makes a file that is there one that is being staged; False when it has just gone."""
    with publish_lock(index):
        now = time.time_ns()
        now += now % SECOND == 0
        try:
            os.utime(path, ns=(now, now))
        except FileNotFoundError:
            return False
        except OSError:
            return path.is_file()  # another user's, or a read-only one: its time cannot be changed
    return True


def _has_content(path: Path, entry: FileEntry) -> bool:
    """Whether the file is there and whole; one that was damaged since is written again."""
    try:
        if not path.is_file() or path.stat().st_size != entry.num_bytes:
            return False
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == entry.sha256
    except FileNotFoundError:
        return False
    except OSError as error:
        raise unusable(path, "read", error) from error
