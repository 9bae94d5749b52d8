"""Where does a build keep what one stage makes and the next one needs? In the index, under names of files not finished.

    INDEX/shards/.eligo-<8 digits of the run><8 digits of the number>.tmp

A task that runs twice writes the same content under the same name, whole or not at all. The run removes its files in
the end; those of a run that was killed go with `remove_unreferenced`, like any other file that was left behind. They
are not fsynced: nothing refers to them after a crash.
"""

from __future__ import annotations

import os
import re
import secrets
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from eligo.storage.array_file import ArrayFile, ArrayFileContent, Arrays, read_arrays
from eligo.storage.canonical_json import Json
from eligo.storage.directory import prepare
from eligo.storage.file_entries import ShardEntry
from eligo.storage.refusal import damaged, unusable
from eligo.storage.replace_file import make_directory

ROWS_AT_ONCE = 1 << 16
CHECKSUM_BYTES = 8
"""At the end of a file of rows, so that what stands before keeps its place and alignment."""
REJECTS = 1 << 31
"""Of shard n, the rejects are the file of this number and n."""


@dataclass(frozen=True)
class WorkFiles:
    """The files of one run."""

    index: str
    run: str
    """8 hexadecimal digits."""

    @classmethod
    def of(cls, index: str | os.PathLike[str]) -> WorkFiles:
        """For a new run; the directory is made, unless it holds something else than an index."""
        path = os.path.abspath(index)
        prepare(path)
        make_directory(Path(path) / ShardEntry.FOLDER)
        return cls(path, secrets.token_hex(4))

    def path(self, number: int) -> Path:
        """Of the file of that number."""
        return Path(self.index) / ShardEntry.FOLDER / f".eligo-{self.run}{number:08x}.tmp"

    def write(self, number: int, arrays: Arrays, meta: Mapping[str, Json]) -> None:
        """Writes a file of arrays."""
        _write_whole(self.path(number), ArrayFileContent.of(arrays, meta).chunks())

    def read(self, number: int) -> ArrayFile:
        """Maps a file of arrays."""
        return read_arrays(self.path(number))

    def write_table(self, number: int, table: pa.Table) -> None:
        """Writes rows of a table."""
        temporary = self.path(number).with_name(f".eligo-{secrets.token_hex(8)}.tmp")
        try:
            try:
                with pa.OSFile(str(temporary), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
                    writer.write_table(table)
                _append_checksum(temporary)
                os.replace(temporary, self.path(number))
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
        except OSError as error:
            raise unusable(self.path(number), "write", error) from error

    def read_table(self, number: int) -> pa.Table:
        """Maps rows of a table, which Arrow would not notice to be damaged."""
        with pa.memory_map(str(self.path(number))) as source:
            whole = source.read_buffer()
        content = whole.slice(0, max(0, whole.size - CHECKSUM_BYTES))
        if whole.slice(content.size).to_pybytes() != _checksum(zlib.crc32(content)):
            raise damaged(self.path(number), "its checksum does not fit")
        return pa.ipc.open_file(pa.BufferReader(content)).read_all()

    def read_batches(self, number: int) -> Iterable[pa.RecordBatch]:
        """Rows of a table, some at a time; none when there is no such file."""
        if self.path(number).exists():
            yield from self.read_table(number).to_batches(max_chunksize=ROWS_AT_ONCE)

    def remove(self) -> None:
        """Removes all files of the run."""
        own = re.compile(rf"\.eligo-{self.run}[0-9a-f]{{8}}\.tmp")
        folder = Path(self.index) / ShardEntry.FOLDER
        with suppress(OSError):
            for name in os.listdir(folder):
                if own.fullmatch(name):
                    with suppress(OSError):
                        os.unlink(folder / name)


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
