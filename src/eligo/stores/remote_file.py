"""How does a library that wants an open file read one of a store? Through a file object that fetches ranges."""

from __future__ import annotations

import io
import os
from typing import Any

from eligo.stores.address import Address, Place
from eligo.stores.store import store_of

READ_AHEAD = 8 << 20
"""Bytes of a file of a store that are fetched at once for one who reads on and on."""


def opened_file(found: Place) -> io.BufferedReader:
    """The bytes of a file, from its beginning, wherever it is."""
    return io.BufferedReader(RemoteFile(found), READ_AHEAD) if isinstance(found, Address) else found.open("rb")


class RemoteFile(io.RawIOBase):
    """A file of a store, read-only; it is as large as it was when it was opened."""

    def __init__(self, address: Address) -> None:
        super().__init__()
        self._store, self._key = store_of(address), address.key
        found = self._store.status(address.key)
        if found is None:
            raise FileNotFoundError(str(address))
        self._num_bytes, self._at = found.num_bytes, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def size(self) -> int:
        """In bytes."""
        return self._num_bytes

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place, from which the next bytes are read."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._num_bytes}[whence]
        self._at = max(0, start + offset)
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        """The next bytes, as many as there are."""
        left = max(0, self._num_bytes - self._at)
        wanted = left if size is None or size < 0 else min(size, left)
        data = self._store.read_range(self._key, self._at, wanted) if wanted else b""
        self._at += len(data)
        return data

    def readinto(self, buffer: Any, /) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
