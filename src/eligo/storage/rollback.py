"""How does an earlier version come back? As a new version of the same files; nothing is undone or renumbered.

versions   1   2   3 live        rollback(path)        1   2   3   4 live, with what 2 has
                                 rollback(path)        1   2   3   4   5 live, with what 3 has
"""

from __future__ import annotations

import os
from typing import Literal

from eligo.errors import InputError, StorageError, shown
from eligo.storage.directory import commit, open_version
from eligo.storage.expected_version import check_expectation, require_expected
from eligo.storage.kept_versions import kept_numbers, read_version
from eligo.storage.manifest import Manifest, read_manifest
from eligo.storage.retention import KEPT_VERSIONS, check_keep_versions
from eligo.stores.address import Place, place


def rollback(
    path: str | os.PathLike[str],
    version: int | None = None,
    *,
    expected_version: int | Literal["any"] | None = None,
    keep_versions: int | None = KEPT_VERSIONS,
) -> int:
    """Make an earlier version live again, as a new one whose number is returned.

    `version` is one that is kept; the one before the live one unless given. Its files are verified first. When another
    version than `expected_version`, or than the one that was live at the call, is live, nothing happens but a
    `VersionConflictError`. `keep_versions` is as in `Index.publish`.
    """
    return roll_back(path, version, expected_version=expected_version, keep_versions=keep_versions).version


def roll_back(
    path: str | os.PathLike[str],
    version: int | None = None,
    *,
    expected_version: int | Literal["any"] | None = None,
    keep_versions: int | None = KEPT_VERSIONS,
) -> Manifest:
    """What `rollback` does; returns the new manifest."""
    check_keep_versions(keep_versions)
    if expected_version is not None:
        check_expectation(expected_version)
    if version is not None and (not isinstance(version, int) or isinstance(version, bool)):
        raise InputError(
            f"{shown(version)} is not the number of a version", help="eligo versions lists those that there are"
        )
    index = place(path)
    live = read_manifest(index)
    if expected_version is not None and expected_version != "any":
        require_expected(index, expected_version)
    wanted = _wanted(index, live, version)
    open_version(index, manifest=wanted)
    return commit(
        index,
        vocabulary=wanted.vocabulary,
        shards=wanted.shards,
        deltas=wanted.deltas,
        settings=wanted.settings,
        expected_version="any" if expected_version == "any" else live,
        keep_versions=keep_versions,
    )


def _wanted(index: Place, live: Manifest, version: int | None) -> Manifest:
    if version == live.version:
        raise InputError(f"version {version} of {index} is live already", help="name one before it, or none")
    if version is not None:
        return read_version(index, version)
    earlier = kept_numbers(index, live.version)
    if not earlier:
        raise StorageError(
            f"{index} has no version before {live.version}, which is live",
            help="only versions that are kept come back; keep_versions= of build and publish says how many are",
        )
    return read_version(index, earlier[-1])
