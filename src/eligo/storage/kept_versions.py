"""Which versions of an index can still be opened? The live one, and those whose manifests are kept beside it.

    INDEX/manifest.json          version 12, live
    INDEX/versions/11.json       what manifest.json was before; the same bytes
    INDEX/versions/10.json

A manifest is kept just before the next one replaces it, so there is no moment at which a version is in neither place.
"""

from __future__ import annotations

import os
from pathlib import Path

from eligo.errors import StorageError
from eligo.storage.manifest import MANIFEST_NAME, Manifest, read_manifest, read_manifest_file
from eligo.storage.refusal import damaged, unusable
from eligo.storage.remote.store_versions import VERSION_NAME, VERSIONS, version_numbers
from eligo.storage.replace_file import make_directory, replace_file
from eligo.stores.address import Address, Place, place


def list_versions(path: str | os.PathLike[str] | Place) -> tuple[Manifest, ...]:
    """The manifests of all versions that can be opened, oldest first; the last one is live."""
    index = place(path)
    live = read_manifest(index)
    kept = []
    for number in kept_numbers(index, live.version):
        try:
            kept.append(read_kept(index, number))
        except FileNotFoundError:  # removed since it was listed
            continue
    return (*kept, live)


def read_version(path: str | os.PathLike[str] | Place, version: int) -> Manifest:
    """The manifest of a version, live or kept; a `StorageError` that lists what there is for any other."""
    index = place(path)
    live = read_manifest(index)
    if version == live.version:
        return live
    if 0 < version < live.version:
        try:
            return read_kept(index, version)
        except FileNotFoundError:
            pass
    raise no_such_version(index, version, live.version)


def no_such_version(index: Place, version: int, live: int) -> StorageError:
    """That a version was never published, or is no longer kept."""
    numbers = ", ".join(map(str, [*kept_numbers(index, live), live]))
    what = "has not been published" if version > live or version < 1 else "is no longer kept"
    return StorageError(f"version {version} of {index} {what}", help=f"there is {numbers}; {live} is live")


def kept_numbers(index: Place, live: int) -> list[int]:
    """The versions before the live one whose manifests are kept, ascending."""
    if isinstance(index, Address):
        return [number for number in version_numbers(index) if number < live]
    try:
        names = os.listdir(index / VERSIONS)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise unusable(index / VERSIONS, "read", error) from error
    found = (VERSION_NAME.fullmatch(name) for name in names)
    return sorted(number for match in found if match is not None and (number := int(match[1])) < live)


def keep_manifest(index: Path) -> None:
    """Keeps the live manifest, which is about to be replaced; the caller holds the lock."""
    live = read_manifest(index)
    make_directory(index / VERSIONS)
    try:
        data = (index / MANIFEST_NAME).read_bytes()
    except OSError as error:
        raise unusable(index / MANIFEST_NAME, "read", error) from error
    replace_file(index / VERSIONS / f"{live.version}.json", [data])


def kept_path(index: Place, version: int) -> Place:
    """Where the manifest of a version before the live one is."""
    return index / VERSIONS / f"{version}.json"


def read_kept(index: Place, version: int) -> Manifest:
    """The manifest of a version before the live one; `FileNotFoundError` when it is not kept."""
    path = kept_path(index, version)
    manifest = read_manifest_file(path)
    if manifest.version != version:
        raise damaged(path, f"it is the manifest of version {manifest.version}")
    return manifest
