"""How does a cache keep to its bound? Whatever comes has its whole size from the first moment, and all count it.

    <cache>/room-<user>.lock    held for the moment in which room is made, and a part gets its size

So of files that come at once each makes room beside the others. A part whose lock no one holds was left by a process
that was killed, and goes; so does a lock without a file. A lock's file is removed only by one who holds it, and whoever
takes a lock looks whether its file is still the one of that name: so no two hold the lock of a name.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from eligo.errors import InputError, shown

SIZE_VARIABLE = "ELIGO_CACHE_BYTES"
"""Of the environment: how many bytes the cache may hold; a quarter of its disk unless given."""
DISK_SHARE = 4
_ROOM = "room-{}.lock"
"""For each user: one cannot open the locks of another."""
_NAME = re.compile(r"([0-9a-f]{64})\.(eligo|part|lock)")


class CachedFile(NamedTuple):
    """A file of the cache, for those who look at it."""

    sha256: str
    num_bytes: int
    used: float
    """Seconds since the epoch."""


def most_bytes(cache: Path) -> int:
    """How many bytes the cache may hold."""
    given = os.environ.get(SIZE_VARIABLE)
    if not given:
        return shutil.disk_usage(cache).total // DISK_SHARE
    if not given.isdecimal():
        raise InputError(f"{SIZE_VARIABLE} is a number of bytes, not {shown(given)}")
    return int(given)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the kernel's lock of a file, which goes with the process that holds it."""
    descriptor = _taken(path, fcntl.LOCK_EX)
    try:
        yield
    finally:
        _let_go(descriptor)


def new_part(cache: Path, name: str, num_bytes: int) -> int:
    """Make room for a file, and open its part, empty but of its size, for one who holds the lock of its name."""
    part = cache / f"{name}.part"
    with locked(cache / _ROOM.format(os.geteuid())):
        with suppress(FileNotFoundError):
            os.unlink(part)  # which a process that was killed may have left read-only
        _make_room(cache, num_bytes, name)
        descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            os.ftruncate(descriptor, num_bytes)
        except BaseException:
            os.close(descriptor)
            os.unlink(part)
            raise
    return descriptor


def trim(cache: Path, name: str) -> None:
    """Remove what is too much now that a file has come: others that came beside it could not make room by parts."""
    with locked(cache / _ROOM.format(os.geteuid())):
        _make_room(cache, 0, name)


def cached(cache: Path) -> list[CachedFile]:
    """The files that are whole, what was used least recently first."""
    files = []
    for name, suffix in _names(cache):
        if suffix == "eligo":
            with suppress(OSError):
                files.append(CachedFile(name, os.stat(cache / f"{name}.eligo").st_size, _used(cache, name)))
    return sorted(files, key=lambda file: file.used)


def _make_room(cache: Path, num_bytes: int, kept: str) -> None:
    """Remove what was left, and then what was used least recently, as far as a file that comes needs its room."""
    _remove_left(cache, kept)
    files = cached(cache)
    excess = sum(file.num_bytes for file in files) + _coming(cache) + num_bytes - most_bytes(cache)
    for file in files:
        if excess <= 0:
            break
        if file.sha256 != kept and _is_removed(cache, file.sha256):
            excess -= file.num_bytes


def _remove_left(cache: Path, kept: str) -> None:
    """Remove parts that no one writes, and locks of files that are not there."""
    suffixes: dict[str, set[str]] = {}
    for name, suffix in _names(cache):
        suffixes.setdefault(name, set()).add(suffix)
    for name, own in suffixes.items():
        if name == kept or own == {"eligo"} or own == {"eligo", "lock"}:
            continue
        with _if_free(cache / f"{name}.lock") as is_free:
            if is_free:
                _unlink(cache / f"{name}.part")
                if not os.path.exists(cache / f"{name}.eligo"):
                    _unlink(cache / f"{name}.lock")


def _is_removed(cache: Path, name: str) -> bool:
    """Whether a file went; its lock stays with one who holds it."""
    with _if_free(cache / f"{name}.lock") as is_free:
        is_gone = _unlink(cache / f"{name}.eligo")
        if is_free and is_gone:
            _unlink(cache / f"{name}.lock")
    return is_gone


def _coming(cache: Path) -> int:
    """How many bytes the files have that are being downloaded."""
    num_bytes = 0
    for name, suffix in _names(cache):
        if suffix == "part":
            with suppress(OSError):
                num_bytes += os.stat(cache / f"{name}.part").st_size
    return num_bytes


def _names(cache: Path) -> list[tuple[str, str]]:
    found = (_NAME.fullmatch(name) for name in os.listdir(cache))
    return [(match[1], match[2]) for match in found if match is not None]


def _used(cache: Path, name: str) -> float:
    try:
        return os.stat(cache / f"{name}.lock").st_mtime
    except OSError:
        return 0.0


def _unlink(path: Path) -> bool:
    with suppress(OSError):
        os.unlink(path)
        return True
    return False


@contextmanager
def _if_free(path: Path) -> Iterator[bool]:
    """Whether the lock was to be had at once; it is held meanwhile. That of another user never is."""
    descriptor = None
    with suppress(OSError):
        descriptor = _taken(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None:
            _let_go(descriptor)


def _taken(path: Path, how: int) -> int:
    """The lock of the file that has a name when the lock is held, and not of one that was removed meanwhile."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, how)
            if _is_at(descriptor, path):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        _let_go(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        there = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(descriptor), there)


def _let_go(descriptor: int) -> None:
    """At once, also where a process that was forked meanwhile has the descriptor, too."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        os.close(descriptor)
