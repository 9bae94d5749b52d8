"""Is an index on disk as it was written? Every file of every version that is kept is read, and all faults are told.

What was verified before is read again. A file that several versions share is read once.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

from eligo.arguments import flag, whole_number
from eligo.errors import DamagedFileError, EligoError, ForeignFileError, NewerFormatError, StorageError
from eligo.index.settings import Settings
from eligo.index.stored.file_problems import FileProblem, part_problems, tombstone_problems
from eligo.storage.array_file import ArrayFile, array_problems
from eligo.storage.directory import open_file
from eligo.storage.file_entries import FileEntry, ShardEntry, VocabularyEntry
from eligo.storage.kept_versions import kept_numbers, kept_path, read_version
from eligo.storage.manifest import MANIFEST_NAME, Manifest, read_manifest, read_manifest_file
from eligo.storage.remote.remote_files import local_copy
from eligo.storage.remote.store_versions import live_bytes
from eligo.stores.address import Address, Place, place

ANY_NUMBER = 10**18
"""Above every version."""
WRONG_CONTENT = (DamagedFileError, ForeignFileError, NewerFormatError)
"""Errors that say of a file what is wrong with it; others say that it could not be had."""


@dataclass(frozen=True)
class Verification:
    """What was read, and what is wrong."""

    path: Place
    versions: tuple[int, ...]
    """Whose manifests could be read, ascending."""
    num_files: int
    num_bytes: int
    is_deep: bool
    problems: tuple[FileProblem, ...]

    @property
    def is_whole(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def verify(path: str | os.PathLike[str], *, version: int | None = None, deep: bool = False) -> Verification:
    """Read all files of an index, of all versions that can be opened or of one, and tell everything that is wrong.

    Checksums, sizes, types and lengths are compared. `deep` also looks at every element of every array, so that no
    kernel can be led outside of its arrays, and compares the hashes that files are named by. An error is raised only
    where there is no index.
    """
    index = place(path)
    if version is not None:
        version = whole_number(version, "version", least=1)
    reading = _Reading(index, deep=flag(deep, "deep"))
    manifests = [read_version(index, version)] if version is not None else list(reading.manifests())
    for manifest in manifests:
        reading.read(manifest)
    problems = dict.fromkeys(reading.problems)  # what versions share is told once
    return Verification(
        index,
        tuple(sorted(manifest.version for manifest in manifests)),
        len(reading.files),
        sum(file.num_bytes for file in reading.files.values() if file is not None),
        reading.deep,
        tuple(problems),
    )


class _Reading:
    """Files that were read, and problems so far."""

    def __init__(self, index: Place, *, deep: bool) -> None:
        self.index = index
        self.deep = deep
        self.problems: list[FileProblem] = []
        self.files: dict[str, ArrayFile | None] = {}
        """By path below the index; None for one that is damaged."""
        self.parts: set[tuple[str, ...]] = set()

    def manifests(self) -> Iterator[Manifest]:
        """Those that can be read; the others are problems."""
        live = ANY_NUMBER
        try:
            manifest = read_manifest(self.index)
            live = manifest.version
            yield manifest
        except StorageError as error:
            unreadable = self._live_manifest(error)
            if unreadable is None:
                raise
            if unreadable.name == MANIFEST_NAME:  # one of those that are kept is told below
                is_foreign = isinstance(error, ForeignFileError)
                self._add(unreadable, "it is not the manifest of an index" if is_foreign else error.message)
        for number in kept_numbers(self.index, live):
            try:
                yield read_version(self.index, number) if live < ANY_NUMBER else self._kept(number)
            except StorageError as error:
                self._add(kept_path(self.index, number), error.message)

    def _live_manifest(self, error: StorageError) -> Place | None:
        """Where the live manifest is, if it is what is wrong; None for no index, or no answer of a store."""
        if isinstance(error, ForeignFileError) and not kept_numbers(self.index, ANY_NUMBER):
            return None
        if isinstance(self.index, Address):
            found = live_bytes(self.index) if isinstance(error, WRONG_CONTENT) else None
            return None if found is None else found[1]
        is_there = isinstance(error, ForeignFileError) or self.index.is_dir()
        return self.index / MANIFEST_NAME if is_there else None

    def _kept(self, number: int) -> Manifest:
        return read_manifest_file(kept_path(self.index, number))

    def read(self, manifest: Manifest) -> None:
        """Read the files of a version and what they say together."""
        for entry in manifest.files:
            if entry.path not in self.files:
                self.files[entry.path] = self._file(entry)
        try:
            engine = Settings.from_stored(manifest.settings).engine
        except EligoError as error:
            self._add(self.index / MANIFEST_NAME, f"version {manifest.version}: {error.message}")
            return
        self._part(manifest.vocabulary, manifest.shards, engine)
        for delta in manifest.deltas:
            self._part(delta.vocabulary, delta.shards, engine)
            tombstones = self.files[delta.tombstones.path]
            if tombstones is not None:
                self.problems += tombstone_problems(tombstones)

    def _part(self, vocabulary: VocabularyEntry, shards: tuple[ShardEntry, ...], engine: str) -> None:
        key = (engine, vocabulary.path, *(shard.path for shard in shards))
        own = self.files[vocabulary.path]
        if key in self.parts or own is None:
            return
        self.parts.add(key)
        read = [(entry, file) for entry in shards if (file := self.files[entry.path]) is not None]
        entries, files = [entry for entry, _ in read], [file for _, file in read]
        self.problems += part_problems(own, files, entries, engine, deep=self.deep)

    def _file(self, entry: FileEntry) -> ArrayFile | None:
        """A file by itself; None if it is damaged."""
        path = self.index / entry.path
        try:
            # Of a store, what is there now is read, and not what this machine had of it.
            local = (
                local_copy(self.index, entry, anew=True) if isinstance(self.index, Address) else self.index / entry.path
            )
            file = open_file(self.index, entry, verify=False)
        except StorageError as error:
            self._add(path, error.message)
            return None
        found = list(array_problems(local))
        if self.deep and not found:
            with open(local, "rb") as content:
                if hashlib.file_digest(content, "sha256").hexdigest() != entry.sha256:
                    found.append("its content is not what it is named by")
        for what in found:
            self._add(path, what)
        return None if found else file

    def _add(self, path: Place, what: str) -> None:
        self.problems.append(FileProblem(path, what.removeprefix(f"{path} is damaged: ")))
