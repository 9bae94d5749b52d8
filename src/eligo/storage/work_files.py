"""Where does a build keep what one stage makes and the next one needs? In the index, under names of files not finished.

    INDEX/shards/.eligo-<8 digits of the run><8 digits of the file>.tmp

A task that runs twice writes the same content under the same name, whole or not at all. The run removes its files in
the end; those of a run that was killed go with `remove_unreferenced`, like any other file that was left behind. A task
that outlives its run, as Spark lets tasks do when another has failed, finds the run's mark gone and takes back what it
wrote. The files are not fsynced: nothing refers to them after a crash. In a store they stand under the same names, and
a machine maps its own copies of them.
"""

from __future__ import annotations

import os
import re
import secrets
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from eligo.errors import InputError, StorageError
from eligo.storage.array_file import ArrayFile, ArrayFileContent, Arrays, read_arrays
from eligo.storage.canonical_json import Json
from eligo.storage.directory import prepare
from eligo.storage.file_entries import ShardEntry
from eligo.storage.refusal import damaged, unusable
from eligo.storage.replace_file import make_directory
from eligo.stores.address import Address, Place, located, place
from eligo.stores.host_cache import fetched_as_it_is
from eligo.stores.store import store_of

ROWS_AT_ONCE = 1 << 16
CHECKSUM_BYTES = 8
"""At the end of a file of rows, so that what stands before keeps its place and alignment."""


class WorkKind(Enum):
    """What work files are of, and the numbers in their names: from the first of these to before the second."""

    SHARD = (0x00000000, 0x01000000)
    """A shard that is encoded, with the vocabulary of its own rows."""
    ROWS = (0x01000000, 0x80000000)
    """Rows as they were read."""
    REJECTS = (0x80000000, 0xB0000000)
    """The rejected rows of the shard of the same number."""
    VOCABULARY = (0xB0000000, 0xC0000000)
    """Vocabularies of several shards, merged."""
    ROWS_READ = (0xC0000000, 0xD0000000)
    ROWS_CHECKED = (0xD0000000, 0xE0000000)
    ROWS_BUILT = (0xE0000000, 0xF0000000)
    """How many rows a task has read, or is done with of a shard (see `row_progress`)."""
    MARK = (0xF0000000, 0x100000000)
    """Says by being there that the run goes on."""

    def file(self, number: int) -> WorkFile:
        """That of this number, from 0."""
        return WorkFile(self, number)


class WorkFile(NamedTuple):
    """One file of a run."""

    kind: WorkKind
    number: int
    """Among those of its kind, from 0."""

    @property
    def digits(self) -> str:
        """Eight, by which no two files of a run are confused."""
        first, end = self.kind.value
        if not 0 <= self.number < end - first:
            raise InputError(
                f"a build has files {self.kind.name} for at most {end - first:,} of them, not for {self.number:,}",
                help="use larger shards, or fewer tasks",
            )
        return f"{first + self.number:08x}"


MARK = WorkKind.MARK.file(0)


@dataclass(frozen=True)
class WorkFiles:
    """The files of one run."""

    index: str
    run: str
    """8 hexadecimal digits."""

    @classmethod
    def of(cls, index: str | os.PathLike[str]) -> WorkFiles:
        """For a new run; the directory is made, unless it holds something else than an index."""
        path = located(index)
        prepare(path)
        folder = place(path) / ShardEntry.FOLDER
        if isinstance(folder, Path):
            make_directory(folder)
        work = cls(path, secrets.token_hex(4))
        work._put(MARK, [])
        return work

    @property
    def folder(self) -> Place:
        """Where they are."""
        return place(self.index) / ShardEntry.FOLDER

    def path(self, file: WorkFile) -> Place:
        """Of a file that there is or may be."""
        return self.folder / f".eligo-{self.run}{file.digits}.tmp"

    def paths(self, kind: WorkKind | None = None) -> list[Place]:
        """Of the files that there are of a kind, or of all."""
        first, end = (0, 1 << 32) if kind is None else kind.value
        own = re.compile(rf"\.eligo-{self.run}([0-9a-f]{{8}})\.tmp")
        try:
            found = ((name, own.fullmatch(name)) for name in self._names())
            return [self.folder / name for name, match in found if match and first <= int(match[1], 16) < end]
        except OSError:
            return []

    def _names(self) -> list[str]:
        folder = self.folder
        if isinstance(folder, Address):
            begin = f"{folder.prefix}.eligo-{self.run}"
            return [
                status.key.removeprefix(folder.prefix)
                for status in store_of(folder).list(folder.prefix)
                if status.key.startswith(begin)
            ]
        return os.listdir(folder)

    def write(self, file: WorkFile, arrays: Arrays, meta: Mapping[str, Json]) -> None:
        """Writes a file of arrays."""
        self._put(file, ArrayFileContent.of(arrays, meta).chunks())
        self._take_back_if_over(file)

    def _put(self, file: WorkFile, chunks: Iterable[bytes | memoryview]) -> None:
        path = self.path(file)
        if isinstance(path, Address):
            store_of(path).put(path.key, chunks)
        else:
            _write_whole(path, chunks)

    def _take_back_if_over(self, file: WorkFile) -> None:
        """Either `remove`, which takes the mark away first, sees the file, or this sees that the mark is gone."""
        if not _is_there(self.path(MARK)):
            _remove([self.path(file)])
            raise StorageError(
                f"{self.index}: the run that a task wrote for has ended before it",
                help="see why that run ended; nothing of this task is left",
            )

    def read(self, file: WorkFile) -> ArrayFile:
        """Maps a file of arrays."""
        return read_arrays(_local(self.path(file)))

    def write_table(self, file: WorkFile, table: pa.Table) -> None:
        """Writes rows of a table."""
        path = self.path(file)
        if isinstance(path, Address):
            content = _table_content(table)
            store_of(path).put(path.key, [content, _checksum(zlib.crc32(content))])
        else:
            _write_table_whole(path, table)
        self._take_back_if_over(file)

    def read_table(self, file: WorkFile) -> pa.Table:
        """Maps rows of a table, which Arrow would not notice to be damaged."""
        with pa.memory_map(str(_local(self.path(file)))) as source:
            whole = source.read_buffer()
        content = whole.slice(0, max(0, whole.size - CHECKSUM_BYTES))
        if whole.slice(content.size).to_pybytes() != _checksum(zlib.crc32(content)):
            raise damaged(self.path(file), "its checksum does not fit")
        return pa.ipc.open_file(pa.BufferReader(content)).read_all()

    def read_batches(self, file: WorkFile) -> Iterable[pa.RecordBatch]:
        """Rows of a table, some at a time; none when there is no such file."""
        if _is_there(self.path(file)):
            yield from self.read_table(file).to_batches(max_chunksize=ROWS_AT_ONCE)

    def remove(self) -> None:
        """Removes all files of the run."""
        _remove([self.path(MARK)])
        _remove(self.paths())


def _remove(paths: Sequence[Place]) -> None:
    stored = [path for path in paths if isinstance(path, Address)]
    if stored:
        with suppress(StorageError):
            store_of(stored[0]).delete([path.key for path in stored])
    for path in paths:
        if isinstance(path, Path):
            with suppress(OSError):
                os.unlink(path)


def _local(path: Place) -> Path:
    """The file, or this machine's copy of it."""
    return fetched_as_it_is(path) if isinstance(path, Address) else path


def _is_there(path: Place) -> bool:
    return store_of(path).status(path.key) is not None if isinstance(path, Address) else path.exists()


def _table_content(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _append_checksum(path: Path) -> None:
    """A CRC-32 of the file at its end."""
    with open(path, "r+b") as file:
        checksum = 0
        while chunk := file.read(1 << 20):
            checksum = zlib.crc32(chunk, checksum)
        file.write(_checksum(checksum))


def _checksum(crc32: int) -> bytes:
    return crc32.to_bytes(CHECKSUM_BYTES, "little")


def _write_whole(path: Path, chunks: Iterable[bytes | memoryview]) -> None:
    temporary = path.with_name(f".eligo-{secrets.token_hex(8)}.tmp")
    try:
        try:
            with open(temporary, "xb") as file:
                for chunk in chunks:
                    file.write(chunk)
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise unusable(path, "write", error) from error


def _write_table_whole(path: Path, table: pa.Table) -> None:
    temporary = path.with_name(f".eligo-{secrets.token_hex(8)}.tmp")
    try:
        try:
            with pa.OSFile(str(temporary), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)
            _append_checksum(temporary)
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise unusable(path, "write", error) from error
