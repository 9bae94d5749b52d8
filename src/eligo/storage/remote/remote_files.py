"""How do the files of a version get into a store and out of it? They are put once, and mapped from the host's cache.

A file is named by its content, so whoever finds it there need not put it again, unless it is old: then a removal of
what no version names may have it in view, and putting it again makes it young. See `remote_retention`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from eligo.errors import DamagedFileError, StorageError
from eligo.storage.array_file import ArrayFile, read_arrays
from eligo.storage.file_entries import FileEntry
from eligo.storage.refusal import damaged
from eligo.stores.address import Address
from eligo.stores.host_cache import fetched
from eligo.stores.store import FileStatus, store_of

YOUNG_SECONDS = 12 * 3600.0
"""So long after it was put, a file that no version names is safe from removal for as long again."""
CHUNK_BYTES = 8 << 20
TRIES = 3


def age_seconds(found: FileStatus) -> float:
    """How long ago a file was put."""
    return (datetime.now(UTC) - found.modified).total_seconds()


def stage_file(home: Address, entry: FileEntry, chunks: Callable[[], Iterable[bytes | memoryview]]) -> None:
    """Put a file, unless it is there and young."""
    found = store_of(home).status((home / entry.path).key)
    if found is None or found.num_bytes != entry.num_bytes or age_seconds(found) > YOUNG_SECONDS:
        store_of(home).put((home / entry.path).key, chunks())


def require_staged(home: Address, entry: FileEntry) -> None:
    """Refuse to name a file that is not there; an old one is put again, from what this machine has of it."""
    found = store_of(home).status((home / entry.path).key)
    if found is None:
        raise damaged(home, f"it has no {entry.path}, which its manifest names")
    if found.num_bytes != entry.num_bytes:
        raise damaged(home / entry.path, "it is not the file that the manifest names")
    if age_seconds(found) > YOUNG_SECONDS:
        stage_file(home, entry, lambda: _chunks(local_copy(home, entry)))


def local_copy(home: Address, entry: FileEntry, *, anew: bool = False) -> Path:
    """The path of this machine's copy of a file; see `host_cache.fetched`."""
    try:
        return fetched(home / entry.path, entry.sha256, entry.num_bytes, anew=anew)
    except FileNotFoundError:
        raise damaged(home, f"it has no {entry.path}, which its manifest names") from None


def map_file(home: Address, entry: FileEntry, *, verify: bool, only: tuple[str, ...] | None) -> ArrayFile:
    """Map this machine's copy; one that is damaged, or has just been taken out of the cache, is fetched again."""
    anew = False
    for left in range(TRIES, 0, -1):
        path = local_copy(home, entry, anew=anew)
        try:
            file = read_arrays(path, verify=verify, only=only)
            if (file.num_bytes, file.checksum) == (entry.num_bytes, entry.checksum):
                return file
            anew = True
        except StorageError as error:
            anew = isinstance(error, DamagedFileError)
            if left == 1 or not (anew or isinstance(error.__cause__, FileNotFoundError)):
                raise
    raise damaged(home / entry.path, "it is not the file that the manifest names")


def _chunks(path: Path) -> Iterator[bytes]:
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
