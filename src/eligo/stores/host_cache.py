"""How often does a machine download a file? Once: all its processes map one copy, which is named by its content.

    <cache>/<sha256>.eligo    whole and verified, read-only
    <cache>/<sha256>.part     being downloaded, by the one who holds the lock
    <cache>/<sha256>.lock     locked while the file comes; its time is that of the file's last use

Whoever needs a file that is not there takes its lock, looks again, downloads aside, compares the hash and renames. A
process that is killed leaves its part, which the next one overwrites. Above its bound, the cache loses what was used
least recently; a process that has it mapped keeps it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from eligo.errors import InputError, StorageError, shown
from eligo.stores.address import Address
from eligo.stores.cache_usage import note_download, note_hit
from eligo.stores.download import download
from eligo.stores.store import store_of

VARIABLE = "ELIGO_CACHE"
"""Of the environment: the directory of the cache."""
SIZE_VARIABLE = "ELIGO_CACHE_BYTES"
"""Of the environment: how many bytes the cache may hold; a quarter of its disk unless given."""
DISK_SHARE = 4
_FILE = re.compile(r"([0-9a-f]{64})\.eligo")


class CachedFile(NamedTuple):
    """A file of the cache, for those who look at it."""

    sha256: str
    num_bytes: int
    used: float
    """Seconds since the epoch."""


def directory() -> Path:
    """The directory of the cache, which is made if it is not there."""
    given = os.environ.get(VARIABLE)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    wanted = [given] if given else [os.path.join(home, "eligo", "files"), _temporary()]
    for path in wanted:
        with suppress(OSError):
            os.makedirs(path, mode=0o700, exist_ok=True)
            if os.access(path, os.W_OK | os.X_OK):
                return Path(path)
    raise StorageError(
        f"there is no directory for files of stores: {wanted[0]} cannot be written to",
        help=f"name one in the environment variable {VARIABLE}",
    )


def _temporary() -> str:
    return os.path.join(tempfile.gettempdir(), f"eligo-files-{os.geteuid()}")


def fetched(address: Address, sha256: str, num_bytes: int, *, anew: bool = False) -> Path:
    """The path of a file of this machine with the content of that address, downloaded if it is not there yet.

    `anew` downloads it in any case, as for a copy that was found to be damaged, or to see what the store has.
    """
    return _kept(address, sha256, sha256, num_bytes, anew=anew)


def _kept(address: Address, name: str, sha256: str | None, num_bytes: int, *, anew: bool) -> Path:
    cache = directory()
    path = cache / f"{name}.eligo"
    if not anew and _is_there(path, num_bytes):
        _note_use(cache, name)
        note_hit()
        return path
    try:
        with _locked(cache / f"{name}.lock"):
            if anew or not _is_there(path, num_bytes):
                part = cache / f"{name}.part"
                _make_room(cache, num_bytes, name)
                download(address, sha256, num_bytes, str(part))
                os.chmod(part, 0o400)
                os.replace(part, path)
                note_download(num_bytes)
            else:
                note_hit()
            _note_use(cache, name)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StorageError(
            f"cannot keep {address} in {cache}: {error.strerror or error}",
            help=f"name a directory with {num_bytes:,} bytes of room in the environment variable {VARIABLE}",
        ) from error
    return path


def fetched_as_it_is(address: Address) -> Path:
    """The same for a file that is not named by its content, and is written once: it is known by its address here.

    What reads it checks what it says.
    """
    found = store_of(address).status(address.key)
    if found is None:
        raise FileNotFoundError(str(address))
    name = hashlib.sha256(str(address).encode()).hexdigest()
    return _kept(address, name, None, found.num_bytes, anew=False)


def cached_files() -> list[CachedFile]:
    """What the cache holds, what was used least recently first."""
    return sorted(_files(directory()), key=lambda file: file.used)


def most_bytes(cache: Path) -> int:
    """How many bytes the cache may hold."""
    given = os.environ.get(SIZE_VARIABLE)
    if not given:
        return shutil.disk_usage(cache).total // DISK_SHARE
    if not given.isdecimal():
        raise InputError(f"{SIZE_VARIABLE} is a number of bytes, not {shown(given)}")
    return int(given)


def _is_there(path: Path, num_bytes: int) -> bool:
    try:
        return os.stat(path).st_size == num_bytes
    except OSError:
        return False


def _note_use(cache: Path, sha256: str) -> None:
    """In the time of the lock's file: that of the file itself tells who has verified it that it was not changed."""
    with suppress(OSError):
        os.utime(cache / f"{sha256}.lock")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the kernel's lock of a file, which goes with the process that holds it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _make_room(cache: Path, num_bytes: int, coming: str) -> None:
    """Remove what was used least recently, as far as the file that comes needs its room."""
    files = sorted(_files(cache), key=lambda file: file.used)
    excess = sum(file.num_bytes for file in files) + num_bytes - most_bytes(cache)
    for file in files:
        if excess <= 0:
            break
        if file.sha256 != coming:
            with suppress(OSError):
                os.unlink(cache / f"{file.sha256}.eligo")
                excess -= file.num_bytes


def _files(cache: Path) -> Iterator[CachedFile]:
    for name in os.listdir(cache):
        found = _FILE.fullmatch(name)
        if found is None:
            continue
        with suppress(OSError):
            num_bytes = os.stat(cache / name).st_size
            try:
                used = os.stat(cache / f"{found[1]}.lock").st_mtime
            except OSError:
                used = 0.0
            yield CachedFile(found[1], num_bytes, used)
