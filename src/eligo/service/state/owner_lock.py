"""Who may change a directory? The one process that holds its lock, until it ends, however it ends.

The lock is the kernel's, on a file that says the number of the process, so that another one can be told who it is.
"""

from __future__ import annotations

import os
from pathlib import Path

from eligo.errors import StorageError
from eligo.storage.publish_lock import HeldLock
from eligo.storage.refusal import unusable

LOCK_NAME = "owner.lock"


class OwnedElsewhereError(StorageError):
    """A directory that another process, or another service of this one, has open."""


def own(directory: Path) -> HeldLock:
    """Hold the lock of a directory; refused by name when someone has it."""
    path = directory / LOCK_NAME
    lock = HeldLock(path)
    try:
        if lock.acquire():
            path.write_text(f"{os.getpid()}\n", encoding="ascii")
            return lock
    except OSError as error:
        lock.release()
        raise unusable(path, "write", error) from error
    except BaseException:
        lock.release()
        raise
    lock.release()
    raise OwnedElsewhereError(
        f"{directory} is served already, by process {_owner(path)}",
        help="a directory has one owner: stop that process, or follow it (--follow)",
    )


def _owner(path: Path) -> str:
    try:
        found = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return "unknown"
    return found if found.isdigit() else "unknown"
