"""What is wrong with the files of an index? Everything, and not only the first thing, file by file.

First each file by itself: prefix, header, sizes and checksums. Then what its arrays say: types, lengths and ends of
offsets; and, if it is to be deep, every element of them, see `data.stored_form`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from eligo.data.vocabulary import Vocabulary
from eligo.data.vocabulary_form import vocabulary_problems
from eligo.engines import registry
from eligo.errors import EligoError
from eligo.index.shard import shard_problems
from eligo.storage.array_file import ArrayFile
from eligo.storage.directory import OpenedIndex
from eligo.storage.file_entries import ShardEntry
from eligo.storage.packed_ids import tombstone_ids
from eligo.stores.address import Place


class FileProblem(NamedTuple):
    """One thing that is wrong."""

    path: Place
    """The file."""
    what: str

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


def opened_problems(opened: OpenedIndex, *, deep: bool) -> Iterator[FileProblem]:
    """What is wrong with the arrays of an opened version."""
    manifest = opened.manifest
    engine = manifest.settings.engine
    try:
        registry.require_name(engine)
    except EligoError as error:
        yield FileProblem(opened.path, error.message)
        return
    yield from part_problems(opened.vocabulary, opened.shards, manifest.shards, engine, deep=deep)
    for entry, delta in zip(manifest.deltas, opened.deltas, strict=True):
        yield from part_problems(delta.vocabulary, delta.shards, entry.shards, engine, deep=deep)
        yield from tombstone_problems(delta.tombstones)


def part_problems(
    vocabulary_file: ArrayFile,
    shard_files: Sequence[ArrayFile],
    entries: Sequence[ShardEntry],
    engine: str,
    *,
    deep: bool,
) -> Iterator[FileProblem]:
    """What is wrong with a vocabulary and its shards; the shards are left out if the vocabulary is not right."""
    found = False
    for what in vocabulary_problems(vocabulary_file.arrays, deep=deep):
        found = True
        yield FileProblem(vocabulary_file.path, what)
    if found:
        return
    vocabulary = Vocabulary.from_arrays(vocabulary_file.arrays)
    for file, entry in zip(shard_files, entries, strict=True):
        for what in shard_problems(file, vocabulary, engine, deep=deep):
            yield FileProblem(file.path, what)
        if file.meta.get("num_expressions") != entry.num_expressions:
            yield FileProblem(file.path, "it has another number of expressions than its manifest says")


def tombstone_problems(file: ArrayFile) -> Iterator[FileProblem]:
    """What is wrong with a file of deleted ids."""
    try:
        ids = tombstone_ids(file)
    except EligoError as error:
        yield FileProblem(file.path, error.message)
        return
    if len(ids) != file.meta.get("num_ids"):
        yield FileProblem(file.path, f"it has {len(ids):,} ids and says {file.meta.get('num_ids')}")
