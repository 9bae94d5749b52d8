"""How often does a machine download a file? Once: all its processes map one copy, which is named by its content.

    <cache>/<sha256>.eligo    whole and verified, read-only
    <cache>/<sha256>.part     being downloaded, by the one who holds the lock; as large as the file will be
    <cache>/<sha256>.lock     locked while the file comes; its time is that of the file's last use

Whoever needs a file that is not there takes its lock, looks again, downloads aside, compares the hash and renames. A
process that is killed leaves its part, which the next download removes. Above its bound, the cache loses what was used
least recently (`cache_room`); a process that has it mapped keeps it.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from eligo.arguments import path as local_path
from eligo.errors import StorageError
from eligo.stores.address import Address
from eligo.stores.cache_room import CachedFile, cached, locked, new_part, trim
from eligo.stores.cache_usage import note_download, note_hit
from eligo.stores.download import download
from eligo.stores.store import store_of

VARIABLE = "ELIGO_CACHE"
"""Of the environment: the directory of the cache."""


def directory() -> Path:
    """The directory of the cache, which is made if it is not there."""
    given = os.environ.get(VARIABLE)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    temporary = os.path.join(tempfile.gettempdir(), f"eligo-files-{os.geteuid()}")
    wanted = [local_path(given, VARIABLE)] if given else [os.path.join(home, "eligo", "files"), temporary]
    for path in wanted:
        with suppress(OSError):
            os.makedirs(path, mode=0o700, exist_ok=True)
            if os.access(path, os.W_OK | os.X_OK) and (path != temporary or given or _is_own(path)):
                return Path(path)
    raise StorageError(
        f"there is no directory for files of stores: {wanted[0]} cannot be written to",
        help=f"name one in the environment variable {VARIABLE}",
    )


def _is_own(path: str) -> bool:
    """Whether nobody else can put files there: where all can write, another may have made the directory first."""
    found = os.lstat(path)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


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
        with locked(cache / f"{name}.lock"):
            if anew or not _is_there(path, num_bytes):
                _download(cache, name, address, sha256, num_bytes)
                _note_use(cache, name)
                note_download(num_bytes)
                trim(cache, name)
            else:
                _note_use(cache, name)
                note_hit()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StorageError(
            f"cannot keep {address} in {cache}: {error.strerror or error}",
            help=f"name a directory with {num_bytes:,} bytes of room in the environment variable {VARIABLE}",
        ) from error
    return path


def _download(cache: Path, name: str, address: Address, sha256: str | None, num_bytes: int) -> None:
    """Bring the file, for one who holds its lock."""
    part = cache / f"{name}.part"
    descriptor = new_part(cache, name, num_bytes)
    try:
        download(address, sha256, num_bytes, descriptor)
        os.fchmod(descriptor, 0o400)
        os.replace(part, cache / f"{name}.eligo")
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise
    finally:
        os.close(descriptor)


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
    return cached(directory())


def _is_there(path: Path, num_bytes: int) -> bool:
    try:
        return os.stat(path).st_size == num_bytes
    except OSError:
        return False


def _note_use(cache: Path, sha256: str) -> None:
    """In the time of the lock's file: that of the file itself tells who has verified it that it was not changed."""
    with suppress(OSError):
        os.utime(cache / f"{sha256}.lock")
