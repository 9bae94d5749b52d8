"""How does a cut get to the disk, so that a kill at any moment leaves the checkpoint before or the new one?

Files that are named by their content, then new versions of the two indexes, then `state/<seq>.json`, and last
`CURRENT`, by a rename. Until then the checkpoint before it counts, and nothing that it names is removed. Afterwards
what no checkpoint of the last two names is removed, and then the log up to the older one of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary, ref

import numpy as np
import numpy.typing as npt

from eligo.index.index import Index
from eligo.index.view import View
from eligo.joins.segment import Segment, Snapshot
from eligo.joins.stored.segment_file import segment_arrays
from eligo.service.state.checkpoint_manifest import (
    CHECKPOINT_NAME,
    CURRENT,
    DOCUMENTS,
    STATE,
    Checkpoint,
    DocumentsEntry,
    StateEntry,
    checkpoint_name,
    read_checkpoint,
)
from eligo.service.state.cut import Cut
from eligo.service.state.metadata import MetadataRows
from eligo.service.state.publications import publication_arrays
from eligo.service.state.rules import Rules
from eligo.storage.array_file import ArrayFileContent
from eligo.storage.directory import open_file
from eligo.storage.file_entries import FILE_NAME
from eligo.storage.manifest import read_manifest
from eligo.storage.replace_file import TEMPORARY_NAME, make_directory, replace_file
from eligo.storage.retention import KEPT_VERSIONS

GONE_KIND = "documents that have gone"
METADATA_KIND = "metadata of expressions"
DELIVERY_KIND = "subscriptions with what waits for them"
PUBLICATIONS_KIND = "remembered publications"
KEPT_CHECKPOINTS = 2


class PublishedIndex:
    """An index as one of its versions is."""

    def __init__(self, path: Path, index: Index, version: int, view: View | None) -> None:
        self.path = path
        self.index = index
        self.version = version
        """That the last checkpoint names; 0 before the first."""
        self._view = None if view is None else ref(view)
        """What that version has, while it is what the index has."""

    def publish(self, view: View) -> int:
        """The version of a view: a new one, unless nothing has changed. Nothing counts before a checkpoint names it."""
        if self.version and self._view is not None and view is self._view():
            return self.version
        live = read_manifest(self.path).version if (self.path / "manifest.json").exists() else 0
        # Those between are of checkpoints that were broken off; the one that counts stays openable.
        keep = max(KEPT_VERSIONS, live - self.version + 2) if self.version else None
        return self.index.publish(self.path, expected_version=live, max_shrink=1.0, keep_versions=keep, view=view)

    def named(self, version: int, view: View) -> None:
        """A checkpoint names a version."""
        self.version, self._view = version, ref(view)


class CheckpointWriter:
    """Writes checkpoints of a directory, one after another."""

    def __init__(
        self, directory: Path, expressions: PublishedIndex, subscriptions: PublishedIndex, last: Checkpoint | None
    ) -> None:
        self.directory = directory
        self.last = last
        """The checkpoint that counts."""
        self._expressions = expressions
        self._subscriptions = subscriptions
        self._entry_of: WeakKeyDictionary[Segment, DocumentsEntry] = WeakKeyDictionary()
        """The segments that a file has."""

    def know(self, segment: Segment, entry: DocumentsEntry) -> None:
        """A segment came from a file."""
        self._entry_of[segment] = entry

    def write(self, cut: Cut, rules: Rules) -> tuple[Checkpoint, MetadataRows]:
        """Make a cut the checkpoint that counts; the metadata as its file has them."""
        for folder in (STATE, DOCUMENTS):
            make_directory(self.directory / folder, is_private=True)
        rows = cut.metadata[0].changed(cut.metadata[1])
        metadata = self._write_state(rows.arrays(), METADATA_KIND)
        checkpoint = Checkpoint(
            seq=cut.seq,
            rules=rules,
            id_type=cut.id_type,
            next_document=cut.next_document,
            moments=cut.moments,
            documents=tuple(self._documents(segment) for segment, _ in cut.documents.segments),
            gone=self._gone(cut.documents),
            metadata=metadata,
            delivery=self._write_state({"json": np.frombuffer(cut.delivery, np.uint8)}, DELIVERY_KIND),
            publications=self._write_state(publication_arrays(cut.publications), PUBLICATIONS_KIND),
            expressions=self._expressions.publish(cut.expressions),
            subscriptions=self._subscriptions.publish(cut.subscriptions),
        )
        replace_file(self.directory / checkpoint.path, [checkpoint.to_bytes()], is_private=True)
        replace_file(self.directory / CURRENT, [f"{checkpoint_name(cut.seq)}\n".encode()])
        self.last = checkpoint
        self._expressions.named(checkpoint.expressions, cut.expressions)
        self._subscriptions.named(checkpoint.subscriptions, cut.subscriptions)
        return checkpoint, MetadataRows.from_arrays(open_file(self.directory, metadata).arrays)

    def _documents(self, segment: Segment) -> DocumentsEntry:
        entry = self._entry_of.get(segment)
        if entry is None or not (self.directory / entry.path).is_file():
            entry = self._entry_of[segment] = self._write_documents(*segment_arrays(segment))
        return entry

    def _gone(self, snapshot: Snapshot) -> DocumentsEntry | None:
        gone = [segment.numbers[~is_alive] for segment, is_alive in snapshot.segments if is_alive is not None]
        return self._write_documents({"numbers": np.concatenate(gone)}, {"kind": GONE_KIND}) if gone else None

    def _write_documents(self, arrays: Mapping[str, npt.NDArray[Any]], meta: Mapping[str, Any]) -> DocumentsEntry:
        content = ArrayFileContent.of(arrays, meta)
        entry = DocumentsEntry(num_bytes=content.num_bytes, sha256=content.sha256, checksum=content.checksum)
        replace_file(self.directory / entry.path, content.chunks(), is_private=True)
        return entry

    def _write_state(self, arrays: Mapping[str, npt.NDArray[Any]], kind: str) -> StateEntry:
        content = ArrayFileContent.of(arrays, {"kind": kind})
        entry = StateEntry(num_bytes=content.num_bytes, sha256=content.sha256, checksum=content.checksum)
        replace_file(self.directory / entry.path, content.chunks(), is_private=True)
        return entry

    def remove_old(self) -> int:
        """Remove what no checkpoint of the last two needs, as far as that goes; the record of the older of them."""
        if self.last is None:
            return 0
        seqs = checkpoint_seqs(self.directory)
        before = [seq for seq in seqs if seq < self.last.seq][1 - KEPT_CHECKPOINTS :]
        kept = [self.last]
        for seq in before:
            with suppress(Exception):  # a damaged one is not one to go back to
                kept.append(read_checkpoint(self.directory, seq))
        named = {path for checkpoint in kept for path in (checkpoint.path, *(entry.path for entry in checkpoint.files))}
        for folder in (STATE, DOCUMENTS):
            with suppress(OSError):
                for name in sorted(os.listdir(self.directory / folder), key=lambda name: not name.endswith(".json")):
                    if _is_own(name) and f"{folder}/{name}" not in named:
                        with suppress(OSError):
                            os.unlink(self.directory / folder / name)
        return min(checkpoint.seq for checkpoint in kept)


def _is_own(name: str) -> bool:
    return any(form.fullmatch(name) for form in (CHECKPOINT_NAME, FILE_NAME, TEMPORARY_NAME))


def checkpoint_seqs(directory: Path) -> list[int]:
    """The records of which there are checkpoints, ascending; the last ones may have been broken off."""
    try:
        names = os.listdir(directory / STATE)
    except FileNotFoundError:
        return []
    return sorted(int(found[1]) for found in map(CHECKPOINT_NAME.fullmatch, names) if found)


def published_index(directory: Path, name: str, index: Index, version: int) -> PublishedIndex:
    """An index that was opened from a version, or that was just made."""
    return PublishedIndex(directory / name, index, version, index.view() if version else None)
