"""What can be done with any store? Eight things, which is all that publishing, opening and caching are made of.

A store holds files by key, whole or not at all: there is no appending and no lock, and a move may be a copy. `create`
alone decides between two who want the same name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple, Protocol

from eligo.errors import MissingExtraError, StorageError
from eligo.stores.address import Address
from eligo.stores.given_options import Options, options_for

MOST_READ = 256 << 20
"""Bytes of a file that is read at once; larger ones are read in ranges."""
EXTRA = "pip install 'eligo[stores]'"


class FileStatus(NamedTuple):
    """What a store says of a file."""

    key: str
    num_bytes: int
    modified: datetime
    """By the store's clock, with its zone."""


class Store(Protocol):
    """A bucket, a container or a file system; keys are those of addresses."""

    def read(self, key: str) -> bytes:
        """The whole file, of up to `MOST_READ` bytes; `FileNotFoundError` when there is none."""

    def read_range(self, key: str, start: int, num_bytes: int) -> bytes:
        """Some bytes of a file; `FileNotFoundError` when there is none."""

    def status(self, key: str) -> FileStatus | None:
        """None when there is no such file."""

    def list(self, prefix: str) -> Iterator[FileStatus]:
        """All files below a prefix that ends in a slash, or is empty."""

    def create(self, key: str, data: bytes) -> bool:
        """Make a file that is not there yet, whole; False when there is one."""

    def put(self, key: str, chunks: Iterable[bytes | memoryview]) -> None:
        """Make a file, whole, in the place of one that may be there."""

    def move(self, key: str, to: str) -> None:
        """Give a file another key, in the place of one that may be there."""

    def delete(self, keys: Sequence[str]) -> None:
        """Remove files, those that are there."""


_used_in: set[int] = set()
"""Processes that have used a store: this one, and those that it was forked from."""


def store_of(address: Address) -> Store:
    """The store of an address, with what this process was given, and what its environment says, of credentials."""
    _used_in.add(os.getpid())
    if len(_used_in) > 1:
        # The threads of the libraries are not in a forked process, which would wait for them for ever.
        raise StorageError(
            f"{address.scheme}:// cannot be used by a process that was forked after its parent used it",
            help='start processes by "spawn" or "forkserver", or use the store only after the fork',
        )
    return _store(address.scheme, address.authority, options_for(Address(address.scheme, address.authority, "")))


@lru_cache(maxsize=64)
def _store(scheme: str, authority: str, options: Options) -> Store:
    try:
        if scheme == "hdfs":
            from eligo.stores.hdfs_store import HdfsStore

            return HdfsStore(authority, options)
        from eligo.stores.object_store import ObjectStore

        return ObjectStore(scheme, authority, options)
    except ImportError as error:
        raise MissingExtraError(
            f"{scheme}:// needs the package {error.name}, which is not installed", help=f"install it: {EXTRA}"
        ) from None


def require_small(address: object, num_bytes: int) -> None:
    """Refuse to take a file into memory that no one has written to be read so."""
    if num_bytes > MOST_READ:
        raise StorageError(f"{address} has {num_bytes:,} bytes, and what is read at once may have {MOST_READ:,}")
