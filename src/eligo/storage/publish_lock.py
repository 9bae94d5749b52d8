"""Who may replace the manifest? The one process that holds the lock.

The lock is the kernel's (`flock`) on an empty file in the index: it goes when its holder ends, however it ends, so a
crash never leaves an index locked. It is held while a manifest is replaced, not while shards are written.

A fork copies the descriptor, and with it a share in the lock. So a child closes what it inherited, and the holder
unlocks before it closes: the lock is free when its holder is done, whatever children live on.

Whatever a signal handler raises, and wherever, the lock ends with the block that it was taken for: a file object, that
no one else keeps, closes the descriptor at the latest when it is given up.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from weakref import WeakSet

from eligo.errors import ForeignFileError, StorageError
from eligo.storage.refusal import unusable

LOCK_NAME = "publish.lock"
POLL_SECONDS = 0.02

_open_locks: WeakSet[HeldLock] = WeakSet()
_fork_lock = threading.RLock()
"""Held between opening a lock file and noting it, so that no fork comes in between; re-entrant, because a signal
handler may fork."""


class HeldLock:
    """The lock of an index, for as long as this process has it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with _fork_lock:
            self._file: FileIO | None = _open(path)
            _open_locks.add(self)

    def acquire(self) -> bool:
        """Whether the lock is ours now."""
        if self._file is None:
            raise self._lost()
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            raise unusable(self.path, "lock", error) from error
        return True

    def require(self) -> None:
        """Refuse to go on in a process that was forked while the lock was held: it is its parent's."""
        if self._file is None:
            raise self._lost()

    def release(self) -> None:
        """Unlock for all that share the descriptor, then close it."""
        with _fork_lock:
            if self._file is not None:
                with suppress(OSError):
                    fcntl.flock(self._file, fcntl.LOCK_UN)
                self._file.close()
                self._file = None
            _open_locks.discard(self)

    def close_in_child(self) -> None:
        """Give up a child's share; the lock stays with its parent."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                file.close()

    def _lost(self) -> StorageError:
        return StorageError(
            f"{self.path} is held by the process that this one was forked from", help="publish from one of the two"
        )


@contextmanager
def publish_lock(index: Path, *, timeout_seconds: float = 60.0) -> Iterator[HeldLock]:
    """Holds the lock of the index; `StorageError` when another process keeps it for longer than the timeout."""
    path = index / LOCK_NAME
    deadline = time.monotonic() + timeout_seconds
    lock = HeldLock(path)
    try:
        while not lock.acquire():
            if time.monotonic() >= deadline:
                raise StorageError(
                    f"another process has held {path} for more than {timeout_seconds:g} seconds",
                    help="let it finish, or end it, and publish again",
                )
            time.sleep(POLL_SECONDS)
        yield lock
    finally:
        lock.release()


def _open(path: Path) -> FileIO:
    """The lock file itself: what a link points to is not the index's to lock, or to make."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise ForeignFileError(
                f"{path} is a symbolic link, and the lock of an index is a file of its own", help="remove the link"
            ) from None
        raise unusable(path, "open", error) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ForeignFileError(f"{path} is not a file, and the lock of an index is one", help="remove it")
    return FileIO(descriptor, "r+")


def _close_inherited() -> None:
    for lock in list(_open_locks):
        lock.close_in_child()
    _open_locks.clear()
    _fork_lock.release()


os.register_at_fork(before=_fork_lock.acquire, after_in_parent=_fork_lock.release, after_in_child=_close_inherited)
