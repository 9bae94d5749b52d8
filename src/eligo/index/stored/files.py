"""How is an index kept on disk? The base and each delta as files of their own, so that a small change is a small file.

    base     vocabulary, shards
    delta 1  vocabulary, shards, tombstones: the ids of the base that are no longer there
    delta 2  vocabulary, shards, tombstones: the ids of delta 1 that are no longer there

The last delta is the tail. A part that came from the directory, or was written to it before, is neither written nor
hashed again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Set
from dataclasses import dataclass, field
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from eligo.data.stored_form import require
from eligo.data.vocabulary import Vocabulary
from eligo.index.live.live_merge import MOST_DELTAS
from eligo.index.live.live_part import LivePart
from eligo.index.part import Part, PartFiles
from eligo.index.settings import Settings
from eligo.index.shard import shard_from_file
from eligo.index.stored.file_problems import opened_problems
from eligo.index.view import View, ViewedPart
from eligo.storage.array_file import ArrayFile
from eligo.storage.directory import commit, open_version, stage_shard, stage_tombstones, stage_vocabulary
from eligo.storage.file_entries import DeltaEntry, FileEntry, ShardEntry, VocabularyEntry
from eligo.storage.manifest import Manifest
from eligo.storage.packed_ids import tombstone_ids
from eligo.storage.staging import WrittenFile
from eligo.stores.address import Address, Place, place, resolved
from eligo.stores.store import store_of


@dataclass
class Attempt:
    """How far a publication has come, for the case that it is broken off."""

    written: list[WrittenFile] = field(default_factory=list)
    """Files that were not there before."""
    content: tuple[VocabularyEntry, tuple[ShardEntry, ...], tuple[DeltaEntry, ...]] | None = None
    """What the version consists of, once all of it is staged."""


class StoredIndex(NamedTuple):
    """What a directory holds of an index."""

    manifest: Manifest
    parts: list[LivePart]


def read_parts(
    path: str | os.PathLike[str] | Place,
    *,
    version: int | None,
    manifest: Manifest | None,
    verify: bool,
    trust: bool = True,
) -> StoredIndex:
    """Open a version: its parts, with what later ones have taken from them.

    Without `trust`, every element of every array is looked at before any of them is used.
    """
    opened = open_version(path, version=version, manifest=manifest, verify=verify)
    known = opened.manifest
    engine = known.settings.engine
    if not trust:
        for found in opened_problems(opened, deep=True):
            require([found.what], str(found.path))
    parts = [LivePart(_part(opened.path, engine, known.vocabulary, known.shards, opened.vocabulary, opened.shards))]
    for entry, delta in zip(known.deltas, opened.deltas, strict=True):
        gone = tombstone_ids(delta.tombstones)
        for live in parts:
            _bury(live, gone)
        part = _part(opened.path, engine, entry.vocabulary, entry.shards, delta.vocabulary, delta.shards)
        parts.append(LivePart(part))
    return StoredIndex(known, [parts[0], *(live for live in parts[1:] if live.part.num_expressions)])


def _part(
    path: Place,
    engine: str,
    vocabulary_entry: VocabularyEntry,
    shard_entries: tuple[ShardEntry, ...],
    vocabulary_file: ArrayFile,
    shard_files: tuple[ArrayFile, ...],
) -> Part:
    vocabulary = Vocabulary.from_arrays(vocabulary_file.arrays)
    shards = [shard_from_file(file, vocabulary, engine) for file in shard_files]
    part = Part(vocabulary, shards)
    part.files = PartFiles(resolved(path), vocabulary_entry, shard_entries)
    return part


def _bury(live: LivePart, gone: pa.Array) -> None:
    ids = live.part.ids
    if len(gone) and len(ids) and gone.type == ids.type:
        live.kill_all(pc.is_in(ids, value_set=gone).to_numpy(zero_copy_only=False), 0)


def write_parts(
    path: str | os.PathLike[str] | Place,
    view: View,
    freeze: Callable[[pa.Array, pa.Array], Part],
    settings: Settings,
    live: Manifest | None,
    attempt: Attempt,
    *,
    keep_versions: int | None,
) -> Manifest:
    """Publish a view on top of the live version; see `storage.directory.commit`."""
    parts = _parts_to_write(view, freeze)
    named = {entry.path for entry in live.files} if live is not None else set()
    (base_vocabulary, base_shards), *entries = [_stage(path, viewed.part, named, attempt) for viewed in parts]
    gone = [stage_tombstones(path, _gone(before), written=attempt.written) for before in parts[:-1]]
    deltas = tuple(
        DeltaEntry(vocabulary=vocabulary, shards=shards, tombstones=tombstones)
        for (vocabulary, shards), tombstones in zip(entries, gone, strict=True)
    )
    attempt.content = (base_vocabulary, base_shards, deltas)
    return commit(
        path,
        vocabulary=base_vocabulary,
        shards=base_shards,
        settings=settings.to_stored(),
        deltas=deltas,
        expected_version=live or 0,
        keep_versions=keep_versions,
    )


def _parts_to_write(view: View, freeze: Callable[[pa.Array, pa.Array], Part]) -> list[ViewedPart]:
    """The base and its deltas, the last of which has lost nothing."""
    base, *deltas = view.parts
    if len(deltas) > MOST_DELTAS:
        newer = View(deltas, view.settings)
        deltas = [ViewedPart(freeze(newer.ids, newer.texts), None)]
    parts = [base, *deltas]
    if parts[-1].is_live is not None:
        nothing = freeze(base.part.ids[:0], base.part.texts[:0])
        parts.append(ViewedPart(nothing, None))
    return parts


def _gone(viewed: ViewedPart) -> pa.Array:
    """The ids of a part that are no longer there."""
    ids = viewed.part.ids
    return ids[:0] if viewed.is_live is None else ids.filter(pa.array(~viewed.is_live))


def _stage(
    path: str | os.PathLike[str] | Place, part: Part, named: Set[str], attempt: Attempt
) -> tuple[VocabularyEntry, tuple[ShardEntry, ...]]:
    """The files of a part; those that the live version names stay there until another takes its place."""
    home = resolved(place(path))
    files = part.files
    if files is not None and files.path == home and all(_is_there(home, entry, named) for entry in files.entries):
        return files.vocabulary, files.shards
    written = attempt.written
    vocabulary = stage_vocabulary(path, part.vocabulary.arrays(), {}, written=written)
    shards = tuple(stage_shard(path, shard.arrays(), shard.meta, written=written) for shard in part.shards)
    part.files = PartFiles(home, vocabulary, shards)
    return vocabulary, shards


def _is_there(home: Place, entry: FileEntry, named: Set[str]) -> bool:
    if entry.path not in named:
        return False
    if isinstance(home, Address):
        return store_of(home).status((home / entry.path).key) is not None
    return (home / entry.path).is_file()
