"""How are small files read, written and removed wherever they are? Whole, on a disk and in a store alike."""

from __future__ import annotations

import os
from pathlib import Path

from eligo.storage.replace_file import make_directory, replace_file
from eligo.stores.address import Address, Place
from eligo.stores.store import store_of


def read_file(path: Place) -> bytes:
    """All bytes; `FileNotFoundError` when there is no such file."""
    return store_of(path).read(path.key) if isinstance(path, Address) else path.read_bytes()


def write_file(path: Place, data: bytes) -> None:
    """Make the file, whole and durably, in the place of one that may be there."""
    if isinstance(path, Address):
        store_of(path).put(path.key, [data])
    else:
        make_directory(path.parent)
        replace_file(path, [data])


def remove_file(path: Place) -> None:
    """Remove the file, where it is there."""
    if isinstance(path, Address):
        store_of(path).delete([path.key])
    else:
        path.unlink(missing_ok=True)


def names_in(path: Place) -> list[str]:
    """The names of files and directories in a directory; none when it is not there."""
    if isinstance(path, Address):
        below = (found.key.removeprefix(path.prefix) for found in store_of(path).list(path.prefix))
        return sorted({name.partition("/")[0] for name in below})
    try:
        return sorted(os.listdir(path))
    except (FileNotFoundError, NotADirectoryError):
        return []


def is_plain_file(path: Place) -> bool:
    """Whether there is something else than a directory."""
    return isinstance(path, Path) and path.exists() and not path.is_dir()
