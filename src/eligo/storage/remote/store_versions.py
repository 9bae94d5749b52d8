"""Which version is live in a store? The one with the highest number in `versions/`.

    versions/12.json    the manifest of version 12: made only if there was none, which decides between two publishers
    versions/2.json     empty: version 2 is no longer kept; it goes when no one can be about to publish a version 2
    manifest.json       a hint: the bytes of a recent version, for people, and for who copies the index to a disk

The hint counts where it is ahead, which it is in an index that was copied from a disk: there the live version has no
file of its own yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from eligo.stores.address import Address
from eligo.stores.store import FileStatus, store_of

VERSIONS = "versions"
HINT = "manifest.json"
VERSION_NAME = re.compile(r"([1-9][0-9]{0,17})\.json")
_NUMBER = re.compile(rb'\n  "version": ([1-9][0-9]{0,17}),\n')
"""Where a manifest says its number; the hint is read whole, and checked, only where it counts."""


def version_address(home: Address, version: int) -> Address:
    """Where the manifest of a version is."""
    return home / VERSIONS / f"{version}.json"


def version_numbers(home: Address) -> list[int]:
    """The versions that have a manifest of their own, ascending."""
    return sorted(number for number, found in _listed(home) if found.num_bytes)


def retired_versions(home: Address) -> list[FileStatus]:
    """The empty files that hold the places of versions which are no longer kept."""
    return [found for _, found in _listed(home) if not found.num_bytes]


def read_version_file(address: Address) -> bytes:
    """The manifest of a version; `FileNotFoundError` when it is not kept."""
    data = store_of(address).read(address.key)
    if not data:
        raise FileNotFoundError(str(address))
    return data


def _listed(home: Address) -> Iterator[tuple[int, FileStatus]]:
    folder = home / VERSIONS
    for found in store_of(home).list(folder.prefix):
        match = VERSION_NAME.fullmatch(found.key.removeprefix(folder.prefix))
        if match is not None:
            yield int(match[1]), found


def live_bytes(home: Address) -> tuple[bytes, Address] | None:
    """The manifest of the live version, and where it is; None where nothing has been published."""
    while True:
        numbers = version_numbers(home)
        hint = _hint(home)
        hinted = _NUMBER.search(hint, 0, 1024) if hint is not None else None
        if hint is not None and (not numbers or (hinted is not None and int(hinted[1]) > numbers[-1])):
            return hint, home / HINT
        if not numbers:
            return None
        live = version_address(home, numbers[-1])
        try:
            return read_version_file(live), live
        except FileNotFoundError:
            continue  # others have published, and this one is no longer kept


def _hint(home: Address) -> bytes | None:
    try:
        return store_of(home).read((home / HINT).key)
    except FileNotFoundError:
        return None
