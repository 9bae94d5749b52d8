"""Where do large arrays wait that are seldom read? In a file without a name, mapped as those of an index are.

    in memory     all of them, whether anyone reads them or not
    mapped        the pages that were read; the kernel takes them back when others need the memory

The file has no name, so it goes with the last array that is mapped from it, also when the process is killed. Each array
begins at a page of its own: what is read often keeps no page in memory for what is not. Where there is no disk for it
arrays stay as they are, and all that is different is the memory that they take.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import numpy as np

from eligo.storage.array_file import Arrays
from eligo.storage.verified_files import file_system_of

SPILLED_FROM = 32 << 20
"""Bytes from which arrays are worth a file."""
KEPT_FREE = 2
"""So many times its size must be free where a file is written."""
IN_MEMORY = frozenset(("tmpfs", "ramfs", "devtmpfs"))
"""File systems that take the memory which is to be spared."""
VARIABLE = "ELIGO_SPILL_DIR"
"""Names the directory for such files; empty for none: then nothing is spilled."""


def spilled(arrays: Arrays, *, least: int = SPILLED_FROM) -> dict[str, np.ndarray[Any, Any]]:
    """The same arrays, read-only and mapped, if they have `least` bytes together and there is a disk for them."""
    needed = sum(_in_pages(array.nbytes) for array in arrays.values())
    if needed < max(least, 1):
        return dict(arrays)
    try:
        with spill_file(needed) as file:
            if file is None:
                return dict(arrays)
            for array in arrays.values():
                file.write(np.ascontiguousarray(array).view(np.uint8).data)
                file.write(bytes(_in_pages(array.nbytes) - array.nbytes))
            whole = np.frombuffer(mapped(file), np.uint8)
    except OSError:  # the disk is full after all
        return dict(arrays)
    found = {}
    start = 0
    for name, array in arrays.items():
        found[name] = whole[start : start + array.nbytes].view(array.dtype)
        start += _in_pages(array.nbytes)
    return found


@contextmanager
def spill_file(num_bytes: int) -> Iterator[IO[bytes] | None]:
    """A file without a name for so many bytes; None when there is no disk for it. What is mapped of it stays."""
    directory = _directory_for(num_bytes)
    if directory is None:
        yield None
        return
    with tempfile.TemporaryFile(dir=directory, prefix=".eligo-") as file:
        yield file


def mapped(file: IO[bytes]) -> mmap.mmap:
    """All of a file that was written."""
    file.flush()
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _in_pages(num_bytes: int) -> int:
    return -(-num_bytes // mmap.PAGESIZE) * mmap.PAGESIZE


def _directory_for(num_bytes: int) -> str | None:
    """The first directory on a disk with room."""
    named = os.environ.get(VARIABLE)
    for directory in [tempfile.gettempdir(), "/var/tmp"] if named is None else [named]:
        try:
            found, room = os.stat(directory), os.statvfs(directory)
        except OSError:
            continue
        has_room = room.f_bavail * room.f_frsize >= KEPT_FREE * num_bytes
        if has_room and os.access(directory, os.W_OK) and file_system_of(found.st_dev) not in IN_MEMORY:
            return directory
    return None
