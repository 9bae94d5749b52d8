"""How does a file of a store get onto this machine's disk? In ranges, several at a time, and with its hash compared.

One connection to an object store gives a fraction of what a machine can take in; ranges that are fetched by a few
threads at once fill it. Who wants to see how far it is listens (`listening`).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from eligo.errors import DamagedFileError
from eligo.stores.address import Address
from eligo.stores.store import store_of

RANGE_BYTES = 8 << 20
AT_ONCE = 8
"""Ranges of a file that are fetched at the same time."""


class Fetched(NamedTuple):
    """How far a download is."""

    address: Address
    num_done: int
    """Bytes."""
    num_bytes: int


OnFetch = Callable[[Fetched], None]
_listener: ContextVar[OnFetch | None] = ContextVar("_listener", default=None)


@contextmanager
def listening(on_fetch: OnFetch) -> Iterator[None]:
    """Have a function told, in the calling thread, whenever a range of any file has come."""
    token = _listener.set(on_fetch)
    try:
        yield
    finally:
        _listener.reset(token)


def download(address: Address, sha256: str | None, num_bytes: int, descriptor: int) -> None:
    """Write the file of an address to an open file; `DamagedFileError` when it has another content.

    Without a hash, it is taken as it is.
    """
    store = store_of(address)
    listener = _listener.get()

    def fetch(start: int) -> int:
        data = store.read_range(address.key, start, min(RANGE_BYTES, num_bytes - start))
        os.pwrite(descriptor, data, start)
        return len(data)

    num_done = 0
    starts = range(0, num_bytes, RANGE_BYTES)
    with ThreadPoolExecutor(min(AT_ONCE, max(1, len(starts)))) as threads:
        for fetched in threads.map(fetch, starts):
            num_done += fetched
            if listener is not None:
                listener(Fetched(address, num_done, num_bytes))
    if num_done != num_bytes or (sha256 is not None and _sha256(descriptor) != sha256):
        raise DamagedFileError(
            f"{address} is damaged: its content is not what it is named by",
            help="restore the index from a copy, or build it again at another path",
        )


def _sha256(descriptor: int) -> str:
    with open(descriptor, "rb", closefd=False) as file:
        file.seek(0)
        return hashlib.file_digest(file, "sha256").hexdigest()
