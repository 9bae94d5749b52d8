"""How do processes of one user tell each other which files they have verified? By marks in a directory of that user.

    $XDG_RUNTIME_DIR/eligo-verified/ or /tmp/eligo-verified-<uid>/       0700, the user's own
      <sha256 of the boot and of what the file is known by>              0600, empty

Only the user, and root, can make a mark there, and either could as well change the program. A mark of an earlier boot
has another name than any that is looked for, and so has one of a file that was changed since. Whatever is not exactly
so is not believed: then the file is verified again.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache

MOST_MARKS = 4096
"""With more than these, marks that are older than a day go."""
DAY = 86_400

VARIABLE = "ELIGO_VERIFIED"
"""Of the environment: another directory for marks, which is made when it is not there; `off` for none."""


def is_marked(name: str) -> bool:
    """Whether a process of this user has left the mark since the machine was started."""
    with _directory(make=False) as directory:
        if directory is None:
            return False
        try:
            found = os.stat(_file_name(name), dir_fd=directory, follow_symlinks=False)
        except OSError:
            return False
        is_own = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()
        return is_own and not found.st_mode & 0o077


def mark(name: str) -> None:
    """Leave a mark; where none can be left, others verify for themselves."""
    with suppress(OSError), _directory(make=True) as directory:
        if directory is None:
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        os.close(os.open(_file_name(name), flags, 0o600, dir_fd=directory))
        _remove_old(directory)


@contextmanager
def _directory(*, make: bool) -> Iterator[int | None]:
    """The directory of marks, held open so that no other can take its place; None when it is not to be trusted."""
    path = _path()
    descriptor = None
    try:
        if path is not None and _boot():
            with suppress(OSError):
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(path, 0o700)
                descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        if descriptor is not None:
            found = os.fstat(descriptor)
            is_private = found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) == 0o700
        yield descriptor if descriptor is not None and is_private else None
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _path() -> str | None:
    given = os.environ.get(VARIABLE)
    if given:
        return None if given == "off" else given
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and os.path.isabs(runtime) and os.path.isdir(runtime):
        return os.path.join(runtime, "eligo-verified")
    return os.path.join(tempfile.gettempdir(), f"eligo-verified-{os.geteuid()}")


@cache
def _boot() -> str:
    """Which start of the machine this is; empty where the kernel does not say, and marks are not used."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except (OSError, ValueError):
        return ""


def _file_name(name: str) -> str:
    return hashlib.sha256(f"{_boot()} {name}".encode()).hexdigest()


def _remove_old(directory: int) -> None:
    names = os.listdir(directory)
    if len(names) <= MOST_MARKS:
        return
    oldest = time.time() - DAY
    for name in names:
        with suppress(OSError):
            if os.stat(name, dir_fd=directory, follow_symlinks=False).st_mtime < oldest:
                os.unlink(name, dir_fd=directory)
