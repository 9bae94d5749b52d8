"""How does a base get to the disk and back? A checkpoint writes what no file has, begins a new log, names both.

    BASE/
      manifest.json             names the files; replaced by rename, so it is old or new, never half
      segments/<sha256>.eligo   documents, named by their content, never changed
      dead/<sha256>.eligo       numbers that live no longer
      log/<number>.log          what came and went since the checkpoint of that number
      base.lock                 empty; held by the process that has the base open for adding

Whatever happens before the manifest is replaced, the old files and the old log are the base.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from eligo.errors import DamagedFileError, NewerFormatError, StorageError
from eligo.joins.base_state import Entry, State
from eligo.joins.segment import Segment
from eligo.joins.stored.base_manifest import (
    BaseManifest,
    DeadEntry,
    SegmentEntry,
    log_name,
    read_base_manifest,
)
from eligo.joins.stored.log_file import new_log, read_log
from eligo.joins.stored.log_records import from_record
from eligo.joins.stored.segment_file import read_segment, segment_arrays
from eligo.storage.array_file import ArrayFileContent
from eligo.storage.directory import open_file
from eligo.storage.log.record_file import START, RecordFileContent
from eligo.storage.manifest import MANIFEST_NAME
from eligo.storage.refusal import damaged, foreign, unusable
from eligo.storage.replace_file import TEMPORARY_NAME, make_directory, replace_file, sync_above

LOCK_NAME = "base.lock"
FOLDERS = (SegmentEntry.FOLDER, DeadEntry.FOLDER, "log")
_OWN_NAME = re.compile(rf"[0-9a-f]{{64}}\.eligo|[0-9]{{16}}\.log|{TEMPORARY_NAME.pattern}")
DAMAGED_HELP = "restore the base from a copy; nothing is answered from a damaged one"
DEAD_KIND = "dead documents"


class OpenedBase(NamedTuple):
    """A base as it was read."""

    state: State
    manifest: BaseManifest
    log: RecordFileContent


class BaseDirectory:
    """The files of one base."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._entry_of: WeakKeyDictionary[Segment, SegmentEntry] = WeakKeyDictionary()
        """The segments that a file has."""

    def prepare(self) -> None:
        """Makes the directory, unless it holds something else than a base."""
        if os.path.exists(self.path) and not self.path.is_dir():
            raise foreign(self.path, "is a file, not the directory of a document base")
        make_directory(self.path)
        try:
            names = set(os.listdir(self.path))
        except OSError as error:
            raise unusable(self.path, "read", error) from error
        others = {name for name in names if not TEMPORARY_NAME.fullmatch(name)} - {LOCK_NAME, *FOLDERS}
        if MANIFEST_NAME not in names and others:
            raise foreign(self.path, f"is not a document base: it has no {MANIFEST_NAME}, and it has {min(others)!r}")
        if MANIFEST_NAME not in names and self._has_documents():
            raise damaged(self.path, f"it has no {MANIFEST_NAME}, which names its files")

    def _has_documents(self) -> bool:
        """Whether there are files that only a base has which once had a manifest."""
        for folder in FOLDERS:
            with suppress(OSError):
                for name in os.listdir(self.path / folder):
                    is_new = f"{folder}/{name}" == log_name(0) and os.path.getsize(self.path / folder / name) == START
                    if _OWN_NAME.fullmatch(name) and not TEMPORARY_NAME.fullmatch(name) and not is_new:
                        return True
        return False

    def create(self) -> None:
        """Makes an empty base where there is none; the lock is held."""
        with suppress(FileNotFoundError):
            read_base_manifest(self.path)
            return
        for folder in FOLDERS:
            make_directory(self.path / folder)
        manifest = BaseManifest(checkpoint=0, next_number=0)
        new_log(self.path / manifest.log, 0)
        sync_above(self.path)
        replace_file(self.path / MANIFEST_NAME, [manifest.to_bytes()])

    def open(self) -> OpenedBase:
        """The base as its files and its log have it."""
        while True:
            try:
                manifest = read_base_manifest(self.path)
            except FileNotFoundError:
                what = f"has no {MANIFEST_NAME}" if os.path.exists(self.path) else "does not exist"
                raise StorageError(f"there is no document base at {self.path}: it {what}") from None
            try:
                return self._open(manifest)
            except StorageError:
                # The owner may have made a checkpoint between reading the manifest and opening what it names.
                if read_base_manifest(self.path).checkpoint == manifest.checkpoint:
                    raise

    def _open(self, manifest: BaseManifest) -> OpenedBase:
        entries: list[Entry] = []
        last = -1
        dead = self._dead_numbers(manifest.dead)
        for file_entry in manifest.segments:
            file = open_file(self.path, file_entry)
            segment = read_segment(file)
            is_right = last < int(segment.numbers[0]) and segment.num_documents == file_entry.num_documents
            last = int(segment.numbers[-1])
            if not is_right or last >= manifest.next_number:
                raise damaged(file.path, "its numbers are not those that the manifest says")
            self._entry_of[segment] = file_entry
            is_alive = np.ones(segment.num_documents, np.bool_)
            is_alive[segment.rows_of(dead)] = False
            entries.append(Entry.of(segment, is_alive))
        state = State(0, tuple(entries), (), manifest.next_number)
        log = read_log(self.path / manifest.log, manifest.checkpoint)
        for data in log.records:
            state = from_record(data, state.next_number, self.path / manifest.log).applied(state)
        return OpenedBase(state, manifest, log)

    def _dead_numbers(self, entry: DeadEntry | None) -> npt.NDArray[np.int64]:
        if entry is None:
            return np.zeros(0, np.int64)
        file = open_file(self.path, entry)
        numbers = file.arrays.get("numbers")
        if file.meta.get("kind") != DEAD_KIND or numbers is None or numbers.dtype != np.int64:
            raise damaged(file.path, "it does not hold numbers of documents")
        if not (numbers[1:] > numbers[:-1]).all():
            raise damaged(file.path, "its numbers do not rise")
        return numbers

    def stage(self, state: State, checkpoint: int) -> BaseManifest:
        """Writes what of a state no file has, and an empty log; no manifest names them yet."""
        segments = []
        dead = [np.zeros(0, np.int64)]
        for entry in state.sealed:
            segments.append(self._entry_of.get(entry.segment) or self._stage_segment(entry.segment))
            if entry.is_alive is not None:
                dead.append(entry.segment.numbers[~entry.is_alive])
        gone = np.concatenate(dead)
        manifest = BaseManifest(
            checkpoint=checkpoint,
            next_number=state.next_number,
            segments=tuple(segments),
            dead=self._stage_dead(gone) if len(gone) else None,
        )
        new_log(self.path / log_name(checkpoint), checkpoint)
        return manifest

    def _stage_segment(self, segment: Segment) -> SegmentEntry:
        content = ArrayFileContent.of(*segment_arrays(segment))
        entry = SegmentEntry(
            num_bytes=content.num_bytes,
            sha256=content.sha256,
            checksum=content.checksum,
            num_documents=segment.num_documents,
        )
        replace_file(self.path / entry.path, content.chunks())
        self._entry_of[segment] = entry
        return entry

    def _stage_dead(self, numbers: npt.NDArray[np.int64]) -> DeadEntry:
        content = ArrayFileContent.of({"numbers": numbers}, {"kind": DEAD_KIND})
        entry = DeadEntry(num_bytes=content.num_bytes, sha256=content.sha256, checksum=content.checksum)
        replace_file(self.path / entry.path, content.chunks())
        return entry

    def name(self, manifest: BaseManifest) -> None:
        """Makes staged files the base."""
        replace_file(self.path / MANIFEST_NAME, [manifest.to_bytes()])

    def is_named(self, manifest: BaseManifest) -> bool:
        """Whether the manifest on disk is this one; true when that cannot be told."""
        try:
            return read_base_manifest(self.path) == manifest
        except (OSError, StorageError):
            return True

    def remove_unnamed(self, manifest: BaseManifest) -> None:
        """Removes what the manifest does not name, such as the log of before, as far as that goes."""
        named = {manifest.log, *(entry.path for entry in manifest.files)}
        for folder in FOLDERS:
            with suppress(OSError):
                for name in os.listdir(self.path / folder):
                    if _OWN_NAME.fullmatch(name) and f"{folder}/{name}" not in named:
                        with suppress(OSError):
                            os.unlink(self.path / folder / name)


@contextmanager
def of_a_base() -> Iterator[None]:
    """Errors of files say what to do about a base, not about an index."""
    try:
        yield
    except NewerFormatError as error:
        error.help = "upgrade eligo"
        raise
    except DamagedFileError as error:
        error.help = DAMAGED_HELP
        raise
    except StorageError as error:
        if "index" in error.help:
            error.help = "give the path of a document base, or one where nothing is"
        raise
