"""What may be removed from an index? Versions beyond those to keep, and files that no version names.

A file that a kept version names is never removed. What a version named that goes now goes with it, at once. A file
that no version has named yet, or that was staged again since, stays for the grace time, because a version that is being
staged may be about to name it. A process that has a file open keeps it even then.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

from eligo.errors import InputError, StorageError, shown
from eligo.storage.file_entries import FILE_NAME
from eligo.storage.kept_versions import kept_numbers, read_kept
from eligo.storage.manifest import Manifest, read_manifest
from eligo.storage.publish_lock import publish_lock
from eligo.storage.refusal import unusable
from eligo.storage.remote.remote_retention import remove_from_store
from eligo.storage.remote.store_versions import VERSIONS
from eligo.storage.replace_file import TEMPORARY_NAME
from eligo.storage.staging import FOLDERS, is_marked_named
from eligo.stores.address import Address, Place, place

KEPT_VERSIONS = 10
"""How many versions stay unless the publisher says otherwise, the live one included."""
GRACE_SECONDS = 24 * 3600.0
"""Longer than it takes from staging the first file of a version to its publication."""


def check_keep_versions(keep_versions: int | None) -> None:
    """Refuse a number of versions that cannot be kept, before anything is written."""
    if keep_versions is None:
        return
    if not isinstance(keep_versions, int) or isinstance(keep_versions, bool) or keep_versions < 1:
        raise InputError(
            f"{shown(keep_versions)} versions cannot be kept",
            help="keep 1 or more, as the live one stays, or None for all",
        )


def remove_unreferenced(
    path: str | os.PathLike[str] | Place, *, keep_versions: int = KEPT_VERSIONS, grace_seconds: float = GRACE_SECONDS
) -> tuple[str, ...]:
    """Forgets all but the last versions, and removes files that none of them names; returns the paths removed.

    With them go the files that killed writers left, when they are older than the grace time.
    """
    check_keep_versions(keep_versions)
    index = place(path)
    if isinstance(index, Address):
        return remove_from_store(index, keep_versions=keep_versions, grace_seconds=grace_seconds)
    read_manifest(index)  # so that no lock file is made in a directory that is not an index
    with publish_lock(index):
        return remove_under_lock(index, keep_versions=keep_versions, grace_seconds=grace_seconds)


def remove_under_lock(index: Path, *, keep_versions: int, grace_seconds: float) -> tuple[str, ...]:
    """What `remove_unreferenced` does, for one who holds the lock."""
    removed = []
    newest = time.time() - grace_seconds
    try:
        live = read_manifest(index)
        last_to_go = live.version - keep_versions
        numbers = kept_numbers(index, live.version)
        # Manifests that stay are read before anything goes: one that cannot be read may name any file.
        named = _paths([live, *(read_kept(index, number) for number in numbers if number > last_to_go)])
        superseded: set[str] = set()
        for number in numbers:
            if number <= last_to_go:
                with suppress(StorageError):  # what a damaged one named is not known, and waits
                    superseded |= _paths([read_kept(index, number)])
                (index / VERSIONS / f"{number}.json").unlink(missing_ok=True)
                removed.append(f"{VERSIONS}/{number}.json")
        for relative in _own_files(index):
            # A file that is being staged may be renamed at any moment.
            with suppress(FileNotFoundError):
                status = (index / relative).lstat()
                is_over = relative in superseded and is_marked_named(status)
                if relative not in named and (is_over or status.st_mtime <= newest):
                    (index / relative).unlink()
                    removed.append(relative)
    except OSError as error:
        raise unusable(index, "remove unreferenced files of", error) from error
    return tuple(removed)


def _paths(manifests: list[Manifest]) -> set[str]:
    return {entry.path for manifest in manifests for entry in manifest.files}


def _own_files(index: Path) -> list[str]:
    """The array files and temporary files of an index; what else lies there is not ours to touch."""
    found = [name for name in os.listdir(index) if TEMPORARY_NAME.fullmatch(name)]
    for folder in (*FOLDERS, VERSIONS):
        if (index / folder).is_dir():
            names = os.listdir(index / folder)
            found += [
                f"{folder}/{name}"
                for name in names
                if (folder != VERSIONS and FILE_NAME.fullmatch(name)) or TEMPORARY_NAME.fullmatch(name)
            ]
    return sorted(found)
