"""Which version does a process ask that answers for others? The one that it was told, opened once, verified and kept.

A worker of Spark is told the very version that the driver saw. The arrays are memory-mapped, so that all processes of a
machine share one copy; nothing is broadcast. The cache lives in this module, and not in the function that Spark ships,
because a shipped function comes new with every task. Who finds a file changed since opens, and so verifies, the index
anew.
"""

from __future__ import annotations

import os
import socket
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from eligo.data.schema.guards import GUARDS
from eligo.errors import StorageError
from eligo.index import build_open
from eligo.index.index import Index
from eligo.language.value import Kind
from eligo.storage.kept_versions import read_version
from eligo.storage.manifest import Manifest, read_manifest
from eligo.storage.verified_files import FileIdentity
from eligo.stores.address import is_address, located


class IndexVersion(NamedTuple):
    """One version of an index, as it is told to other processes."""

    path: str
    manifest: bytes

    def open(self) -> Index:
        """The index, whose files this process has verified, or another of the user on this machine."""
        return opened_index(self)

    def opened_manifest(self) -> Manifest:
        """What the version consists of."""
        return Manifest.from_bytes(self.manifest)

    @property
    def number(self) -> int:
        """1 for the first version that was published at the path."""
        return self.opened_manifest().version


MOST_KNOWN = 64
_known_files: dict[IndexVersion, tuple[FileIdentity | None, ...]] = {}
"""For each version that this process has opened: what its files were then, in the order of the manifest."""

IndexPath: TypeAlias = str | os.PathLike[str] | IndexVersion
"""The place of an index, or a version of it that was looked up before."""


def index_version(index: IndexPath, version: int | None = None) -> IndexVersion:
    """The version that is live now, or the one asked for."""
    if isinstance(index, IndexVersion):
        return index
    path = located(index, "index")
    manifest = read_manifest(path) if version is None else read_version(path, version)
    return IndexVersion(path, manifest.to_bytes())


def opened_index(version: IndexVersion) -> Index:
    """The index of that version, opened at most once in this process unless a file of it was changed since."""
    known = _known_files.get(version, ())
    if not known and len(_known_files) >= MOST_KNOWN:
        _known_files.clear()
    # In a store files never change, and this machine's copies of them are not read again.
    files = () if is_address(version.path) else _files(version.path, version.manifest)
    if files and not known and not os.path.isdir(version.path):
        raise StorageError(
            f"there is no {version.path} on {socket.gethostname()}, and this process was told to open the index there",
            help="keep the index where every machine sees it: at an address such as s3://… or hdfs://…, or on a disk "
            "that all of them share",
        )
    # A file that is gone stays as it was mapped.
    found = tuple(_identity(file) or (known[number] if known else None) for number, file in enumerate(files))
    index = _opened(version, found)
    _known_files[version] = found
    return index


@lru_cache(maxsize=4)
def _opened(version: IndexVersion, files: tuple[FileIdentity | None, ...]) -> Index:
    return build_open.open(version.path, manifest=version.opened_manifest())


@lru_cache(maxsize=16)
def _files(path: str, manifest: bytes) -> tuple[str, ...]:
    return tuple(os.path.join(path, entry.path) for entry in Manifest.from_bytes(manifest).files)


def _identity(path: str) -> FileIdentity | None:
    try:
        return FileIdentity.of(os.stat(path))
    except OSError:
        return None


def attribute_kinds(index: Index) -> dict[str, frozenset[Kind]]:
    """Every attribute of an event that some expression names, with the kinds of values that it is compared with.

    Tenants and times that the index declares are among them, also when no expression has one yet.
    """
    kinds = index.view().attribute_kinds()
    for name in GUARDS:
        declared = index.schema.get(name) if index.schema is not None else None
        if declared is not None:
            kinds[name] = frozenset((declared.value_kind,))
    return kinds
