"""How does a file come into being whole or not at all?

Written under another name in the same directory, fsynced, renamed over the old one; then the directory is fsynced,
because a rename outlives a power cut only when its directory reaches the disk too. Readers that have the old file
open keep it.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from eligo.storage.refusal import unusable

TEMPORARY_NAME = re.compile(r"\.eligo-[0-9a-f]{16}\.tmp")
"""The name of a file that is being written, or that a killed process left behind."""


PRIVATE_FILE, PRIVATE_DIRECTORY = 0o600, 0o700
"""For files with secrets in them: nobody but their owner reads them."""


def replace_file(path: Path, chunks: Iterable[bytes | memoryview], *, is_private: bool = False) -> None:
    """Makes the file consist of the chunks, atomically and durably; on any error the old file is untouched."""
    mode = PRIVATE_FILE if is_private else 0o666
    temporary = path.with_name(f".eligo-{secrets.token_hex(8)}.tmp")
    try:
        try:
            with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
                for chunk in chunks:
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync_directory(path.parent)
    except OSError as error:
        raise unusable(path, "write", error) from error


def put_directory(staged: Path, target: Path) -> None:
    """Gives a directory that was written aside, by whatever program, its name: atomically and durably."""
    try:
        for place, folders, files in os.walk(staged, topdown=False):
            for name in files:
                _sync(Path(place, name))
            for name in folders:
                sync_directory(Path(place, name))
        sync_directory(staged)
        os.replace(staged, target)
        sync_directory(target.parent)
    except OSError as error:
        raise unusable(target, "write", error) from error


def make_directory(path: Path, *, is_private: bool = False) -> None:
    """Makes the directory and those above it that are missing, durably; one that is there stays as it is."""
    missing = [ancestor for ancestor in (path, *path.parents) if not os.path.exists(ancestor)]
    try:
        for directory in reversed(missing):
            directory.mkdir(PRIVATE_DIRECTORY if is_private and directory == path else 0o777, exist_ok=True)
            sync_directory(directory.parent)
    except OSError as error:
        raise unusable(path, "make the directory", error) from error


def sync_above(path: Path) -> None:
    """Makes the names of a directory and of those above it durable, whoever made them.

    One that is there already may have been made by a process that was cut off before its name was on disk.
    """
    absolute = path.resolve()
    for directory in (absolute, *absolute.parents):
        with suppress(OSError):  # one that may not be read is not ours, and was there before
            sync_directory(directory)


def sync_directory(path: Path) -> None:
    """Makes the names in a directory durable, on the file systems which can."""
    _sync(path)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)
