"""What is in a file that a command reads itself? Its bytes or lines, decompressed where its name says so, or why not.

A small compressed file can hold gigabytes, so what comes out of one is bounded; commands on Spark read such files bit
by bit and have no bound.
"""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from collections.abc import Iterator
from typing import Any

from eligo.data.file_format import COMPRESSED
from eligo.errors import InputError, shown
from eligo.stores.address import Address, place
from eligo.stores.remote_file import opened_file
from eligo.stores.store import store_of

STANDARD_STREAM = "-"
LARGEST_DECOMPRESSED = 100_000_000
"""Bytes that a compressed file may hold."""


def read_content(path: str) -> bytes:
    """All bytes of a file, or of stdin for `-`."""
    if path == STANDARD_STREAM:
        return sys.stdin.buffer.read()
    return _decompressed(path) if path.endswith(COMPRESSED) else _whole(path)


def _whole(path: str) -> bytes:
    found = place(path, "the file")
    try:
        return store_of(found).read(found.key) if isinstance(found, Address) else found.read_bytes()
    except IsADirectoryError:
        raise InputError(f"{shown(path)} is a directory", help="name the files in it") from None
    except (OSError, ValueError) as error:  # a null character in the name is a ValueError
        raise unreadable(path, error) from None


def _decompressed(path: str) -> bytes:
    try:
        with opened_file(place(path, "the file")) as raw, gzip.open(raw, "rb") as file:
            content = file.read(LARGEST_DECOMPRESSED + 1)
    except IsADirectoryError:
        raise InputError(f"{shown(path)} is a directory", help="name the files in it") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(
            f"{shown(path)} cannot be decompressed: {error}", help=f"is it gzip, as its name ends in {COMPRESSED}?"
        ) from None
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    if len(content) > LARGEST_DECOMPRESSED:
        raise InputError(
            f"{shown(path)} holds more than {LARGEST_DECOMPRESSED // 1_000_000} MB when it is decompressed",
            help="decompress it yourself, if it is what you think, or split it",
        )
    return content


def read_lines(path: str) -> Iterator[bytes]:
    """The lines of a file, or of stdin for `-`, one by one; those of a compressed file are read whole before."""
    if path.endswith(COMPRESSED):
        yield from _decompressed(path).split(b"\n")
        return
    if path == STANDARD_STREAM:
        yield from sys.stdin.buffer
        return
    try:
        with opened_file(place(path, "the file")) as file:
            yield from file
    except IsADirectoryError:
        raise InputError(f"{shown(path)} is a directory", help="name the files in it") from None
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def unreadable(path: str, error: OSError | ValueError) -> InputError:
    """The error for a file that the system does not give out."""
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return InputError(f"{shown(path)} cannot be read: {reason}")


def read_json(path: str, what: str) -> Any:
    """The document in a JSON file; `what` says which, for the message."""
    content = _whole(path)
    try:
        return json.loads(content)
    except RecursionError:
        raise InputError(f"{shown(path)} is nested too deep to be {what}") from None
    except ValueError as error:  # also what is not UTF-8
        raise InputError(f"{shown(path)} is not JSON: {error}", help=f"it is to be {what}") from None
