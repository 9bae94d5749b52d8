"""What may be removed from an index? Versions beyond those to keep, and files that no version names.

A file that a kept version names is never removed, and no file that is younger than the grace time, because a version
that is being staged may be about to name it. A process that has a file open keeps it even then.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

from eligo.errors import InputError
from eligo.storage.file_entries import FILE_NAME, ShardEntry, TombstonesEntry, VocabularyEntry
from eligo.storage.kept_versions import VERSIONS, kept_numbers, kept_path, list_versions
from eligo.storage.manifest import read_manifest
from eligo.storage.publish_lock import publish_lock
from eligo.storage.refusal import unusable
from eligo.storage.replace_file import TEMPORARY_NAME

FOLDERS = (VocabularyEntry.FOLDER, ShardEntry.FOLDER, TombstonesEntry.FOLDER)
"""Where array files are."""
KEPT_VERSIONS = 10
"""How many versions stay unless the publisher says otherwise, the live one included."""
GRACE_SECONDS = 24 * 3600.0
"""Longer than it takes from staging the first file of a version to its publication."""


def remove_unreferenced(
    path: str | os.PathLike[str], *, keep_versions: int = KEPT_VERSIONS, grace_seconds: float = GRACE_SECONDS
) -> tuple[str, ...]:
    """Forgets all but the last versions, and removes files that none of them names; returns the paths removed.

    With them go the files that killed writers left. Files younger than the grace time stay.
    """
    index = Path(path)
    read_manifest(index)  # so that no lock file is made in a directory that is not an index
    with publish_lock(index):
        return remove_under_lock(index, keep_versions=keep_versions, grace_seconds=grace_seconds)


def remove_under_lock(index: Path, *, keep_versions: int, grace_seconds: float) -> tuple[str, ...]:
    """What `remove_unreferenced` does, for one who holds the lock."""
    if keep_versions < 1:
        raise InputError(f"{keep_versions} versions cannot be kept", help="keep 1 or more: the live one stays")
    removed = []
    newest = time.time() - grace_seconds
    try:
        live = read_manifest(index).version
        for number in kept_numbers(index, live):
            if number <= live - keep_versions:
                kept_path(index, number).unlink(missing_ok=True)
                removed.append(f"{VERSIONS}/{number}.json")
        # All manifests are read before any file goes: one that cannot be read may name any of them.
        named = {entry.path for manifest in list_versions(index) for entry in manifest.files}
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
    for folder in (*FOLDERS, VERSIONS):
        if (index / folder).is_dir():
            names = os.listdir(index / folder)
            found += [
                f"{folder}/{name}"
                for name in names
                if (folder != VERSIONS and FILE_NAME.fullmatch(name)) or TEMPORARY_NAME.fullmatch(name)
            ]
    return sorted(found)
