"""How does a change survive the end of the process? It is in the log, and the log on the disk, before it is seen.

    one thread      append ── fsync ── seen
    another           append ── waits ─── its record is on the disk already, or it fsyncs for all that wait

A writer appends the record of its change in its turn; then one fsync serves all that were appended meanwhile. Readers
see a state when its record is on the disk. When the log has grown, or a change is large, a checkpoint writes the
segments as files instead, and begins a new log.
"""

from __future__ import annotations

import logging
import os
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from eligo.errors import StorageError
from eligo.joins.base_state import After, Change, State
from eligo.joins.stored.base_directory import LOCK_NAME, BaseDirectory, of_a_base
from eligo.joins.stored.base_manifest import BaseManifest
from eligo.joins.stored.log_records import to_record
from eligo.storage.log.record_file import START, RecordWriter
from eligo.storage.publish_lock import HeldLock

logger = logging.getLogger("eligo")

CHECKPOINT_BYTES = 1 << 20
"""A log that is larger becomes files."""
LARGE_CHANGE = 1024
"""Documents of a change that goes to files at once."""
REOPEN = "open the base again: it has everything that was acknowledged"
NOT_ADDED = "nothing was changed; make room on the disk and try again"


class Tail(NamedTuple):
    """The last state that was written, on the disk or not yet, and where the log ends with it."""

    state: State
    end: int
    num_records: int


@contextmanager
def _helped(help: str) -> Iterator[None]:
    """Errors of files say what to do."""
    try:
        yield
    except StorageError as error:
        error.help = help
        raise


class DurableStates:
    """States of a base that is kept on disk."""

    def __init__(self, path: Path, *, read_only: bool) -> None:
        self._directory = BaseDirectory(path)
        self._pid = os.getpid()
        self._lock: HeldLock | None = None
        self._log: RecordWriter | None = None
        self._why_not: str | None = "it was opened with read_only=True" if read_only else None
        """Why nothing can be added, if it cannot."""
        self._help = "open it without read_only to add to it" if read_only else ""
        self._due_at = CHECKPOINT_BYTES
        self._inside: set[int] = set()
        """The threads that are in the middle of a change."""
        self.leave_behind()
        with of_a_base():
            self.last, self._manifest, self._tail = self._opened(read_only)
        self._synced = self._tail.end
        """Up to where the log is on the disk."""

    def leave_behind(self) -> None:
        """Forget, after a fork, what the threads of the other process were at."""
        self._changing = threading.RLock()
        """For those who append."""
        self._syncing = threading.RLock()
        """For the one who fsyncs for all; taken after the other one by those who need both."""

    def _opened(self, read_only: bool) -> tuple[State, BaseManifest, Tail]:
        if not read_only:
            self._directory.prepare()
            self._lock = self._locked()
        try:
            if not read_only:
                self._directory.create()
            state, manifest, content = self._directory.open()
            if not read_only:
                self._begin(manifest, content.end, content.num_torn)
        except BaseException:
            self._let_go()
            raise
        return state, manifest, Tail(state, content.end, len(content.records))

    def _begin(self, manifest: BaseManifest, end: int, num_torn: int) -> None:
        """Go on with the log that there is."""
        self._log = RecordWriter(self._directory.path / manifest.log)
        self._log.cut(end)
        self._log.sync()
        self._log.mark(end)
        self._directory.remove_unnamed(manifest)
        if num_torn:
            warnings.warn(
                f"{self._log.path} ended in the middle of a change: its last {num_torn:,} bytes were cut off; nothing "
                "that was acknowledged is lost",
                stacklevel=5,
            )

    def _locked(self) -> HeldLock:
        lock = HeldLock(self._directory.path / LOCK_NAME)
        try:
            if lock.acquire():
                return lock
        except BaseException:
            lock.release()
            raise
        lock.release()
        raise StorageError(
            f"{self._directory.path} is open for adding already, in another process or in this one",
            help="close it there, or open it with read_only=True",
        )

    def change(self, after: After) -> None:
        """Put another state behind the last one, once its change is on the disk."""
        with self._one_change():
            with self._changing:
                self._require_usable()
                change = after(self._tail.state)
                if change is None:
                    return
                if change.size >= LARGE_CHANGE:
                    self._checkpoint(change.state)
                    return
                self._append(change)
            self._sync(change.state.version)
            if self._tail.end > self._due_at:
                self._checkpoint_if_due()

    @contextmanager
    def _one_change(self) -> Iterator[None]:
        """A thread does one change at a time; a signal handler that came in the middle of it would wait for ever."""
        self._require_usable()
        thread = threading.get_ident()
        if thread in self._inside:
            raise StorageError(
                "a signal handler cannot change a base on disk in the middle of a change of its own thread",
                help="note the document in the handler, and add it afterwards",
            )
        self._inside.add(thread)
        try:
            with of_a_base():
                yield
        finally:
            self._inside.discard(thread)

    def _require_usable(self) -> None:
        if os.getpid() != self._pid:
            raise StorageError(
                f"{self._directory.path} belongs to the process that this one was forked from",
                help="add from that process, or close the base there and open it here",
            )
        if self._why_not is not None:
            raise StorageError(f"nothing can be added to {self._directory.path}: {self._why_not}", help=self._help)

    def _append(self, change: Change) -> None:
        assert self._log is not None
        body = to_record(change.documents(), change.gone, change.state.next_number)
        _, end, num_records = self._tail
        with _helped(NOT_ADDED):
            end = self._log.append([body], end, num_records)[-1]
        self._tail = Tail(change.state, end, num_records + 1)

    def _sync(self, version: int) -> None:
        """Wait until the state of a version is on the disk, and show it."""
        with self._syncing:
            if self.last.version >= version:
                return
            self._require_usable()
            assert self._log is not None
            tail = self._tail
            try:
                self._log.sync()
            except StorageError as error:
                # What the disk has is not known, whatever a second fsync says.
                with suppress(StorageError):
                    self._log.cut(self._synced)
                error.help = f"the change was not made; {REOPEN}"
                self._stop(f"the log could not be brought to the disk ({error.message})")
                raise
            self._log.mark(tail.end)
            self.last, self._synced = tail.state, tail.end

    def _checkpoint_if_due(self) -> None:
        with self._changing:
            if self._tail.end <= self._due_at:
                return
            try:
                self._checkpoint(self._tail.state)
            except StorageError as error:
                self._due_at = self._tail.end + CHECKPOINT_BYTES
                logger.warning("the log of a document base stays as it is for now: %s", error.message)

    def _checkpoint(self, state: State) -> None:
        """Make a state the base, in files, with an empty log; on an error nothing is changed."""
        assert self._log is not None
        with self._syncing:
            with _helped(NOT_ADDED):
                manifest = self._directory.stage(state, self._manifest.checkpoint + 1)
                log = RecordWriter(self._directory.path / manifest.log)
            self._stop("a checkpoint was broken off")
            try:
                self._directory.name(manifest)
            except BaseException as error:
                log.close()
                is_named = self._directory.is_named(manifest)
                self._why_not = self._why_not if is_named else None
                if isinstance(error, StorageError):
                    error.help = REOPEN if is_named else NOT_ADDED
                raise
            self._log.close()
            self._log, self._manifest, self._tail = log, manifest, Tail(state, START, 0)
            self.last, self._synced, self._due_at, self._why_not = state, START, CHECKPOINT_BYTES, None
            self._directory.remove_unnamed(manifest)

    def _stop(self, why: str) -> None:
        self._why_not, self._help = why, REOPEN

    def compact(self) -> None:
        """Hold all documents in one segment, without the dead, and write it."""
        with self._one_change(), self._changing:
            self._require_usable()
            state = self._tail.state.compacted()
            if state is not self._tail.state or self._tail.num_records:
                self._checkpoint(state)

    @property
    def num_bytes_on_disk(self) -> int:
        """Bytes of the files and of the log."""
        return sum(entry.num_bytes for entry in self._manifest.files) + self._tail.end

    def close(self) -> None:
        """Turn the log into files and let the base go; it can be read on, as it was."""
        if self._lock is None:
            return
        if os.getpid() == self._pid and self._why_not is None and threading.get_ident() not in self._inside:
            with self._one_change(), self._changing, suppress(StorageError):
                if self._tail.num_records:
                    self._checkpoint(self._tail.state)
        if self._why_not is None:
            self._why_not, self._help = "it was closed", "open it again"
        self._let_go()

    def __del__(self) -> None:
        """Whoever forgets to close a base loses nothing, and keeps no one out."""
        with suppress(Exception):
            self._let_go()

    def _let_go(self) -> None:
        if self._log is not None:
            self._log.close()
        if self._lock is not None:
            self._lock.release()
            self._lock = None
