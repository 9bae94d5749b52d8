"""Who may replace the manifest? The one process that holds the lock.

The lock is the kernel's (`flock`) on an empty file in the index: it goes when its holder ends, however it ends, so a
crash never leaves an index locked. It is held while a manifest is replaced, not while shards are written.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eligo.errors import StorageError
from eligo.storage.refusal import unusable

LOCK_NAME = "publish.lock"
POLL_SECONDS = 0.02


@contextmanager
def publish_lock(index: Path, *, timeout_seconds: float = 60.0) -> Iterator[None]:
    """Holds the lock of the index; `StorageError` when another process keeps it for longer than the timeout."""
    path = index / LOCK_NAME
    deadline = time.monotonic() + timeout_seconds
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise unusable(path, "open", error) from error
    try:
        while not _acquire(descriptor, path):
            if time.monotonic() >= deadline:
                raise StorageError(
                    f"another process has held {path} for more than {timeout_seconds:g} seconds",
                    help="let it finish, or end it, and publish again",
                )
            time.sleep(POLL_SECONDS)
        yield
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, path: Path) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise unusable(path, "lock", error) from error
    return True
