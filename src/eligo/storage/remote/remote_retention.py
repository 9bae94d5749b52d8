"""What may be removed from an index in a store? Versions beyond those to keep, and old files that no version names.

A version that is no longer kept leaves an empty file in its place for the grace time, so that no publisher that was
held up since the version before it was live can take its number.

A store has no lock, so nothing that someone may be about to name is ever removed: a file goes only when no kept version
names it and it was put longer ago than the grace time. A publisher that finds a file older than half of that puts it
again. So a file can be lost only to a removal that is held up, for as long as a publication takes, between its last
look at the file and its removal.
"""

from __future__ import annotations

from contextlib import suppress

from eligo.errors import StorageError
from eligo.storage.file_entries import FILE_NAME, ShardEntry, TombstonesEntry, VocabularyEntry
from eligo.storage.kept_versions import kept_numbers, read_kept
from eligo.storage.manifest import Manifest, read_manifest
from eligo.storage.remote.remote_files import age_seconds
from eligo.storage.remote.store_versions import VERSIONS, retired_versions, version_address
from eligo.storage.replace_file import TEMPORARY_NAME
from eligo.stores.address import Address
from eligo.stores.store import FileStatus, store_of

FOLDERS = (VocabularyEntry.FOLDER, ShardEntry.FOLDER, TombstonesEntry.FOLDER)


def remove_from_store(home: Address, *, keep_versions: int, grace_seconds: float) -> tuple[str, ...]:
    """Forgets all but the last versions, and removes what `retention.remove_unreferenced` says; the paths removed."""
    store = store_of(home)
    live = read_manifest(home)
    last_to_go = live.version - keep_versions
    numbers = kept_numbers(home, live.version)
    removed = []
    for number in numbers:
        if number <= last_to_go:
            store.put(version_address(home, number).key, [])
            removed.append(f"{VERSIONS}/{number}.json")
    store.delete([found.key for found in retired_versions(home) if age_seconds(found) > grace_seconds])
    named = _paths([live])
    old = [found for found in _own_files(home) if age_seconds(found) > grace_seconds]
    if all(_relative(home, found) in named for found in old):
        return tuple(removed)
    for number in numbers:
        if number > last_to_go:
            with suppress(FileNotFoundError):  # another removal has been here
                named |= _paths([read_kept(home, number)])
    for found in old:
        relative = _relative(home, found)
        if relative not in named and _is_old_still(home, found, grace_seconds):
            store.delete([found.key])
            removed.append(relative)
    return tuple(removed)


def _is_old_still(home: Address, found: FileStatus, grace_seconds: float) -> bool:
    with suppress(StorageError):
        now = store_of(home).status(found.key)
        return now is not None and age_seconds(now) > grace_seconds
    return False


def _own_files(home: Address) -> list[FileStatus]:
    """The files of arrays, and those of builds that were killed; what else lies there is not ours to touch."""
    own = []
    for folder in FOLDERS:
        for found in store_of(home).list((home / folder).prefix):
            name = found.key.removeprefix((home / folder).prefix)
            if FILE_NAME.fullmatch(name) or TEMPORARY_NAME.fullmatch(name):
                own.append(found)
    return own


def _relative(home: Address, found: FileStatus) -> str:
    return found.key.removeprefix(home.prefix)


def _paths(manifests: list[Manifest]) -> set[str]:
    return {entry.path for manifest in manifests for entry in manifest.files}
