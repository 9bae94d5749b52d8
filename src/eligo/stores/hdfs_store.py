"""How is HDFS spoken to? Through hdfs-native, without Java; the cluster is the one that Hadoop's configuration names.

A file of HDFS can be seen while it is being written. So it is written under another name, and renamed: over what is
there for `put`, over nothing for `create`, which the name node decides. An answer to that can be lost, and the library
may ask again, for a file that has its new name by then: so whatever goes wrong, what is there decides.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from hdfs_native import Client, WriteOptions

from eligo.errors import StorageError
from eligo.stores.address import Address
from eligo.stores.given_options import Options
from eligo.stores.store import FileStatus, require_small
from eligo.stores.store_refusal import refused

ASIDE = ".eligo-{}.tmp"
_NO_FILE = ("FileNotFoundException", "File not found", "does not exist", "No such file")
_THERE_IS_ONE = ("FileAlreadyExistsException", "already exists")


class HdfsStore:
    """One file system; errors of the library are of several classes, and are told apart by what they say."""

    def __init__(self, authority: str, options: Options = ()) -> None:
        self._top = Address("hdfs", authority, "")
        self._client: Any = Client(f"hdfs://{authority}" if authority else None, dict(options) or None)

    def read(self, key: str) -> bytes:
        """The whole file, as long as it was when it was opened: another may be put in its place meanwhile."""
        try:
            with self._client.read(f"/{key}") as file:
                require_small(self._top / key, num_bytes := len(file))
                return bytes(file.read_range(0, num_bytes)) if num_bytes else b""
        except Exception as error:
            raise self._told("read", key, error) from None

    def read_range(self, key: str, start: int, num_bytes: int) -> bytes:
        """Some bytes of a file."""
        try:
            with self._client.read(f"/{key}") as file:
                # The library does not raise an error for what is beyond the end: it panics.
                num_bytes = max(0, min(num_bytes, len(file) - start))
                return bytes(file.read_range(start, num_bytes)) if num_bytes else b""
        except Exception as error:
            raise self._told("read", key, error) from None

    def status(self, key: str) -> FileStatus | None:
        """None when there is no such file."""
        try:
            found = self._client.get_file_info(f"/{key}")
        except Exception as error:
            told = self._told("look at", key, error)
            if isinstance(told, FileNotFoundError):
                return None
            raise told from None
        return None if found.isdir else _status(found)

    def list(self, prefix: str) -> Iterator[FileStatus]:
        """All files below a prefix."""
        try:
            for found in self._client.list_status(f"/{prefix.rstrip('/')}", True):
                name = found.path.rpartition("/")[2]
                if not found.isdir and not (name.startswith(".eligo-") and name.endswith(".tmp")):
                    yield _status(found)
        except Exception as error:
            told = self._told("list", prefix, error)
            if not isinstance(told, FileNotFoundError):
                raise told from None

    def create(self, key: str, data: bytes) -> bool:
        """Make a file that is not there yet."""
        try:
            self._write(key, [data], overwrite=False)
        except Exception as error:
            if any(words in str(error) for words in _THERE_IS_ONE):
                return False
            found = self._content(key)
            if found is None:
                raise refused(self._top / key, "create", error) from None
            return found == data
        return True

    def _content(self, key: str) -> bytes | None:
        """None where there is no such file, or none that can be read."""
        try:
            return self.read(key)
        except (FileNotFoundError, StorageError):
            return None

    def put(self, key: str, chunks: Iterable[bytes | memoryview]) -> None:
        """Make a file in the place of one that may be there."""
        try:
            self._write(key, chunks, overwrite=True)
        except Exception as error:
            raise self._told("write", key, error) from None

    def move(self, key: str, to: str) -> None:
        """Give a file another key."""
        try:
            self._client.mkdirs(os.path.dirname(f"/{to}"), create_parent=True)
            self._client.rename(f"/{key}", f"/{to}", True)
        except Exception as error:
            raise self._told("move", key, error) from None

    def delete(self, keys: Sequence[str]) -> None:
        """Remove files, those that are there."""
        for key in keys:
            try:
                self._client.delete(f"/{key}", False)
            except Exception as error:
                told = self._told("remove", key, error)
                if not isinstance(told, FileNotFoundError):
                    raise told from None

    def _write(self, key: str, chunks: Iterable[bytes | memoryview], *, overwrite: bool) -> None:
        folder = os.path.dirname(f"/{key}")
        self._client.mkdirs(folder, create_parent=True)
        aside = f"{folder.rstrip('/')}/{ASIDE.format(secrets.token_hex(8))}"
        try:
            with self._client.create(aside, WriteOptions()) as file:
                for chunk in chunks:
                    file.write(bytes(chunk))
            self._client.rename(aside, f"/{key}", overwrite)
        except BaseException:
            with suppress(Exception):  # what broke the writing off is what the caller must hear of
                self._client.delete(aside, False)
            raise

    def _told(self, doing: str, key: str, error: Exception) -> Exception:
        if isinstance(error, FileNotFoundError) or any(words in str(error) for words in _NO_FILE):
            return FileNotFoundError(str(self._top / key))
        if isinstance(error, StorageError):
            return error
        return refused(self._top / key if key else self._top, doing, error)


def _status(found: Any) -> FileStatus:
    return FileStatus(found.path.lstrip("/"), found.length, datetime.fromtimestamp(found.modification_time / 1000, UTC))
